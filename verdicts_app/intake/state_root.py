"""Where the producer of captures keeps its runs: the seed's rules, in their order."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

CALLS = "calls.ndjson"
CONTAINER = Path("/leerie-state")
SETTINGS = "leerie.toml"


class NoStateRoot(Exception):
    """Says in words what cannot be used."""


def state_root(state_dir: str | None, environment: Mapping[str, str], folder: Path) -> Path:
    """`state_dir` is the argument, `folder` the current one. A path in the settings file counts
    from where the file is. Raise NoStateRoot."""
    if state_dir or (state_dir := environment.get("LEERIE_STATE_DIR")):
        return Path(state_dir).expanduser()
    if found := _in_settings(folder / SETTINGS):
        return folder / Path(found).expanduser()
    if CONTAINER.is_dir():
        return CONTAINER
    return Path(environment.get("HOME") or Path.home()) / ".leerie" / folder.name


def _in_settings(file: Path) -> str:
    if not file.is_file():
        return ""
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8")).get("state_dir", "")
    except (OSError, ValueError) as error:
        raise NoStateRoot(f"{file} cannot be read: {error}") from error
    if not isinstance(found, str):
        raise NoStateRoot(f"{file}: state_dir must be text")
    return found


def calls_in(path: Path) -> Path:
    """A run's folder stands for the file in it."""
    if not path.is_dir():
        return path
    packed = path / f"{CALLS}.gz"
    return packed if packed.is_file() and not (path / CALLS).exists() else path / CALLS


def calls_of_run(root: Path, run_id: str) -> Path:
    """Raise NoStateRoot for an id that leads elsewhere."""
    if not run_id or run_id in (".", "..") or set(run_id) & {"/", os.sep, "\0"}:
        raise NoStateRoot(f"--run-id {run_id!r} is not the name of a run")
    return calls_in(root / "runs" / run_id)
