"""Files written whole or not at all."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Make the folders above. A reader sees the old content or the new, never a part of it.
    Raise OSError."""
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        # A pipe or a terminal is written to; a folder refuses.
        path.write_text(text, encoding="utf-8")
        return
    new = path.with_name(f".{os.getpid()}.new")
    try:
        new.write_text(text, encoding="utf-8")
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
