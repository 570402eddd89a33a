"""Units: one judgement each, of a response, a capture, a pair or a relay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verdicts_app.models import PHASES
from verdicts_app.work.call_cells import CallCell, CallRow
from verdicts_app.work.cells import Cell
from verdicts_app.work.chain_cells import ChainCell
from verdicts_app.work.golds import GoldRow
from verdicts_app.work.identity import (
    Subject,
    call_identity_of,
    capture_subject,
    chain_subject,
    gold_subject,
    identity_of,
    pair_subject,
)
from verdicts_app.work.judge_config import JudgeChoice
from verdicts_app.work.linked import Linked
from verdicts_app.work.pairing import RelayRows
from verdicts_app.work.patch_cells import PatchCell
from verdicts_app.work.rows import Row
from verdicts_app.work.together import ChainKey, PairKey

AnyCell = Cell | PatchCell | ChainCell | CallCell


@dataclass(frozen=True, slots=True)
class Unit:
    """One judgement to be planned, of a response, a capture, a pair, a chain or a gold standard.
    `characters` is the length of what is sent beside the prefix, 0 where nothing has to be asked.
    `linked_id` is the verdict whose persona marks a patch verdict takes over.
    `taken_from` is the verdict that says what the judge would be asked, see `reuse`."""

    cell: AnyCell
    repeat: int
    identity: str
    characters: int
    response_id: int | None = None
    capture_id: int | None = None
    pair: PairKey | None = None
    chain: ChainKey | None = None
    gold_id: int | None = None
    linked_id: int | None = None
    taken_from: int | None = None
    seed: str = ""

    @property
    def call_type(self) -> str:
        return self.cell.kind.call_type if isinstance(self.cell, CallCell) else ""

    @property
    def has_contract(self) -> bool:
        return isinstance(self.cell, CallCell) and self.cell.contract is not None


def extractor_for(unit: Unit) -> JudgeChoice | None:
    """Who extracts the claims that it is matched by; None where it is not."""
    return unit.cell.extractor if isinstance(unit.cell, Cell) else None


def ruled_in(unit: Unit) -> int:
    """How many claims its judge is expected to rule on."""
    return unit.cell.ruled(unit.characters) if isinstance(unit.cell, Cell) else 0


def response_units(cell: Cell, row: Row, repeats: int) -> Iterator[Unit]:
    for repeat, identity in _identities(cell, row.subject, repeats):
        yield Unit(
            cell, repeat, identity, row.characters, response_id=row.id, seed=cell.seed(repeat)
        )


def patch_unit(cell: PatchCell, row: Row, linked: Linked | None) -> Unit:
    """What nobody is asked about comes out the same each time: it is not repeated."""
    persona = [["persona", linked.identity, str(linked.mark)]] if linked else []
    identity = identity_of(
        subject=row.subject,
        repeat=1,
        base_digest=cell.base_digest,
        scenario_pin=cell.scenario_pin,
        gold_pin=[*cell.gold_pin, *persona],
    )
    verdict_id = linked.verdict_id if linked else None
    return Unit(cell, 1, identity, 0, response_id=row.id, linked_id=verdict_id)


def gold_units(cell: Cell, gold: GoldRow, repeats: int) -> Iterator[Unit]:
    for repeat, identity in _identities(cell, gold_subject(gold.revision), repeats):
        yield Unit(
            cell,
            repeat,
            identity,
            gold.row.characters,
            gold_id=gold.revision.pk,
            seed=cell.seed(repeat),
        )


def pair_units(cell: Cell, rows: tuple[Row, Row], repeats: int) -> Iterator[Unit]:
    first, second = rows
    characters = first.characters + second.characters
    for repeat, identity in _identities(cell, pair_subject(first.subject, second.subject), repeats):
        pair = (first.id, second.id)
        yield Unit(cell, repeat, identity, characters, pair=pair, seed=cell.seed(repeat))


def relay_units(cell: ChainCell, relay: RelayRows, repeats: int) -> Iterator[Unit]:
    sm, tea, dev, reviewer = relay.rows
    key = ChainKey(
        theme=relay.theme,
        run_id=sm.run_pk,
        scenario_id=relay.scenario_id,
        response_ids=(sm.id, tea.id, dev.id, reviewer.id),
    )
    characters = sum(row.characters for row in relay.rows)
    subject = chain_subject(relay.theme, *(row.subject for row in relay.rows))
    for repeat, identity in _identities(cell, subject, repeats):
        yield Unit(cell, repeat, identity, characters, chain=key)


def call_units(cell: CallCell, row: CallRow, repeats: int) -> Iterator[Unit]:
    subject = capture_subject(run_id=row.run_id, call_id=row.call_id)
    characters = row.input_size + row.response_size if row.response_size else 0
    for repeat in range(1, repeats + 1):
        identity = call_identity_of(
            subject=subject,
            repeat=repeat,
            base_digest=cell.base_digest,
            contract_pin=cell.contract_pin,
        )
        yield Unit(cell, repeat, identity, characters, capture_id=row.id)


def _identities(
    cell: Cell | ChainCell, subject: Subject, repeats: int
) -> Iterator[tuple[int, str]]:
    for repeat in range(1, repeats + 1):
        yield (
            repeat,
            identity_of(
                subject=subject,
                repeat=repeat,
                base_digest=cell.base_digest,
                scenario_pin=cell.scenario_pin,
                gold_pin=cell.gold_pin,
            ),
        )


def sample_answers(relay: RelayRows) -> dict[str, str]:
    """By phase, something in the place of every answer that is not empty."""
    return {
        phase: "an answer" if row.characters else ""
        for phase, row in zip(PHASES, relay.rows, strict=True)
    }
