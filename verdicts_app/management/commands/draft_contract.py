"""draft_contract --call-type T: have the judge draft a contract, print it for review."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judgeweb.judging.errors import CaseRefused
from verdicts_app.exports.numbers import dollars
from verdicts_app.management.commands.judge import ACTOR, bad_arguments, check_database
from verdicts_app.models import Capture, Drafting, DraftingState, Run, SystemPromptText
from verdicts_app.work.drafting import ask_for_draft, cost_of_drafting, price_of_drafting
from verdicts_app.work.drafting_loop import work_off


class Command(BaseCommand):
    help = (
        "Have the judge draft the contract of a call type from its captured system prompt, in "
        "this process, and print it as import_contracts takes it. It is published by no one but "
        "you. Exit code 1 where nothing could be drafted, 2 for bad arguments."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--call-type", required=True)
        parser.add_argument("--run", help="calls of this run alone")
        parser.add_argument("--prompt", help="the first digits of the system prompt's SHA-256")

    def handle(self, *args: Any, **options: Any) -> None:
        check_database()
        run = run_named(options["run"])
        prompt = the_prompt(options["call_type"], run, options["prompt"])
        try:
            drafting = self.drafted(options["call_type"], prompt, run)
        except CaseRefused as refused:
            raise CommandError(f"{refused.field}: {refused.message}") from refused
        cost = dollars(cost_of_drafting(drafting.pk))
        self.stderr.write(f"{cost:.4f} USD spent")
        if drafting.state != DraftingState.DRAFTED:
            raise CommandError(f"nothing was drafted: {drafting.reason}: {drafting.detail}")
        document = json.loads(drafting.document)
        document["json_schema"] = json.loads(document["json_schema"])
        self.stdout.write(json.dumps(document, indent=2))

    def drafted(self, call_type: str, prompt: SystemPromptText, run: Run | None) -> Drafting:
        price = price_of_drafting(call_type, prompt)
        about = dollars(price.estimate_nano_usd)
        cost = "price not known" if about is None else f"about {about:.4f} USD"
        self.stderr.write(f"asking {price.model}, {cost}")
        drafting = ask_for_draft(
            call_type=call_type, prompt=prompt, run=run, user=None, actor=ACTOR
        )
        work_off(drafting.pk)
        drafting.refresh_from_db()
        if drafting.state == DraftingState.DRAFTING:
            raise CommandError("another worker drafts this contract at the moment")
        return drafting


def run_named(run_id: str | None) -> Run | None:
    if run_id is None:
        return None
    run = Run.objects.filter(run_id=run_id).first()
    if run is None:
        raise bad_arguments(f"there is no run {run_id!r}")
    return run


def the_prompt(call_type: str, run: Run | None, sha256: str | None) -> SystemPromptText:
    """The one system prompt that the calls have, or the one that is named."""
    captures = Capture.objects.filter(call_type=call_type, system_prompt__isnull=False)
    if run is not None:
        captures = captures.filter(run=run)
    if sha256:
        captures = captures.filter(system_prompt__sha256__startswith=sha256)
    found = SystemPromptText.objects.filter(pk__in=captures.values("system_prompt"))
    prompts = list(found.order_by("pk")[:10])
    if not prompts:
        raise bad_arguments(f"there is no call of type {call_type!r} with such a system prompt")
    if len(prompts) > 1:
        known = ", ".join(prompt.sha256[:12] for prompt in prompts)
        raise bad_arguments(
            f"the calls have {found.count()} system prompts: name one with --prompt: {known}"
        )
    return prompts[0]
