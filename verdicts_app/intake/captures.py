"""Call captures taken into a run from a stream of any length, a batch at a time.

Each batch is a transaction of its own: what is on the receipt is stored, also when the stream
breaks off. The same stream sent again, whole or in pieces, changes nothing.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.db import reset_queries, transaction
from django.utils import timezone

from judgeweb.access import audit
from verdicts_app.intake import call_lines, capture_rows, ndjson, quick_lines
from verdicts_app.intake.call_lines import LineRefused
from verdicts_app.intake.files import NotGzip
from verdicts_app.intake.ndjson import Line
from verdicts_app.intake.prompts import Prompts
from verdicts_app.intake.responses import check_run_id
from verdicts_app.intake.retries import Attempts, Ready, SeenInputs
from verdicts_app.models import Capture, Run

BATCH_LINES = 500
BATCH_BYTES = 8 * 1024 * 1024
REFUSALS_LISTED = 1000


class Interrupted(Exception):
    """The stream broke off; says in words how."""


class Refusal(NamedTuple):
    """`field` is "" where no one field is at fault."""

    line: int
    field: str
    reason: str


@dataclass(frozen=True)
class CallsReceipt:
    """`refused` lists the first thousand refusals of `refused_total`. `call_types` counts what was
    accepted. `interrupted` says how the stream broke off: what was counted until then is stored.
    """

    run_id: str
    lines: int
    accepted: int
    duplicate: int
    refused_total: int
    refused: tuple[Refusal, ...]
    call_types: dict[str, int]
    interrupted: str = ""

    @property
    def taken(self) -> int:
        """Captures that are in the database now, by this upload or an earlier one."""
        return self.accepted + self.duplicate


def take_in(
    *,
    run_id: str,
    chunks: Iterable[bytes],
    is_gzip: bool = False,
    user: User | None,
    actor: str,
) -> CallsReceipt:
    """`chunks` may raise Interrupted. gzip is also known by its first bytes. Raise RunRefused."""
    check_run_id(run_id)
    intake = _Intake(run_id, user)
    try:
        stream = ndjson.inflated(chunks, is_declared=is_gzip)
        for line in ndjson.lines(stream, longest=settings.CAPTURE_LINE_MAX_BYTES):
            intake.take(line)
    except Interrupted as error:
        intake.interrupted = str(error)
    except NotGzip as error:
        intake.interrupted = f"the gzip stream cannot be read on: {error}"
    intake.flush()
    receipt = intake.receipt()
    if receipt.accepted:
        _record(receipt, actor)
    return receipt


def _record(receipt: CallsReceipt, actor: str) -> None:
    audit.record(
        actor=actor,
        action="upload captures",
        target=receipt.run_id,
        detail=f"{receipt.accepted} new, {receipt.duplicate} known, "
        f"{receipt.refused_total} refused"
        + (f"; broke off: {receipt.interrupted}" if receipt.interrupted else ""),
    )


@dataclass
class _Intake:
    """A receipt while it is being written, and the batch that waits to be stored."""

    run_id: str
    user: User | None
    lines: int = 0
    accepted: int = 0
    duplicate: int = 0
    refused_total: int = 0
    refused: list[Refusal] = field(default_factory=list)
    call_types: Counter[str] = field(default_factory=Counter)
    interrupted: str = ""
    prompts: Prompts = field(default_factory=Prompts)
    run: Run | None = None
    attempts: Attempts | None = None
    batch: list[Ready] = field(default_factory=list)
    batch_bytes: int = 0

    def take(self, line: Line) -> None:
        if line.is_blank:
            return
        self.lines += 1
        try:
            call = quick_lines.quick(line) or call_lines.read(line)
        except LineRefused as refused:
            self.refuse(line.number, refused.field, refused.reason)
            return
        prompt = None if call.system_prompt is None else self.prompts.stored(call.system_prompt)
        self.batch.append(capture_rows.prepared(call, prompt))
        self.batch_bytes += len(line.raw)
        if len(self.batch) >= BATCH_LINES or self.batch_bytes >= BATCH_BYTES:
            self.flush()

    def refuse(self, line: int, field: str, reason: str) -> None:
        self.refused_total += 1
        if len(self.refused) < REFUSALS_LISTED:
            self.refused.append(Refusal(line, field, reason))

    def flush(self) -> None:
        """Store the batch in one transaction."""
        if not self.batch:
            return
        run, attempts = self._opened()
        with transaction.atomic():
            # Of two uploads at once to the same run the later one sees what the earlier stored.
            # Without its key: a judge that writes verdicts of this run need not wait.
            Run.objects.select_for_update(no_key=True).get(pk=run.pk)
            fresh, clashes = self._sorted_out(run)
            capture_rows.insert(fresh, run_pk=run.pk, attempts=attempts, now=timezone.now())
        for number, call_id in clashes:
            reason = f"another call with the id {call_id!r} is stored; the first stands"
            self.refuse(number, "call_id", reason)
        self.accepted += len(fresh)
        self.duplicate += len(self.batch) - len(fresh) - len(clashes)
        self.call_types.update(ready.call.call_type for ready in fresh)
        self.batch, self.batch_bytes = [], 0
        # While DEBUG is on, Django keeps the text of every query until the request ends.
        reset_queries()

    def _opened(self) -> tuple[Run, Attempts]:
        if self.run is None or self.attempts is None:
            self.run, is_new = Run.objects.get_or_create(
                run_id=self.run_id, defaults={"created_by": self.user}
            )
            stored = Capture.objects.filter(run=self.run).order_by()
            crcs = stored.values_list("input_crc", flat=True)
            seen = SeenInputs(() if is_new else crcs.iterator(chunk_size=10_000))
            self.attempts = Attempts(self.run.pk, seen)
        return self.run, self.attempts

    def _sorted_out(self, run: Run) -> tuple[list[Ready], list[tuple[int, str]]]:
        """What is not stored yet, and line and call_id of what clashes with what is."""
        ids = [ready.call.call_id for ready in self.batch]
        stored = Capture.objects.filter(run=run, call_id__in=ids).order_by()
        known = dict(stored.values_list("call_id", "content_hash"))
        fresh, clashes = [], []
        for ready in self.batch:
            call = ready.call
            if call.call_id not in known:
                known[call.call_id] = ready.content_hash
                fresh.append(ready)
            elif known[call.call_id] != ready.content_hash:
                clashes.append((call.line_number, call.call_id))
        return fresh, clashes

    def receipt(self) -> CallsReceipt:
        return CallsReceipt(
            run_id=self.run_id,
            lines=self.lines,
            accepted=self.accepted,
            duplicate=self.duplicate,
            refused_total=self.refused_total,
            refused=tuple(sorted(self.refused)),
            call_types=dict(sorted(self.call_types.items())),
            interrupted=self.interrupted,
        )
