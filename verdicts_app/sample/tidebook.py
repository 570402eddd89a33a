"""A made-up repository with five small faults, for the patches of the sample data."""

from dataclasses import dataclass

TABLES = '''\
"""Tide tables of a port."""

from datetime import date, timedelta

CACHE = {}


class Table:
    """High and low waters of a day."""

    def __init__(self, port, day, rows):
        self.port = port
        self.day = day
        self.rows = rows

    def highest(self):
        return max(self.rows, key=lambda row: row.height)

    def between(self, first, last):
        return [row for row in self.rows if first < row.at < last]


def table(port, day=date.today()):
    key = day.isoformat()
    if key not in CACHE:
        CACHE[key] = Table(port, day, fetch(port, day))
    return CACHE[key]


def week(port, day):
    return [table(port, day + timedelta(days=n)) for n in range(6)]
'''
LABELS = '''\
"""How times and heights are printed."""


def height(metres):
    return f"{metres:.1f} m"


def span(first, last):
    hours = (last - first).seconds // 3600
    return f"{hours} h"


def port_name(code, names):
    try:
        return names[code]
    except Exception:
        return ""
'''
FILES = {"tidebook/tables.py": TABLES, "tidebook/labels.py": LABELS}


@dataclass(frozen=True)
class Edit:
    """One place of a file changed: `old` stands there exactly once."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Fault:
    """`gold` is the known patch, `near` one that repairs the same otherwise or in part, `astray`
    one that changes something else."""

    number: int
    issue: str
    gold: tuple[Edit, ...]
    near: tuple[Edit, ...]
    astray: tuple[Edit, ...]

    @property
    def instance_id(self) -> str:
        return f"harbour__tidebook-{self.number}"


def _table(old: str, new: str) -> Edit:
    return Edit("tidebook/tables.py", old, new)


def _label(old: str, new: str) -> Edit:
    return Edit("tidebook/labels.py", old, new)


FAULTS = (
    Fault(
        12,
        "table() keeps asking for the day on which the process started\n\nCalled without a day, "
        "table() of tidebook/tables.py returns the tides of the day on which it was imported.",
        gold=(
            _table(
                "def table(port, day=date.today()):\n",
                "def table(port, day=None):\n    day = day or date.today()\n",
            ),
        ),
        near=(
            _table(
                "def table(port, day=date.today()):\n",
                "def table(port, day=None):\n    if day is None:\n        day = date.today()\n",
            ),
        ),
        astray=(_table("    key = day.isoformat()\n", "    key = str(date.today())\n"),),
    ),
    Fault(
        15,
        "Two ports share one table\n\nAfter table('north'), table('south') returns the tides of "
        "the north port: the cache knows the day alone.",
        gold=(_table("    key = day.isoformat()\n", "    key = (port, day.isoformat())\n"),),
        near=(_table("    key = day.isoformat()\n", '    key = f"{port}/{day.isoformat()}"\n'),),
        astray=(_table("CACHE = {}\n", "CACHE = dict()\n"),),
    ),
    Fault(
        21,
        "A week has six days\n\nweek() returns six tables instead of seven.",
        gold=(_table("for n in range(6)]", "for n in range(7)]"),),
        near=(_table("for n in range(6)]", "for n in range(0, 7)]"),),
        astray=(_label('    return f"{hours} h"\n', '    return f"{hours + 1} h"\n'),),
    ),
    Fault(
        28,
        "between() leaves out its own ends\n\nTable.between() leaves out a tide that falls on the "
        "first or the last moment, and span() forgets whole days.",
        gold=(
            _table("if first < row.at < last]", "if first <= row.at <= last]"),
            _label(
                "    hours = (last - first).seconds // 3600\n",
                "    hours = int((last - first).total_seconds()) // 3600\n",
            ),
        ),
        near=(_table("if first < row.at < last]", "if first <= row.at <= last]"),),
        astray=(_label('    return f"{metres:.1f} m"\n', '    return f"{metres:.2f} m"\n'),),
    ),
    Fault(
        34,
        "An unknown port hides every other error\n\nport_name() of tidebook/labels.py swallows all "
        "exceptions, also that names is None.",
        gold=(_label("    except Exception:\n", "    except KeyError:\n"),),
        near=(
            _label(
                '    try:\n        return names[code]\n    except Exception:\n        return ""\n',
                '    return names.get(code, "")\n',
            ),
        ),
        astray=(_label("    except Exception:\n", "    except Exception:  # unknown port\n"),),
    ),
)
