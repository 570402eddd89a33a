"""Fixtures for every test. Factories live in `tests.factories`."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AbstractUser, Group
from django.core.cache import cache

pytest_plugins = [
    "tests.fixtures.answer_key",
    "tests.fixtures.database",
    "tests.fixtures.standin",
]

SHARED = Path(os.environ.get("JUDGEWEB_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of large reference files; tests over it skip where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the reference files of ../shared are absent (JUDGEWEB_SHARED)")
    return SHARED


@pytest.fixture
def make_user(django_user_model: type[AbstractUser]) -> Any:
    """make_user("operator") -> a user with that role and the password "correct horse"."""

    def make(role: str, name: str = "") -> AbstractUser:
        user = django_user_model.objects.create_user(
            username=name or role, password="correct horse"
        )
        user.groups.add(Group.objects.get_or_create(name=role)[0])
        return user

    return make


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    settings.STATIC_ROOT = tmp_path / "static"
    # Otherwise every client looks through all static files before its first request.
    settings.WHITENOISE_AUTOREFRESH = True


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """Otherwise bad tokens of one test count in the next."""
    cache.clear()


@pytest.fixture(autouse=True)
def _quick_passwords(request: pytest.FixtureRequest, settings: Any) -> None:
    """Hashing for real takes half a second per user. A server in a process of its own does not
    know the quick hash, so tests that may start one keep the real one."""
    if not any(request.node.get_closest_marker(name) for name in ("browser", "worker", "serial")):
        settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
