"""Contracts of captured calls: saved, imported, edited, chosen."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from judgeweb.access import tokens
from judgeweb.access.models import AuditEntry
from judgeweb.judging.documents import ContractDocument, RubricDocument, load_document
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.contracts import import_contracts, save_contract
from rubrics_app.exporting import contracts_yaml
from rubrics_app.importers import FileRefused
from rubrics_app.importers.contracts import contracts_from
from rubrics_app.lint import lint
from rubrics_app.models import CallTypePolicy, Contract, Revision, RevisionKind
from rubrics_app.models.contract import contract_key
from rubrics_app.publishing import state_of
from rubrics_app.selectors import (
    contract_document,
    contract_for,
    default_rubric,
    document_in,
    is_undecidable_allowed,
)

PROMPT = "ab" * 32
SCHEMA = {"type": "object", "required": ["status"], "properties": {"status": {"const": "é"}}}
BACKEND = "django.contrib.auth.backends.ModelBackend"

pytestmark = pytest.mark.django_db


def document(**values: Any) -> ContractDocument:
    made = {"call_type": "planner", "json_schema": SCHEMA, **values}
    return load_document(ContractDocument, made)


def save(**values: Any) -> Any:
    return save_contract(document(**values), user=None, actor="test")


# --- saving -------------------------------------------------------------------------------------


def test_saved_contract_is_the_document() -> None:
    saved = save(source="by hand", notes="Two words.")

    assert (saved.change.value, saved.contract.key, saved.revision.number) == (
        "created", "planner", 1,
    )  # fmt: skip
    assert contract_document(saved.revision) == document(source="by hand", notes="Two words.")
    assert saved.contract.json_schema.splitlines()[1] == '  "type": "object",'
    assert '"const": "é"' in saved.contract.json_schema
    assert AuditEntry.objects.filter(actor="test", target="planner").exists()


def test_saved_again_or_from_another_file_changes_nothing() -> None:
    save(source="one.json")
    again = save(source="two.json", json_schema=json.dumps(SCHEMA, indent=7))

    assert (again.change.value, again.revision.number, again.contract.version) == (
        "unchanged", 1, 1,
    )  # fmt: skip


def test_changed_contract_is_the_next_revision() -> None:
    save()
    changed = save(strict=False)

    assert (changed.change.value, changed.revision.number, changed.contract.version) == (
        "changed", 2, 2,
    )  # fmt: skip
    assert Revision.objects.filter(kind=RevisionKind.CONTRACT).count() == 2


def test_what_is_no_schema_is_refused_and_leaves_nothing() -> None:
    with pytest.raises(DocumentInvalid) as caught:
        save(json_schema={"properties": {"a": {"type": "strin"}}})

    assert [place for place, _ in caught.value.problems] == ["json_schema.properties.a.type"]
    assert not Contract.objects.exists()


def test_what_no_column_holds_is_refused_by_name() -> None:
    with pytest.raises(DocumentInvalid) as caught:
        save(call_type="x" * 201)

    assert [place for place, _ in caught.value.problems] == ["call_type"]


def test_nul_is_stored_as_a_visible_escape_and_in_a_schema_as_it_is() -> None:
    saved = save(json_schema='{"properties": {"a\\u0000": {}}}', notes="a\x00b")
    saved.contract.refresh_from_db()

    assert saved.contract.notes == "a\\u0000b"
    assert contract_document(saved.revision).json_schema == ('{"properties":{"a\\u0000":{}}}')
    assert state_of(saved.contract).label == "published as revision 1"


@pytest.mark.parametrize(
    ("call_type", "sha256", "key"),
    [
        ("planner", "", "planner"),
        ("planner", PROMPT, "planner@abababababab"),
        ("p" * 200, "", "p" * 200),
    ],
)
def test_key_names_call_type_and_prompt(call_type: str, sha256: str, key: str) -> None:
    assert contract_key(call_type, sha256) == key


def test_keys_of_long_call_types_differ() -> None:
    keys = {contract_key("p" * 195 + end, PROMPT) for end in ("a", "b")}

    assert len(keys) == 2
    assert {len(key) for key in keys} == {200}


def test_strict_contract_that_declares_nothing_is_warned_of() -> None:
    assert [p.severity for p in lint(document(json_schema={"type": "object"}))] == ["warning"]
    assert lint(document(json_schema={"patternProperties": {"^a": {}}})) == ()
    assert lint(document(json_schema={}, strict=False)) == ()
    assert [p.severity for p in lint(document(json_schema={"type": "x"}))] == ["error"]


# --- choosing -----------------------------------------------------------------------------------


def test_contract_of_the_very_prompt_goes_before_the_one_for_any() -> None:
    of_any, of_prompt = save().revision, save(system_prompt_sha256=PROMPT).revision

    assert contract_for("planner", PROMPT) == of_prompt
    assert contract_for("planner", "0" * 64) == of_any
    assert contract_for("Planner", PROMPT) is None


def test_drafts_and_archived_contracts_are_not_chosen() -> None:
    save_contract(document(), user=None, actor="test", publish=False)
    assert contract_for("planner", PROMPT) is None
    archived = save(call_type="conformer").contract
    Contract.objects.filter(pk=archived.pk).update(is_archived=True)
    assert contract_for("conformer", PROMPT) is None


def test_undecidable_is_allowed_by_call_type_and_not_by_default() -> None:
    CallTypePolicy.objects.create(call_type="implementer", undecidable_allowed=True)
    CallTypePolicy.objects.create(call_type="planner")

    assert is_undecidable_allowed("implementer")
    assert not is_undecidable_allowed("planner")
    assert not is_undecidable_allowed("conformer")


def test_rubric_of_captured_calls_ships() -> None:
    rubric = document_in(default_rubric("calls"))

    assert isinstance(rubric, RubricDocument)
    assert [dimension.key for dimension in rubric.dimensions] == [
        "schema_ok", "factually_grounded", "hallucination_free",
    ]  # fmt: skip
    assert lint(rubric) == ()


# --- files --------------------------------------------------------------------------------------

BARE = json.dumps({"planner": SCHEMA, "conformer": {"type": "object", "properties": {"a": {}}}})
LISTED = json.dumps([{"call_type": "planner", "json_schema": SCHEMA, "strict": False}])
ONE = json.dumps({"call_type": "planner", "json_schema": json.dumps(SCHEMA)})
YAML = """
planner:
  type: object
  properties:
    status: {type: string, enum: [ready, blocked]}
    score: {type: number, maximum: 1}
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BARE, [("planner", True), ("conformer", True)]),
        ("\ufeff" + BARE, [("planner", True), ("conformer", True)]),
        (LISTED, [("planner", False)]),
        (f'{{"contracts": {LISTED}}}', [("planner", False)]),
        (ONE, [("planner", True)]),
        (YAML, [("planner", True)]),
    ],
)
def test_shapes_of_contracts_files(text: str, found: list[tuple[str, bool]]) -> None:
    contracts = contracts_from(text.encode(), source="file.json")

    assert [(contract.call_type, contract.strict) for contract in contracts] == found
    assert {contract.source for contract in contracts} == {"file.json"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff", "not UTF-8 at byte 0"),
        (b'{"a": ', "not JSON"),
        (b'{"a": {}, "a": {"type": "object"}}', "stands twice"),
        (b"[1]", "contract 1: must be a map"),
        (b"7", "must map call types"),
        (b"{}", "no contract in it"),
        (b" " * (2 * 1024 * 1024 + 1), "at most"),
    ],
)
def test_files_that_hold_no_contracts(text: bytes, said: str) -> None:
    with pytest.raises(FileRefused, match=said):
        contracts_from(text, source="file.json")


def test_file_is_imported_wholly_or_not_at_all() -> None:
    text = json.dumps({"a": {"type": "x"}, "planner": SCHEMA, "b": [], "c": {"required": 1}})
    report = import_contracts(text.encode(), source="f.json", user=None, actor="test")

    assert report.outcome == "refused"
    assert [note.place for note in report.refusals] == [
        "a.json_schema.type", "b.json_schema", "c.json_schema.required",
    ]  # fmt: skip
    assert not Contract.objects.exists()


def test_two_contracts_for_the_same_calls_are_refused() -> None:
    text = json.dumps([json.loads(ONE), json.loads(ONE)])
    report = import_contracts(text.encode(), source="f.json", user=None, actor="test")

    assert [str(note) for note in report.refusals] == [
        "contract 2: is for the same calls as contract 1"
    ]


def run(*arguments: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("import_contracts", *arguments, stdout=out)
    except SystemExit as stop:
        return int(stop.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_command_imports_and_importing_again_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(BARE)

    assert run(str(tmp_path / "c.json"), "--dry-run") == (
        0,
        "created   planner, revision 1\ncreated   conformer, revision 1\n"
        "dry run, nothing was changed\n",
    )
    assert not Contract.objects.exists()
    assert run(str(tmp_path / "c.json"), "--no-publish")[1].startswith("created   planner, draft")
    assert "unchanged planner, revision 1" in run(str(tmp_path / "c.json"))[1]
    code, out = run(str(tmp_path / "c.json"), "--json")
    assert code == 0
    assert [row["change"] for row in json.loads(out)["contracts"]] == ["unchanged"] * 2


def test_command_says_what_it_refuses(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"a": {"$ref": "http://example.org"}}')
    code, out = run(str(tmp_path / "c.json"))

    assert code == 1
    assert out.startswith("refused   a.json_schema.$ref: ")


@pytest.mark.shared
@pytest.mark.parametrize("era", ["current", "seed-era"])
def test_contracts_of_the_samples_are_imported(shared: Path, era: str) -> None:
    content = (shared / "samples" / "contracts" / f"{era}.json").read_bytes()
    report = import_contracts(content, source="c.json", user=None, actor="test")

    assert report.outcome == "read"
    assert len(report.saved) == len(json.loads(content))


# --- API ----------------------------------------------------------------------------------------


@pytest.fixture
def api(make_user: Any) -> Callable[..., Client]:
    user = make_user("author", "ada")

    def client(scope: str) -> Client:
        _, secret = tokens.create_token(
            user=user, name="test", scopes=(scope,), expires_at=None, actor="test"
        )
        return Client(headers={"authorization": f"Bearer {secret}"}, raise_request_exception=False)

    return client


def test_contracts_over_the_api(api: Callable[..., Client]) -> None:
    author, url = api("author"), "/api/v1/contracts"
    first = author.post(url, BARE, content_type="application/json")
    assert first.status_code == 201
    assert [row["key"] for row in first.json()["contracts"]] == ["planner", "conformer"]
    assert author.post(url, BARE, content_type="application/json").status_code == 200
    refused = author.post(url, '{"a/b": {"type": "x"}}', content_type="application/json")
    assert refused.status_code == 422
    assert "a/b.json_schema.type" in refused.content.decode()
    assert author.post(url, b"", content_type="application/json").status_code == 422
    assert api("read").post(url, BARE, content_type="application/json").status_code == 403
    save(call_type="a/b")
    listed = api("read").get(url).json()["items"]
    assert [row["key"] for row in listed] == ["a/b", "conformer", "planner"]
    one = api("read").get(f"{url}/a/b").json()
    assert json.loads(one["document"]["json_schema"]) == SCHEMA
    assert api("read").get(f"{url}/nope").status_code == 404


# --- admin --------------------------------------------------------------------------------------


def form(**values: str) -> dict[str, str]:
    made = {"call_type": "planner", "json_schema": json.dumps(SCHEMA), "strict": "on"}
    return {**made, **values}


@pytest.fixture
def author(client: Client, make_user: Any) -> User:
    user = make_user("author", "ada")
    client.force_login(user, backend=BACKEND)
    return user


def test_author_adds_and_publishes_a_contract(client: Client, author: User) -> None:
    add = reverse("admin:rubrics_app_contract_add")
    answer = client.post(add, form(system_prompt_sha256=PROMPT))
    assert answer.status_code == 302
    contract = Contract.objects.get()
    assert (contract.key, contract.updated_by) == ("planner@abababababab", author)
    url = reverse("admin:rubrics_app_contract_publish", args=[contract.pk])
    client.post(url, {"publish-note": "", "publish-opened_version": contract.version})
    assert contract_for("planner", PROMPT) is not None
    page = client.get(reverse("admin:rubrics_app_contract_change", args=[contract.pk]))
    assert "Published as revision 1" in page.content.decode()
    revision = contract_for("planner", PROMPT)
    assert revision
    shown = client.get(reverse("admin:rubrics_app_revision_change", args=[revision.pk]))
    assert shown.status_code == 200


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"json_schema": "{"}, "not JSON"),
        ({"json_schema": '{"properties": {"a": {"type": "strin"}}}'}, "json_schema.properties.a"),
        ({"system_prompt_sha256": "abc"}, "64 hex digits"),
        ({"call_type": ""}, "required"),
    ],
)
def test_what_is_no_contract_is_refused_and_the_input_stands(
    client: Client, author: User, values: dict[str, str], said: str
) -> None:
    answer = client.post(reverse("admin:rubrics_app_contract_add"), form(notes="Mine.", **values))

    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert "Mine." in answer.content.decode()
    assert not Contract.objects.exists()


def test_second_contract_for_the_same_calls_is_refused(client: Client, author: User) -> None:
    save()
    answer = client.post(reverse("admin:rubrics_app_contract_add"), form())

    assert answer.status_code == 200
    assert "already exists" in answer.content.decode()


# --- export -------------------------------------------------------------------------------------

DEEP: Any = {}
for _ in range(40):
    DEEP = {"properties": {"a": DEEP}}
HARD = [
    SCHEMA,
    {"enum": ["yes", "no", "2026-01-01", "1e3", "null", "~", " x ", "a: b", "é\u2028\x85", "'"]},
    {"enum": [1, 1.0, 1e-7, 1e22, 12345678901234567890, True, None, "\x00", "\ud83d"[:0]]},
    {"properties": {"on": {}, "1": {}, "": {}, "<<": {}}},
    {"const": {"k" * 300: "long\nlines\n\n  kept"}},
    DEEP,
]


@pytest.mark.parametrize("schema", HARD)
def test_exported_contracts_are_read_back_as_they_were(schema: Any) -> None:
    documents = (
        ContractDocument(
            call_type="a/b: c",
            system_prompt_sha256=PROMPT,
            json_schema=json.dumps(schema),
            strict=False,
            source="the wiki",
            notes="Line one.\n\nLine two: - not a list",
        ),
        ContractDocument(call_type="yes", json_schema=SCHEMA),
    )

    text = contracts_yaml(documents)

    assert contracts_from(text.encode(), source="elsewhere") == (
        documents[0],
        documents[1].model_copy(update={"source": ""}),
    )


def test_a_schema_stands_as_a_tree_where_yaml_can_hold_it() -> None:
    plain = contracts_yaml([ContractDocument(call_type="a", json_schema=SCHEMA)])
    assert "json_schema:\n    type: object" in plain
    deep = contracts_yaml([ContractDocument(call_type="a", json_schema=DEEP)])
    assert "json_schema: '{" in deep


def test_contracts_in_force_over_the_api(api: Callable[..., Client]) -> None:
    save(call_type="planner")
    save(call_type="planner", system_prompt_sha256=PROMPT)
    save(call_type="auditor")
    save(call_type="old")
    Contract.objects.filter(call_type="old").update(is_archived=True)
    reader, url = api("read"), "/api/v1/contracts.yaml"

    answer = reader.get(url)

    assert answer.headers["content-type"] == "application/yaml"
    found = contracts_from(answer.content, source="")
    assert [(one.call_type, one.system_prompt_sha256) for one in found] == [
        ("auditor", ""), ("planner", ""), ("planner", PROMPT),
    ]  # fmt: skip
    of_one = reader.get(url, {"call_type": "auditor"}).content
    assert [one.call_type for one in contracts_from(of_one, source="")] == ["auditor"]
    again = api("author").post("/api/v1/contracts", answer.content, content_type="application/yaml")
    assert {row["change"] for row in again.json()["contracts"]} == {"unchanged"}
    assert Client().get(url).status_code == 401


def test_author_downloads_what_is_saved(client: Client, author: User) -> None:
    save(call_type="planner")
    Contract.objects.update(notes="Edited, not published.")
    url = reverse("admin:rubrics_app_contract_changelist")
    chosen = {"action": "download", "_selected_action": [Contract.objects.get().pk]}

    answer = client.post(url, chosen)

    [contract] = contracts_from(answer.content, source="")
    assert contract.notes == "Edited, not published."
    Contract.objects.update(json_schema="{")
    assert "Not downloaded" in client.post(url, chosen, follow=True).content.decode()
