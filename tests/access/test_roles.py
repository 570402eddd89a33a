"""The five roles: shipped as groups, and what each may do."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User

from judgeweb.access.roles import MAY, Capability, Role, can, capabilities

pytestmark = pytest.mark.django_db


def test_a_fresh_installation_has_a_group_for_every_role() -> None:
    assert set(Group.objects.values_list("name", flat=True)) >= set(Role)


@pytest.mark.parametrize("role", list(Role))
def test_a_role_gives_its_capabilities_and_no_others(make_user: Any, role: Role) -> None:
    user = make_user(role)
    assert capabilities(user) == MAY[role]
    for capability in Capability:
        assert can(user, capability) == (capability in MAY[role])


def test_roles_add_up_and_superusers_may_all(make_user: Any) -> None:
    user = make_user(Role.VIEWER)
    user.groups.add(Group.objects.get(name=Role.AUTHOR))
    assert capabilities(user) == MAY[Role.VIEWER] | MAY[Role.AUTHOR]
    root = User.objects.create_superuser("root")
    assert capabilities(root) == frozenset(Capability)


def test_nobody_without_a_role_may_anything(make_user: Any) -> None:
    assert capabilities(AnonymousUser()) == frozenset()
    assert capabilities(User.objects.create_user("new")) == frozenset()
    gone = make_user(Role.ADMIN)
    gone.is_active = False
    assert capabilities(gone) == frozenset()
