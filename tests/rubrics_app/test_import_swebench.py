"""import_swebench: instances as published, in every form; function indexes; aliases; the hub."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from judgeweb.access.models import AuditEntry
from rubrics_app.importers.swebench import names_of_tests
from rubrics_app.models import Revision, Scenario, SweAlias, SweFunctions, SweInstance
from rubrics_app.patch_cases import instance_for
from tests.rubrics_app.swebench_files import PATCH, parquet, record

pytestmark = pytest.mark.django_db


def run(*arguments: object) -> tuple[str, int]:
    out = io.StringIO()
    try:
        call_command("import_swebench", *map(str, arguments), stdout=out)
    except SystemExit as ended:
        return out.getvalue(), int(ended.code or 0)
    return out.getvalue(), 0


def written(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


TWO = [record(1), record(2)]
FORMS = {
    "list.json": json.dumps(TWO),
    "map.json": json.dumps({one["instance_id"]: one for one in TWO}),
    "lines.jsonl": "".join(json.dumps(one) + "\n" for one in TWO),
    "lines.jsonl.gz": gzip.compress("".join(json.dumps(one) + "\n" for one in TWO).encode()),
    "test-00000-of-00001.parquet": parquet(*TWO),
}


@pytest.mark.parametrize("name", list(FORMS))
def test_every_form_gives_the_same_instances(name: str, tmp_path: Path) -> None:
    printed, code = run(written(tmp_path, name, FORMS[name]))

    assert code == 0
    assert printed == f"read    {name}: 2 new, 2 scenarios, 2 aliases\n"
    instance = SweInstance.objects.get(instance_id="isle__beacon-1")
    assert instance.patch == PATCH
    assert json.loads(instance.fail_to_pass) == ["tests/test_x.py::test_a"]
    assert json.loads(instance.extras)["environment_setup_commit"] == "1" * 40
    assert instance_for("beacon-2") == SweInstance.objects.get(instance_id="isle__beacon-2")


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    run(written(tmp_path, "a.json", FORMS["list.json"]))
    hashes = set(SweInstance.objects.values_list("sha256", flat=True))
    before = Revision.objects.count()
    printed, code = run(written(tmp_path, "b.parquet", FORMS["test-00000-of-00001.parquet"]))

    assert (printed, code) == ("read    b.parquet: 2 unchanged\n", 0)
    assert set(SweInstance.objects.values_list("sha256", flat=True)) == hashes
    assert len(hashes) == 2
    assert Revision.objects.count() == before


def test_changed_content_is_reported_and_the_first_stands(tmp_path: Path) -> None:
    run(written(tmp_path, "a.json", json.dumps(record())))
    changed = record(patch=PATCH.replace("+b", "+c"), hints_text="Look up.")
    printed, code = run(written(tmp_path, "b.json", json.dumps([changed, record(3)])))

    assert code == 1
    assert printed == (
        "warned  b.json: 1 new, 1 scenarios, 1 aliases, 1 refused\n"
        "        item 1, isle__beacon-1: comes with another hints_text, patch than is stored; "
        "the first stands\n"
    )
    assert SweInstance.objects.get(instance_id="isle__beacon-1").patch == PATCH


def test_instance_becomes_a_published_scenario_named_by_its_id(tmp_path: Path) -> None:
    run(written(tmp_path, "a.json", json.dumps(record())))
    scenario = Scenario.objects.get(key="isle__beacon-1")

    assert scenario.title == "The beacon stays dark"
    assert json.loads(scenario.extras)["source"]["instance_id"] == "isle__beacon-1"
    assert Revision.objects.filter(kind="scenario", key="isle__beacon-1").count() == 1


def test_scenario_that_is_there_or_not_wanted_is_not_made(tmp_path: Path) -> None:
    Scenario.objects.create(key="isle__beacon-1", challenge="My own words.")
    run(written(tmp_path, "a.json", json.dumps(record())))
    run(written(tmp_path, "b.json", json.dumps(record(2))), "--no-scenarios")

    assert list(Scenario.objects.values_list("key", "challenge")) == [
        ("isle__beacon-1", "My own words.")
    ]


def test_issue_without_text_makes_no_scenario_and_says_so(tmp_path: Path) -> None:
    printed, code = run(written(tmp_path, "a.json", json.dumps(record(problem_statement=""))))

    assert code == 0
    assert "isle__beacon-1: no scenario was made: challenge: This field cannot be blank" in printed
    assert SweInstance.objects.count() == 1


@pytest.mark.parametrize(
    ("bad", "note"),
    [
        ({"patch": ""}, "item 1, patch: is missing"),
        ({"patch": 7}, "item 1, patch: expected text, not 7"),
        ({"instance_id": None}, "item 1, instance_id: is missing"),
        ({"repo": "r" * 201}, "item 1, repo: has 201 characters; 200 are allowed"),
        ({"patch": "no diff"}, "item 1, patch: isle__beacon-1: changes no file"),
        (
            {"patch": PATCH.replace("-1 +1", "-1,3 +1,3")},
            "item 1, patch: isle__beacon-1: malformed in line 3: a hunk ends before its counts: "
            "2 old and 2 new lines are missing",
        ),
    ],
)
def test_bad_instance_is_refused_by_place_and_the_rest_is_taken(
    bad: dict[str, Any], note: str, tmp_path: Path
) -> None:
    printed, code = run(written(tmp_path, "a.json", json.dumps([record(**bad), record(2)])))

    assert code == 1
    assert note in printed
    assert list(SweInstance.objects.values_list("instance_id", flat=True)) == ["isle__beacon-2"]


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (b"", "the file is empty"),
        (b"PAR1 and no more", "not Parquet: "),
        (b"\x1f\x8bno gzip", "not gzip: "),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (b"{", "neither JSON, JSON lines nor Parquet: "),
        (b"7", "expected instances, not 7"),
        (b"[]", "0 instances read"),
        (b"{}", "0 instances read"),
        (parquet(), "0 instances read"),
        (b'{"instance_id": "a__b-1"}\n{"torn', "line 2, not JSON: "),
    ],
)
def test_file_that_is_none_is_refused_with_the_reason(
    content: bytes, note: str, tmp_path: Path
) -> None:
    printed, code = run(written(tmp_path, "bad.json", content))

    assert code == 1
    assert printed.startswith("refused bad.json: ")
    assert note in printed
    assert SweInstance.objects.count() == 0


def test_dry_run_reports_and_changes_nothing(tmp_path: Path) -> None:
    printed, code = run(written(tmp_path, "a.json", FORMS["list.json"]), "--dry-run")

    assert (printed.split("\n")[0], code) == ("read    a.json: 2 new, 2 scenarios, 2 aliases", 0)
    assert "dry run, nothing was changed" in printed
    assert (SweInstance.objects.count(), Scenario.objects.count()) == (0, 0)


def test_report_as_json(tmp_path: Path) -> None:
    printed, _ = run(written(tmp_path, "a.json", json.dumps([record(), {}])), "--json")

    assert json.loads(printed)["files"] == [
        {
            "source": "a.json",
            "outcome": "warned",
            "created": ["isle__beacon-1"],
            "unchanged": [],
            "scenarios": ["isle__beacon-1"],
            "indexes": [],
            "aliases": ["beacon-1"],
            "warnings": [],
            "refusals": [{"place": "item 2, instance_id", "line": None, "message": "is missing"}],
        }
    ]


def test_second_instance_of_one_short_name_goes_without(tmp_path: Path) -> None:
    other = record(instance_id="cape__beacon-1")
    printed, code = run(written(tmp_path, "a.json", json.dumps([record(), other])))

    assert code == 0
    assert (
        "'beacon-1' is an alias of isle__beacon-1, and no second instance is called so" in printed
    )
    assert SweAlias.objects.get(alias="beacon-1").instance.instance_id == "isle__beacon-1"


def test_alias_given_by_hand(tmp_path: Path) -> None:
    file = written(tmp_path, "a.json", json.dumps(record()))
    _, code = run(file, "--alias", "dark-beacon=isle__beacon-1")
    printed, refused = run("--alias", "other=isle__beacon-9")

    assert (code, refused) == (0, 1)
    assert instance_for("dark-beacon") is not None
    assert "other: there is no instance 'isle__beacon-9'" in printed
    with pytest.raises(CommandError, match="expected NAME=INSTANCE_ID"):
        run("--alias", "nothing")


def test_function_index_is_kept_once(tmp_path: Path) -> None:
    run(written(tmp_path, "a.json", json.dumps(record())))
    index = {"isle__beacon-1": {"src/x.py": [["f", "blink", 1, 2]]}, "cape__x-1": {}}
    file = written(tmp_path, "index.json.gz", gzip.compress(json.dumps(index).encode()))
    printed, code = run("--function-index", file)

    assert (code, SweFunctions.objects.count()) == (0, 1)
    assert printed == (
        "warned  index.json.gz: 1 function indexes\n"
        "        cape__x-1: no such instance: its function index is left out\n"
    )
    assert "1 unchanged" in run("--function-index", file)[0]
    index["isle__beacon-1"]["src/x.py"][0][3] = 3
    again, refused = run("--function-index", written(tmp_path, "i.json", json.dumps(index)))
    assert refused == 1
    assert "another function index is stored; the first stands" in again


@pytest.mark.parametrize("span", [["f", "x", 0, 1], ["f", "x", 1], "x", ["f", "x", True, 2]])
def test_bad_function_index_is_refused_by_place(span: Any, tmp_path: Path) -> None:
    index = json.dumps({"isle__beacon-1": {"src/x.py": [span]}})
    printed, code = run("--function-index", written(tmp_path, "i.json", index))

    assert code == 1
    assert "isle__beacon-1, src/x.py: expected [kind, name, first line, last line]" in printed


def test_nothing_named_and_missing_file_are_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="name a FILE or --hub"):
        run()
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        run(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        (["a"], ["a"]),
        ("a b", ["a b"]),
        ("", []),
        (None, []),
    ],
)
def test_lists_of_tests_however_they_are_written(value: Any, names: list[str]) -> None:
    assert names_of_tests(value) == names


def test_nul_and_lone_surrogates_are_shown_not_dropped(tmp_path: Path) -> None:
    issue = "dark\0 \ud800 beacon"
    run(written(tmp_path, "a.json", json.dumps(record(problem_statement=issue))))

    assert SweInstance.objects.get().problem_statement == r"dark\u0000 \ud800 beacon"


# --- the reference files ------------------------------------------------------------------------


@pytest.mark.shared
def test_reference_instances_and_index_are_imported(shared: Path) -> None:
    folder = shared / "samples" / "swebench"
    printed, code = run(
        folder / "instances.jsonl.gz",
        "--function-index",
        folder / "function_index.json.gz",
        "--no-scenarios",
    )

    assert code == 0
    assert printed == (
        "read    instances.jsonl.gz: 300 new, 300 aliases\n"
        "read    function_index.json.gz: 140 function indexes\n"
    )
    found = instance_for("django-10914")
    assert found is not None
    assert found.instance_id == "django__django-10914"


# --- the admin ----------------------------------------------------------------------------------


@pytest.fixture
def author(client: Client, make_user: Any) -> Client:
    client.force_login(make_user("author"), backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_instance_is_read_in_the_admin_and_not_changed(author: Client, tmp_path: Path) -> None:
    run(written(tmp_path, "a.json", json.dumps(record())))
    instance = SweInstance.objects.get()
    url = reverse("admin:rubrics_app_sweinstance_change", args=[instance.pk])

    page = author.get(url)
    assert page.status_code == 200
    assert "The beacon stays dark" in page.content.decode()
    assert 'name="_save"' not in page.content.decode()
    assert author.post(url, {"patch": "x"}).status_code == 403
    found = author.get(reverse("admin:rubrics_app_sweinstance_changelist"), {"q": "beacon-1"})
    assert "isle__beacon-1" in found.content.decode()


def test_alias_is_given_in_the_admin_and_audited(author: Client, tmp_path: Path) -> None:
    run(written(tmp_path, "a.json", json.dumps(record())))
    instance = SweInstance.objects.get()
    author.post(
        reverse("admin:rubrics_app_swealias_add"), {"alias": "dark", "instance": instance.pk}
    )

    assert instance_for("dark") == instance
    entry = AuditEntry.objects.order_by("-pk")[0]
    assert (entry.actor, entry.action, entry.target) == (
        "author",
        "create SWE-bench alias",
        "dark",
    )
