"""Scenarios by the names that uploads and requests give them."""

from collections.abc import Iterable

from rubrics_app.models import Scenario, SweAlias


def scenarios_called(names: Iterable[str]) -> dict[str, Scenario]:
    """The scenarios of these names, by name: the one of exactly this key, else that of the
    SWE-bench instance whose alias the name is. Names of neither are left out."""
    wanted = set(names)
    found = {one.key: one for one in _scenarios(wanted)}
    bases = instances_by_alias(wanted - found.keys())
    by_instance = {one.key: one for one in _scenarios(set(bases.values()))}
    aliased = {alias: by_instance.get(base) for alias, base in bases.items()}
    return {**found, **{alias: one for alias, one in aliased.items() if one is not None}}


def instances_by_alias(names: Iterable[str]) -> dict[str, str]:
    """The id of the instance behind each of the names that is an alias."""
    known = SweAlias.objects.filter(alias__in=names)
    return dict(known.values_list("alias", "instance__instance_id"))


def _scenarios(keys: set[str]) -> Iterable[Scenario]:
    return Scenario.objects.filter(key__in=keys, is_inline=False)
