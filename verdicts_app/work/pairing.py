"""Which answers of a run are judged together: against whom each is compared, who ran a relay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import PHASE_MODES
from verdicts_app.models import PHASES, Chain
from verdicts_app.work.request import JudgeRequest, Refusal
from verdicts_app.work.rows import Row
from verdicts_app.work.together import PairKey, stored_pairs

TwoRows = tuple[Row, Row]
ByName = dict[str, list[Row]]
"""The answers to one scenario by who gave them: by theme in the phases, else by spec."""


def paired(request: JudgeRequest, rows: Sequence[Row]) -> Iterator[TwoRows | Refusal]:
    """Each answer with its opponent's, by scenario; the k-th of one with the k-th of the other.

    The opponent is the one named, else the control (of the same role, where there are several),
    else the only other one. Raise CaseRefused where the run holds no answer of the phase."""
    assert request.mode is not None
    phase = request.mode.removeprefix("phase-") if request.mode in PHASE_MODES else ""
    in_phase = [row for row in rows if not phase or row.role.lower() == phase]
    if phase and not in_phase:
        message = f"run {request.run_id!r} holds no answers of the role {phase!r}"
        raise CaseRefused("mode", message, request.mode)
    stored = stored_for(request, in_phase)
    for scenario, named in _by_scenario(in_phase, by_theme=bool(phase)).items():
        for found in _of_scenario(scenario, named, request.opponent):
            yield found if isinstance(found, Refusal) else as_stored(found, stored)


def stored_for(request: JudgeRequest, rows: Iterable[Row]) -> set[PairKey]:
    """The pairs to be taken as they are stored. None where a single order is judged: there it
    matters who comes first."""
    return stored_pairs(row.id for row in rows) if request.orders > 1 else set()


def as_stored(two: TwoRows, stored: set[PairKey]) -> TwoRows:
    """Two orders are the same whoever comes first, so that a pair is judged once, as it is stored.
    Two of one name are told apart by their places and keep them."""
    first, second = two
    if (second.id, first.id) not in stored or first.spec == second.spec:
        return two
    is_stored = (first.id, second.id) in stored
    return two if is_stored and first.id < second.id else (second, first)


def _by_scenario(rows: Iterable[Row], *, by_theme: bool) -> dict[str, ByName]:
    scenarios: dict[str, ByName] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        scenarios[row.scenario_key][row.theme if by_theme else row.spec].append(row)
    return scenarios


def _of_scenario(scenario: str, named: ByName, opponent: str | None) -> Iterator[TwoRows | Refusal]:
    if len(named) < 2:
        [(name, answers)] = named.items()
        message = f"only {name!r} answered: there is nobody to compare it with"
        yield Refusal(scenario, "contestants", message, len(answers))
        return
    done: set[frozenset[str]] = set()
    for name in sorted(named):
        against = _opponent(name, named, opponent)
        if against is None:
            yield Refusal(scenario, "opponent", _why_none(named, opponent), len(named[name]))
        elif against != name and frozenset((name, against)) not in done:
            done.add(frozenset((name, against)))
            yield from zip(named[name], named[against], strict=False)


def _opponent(name: str, named: ByName, wanted: str | None) -> str | None:
    """Itself where it is everybody's opponent; None where nobody is."""
    if wanted is not None:
        return wanted if wanted in named else None
    controls = [one for one, rows in named.items() if rows[0].is_control]
    if name in controls:
        return name
    if len(controls) > 1:
        role = named[name][0].role
        controls = [one for one in controls if named[one][0].role == role]
    if len(controls) == 1:
        return controls[0]
    others = [one for one in named if one != name]
    return others[0] if len(others) == 1 else None


def _why_none(named: ByName, wanted: str | None) -> str:
    if wanted is not None:
        return f"{wanted!r} gave no answer"
    return f"no single control among the {len(named)} that answered: name the opponent"


@dataclass(frozen=True)
class RelayRows:
    """A team's relay. `rows` are in the order of PHASES."""

    theme: str
    rows: tuple[Row, Row, Row, Row]

    @property
    def scenario_id(self) -> int | None:
        """None where they answer more than one scenario."""
        ids = {row.scenario_id for row in self.rows}
        return ids.pop() if len(ids) == 1 else None


def relays_of_run(run_id: str, rows: Sequence[Row]) -> Iterator[RelayRows | Refusal]:
    """The relays that are stored, and every theme's four answers to a scenario: the k-th of each
    phase make the k-th relay."""
    by_id = {row.id: row for row in rows}
    known: set[tuple[int, ...]] = set()
    for chain in Chain.objects.filter(run__run_id=run_id):
        if all(pk in by_id for pk in chain.response_ids):
            known.add(chain.response_ids)
            yield RelayRows(chain.theme, _four([by_id[pk] for pk in chain.response_ids]))
    in_chains = {pk for ids in known for pk in ids}
    teams: dict[tuple[str, str], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.theme and row.role.lower() in PHASES and row.id not in in_chains:
            teams[row.scenario_key, row.theme][row.role.lower()].append(row)
    for (scenario, theme), phases in teams.items():
        missing = [phase for phase in PHASES if phase not in phases]
        if missing:
            message = f"theme {theme!r} has no answer of its {missing[0]} phase"
            number = sum(map(len, phases.values()))
            yield Refusal(scenario, f"{missing[0]}_response", message, number)
            continue
        for four in zip(*(phases[phase] for phase in PHASES), strict=False):
            yield RelayRows(theme, _four(four))


def _four(rows: Sequence[Row]) -> tuple[Row, Row, Row, Row]:
    sm, tea, dev, reviewer = rows
    return sm, tea, dev, reviewer
