"""Three made-up workers of a small harbour: their prompts, contracts, and what they are asked.

One worker's system prompt is changed on the way, and its responses get better; one keeps its
contract badly; one has none, so that the judge decides its schema as well.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

VESSELS = ("Alma", "Brise", "Corvo", "Dorte", "Eider", "Fulmar", "Gannet", "Havørn")
BERTHS = ("N1", "N2", "N4", "S1", "S3")
NEVER = 10**6


@dataclass(frozen=True)
class Worker:
    """`changed` replaces the system prompt from the week `changes_in` on. The chances of a failed
    dimension before and after that; `breaks` is that of a response that breaks its schema."""

    call_type: str
    model: str
    prompt: str
    wrong: float
    invented: float
    breaks: float
    changed: str = ""
    changes_in: int = NEVER
    wrong_after: float = 0.0
    invented_after: float = 0.0

    def in_week(self, week: int) -> "Worker":
        if week < self.changes_in:
            return self
        return replace(
            self, prompt=self.changed, wrong=self.wrong_after, invented=self.invented_after
        )


WORKERS = (
    Worker(
        call_type="berth_planner",
        model="sample-worker-1",
        prompt="You assign berths in a small harbour. Answer with one JSON object: vessel, berth, "
        "from, reason.",
        changed="You assign berths in a small harbour. Answer with one JSON object: vessel, berth, "
        "from, reason. Use only berths that the message lists, and copy times as they stand there.",
        changes_in=7,
        wrong=0.2,
        invented=0.32,
        breaks=0.05,
        wrong_after=0.09,
        invented_after=0.05,
    ),
    Worker(
        call_type="notice_writer",
        model="sample-worker-1",
        prompt="You write notices for the pier. Answer with one JSON object: title, lines (two to "
        "four short sentences), until.",
        wrong=0.12,
        invented=0.1,
        breaks=0.22,
    ),
    Worker(
        call_type="weather_digest",
        model="sample-worker-2",
        prompt="You sum up the weather for the harbour master in one JSON object: wind, sea, "
        "advice.",
        wrong=0.07,
        invented=0.06,
        breaks=0.03,
    ),
)
TEXT = {"type": "string", "minLength": 1}
CONTRACTS = {
    "berth_planner": {
        "type": "object",
        "properties": {"vessel": TEXT, "berth": TEXT, "from": TEXT, "reason": TEXT},
        "required": ["vessel", "berth", "from", "reason"],
        "additionalProperties": False,
    },
    "notice_writer": {
        "type": "object",
        "properties": {
            "title": TEXT,
            "lines": {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 4},
            "until": TEXT,
        },
        "required": ["title", "lines", "until"],
        "additionalProperties": False,
    },
}

Facts = Mapping[str, str]
Response = dict[str, Any]


def facts(rng: Random) -> Facts:
    berths = sorted(rng.sample(BERTHS, 3))
    return {
        "vessel": rng.choice(VESSELS),
        "length": str(rng.randint(12, 64)),
        "eta": f"{rng.randint(6, 21):02}:{rng.choice((0, 10, 20, 30, 40, 50)):02}",
        "berths": ", ".join(berths),
        "berth": rng.choice(berths),
        "wind": f"{rng.choice(('NW', 'W', 'SW'))} {rng.randint(3, 8)}",
        "sea": f"{rng.randint(5, 35) / 10} m",
    }


def _berth(given: Facts) -> tuple[str, Response]:
    asked = "{vessel}, {length} m, arrives at {eta}. Free berths: {berths}.".format_map(given)
    return asked, {
        "vessel": given["vessel"],
        "berth": given["berth"],
        "from": given["eta"],
        "reason": "It is free then and long enough.",
    }


def _notice(given: Facts) -> tuple[str, Response]:
    asked = "The pier is closed for {vessel} until {eta}; guests use berth {berth}.".format_map(
        given
    )
    return asked, {
        "title": "Pier closed",
        "lines": [f"{given['vessel']} is being unloaded.", f"Please use berth {given['berth']}."],
        "until": given["eta"],
    }


def _weather(given: Facts) -> tuple[str, Response]:
    asked = "At {eta}: wind {wind}, sea {sea}, rain from the west.".format_map(given)
    return asked, {
        "wind": f"{given['wind']} at {given['eta']}",
        "sea": given["sea"],
        "advice": "Double the lines on the west side.",
    }


SCENES: Mapping[str, Callable[[Facts], tuple[str, Response]]] = {
    "berth_planner": _berth,
    "notice_writer": _notice,
    "weather_digest": _weather,
}
"""By call type what the worker is given, and what it says where nothing goes wrong."""
