"""import_swebench --hub: the hub's own client against a hub on the loopback."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.core.management import call_command
from huggingface_hub import constants

from rubrics_app import hub
from rubrics_app.models import SweInstance
from tests.rubrics_app.hub_server import COMMIT, HubServer, serving
from tests.rubrics_app.swebench_files import parquet, record

pytestmark = pytest.mark.django_db

NAME = "isle/beacon"
FILES = {
    "README.md": b"# Beacons",
    "data/dev-00000-of-00001.parquet": parquet(record(9)),
    "data/test-00000-of-00002.parquet": parquet(record(1), record(2)),
    "data/test-00001-of-00002.parquet": parquet(record(3)),
    "test.jsonl": b"{}",  # beside Parquet it is not read
    "latest.parquet": b"",
}


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    with serving(HubServer(NAME, dict(FILES))) as server:
        point_to(server.url, tmp_path, monkeypatch)
        yield server


def point_to(url: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As HF_ENDPOINT and HF_HOME do, which the client reads once, when it is imported."""
    monkeypatch.setattr(constants, "ENDPOINT", url)
    template = f"{url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache / "hub"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(cache / "token"))
    monkeypatch.delenv("HF_TOKEN", raising=False)


def run(*arguments: str) -> tuple[str, int]:
    out = StringIO()
    try:
        call_command("import_swebench", *arguments, stdout=out)
    except SystemExit as ended:
        return out.getvalue(), int(ended.code or 0)
    return out.getvalue(), 0


def stored() -> set[str]:
    return set(SweInstance.objects.values_list("instance_id", flat=True))


def test_every_parquet_file_of_the_split_is_imported(served: HubServer) -> None:
    printed, code = run("--hub", NAME)

    assert code == 0
    assert printed == (
        f"read    {NAME}/data/test-00000-of-00002.parquet: 2 new, 2 scenarios, 2 aliases\n"
        f"read    {NAME}/data/test-00001-of-00002.parquet: 1 new, 1 scenarios, 1 aliases\n"
    )
    assert stored() == {"isle__beacon-1", "isle__beacon-2", "isle__beacon-3"}
    # Listed page by page, and each file of the commit that was there at the start.
    assert sum("/tree/" in asked for asked in served.asked) == 3
    heads = [asked for asked in served.asked if asked.startswith("HEAD ")]
    assert heads == [
        f"HEAD /datasets/{NAME}/resolve/{COMMIT}/data/test-0000{n}-of-00002.parquet" for n in (0, 1)
    ]


def test_importing_again_downloads_nothing_and_changes_nothing(served: HubServer) -> None:
    run("--hub", NAME)
    served.asked.clear()
    printed, code = run("--hub", NAME)

    assert (code, "2 unchanged" in printed, "1 unchanged" in printed) == (0, True, True)
    assert not any("/bucket/" in asked for asked in served.asked)


def test_several_splits(served: HubServer) -> None:
    _, code = run("--hub", NAME, "--split", "dev", "--split", "test", "--split", "dev")

    assert code == 0
    assert len(stored()) == 4
    assert sum("/bucket/" in asked for asked in served.asked) == 3


def test_a_dry_run_downloads_and_stores_nothing_here(served: HubServer) -> None:
    printed, code = run("--hub", NAME, "--dry-run")

    assert (code, stored()) == (0, set())
    assert printed.endswith("dry run, nothing was changed\n")


def test_an_old_name_is_followed_to_the_new_one(served: HubServer) -> None:
    printed, code = run("--hub", served.old_name)

    assert (code, len(stored())) == (0, 3)
    assert printed.startswith("read    isle/beacon-old/data/test-00000")


def test_json_lines_where_there_is_no_parquet(served: HubServer) -> None:
    served.files = {"data/test.jsonl": f"{json.dumps(record(4))}\n".encode()}
    printed, code = run("--hub", NAME)

    assert (code, stored()) == (0, {"isle__beacon-4"})
    assert printed.startswith(f"read    {NAME}/data/test.jsonl: 1 new")


def test_parquet_copies_of_a_data_set_in_another_form(served: HubServer) -> None:
    served.files = {"README.md": b"", "beacon.py": b""}
    served.copies = {"default/test/0000.parquet": parquet(record(5))}
    printed, code = run("--hub", NAME)

    assert (code, stored()) == (0, {"isle__beacon-5"})
    assert printed.startswith(f"read    {NAME}/default/test/0000.parquet: 1 new")


def refused(*arguments: str) -> str:
    """The one reason that the command gives."""
    printed, code = run("--hub", NAME, *arguments)
    first, reason = printed.splitlines()
    assert (code, first) == (1, f"refused --hub {NAME}: 1 refused")
    assert stored() == set()
    return reason.strip()


def test_a_split_that_is_not_there_is_told_beside_those_that_are(served: HubServer) -> None:
    said = refused("--split", "train")
    assert said == "no file of the split 'train' in it; its splits are dev, latest, test"


def test_a_data_set_without_any_split(served: HubServer) -> None:
    served.files = {"README.md": b""}
    assert refused() == "it holds no Parquet or JSON file of any split"


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (401, "RepoNotFound", "{url} has no public data set of this name: check it, or name a"),
        (404, "RepoNotFound", "{url} has no public data set of this name: check it, or name a"),
        (401, "", "{url} answered 401: the token in HF_TOKEN may not read it"),
        (403, "GatedRepo", "its owner lets only some in: ask for access on its page, and name"),
        (403, "", "{url} answered 403: the token in HF_TOKEN may not read it"),
        (429, "", "{url} answered 429: try again later"),
        (503, "", "{url} answered 503: try again later"),
        (418, "", "{url} answered 418"),
    ],
)
def test_a_hub_that_says_no_is_told_in_words(
    served: HubServer, status: int, code: str, said: str
) -> None:
    served.status, served.code = status, code
    assert refused().startswith(said.format(url=served.url))


def test_a_private_data_set_is_read_with_a_token_that_its_host_alone_sees(
    served: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.token = "open-sesame"
    assert "name a token that may read it in HF_TOKEN" in refused()
    monkeypatch.setenv("HF_TOKEN", "open-sesame")
    printed, code = run("--hub", NAME)

    assert (code, len(stored())) == (0, 3), printed
    assert served.tokens
    assert not any("/bucket/" in path for path in served.tokens)


def test_what_came_before_the_hub_broke_off_is_imported_and_reported(served: HubServer) -> None:
    served.files["data/test-00001-of-00002.parquet"] = b"\0 lost"
    first = FILES["data/test-00000-of-00002.parquet"]
    served.answer_of = {"data/test-00001-of-00002.parquet": 500}
    printed, code = run("--hub", NAME)

    assert (code, len(stored()), len(first) > 0) == (1, 2, True)
    assert printed.splitlines()[1:] == [
        f"refused --hub {NAME}: 1 refused",
        f"        {served.url} answered 500: try again later",
    ]


def test_a_file_that_is_no_parquet_is_refused_and_the_others_are_taken(served: HubServer) -> None:
    served.files["data/test-00000-of-00002.parquet"] = b"PAR1 and no more"
    printed, code = run("--hub", NAME)

    assert (code, stored()) == (1, {"isle__beacon-3"})
    assert "not Parquet: " in printed


def test_an_endpoint_that_nobody_answers_at(
    served: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(HubServer(NAME, {})) as gone:
        url = gone.url
    point_to(url, tmp_path, monkeypatch)
    said = refused()
    assert said.startswith(f"{url} could not be reached, or broke off (ConnectError")
    assert said.endswith("download the data set's Parquet file and import that; HF_ENDPOINT names "
    "a mirror")  # fmt: skip


@pytest.mark.parametrize("name", ["beacon and more", "a/b/c", "a--b", "../etc"])
def test_a_name_that_is_none(name: str, served: HubServer) -> None:
    printed, code = run(f"--hub={name}")

    assert code == 1
    assert "expected OWNER/NAME, as on the data set's page" in printed
    assert served.asked == []


def test_the_endpoint_of_the_environment_is_asked(tmp_path: Path) -> None:
    """In a process of its own: the client reads HF_ENDPOINT when it is imported."""
    words = "from rubrics_app.hub import files_of\nfor path, content in files_of({!r}, ['test']):"
    script = words.format(NAME) + "\n    print(path, len(content))"
    with serving(HubServer(NAME, dict(FILES))) as server:
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "HF_ENDPOINT": server.url, "HF_HOME": str(tmp_path)},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    assert done.stdout.splitlines() == [
        f"{path} {len(FILES[path])}"
        for path in ("data/test-00000-of-00002.parquet", "data/test-00001-of-00002.parquet")
    ]


def test_without_the_client_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> ModuleType:
        raise ImportError(name)

    monkeypatch.setattr(hub, "import_module", absent)
    assert refused().startswith("huggingface_hub is not installed: install it, or download")


PATHS = [
    "data/test-00000-of-00001.parquet",
    "test.jsonl",
    "a/test.json",
    "latest.json",
    "test.md",
    "default/dev/0000.parquet",
    "default/dev/0001.parquet",
    "default/partial-dev/0000.parquet",
]


@pytest.mark.parametrize(
    ("split", "paths", "expected"),
    [
        ("test", PATHS, PATHS[:1]),
        ("test", PATHS[1:], PATHS[1:3]),
        ("dev", PATHS, PATHS[5:7]),
        ("est", PATHS, []),
        ("t.st", PATHS, []),
    ],
)
def test_files_of_a_split(split: str, paths: list[str], expected: Any) -> None:
    assert hub.paths_of(split, paths) == expected
