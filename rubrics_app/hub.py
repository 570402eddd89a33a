"""Data sets of the Hugging Face hub, through its own client where that is installed.

The endpoint, cache and token are the client's own matter (HF_ENDPOINT, HF_HOME, HF_TOKEN).
"""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any


class HubRefused(Exception):
    """The data set cannot be had, and what to do about it."""


def files_of(name: str, split: str) -> Iterator[tuple[str, bytes]]:
    """The Parquet or JSON files of a split, with their paths in the data set. Raise HubRefused."""
    try:
        hub: Any = import_module("huggingface_hub")
    except ImportError as error:
        raise HubRefused(
            "huggingface_hub is not installed: install it, or download the data set's Parquet "
            "file and import that"
        ) from error
    try:
        found = sorted(hub.HfApi().list_repo_files(name, repo_type="dataset"))
        wanted = [path for path in found if is_of_split(path, split)]
        if not wanted:
            raise HubRefused(f"no Parquet or JSON file of the split {split!r} in it")
        for path in wanted:
            local = hub.hf_hub_download(name, path, repo_type="dataset")
            yield path, Path(local).read_bytes()
    except HubRefused:
        raise
    except Exception as error:  # The client raises errors of several libraries.
        raise HubRefused(f"{type(error).__name__}: {error}") from error


def is_of_split(path: str, split: str) -> bool:
    """`data/test-00000-of-00001.parquet`, `test.jsonl`; not `latest.json`."""
    ending = r"(?:-\d+-of-\d+)?\.(?:parquet|jsonl?)"
    return re.fullmatch(rf"(?:.*/)?{re.escape(split)}{ending}", path) is not None
