"""What became of an upload: what was taken, what was known, what was refused and why."""

from dataclasses import dataclass, field
from typing import NamedTuple


class Refusal(NamedTuple):
    """`place` is "line 3" or "item 2", "" for a whole file; `field` "" where no one field is."""

    file: str
    place: str
    field: str
    reason: str


class Remark(NamedTuple):
    """Something to know about an answer that was taken."""

    file: str
    place: str
    text: str


@dataclass
class FileCounts:
    """What came of one file; several of the same name are told apart by their order.

    `accepted` counts answers, `verdicts` those made elsewhere, `rows` those of a table that went
    into verdicts, `personas` the agents of a theme, `warned` what is to be known about them."""

    file: str
    accepted: int = 0
    duplicate: int = 0
    summaries: int = 0
    verdicts: int = 0
    rows: int = 0
    personas: int = 0
    warned: int = 0
    refused: int = 0

    @property
    def taken(self) -> int:
        return self.accepted + self.duplicate + self.summaries + self.verdicts + self.personas

    @property
    def outcome(self) -> str:
        """read, warned (read, with something to know) or refused (nothing of it was taken)."""
        if not (self.taken or self.rows):
            return "refused"
        return "warned" if self.warned or self.refused else "read"


@dataclass(frozen=True)
class Receipt:
    """`accepted` counts new answers, `failed` those of them that are failed runs; `duplicate`
    what was stored before; `summaries` the documents kept with an answer (A3); `verdicts` the new
    ones made elsewhere; `personas` the agents of themes. `unlinked` names the scenarios that are
    not known here: their answers wait, and are judged once they are. Of a dry run nothing is
    stored."""

    run_id: str
    accepted: int = 0
    failed: int = 0
    duplicate: int = 0
    summaries: int = 0
    verdicts: int = 0
    personas: int = 0
    dry_run: bool = False
    refused: tuple[Refusal, ...] = ()
    warnings: tuple[Remark, ...] = ()
    unlinked: tuple[str, ...] = ()
    response_ids: tuple[int, ...] = ()
    files: tuple[FileCounts, ...] = ()

    @property
    def taken(self) -> int:
        """Documents that are in the database now, by this upload or an earlier one."""
        return self.accepted + self.duplicate + self.summaries + self.verdicts + self.personas


@dataclass
class Tally:
    """A receipt while it is being written."""

    run_id: str
    failed: int = 0
    duplicate: int = 0
    summaries: int = 0
    refused: list[Refusal] = field(default_factory=list)
    warnings: list[Remark] = field(default_factory=list)
    unlinked: set[str] = field(default_factory=set)
    response_ids: list[int] = field(default_factory=list)
    known_ids: list[int] = field(default_factory=list)
    verdict_ids: list[int] = field(default_factory=list)
    themes: list[str] = field(default_factory=list)
    files: dict[str, FileCounts] = field(default_factory=dict)

    def of(self, file: str) -> FileCounts:
        return self.files.setdefault(file, FileCounts(file))

    def receipt(self) -> Receipt:
        for counts in self.files.values():
            counts.refused = sum(one.file == counts.file for one in self.refused)
            counts.warned = sum(one.file == counts.file for one in self.warnings)
        return Receipt(
            run_id=self.run_id,
            accepted=len(self.response_ids),
            failed=self.failed,
            duplicate=self.duplicate,
            summaries=self.summaries,
            verdicts=len(self.verdict_ids),
            personas=sum(counts.personas for counts in self.files.values()),
            refused=tuple(self.refused),
            warnings=tuple(self.warnings),
            unlinked=tuple(sorted(self.unlinked)),
            response_ids=tuple(self.response_ids),
            files=tuple(self.files.values()),
        )
