"""Pages of drafted contracts: where none fits, the price, the review, what a contract changes."""

import json

import pytest
from django.urls import reverse

from judgeweb.access.models import AuditEntry
from judgeweb.judging.documents import ContractDocument, canonical_json
from rubrics_app.contracts import save_contract
from rubrics_app.models import Contract
from rubrics_app.selectors import contract_for
from tests.factories import NOON, make_call_verdict, make_capture, make_run, make_system_prompt
from verdicts_app.models import Drafting, DraftingState

pytestmark = pytest.mark.django_db

HOSTILE = '<img src=x onerror="alert(1)">'
SCHEMA = {"type": "object", "required": ["subtasks"], "properties": {"subtasks": {}}}
KEEPS, BREAKS = '{"subtasks": []}', '{"domain": 1}'


@pytest.fixture
def author(client, make_user, settings):
    settings.ANTHROPIC_API_KEY = "key"
    client.force_login(make_user("author", "ada"))
    return client


@pytest.fixture
def woken(monkeypatch, django_capture_on_commit_callbacks):
    sent = []
    monkeypatch.setattr("verdicts_app.pages.drafting.wake_for_draftings", lambda: sent.append(1))
    return sent


@pytest.fixture
def prompt():
    found = make_system_prompt(f"Return subtasks. {HOSTILE}")
    make_capture(system_prompt=found, response_content=KEEPS, call_id="keeps")
    make_capture(system_prompt=found, response_content=BREAKS, call_id="breaks")
    return found


def make_drafting(prompt, **fields):
    document = ContractDocument(
        call_type="planner",
        system_prompt_sha256=prompt.sha256,
        json_schema=SCHEMA,
        notes=f"Open. {HOSTILE}",
    )
    values = {
        "call_type": "planner",
        "system_prompt": prompt,
        "run": make_run("run-1"),
        "origin": "judged",
        "model": "claude-sonnet-5-5",
        "output_mode": "format",
        "state": DraftingState.DRAFTED,
        "document": canonical_json(document),
        "finished_at": NOON,
    }
    return Drafting.objects.create(**{**values, **fields})


def review(drafting, **values):
    made = {
        "json_schema": json.dumps(SCHEMA),
        "strict": "on",
        "scope": "this",
        "notes": "",
        "this_version": 0,
        "any_version": 0,
        "act": "check",
    }
    return reverse("drafting", args=[drafting.pk]), {**made, **values}


def text_of(answer):
    return " ".join(answer.content.decode().split())


# --- where no contract fits ---------------------------------------------------------------------


def test_run_page_says_where_no_contract_fits_and_offers_to_draft_one(author, prompt):
    make_capture("reconciler", system_prompt=None)
    make_capture("judge")
    save_contract(ContractDocument(call_type="auditor", json_schema=SCHEMA), user=None)
    make_capture("auditor")

    page = text_of(author.get(reverse("run", args=["run-1"])))

    section = page[page.index('id="run-contracts"') :]
    section = section[: section.index("</section>")]
    assert prompt.sha256[:12] in section
    assert "Draft one from the system prompt" in section
    assert "nothing to draft from" in section
    assert "auditor" not in section
    assert ">judge<" not in section
    assert "every 2s" not in section


def test_others_than_authors_see_the_gap_and_no_button(client, make_user, prompt):
    client.force_login(make_user("operator"))
    page = text_of(client.get(reverse("run", args=["run-1"])))
    assert "none fits" in page
    assert "Draft one" not in page


def test_the_section_follows_a_draft_that_is_made(author, prompt):
    make_drafting(prompt, state=DraftingState.DRAFTING, document="", finished_at=None)
    part = text_of(author.get(reverse("run_contracts", args=["run-1"])))
    assert "being drafted" in part
    assert "every 5s" in part


def test_prompt_versions_name_their_contract(author, prompt):
    url = reverse("prompts") + "?call_type=planner"
    assert "Draft one from the system prompt" in text_of(author.get(url))
    drafting = make_drafting(prompt)
    assert reverse("drafting", args=[drafting.pk]) in text_of(author.get(url))
    save_contract(ContractDocument(call_type="planner", json_schema=SCHEMA), user=None)
    assert "planner, revision 1" in text_of(author.get(url))


# --- asked for ----------------------------------------------------------------------------------


def test_the_price_stands_on_the_button_and_pressing_it_asks(
    author, prompt, woken, django_capture_on_commit_callbacks
):
    query = {"call_type": "planner", "prompt": prompt.sha256, "run": "run-1"}
    page = text_of(author.get(reverse("draft_contract"), query))
    assert "Draft a contract, about $0.0" in page
    assert HOSTILE not in page
    assert not Drafting.objects.exists()

    with django_capture_on_commit_callbacks(execute=True):
        answer = author.post(reverse("draft_contract"), query)

    drafting = Drafting.objects.get()
    assert answer["Location"] == reverse("drafting", args=[drafting.pk])
    assert (drafting.state, drafting.run.run_id) == (DraftingState.DRAFTING, "run-1")
    assert drafting.created_by.username == "ada"
    assert woken == [1]
    assert AuditEntry.objects.get(action="draft contract").actor == "ada"
    page = text_of(author.get(answer["Location"]))
    assert "every 2s" in page


def test_what_cannot_be_drafted_is_said(author, prompt, settings):
    url = reverse("draft_contract")
    assert author.get(url, {"call_type": "planner", "prompt": "f" * 64}).status_code == 404
    assert author.get(url, {"call_type": "other", "prompt": prompt.sha256}).status_code == 404
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""
    query = {"call_type": "planner", "prompt": prompt.sha256}
    page = author.get(url, query)
    assert "No judge is configured" in text_of(page)
    assert "draft-now" not in text_of(page)
    assert author.post(url, query).status_code == 422
    assert not Drafting.objects.exists()


def test_a_failure_is_shown_with_its_reason(author, prompt):
    drafting = make_drafting(
        prompt, state=DraftingState.FAILED, reason="refused", detail=HOSTILE, document=""
    )
    page = text_of(author.get(reverse("drafting", args=[drafting.pk])))
    assert "Nothing was drafted: refused" in page
    assert "Ask again" in page
    assert HOSTILE not in page
    assert author.post(reverse("drafting", args=[drafting.pk])).status_code == 200
    assert not Contract.objects.exists()


# --- reviewed -----------------------------------------------------------------------------------


def test_review_shows_what_stored_captures_would_do(author, prompt):
    drafting = make_drafting(prompt)
    page = text_of(author.get(reverse("drafting", args=[drafting.pk])))
    assert "all 2 stored calls" in page
    assert "<dt>Keep it</dt><dd>1</dd>" in page
    assert "<dt>Fail it</dt><dd>1</dd>" in page
    assert "undecided → fails" in page
    assert HOSTILE not in page


def test_an_edited_schema_is_checked_again_and_nothing_is_saved(author, prompt):
    drafting = make_drafting(prompt)
    url, values = review(drafting, json_schema='{"type": "object"}', strict="")
    values.pop("strict")
    page = text_of(author.post(url, values))
    assert "<dt>Keep it</dt><dd>2</dd>" in page
    assert not Contract.objects.exists()


@pytest.mark.parametrize(
    ("schema", "said"),
    [("{", "is not JSON"), ('{"type": "lump"}', "json_schema.type"), ("", "required")],
)
def test_what_is_no_contract_is_refused_and_the_input_stands(author, prompt, schema, said):
    url, values = review(make_drafting(prompt), json_schema=schema, act="publish", notes="Mine.")
    answer = author.post(url, values)
    assert answer.status_code == 422
    assert said in text_of(answer)
    assert "Mine." in text_of(answer)
    assert not Contract.objects.exists()


def test_publishing_takes_the_normal_way(author, prompt):
    drafting = make_drafting(prompt)
    url, values = review(drafting, act="publish", notes="Read.")

    answer = author.post(url, values, follow=True)

    revision = contract_for("planner", prompt.sha256)
    assert revision is not None
    assert json.loads(revision.document)["notes"] == "Read."
    assert (revision.published_by.username, revision.number) == ("ada", 1)
    assert "drafted by claude-sonnet-5-5" in revision.note
    drafting.refresh_from_db()
    assert drafting.revision == revision
    assert "Reviewed and published as" in text_of(answer)
    assert AuditEntry.objects.filter(action="publish contract", actor="ada").count() == 1
    assert contract_for("planner", "") is None


def test_a_draft_is_saved_for_the_admin_and_for_any_prompt(author, prompt):
    url, values = review(make_drafting(prompt), act="save", scope="any")
    answer = author.post(url, values)
    contract = Contract.objects.get()
    assert answer["Location"] == reverse("admin:rubrics_app_contract_change", args=[contract.pk])
    assert (contract.key, contract.system_prompt_sha256) == ("planner", "")
    assert contract_for("planner", "") is None


def test_another_authors_contract_is_not_overwritten_unseen(author, make_user, prompt):
    drafting = make_drafting(prompt)
    url, values = review(drafting, act="publish", notes="Mine.")
    theirs = ContractDocument(
        call_type="planner", system_prompt_sha256=prompt.sha256, json_schema={"type": "object"}
    )
    save_contract(theirs, user=make_user("author", "bob"), publish=False)

    answer = author.post(url, values)

    assert answer.status_code == 409
    assert "bob changed the contract" in text_of(answer)
    assert "Mine." in text_of(answer)
    assert contract_for("planner", prompt.sha256) is None
    again = author.post(url, {**values, "this_version": Contract.objects.get().version})
    assert again.status_code == 302
    Contract.objects.update(is_archived=True)
    values["this_version"] = Contract.objects.get().version
    assert "archived" in text_of(author.post(url, values))


# --- what a contract of the admin would change --------------------------------------------------


def test_the_admin_leads_to_what_a_draft_would_change(author, prompt):
    capture = make_capture(system_prompt=prompt, response_content=BREAKS, call_id="judged")
    make_call_verdict(capture, ok=(True, True, True))
    saved = save_contract(
        ContractDocument(call_type="planner", json_schema=SCHEMA), user=None, publish=False
    )
    url = reverse("contract_changes", args=[saved.contract.pk])
    admin = reverse("admin:rubrics_app_contract_change", args=[saved.contract.pk])
    assert url in text_of(author.get(admin))

    page = text_of(author.get(url))

    assert "3 captures would change" in page
    assert "holds → fails" in page
    assert "pass → fail" in page
    assert "all 3 stored calls" in page
    Contract.objects.update(json_schema="{")
    assert "is not JSON" in text_of(author.get(url))
    assert author.get(reverse("contract_changes", args=[99])).status_code == 404


def test_a_page_checks_the_newest_and_says_so(author, prompt, monkeypatch):
    monkeypatch.setattr("verdicts_app.pages.drafting.CHECKED_MOST", 1)
    page = text_of(author.get(reverse("drafting", args=[make_drafting(prompt).pk])))
    assert "the newest 1 of 2 stored calls were checked" in page
    assert "<dt>Fail it</dt><dd>1</dd>" in page
