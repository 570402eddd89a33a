"""Captured calls that no contract fits, by call type and system prompt, and what was drafted."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, Sum

from rubrics_app.models import Revision
from rubrics_app.selectors import contracts_in_force
from verdicts_app.models import JUDGING_TYPES, CaptureSum, Drafting, DraftingState, Run

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Gap:
    """`calls` of one call type with one system prompt, for which no contract is in force. Without
    a system prompt there is nothing to draft from. `drafting` is the last attempt."""

    call_type: str
    sha256: str
    calls: int
    drafting: Drafting | None

    @property
    def short(self) -> str:
        return self.sha256[:12]


@dataclass(frozen=True)
class ContractGaps:
    """The widest gaps of a run first; `more` are not shown."""

    gaps: tuple[Gap, ...]
    more: int

    @property
    def is_moving(self) -> bool:
        return any(
            gap.drafting is not None and gap.drafting.state == DraftingState.DRAFTING
            for gap in self.gaps
        )


def contract_gaps(run: Run) -> ContractGaps:
    """Four queries, whatever the size of the run."""
    in_force = contracts_in_force()
    groups = (
        CaptureSum.objects.filter(run=run)
        .exclude(call_type__in=[*JUDGING_TYPES, *(kind for kind, sha in in_force if not sha)])
        .order_by()
        .values_list("call_type", "system_prompt__sha256")
        .annotate(calls=Sum("captures"))
        .order_by("-calls", "call_type", "system_prompt__sha256")
    )
    gaps = [
        (call_type, sha256 or "", int(calls))
        for call_type, sha256, calls in groups
        if (call_type, sha256) not in in_force
    ]
    shown = gaps[:SHOWN]
    last = last_draftings((call_type, sha256) for call_type, sha256, _ in shown)
    return ContractGaps(
        tuple(Gap(*gap, last.get((gap[0], gap[1]))) for gap in shown), len(gaps) - len(shown)
    )


def last_draftings(of: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Drafting]:
    """The last attempt for each call type and hash of a system prompt."""
    wanted = Q(pk__in=[])
    for call_type, sha256 in of:
        wanted |= Q(call_type=call_type, system_prompt__sha256=sha256)
    found = Drafting.objects.filter(wanted).select_related("system_prompt").order_by("pk")
    return {(one.call_type, one.system_prompt.sha256): one for one in found.defer("document")}


@dataclass(frozen=True, slots=True)
class PromptContract:
    """What stands for a system prompt: the contract in force, else the last drafting, if any."""

    revision: Revision | None
    drafting: Drafting | None


def contract_of_prompts(call_type: str, hashes: Iterable[str]) -> dict[str, PromptContract]:
    """By hash of the system prompt, "" for calls without one."""
    in_force = contracts_in_force()
    hashes = list(hashes)
    last = last_draftings((call_type, sha256) for sha256 in hashes if sha256)
    return {
        sha256: PromptContract(
            in_force.get((call_type, sha256)) or in_force.get((call_type, "")),
            last.get((call_type, sha256)),
        )
        for sha256 in hashes
    }
