"""Theme files into personas: `theme{name, description, ...}`, `agents{role: {character, ...}}`.

Each agent is the persona `theme:role`. Where an answer across roles has made a persona
`theme:character` already, that one learns its character, too. Importing again changes nothing.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from judgeweb.judging.text import shown, visible
from verdicts_app.intake import exact, fields
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.models import Persona, Theme

CONTROL = "control"
CHARACTER, ROLE, NAME = 300, 100, 200
TEXTS = ("style", "expertise")
READ = {"character", "name", "role", *TEXTS}
MOST_AGENTS = 200


@dataclass(frozen=True)
class Agent:
    """One member of the cast. `extras` is what else the file says of it, as JSON."""

    role: str
    character: str
    style: str
    expertise: str
    extras: str


@dataclass(frozen=True)
class Cast:
    """A theme as its file has it."""

    name: str
    description: str
    extras: str
    agents: tuple[Agent, ...]


@dataclass
class ThemeChange:
    """How many personas are new, changed, and as they were."""

    name: str
    created: int = 0
    changed: int = 0
    unchanged: int = 0


def is_theme(document: Any) -> bool:
    return isinstance(document, Mapping) and {"theme", "agents"} <= document.keys()


def read(document: Mapping[str, Any]) -> Cast:
    """Raise FieldRefused, naming the place. A number is a name: there is a theme called 1984."""
    theme = document["theme"]
    about: Mapping[str, Any] = theme if isinstance(theme, Mapping) else {"name": theme}
    name = _name(about.get("name"), "theme.name", most=NAME)
    if not name or ":" in name:
        raise FieldRefused("theme.name", f"expected a name without a colon, not {shown(name)}")
    others = {key: value for key, value in document.items() if key not in ("theme", "agents")}
    rest = {key: value for key, value in about.items() if key not in ("name", "description")}
    agents = tuple(_agents(document["agents"], name))
    if len({agent.role for agent in agents}) < len(agents):
        raise FieldRefused("agents", "a role stands twice")
    return Cast(
        name=name,
        description=_words(about.get("description"), "theme.description"),
        extras=_json({**rest, **others}),
        agents=agents,
    )


def _agents(value: Any, theme: str) -> Iterator[Agent]:
    if isinstance(value, list):
        rows: list[tuple[str, str | None, Any]] = [
            (f"agents[{n}]", None, row) for n, row in enumerate(value)
        ]
    elif isinstance(value, Mapping):
        rows = [(f"agents.{role}", role, row) for role, row in value.items()]
    else:
        raise FieldRefused("agents", f"expected a map of roles, not {shown(value)}", value)
    if not 0 < len(rows) <= MOST_AGENTS:
        raise FieldRefused("agents", f"{len(rows)} agents; 1 to {MOST_AGENTS} are read")
    for place, role, row in rows:
        yield _agent(place, role, row, theme)


def _agent(place: str, role: str | None, row: Any, theme: str) -> Agent:
    if isinstance(row, str):
        row = {"character": row}
    if not isinstance(row, Mapping):
        raise FieldRefused(place, f"expected a map, not {shown(row)}", row)
    named = _name(role or row.get("role"), f"{place}.role", most=ROLE)
    if not named or len(f"{theme}:{named}") > NAME:
        raise FieldRefused(f"{place}.role", "expected a role", named)
    return Agent(
        role=named,
        character=_name(
            row.get("character", row.get("name")), f"{place}.character", most=CHARACTER
        ),
        style=_words(row.get("style"), f"{place}.style"),
        expertise=_words(row.get("expertise"), f"{place}.expertise"),
        extras=_json({key: value for key, value in row.items() if key not in READ}),
    )


def _name(value: Any, place: str, *, most: int) -> str:
    """A text or whole number on one line, "" for nothing. Raise FieldRefused."""
    try:
        return fields.name({"name": value}, "name", most=most)
    except FieldRefused as refused:
        raise FieldRefused(place, refused.message, value) from refused


def _words(value: Any, place: str) -> str:
    """A text, or the lines of a list of texts. Raise FieldRefused."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(_words(one, place) for one in value)
    if isinstance(value, Mapping | bool):
        raise FieldRefused(place, f"expected text, not {shown(value)}", value)
    return visible(str(value).strip())[0]


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(exact.plain(value), sort_keys=True) if value else ""


@transaction.atomic
def save(cast: Cast) -> ThemeChange:
    """Make or change the theme and its personas."""
    change = ThemeChange(cast.name)
    Theme.objects.update_or_create(
        name=cast.name, defaults={"description": cast.description, "extras": cast.extras}
    )
    for agent in cast.agents:
        spec = f"{cast.name}:{agent.role}"
        defaults = {
            "theme": cast.name,
            "role": agent.role,
            "is_control": cast.name.lower() == CONTROL,
            **_said(agent),
        }
        persona, is_new = Persona.objects.get_or_create(spec=spec, defaults=defaults)
        if is_new:
            change.created += 1
        else:
            _tell(persona, agent, change)
        across = Persona.objects.filter(spec=f"{cast.name}:{slug(agent.character)}")
        for other in across.exclude(pk=persona.pk) if agent.character else ():
            _tell(other, agent, change)
    return change


def _tell(persona: Persona, agent: Agent, change: ThemeChange) -> None:
    said = _said(agent)
    if all(getattr(persona, name) == value for name, value in said.items()):
        change.unchanged += 1
        return
    Persona.objects.filter(pk=persona.pk).update(**said)
    change.changed += 1


def _said(agent: Agent) -> dict[str, str]:
    return {
        "character": agent.character,
        "style": agent.style,
        "expertise": agent.expertise,
        "extras": agent.extras,
    }


def slug(character: str) -> str:
    """A character's name as specs across roles write it: "Ines Holt" -> ines-holt."""
    return re.sub(r"[^a-z0-9]+", "-", character.lower()).strip("-")
