"""calibrate [SCENARIO ...]: a judge tried on gold standards, in this process."""

from argparse import ArgumentParser, BooleanOptionalAction
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judgeweb.judging.errors import CaseRefused
from rubrics_app.selectors import scenarios_with_gold
from verdicts_app.boards.calibration import TOLERANCE, calibrations
from verdicts_app.management.instrument import add_instrument
from verdicts_app.templatetags.figures import money
from verdicts_app.work.here import NoJudge, judge_here
from verdicts_app.work.price import Price
from verdicts_app.work.request import JudgeRequest

ACTOR = "command"


class Command(BaseCommand):
    help = (
        "Let a judge judge the answers of gold standards, blind, and print how far it is off the "
        "people who graded them. Needs no worker. Exit code 1 where a judge is outside of the "
        "tolerance or not all could be judged, 2 for bad arguments."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scenario", nargs="*", help="default: all that have a gold standard")
        parser.add_argument("--model", help="the judge model (default: JUDGE_MODEL)")
        parser.add_argument("--repeats", type=int, default=3, help="1 to 5 (default: 3)")
        parser.add_argument(
            "--rejudge",
            action=BooleanOptionalAction,
            default=True,
            help="judge anew what was calibrated before (default), or leave it out",
        )
        add_instrument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        keys = options["scenario"] or scenarios_with_gold()
        if not keys:
            raise CommandError("No scenario has a published gold standard.", returncode=2)
        request = JudgeRequest(
            golds=keys,
            model=options["model"],
            repeats=options["repeats"],
            rejudge=options["rejudge"],
            claims=options["claims"],
            claims_model=options["claims_model"],
            shuffle=options["shuffle"],
        )
        try:
            worked = judge_here(request=request, actor=ACTOR, before=self._say_price)
        except CaseRefused as refused:
            raise CommandError(f"{refused.field}: {refused.message}", returncode=2) from refused
        except NoJudge as missing:
            raise CommandError(
                "No judge is configured: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL to any "
                "server that speaks the Messages API"
            ) from missing
        for refusal in worked.refused:
            self.stderr.write(f"{refusal.scenario}: {refusal.field}: {refusal.message}")
        is_within = self._report(worked.base_digests, set(keys))
        if worked.standing:
            raise CommandError(worked.standing)
        if worked.refused or not is_within:
            raise SystemExit(1)

    def _say_price(self, price: Price) -> None:
        cost = price.estimate_nano_usd
        about = "price not known" if cost is None else f"about {money(cost)}"
        self.stderr.write(f"{price.judgements} judgements by {price.model}, {about}")

    def _report(self, base_digests: frozenset[str], keys: set[str]) -> bool:
        """One line a judge and scenario; False where one is outside."""
        is_within = True
        for one in calibrations():
            if one.epoch.base_digest not in base_digests or one.scenario not in keys:
                continue
            is_within = is_within and one.is_within
            verdict = "within" if one.is_within else "OUTSIDE"
            self.stdout.write(
                f"{one.scenario}: gold {float(one.gold_score):g} by {one.graded_by}, {one.judge} "
                f"{float(one.mean):.1f} ({len(one.totals)} of it, spread {float(one.spread):.1f}): "
                f"{float(one.deviation):+.1f}, {verdict} +-{TOLERANCE}"
            )
        return is_within
