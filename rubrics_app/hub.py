"""Data sets of the Hugging Face hub, through its own client where that is installed.

The endpoint, cache and token are the client's own matter (HF_ENDPOINT, HF_HOME, HF_TOKEN).
"""

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

CONVERTED = "refs/convert/parquet"
"""Where the hub keeps Parquet copies of data sets that are published in other forms."""
LATER = (408, 429, *range(500, 600))
_PARQUET = re.compile(r"(?:.*/)?([^/]+?)(?:-\d+-of-\d+)?\.parquet")
_LINES = re.compile(r"(?:.*/)?([^/]+?)(?:-\d+-of-\d+)?\.jsonl?(?:\.gz)?")
_COPY = re.compile(r"(?:.*/)?([^/]+)/\d+\.parquet")


class HubRefused(Exception):
    """The data set cannot be had, and what to do about it."""


def files_of(name: str, splits: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The files of these splits, all of one commit, with their paths in the data set: its Parquet
    files, else its JSON, else the hub's Parquet copies. Raise HubRefused."""
    try:
        hub: Any = import_module("huggingface_hub")
        # The package hands out its modules only where they were imported before.
        for module in ("constants", "errors"):
            import_module(f"huggingface_hub.{module}")
    except ImportError as error:
        raise HubRefused(
            "huggingface_hub is not installed: install it, or download the data set's Parquet "
            "file and import that"
        ) from error
    try:
        commit, paths = _wanted(hub, name, splits)
        for path in paths:
            local = hub.HfApi().hf_hub_download(name, path, repo_type="dataset", revision=commit)
            yield path, Path(local).read_bytes()
    except HubRefused:
        raise
    except Exception as error:  # The client raises errors of several libraries.
        raise HubRefused(_why(hub, error)) from error


def _wanted(hub: Any, name: str, splits: Sequence[str]) -> tuple[str, list[str]]:
    """The commit as it is now, and the paths of its files that are of these splits."""
    for revision in (None, CONVERTED):
        try:
            commit, held = _held(hub.HfApi(), name, revision)
        except hub.errors.RevisionNotFoundError:
            continue  # no copies
        found = {split: files for split in splits if (files := paths_of(split, held))}
        if missing := [split for split in splits if split not in found]:
            there = splits_in(held)
            if not there:
                continue
            raise HubRefused(
                f"no file of the split {missing[0]!r} in it; its splits are {', '.join(there)}"
            )
        return commit, [path for split in dict.fromkeys(splits) for path in found[split]]
    raise HubRefused("it holds no Parquet or JSON file of any split")


def _held(api: Any, name: str, revision: str | None) -> tuple[str, list[str]]:
    """Every path of the newest commit of a revision, and the commit, so that no file of a later
    one comes in between."""
    commit = api.dataset_info(name, revision=revision).sha
    return commit, sorted(api.list_repo_files(name, repo_type="dataset", revision=commit))


def paths_of(split: str, paths: Sequence[str]) -> list[str]:
    """`data/test-00000-of-00001.parquet`, `test.jsonl`; not `latest.json`. JSON only where there
    is no Parquet: it would be the same instances again."""
    for form in (_PARQUET, _COPY, _LINES):
        found = [path for path in paths if (m := form.fullmatch(path)) and m[1] == split]
        if found:
            return found
    return []


def splits_in(paths: Sequence[str]) -> list[str]:
    """The names that `paths_of` knows a file of."""
    for form in (_COPY, _PARQUET, _LINES):
        if found := {m[1] for path in paths if (m := form.fullmatch(path))}:
            return sorted(found)
    return []


def _why(hub: Any, error: Exception) -> str:
    """What went wrong in the hub's client, and what can be done."""
    errors = hub.errors
    endpoint = hub.constants.ENDPOINT
    if isinstance(error, errors.LocalEntryNotFoundError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # Not in the cache, because of this.
    match error:
        case errors.GatedRepoError():
            return (
                "its owner lets only some in: ask for access on its page, and name your token "
                "in HF_TOKEN"
            )
        case errors.RepositoryNotFoundError():
            return (
                f"{endpoint} has no public data set of this name: check it, or name a token that "
                "may read it in HF_TOKEN"
            )
        case errors.HFValidationError():
            return "expected OWNER/NAME, as on the data set's page"
        case errors.OfflineModeIsEnabled():
            return "HF_HUB_OFFLINE is set: the hub is not asked"
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status in (401, 403):
        return f"{endpoint} answered {status}: the token in HF_TOKEN may not read it"
    if status:
        return f"{endpoint} answered {status}{': try again later' if status in LATER else ''}"
    return (
        f"{endpoint} could not be reached, or broke off ({type(error).__name__}: {error}). Where "
        "there is no network, download the data set's Parquet file and import that; HF_ENDPOINT "
        "names a mirror"
    )
