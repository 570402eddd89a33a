"""Which static files are collected, and how they are compressed."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage


class CollectedFiles(StaticFilesConfig):
    """Of Plotly's package data only the bundle is served."""

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        "widgetbundle.js",
        "datasets",
        "templates",
    ]


class GzippedFiles(CompressedManifestStaticFilesStorage):
    """Gzip alone: brotli at its best saves 0.4 MB of Plotly and costs a minute at every start."""

    def create_compressor(self, **kwargs: Any) -> Compressor:
        return Compressor(use_brotli=False, **kwargs)

    def post_process(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        yield from super().post_process(*args, **kwargs)
        _stamp().write_text(_digest_of_sources())


def are_current() -> bool:
    """True where the files were collected from the very sources that are there now."""
    kept = _stamp()
    return kept.exists() and kept.read_text() == _digest_of_sources()


def _stamp() -> Path:
    return Path(settings.STATIC_ROOT) / "collected-from"


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list(CollectedFiles.ignore_patterns):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
