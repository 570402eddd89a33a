"""The cast of the sample data: six personas in two themes and a control, and the teams of relays.

Sample data: invented, to try judgeweb; nothing here was measured.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Actor:
    """`finds` is the chance that an item is found, `craft` and `voice` the middle of the
    quality and persona marks (1-10). `drift` is added to `finds` over the ninety days."""

    spec: str
    character: str
    opening: str
    closing: str
    finds: float
    craft: float
    voice: float
    drift: float = 0.0

    @property
    def theme(self) -> str:
        return self.spec.split(":")[0]

    @property
    def role(self) -> str:
        return self.spec.split(":")[1]


CAST = (
    Actor(
        "lighthouse:reviewer",
        "Maren Holt, night keeper",
        "I have walked the gallery twice and write down every light that is out, worst first.",
        "Trim the wick, then sail.",
        finds=0.78,
        craft=7.6,
        voice=8.4,
    ),
    Actor(
        "lighthouse:dev",
        "Oskar Lind, lamp wright",
        "The lamp comes apart on the bench first; here is what I found inside.",
        "It burns. Leave the spare glass where the next keeper finds it.",
        finds=0.70,
        craft=8.0,
        voice=7.4,
        drift=0.10,
    ),
    Actor(
        "lighthouse:sm",
        "Iduna Faber, harbour pilot",
        "All aboard for half an hour; I keep the chart and the clock.",
        "Everyone leaves the bridge knowing their heading.",
        finds=0.66,
        craft=7.2,
        voice=8.0,
    ),
    Actor(
        "foundry:reviewer",
        "Ines Calder, assayer",
        "Every casting goes on the scale. What follows rang hollow.",
        "Recast what cracked; file the rest.",
        finds=0.80,
        craft=7.9,
        voice=7.1,
    ),
    Actor(
        "foundry:dev",
        "Bram Okonjo, pattern maker",
        "A good mould is half the bell. These are the joints I would not pour yet.",
        "Let it cool before you strike it.",
        finds=0.58,
        craft=6.8,
        voice=6.6,
        drift=-0.06,
    ),
    Actor(
        "foundry:sm",
        "Wendeline Oake, furnace master",
        "Heat first, hammer second: we look before we decide.",
        "Two pieces in the fire, no third.",
        finds=0.52,
        craft=6.2,
        voice=7.0,
    ),
    Actor(
        "control:dev",
        "",
        "Here is my answer to the task.",
        "That covers the main points.",
        finds=0.64,
        craft=7.0,
        voice=3.2,
    ),
)

RELAY_CAST = (
    Actor(
        "lighthouse:tea",
        "Sunniva Rask, chart keeper",
        "Before anybody sails I draw the rocks: each of these fails today.",
        "When the last mark is green, the passage is open.",
        finds=0.72,
        craft=7.8,
        voice=7.7,
    ),
    Actor(
        "foundry:tea",
        "Tobias Grew, gauge maker",
        "I cut the gauges first; whatever does not fit them goes back in the fire.",
        "A part that passes all of these may leave the floor.",
        finds=0.68,
        craft=7.3,
        voice=6.4,
    ),
    Actor(
        "control:sm", "", "Here is the plan.", "Please go on from here.", 0.6, craft=5.4, voice=3.1
    ),
    Actor(
        "control:tea", "", "Here are the tests.", "All of them fail now.", 0.6, craft=5.7, voice=3.0
    ),
    Actor(
        "control:reviewer",
        "",
        "Here is my review.",
        "It can go in after that.",
        finds=0.6,
        craft=5.8,
        voice=3.2,
    ),
)
"""Who joins the cast where teams run a relay."""
TEAMS = ("lighthouse", "foundry", "control")


def team(theme: str) -> dict[str, Actor]:
    """The four of a relay, by phase."""
    return {actor.role: actor for actor in (*CAST, *RELAY_CAST) if actor.theme == theme}
