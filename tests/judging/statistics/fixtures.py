"""Inputs and expected figures that reference packages agreed on (statsmodels, scipy)."""

import json
from pathlib import Path
from typing import Any

FIXTURES: dict[str, Any] = json.loads(Path(__file__).with_name("fixtures.json").read_text())
# The fixtures are printed to 8 digits after the point.
TOLERANCE = 5e-8


def fixture(name: str) -> tuple[Any, Any]:
    """Input and expected figures."""
    return FIXTURES[name]["input"], FIXTURES[name]["expected"]
