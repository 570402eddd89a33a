"""What extracting claims would cost: once for each response, however many judge it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db.models import QuerySet

from judgeweb.judging.claims import PROMPT_VERSION, extraction_prompt
from judgeweb.judging.types import Usage
from verdicts_app.models import Extraction, ExtractionState
from verdicts_app.work.cases import secret
from verdicts_app.work.instrument import expected_claims
from verdicts_app.work.judge_config import JudgeChoice
from verdicts_app.work.money import cost_of, tokens_in, worst_cost
from verdicts_app.work.request import chunks
from verdicts_app.work.units import Unit, extractor_for

TOKENS_A_CLAIM = 45
"""What the extracting judge writes for one claim: its words and a line."""
TOKENS_BESIDE = 20

TextId = tuple[str, int]
"""An answer or the answer of a gold standard, by its id."""


@dataclass(frozen=True)
class ExtractionPrice:
    """`texts` are still to be extracted. Nano-USD; None where a price is not known."""

    texts: int
    estimate_nano_usd: int | None
    first_request_nano_usd: int | None


def price_of_extractions(units: Iterable[Unit]) -> ExtractionPrice:
    """Of what is known to be extracted, nothing. Equal texts in several answers count each."""
    wanted: dict[JudgeChoice, dict[TextId, int]] = {}
    for unit in units:
        extractor = extractor_for(unit)
        if extractor is not None and unit.characters:
            wanted.setdefault(extractor, {}).update(_texts(unit))
    estimates: list[int | None] = [0]
    dearest: list[int | None] = [0]
    texts = 0
    for extractor, sizes in wanted.items():
        left = _left(extractor, sizes)
        texts += len(left)
        estimates += [_estimate(extractor, size) for size in left]
        dearest.append(_worst(extractor, max(left)) if left else 0)
    return ExtractionPrice(texts, _total(estimates), _most(dearest))


def _texts(unit: Unit) -> dict[TextId, int]:
    """The texts behind a unit with their lengths; of a pair, half of both each."""
    if unit.pair is not None:
        return {("response", pk): unit.characters // 2 for pk in unit.pair}
    if unit.gold_id is not None:
        return {("gold", unit.gold_id): unit.characters}
    return {("response", unit.response_id or 0): unit.characters}


def _left(extractor: JudgeChoice, sizes: dict[TextId, int]) -> Sequence[int]:
    """The lengths of those that nobody has extracted as an answer of its own or in a pair."""
    known = set(_extracted(extractor, sizes))
    return [size for text, size in sizes.items() if text not in known]


def _extracted(extractor: JudgeChoice, texts: Iterable[TextId]) -> Iterator[TextId]:
    done = Extraction.objects.filter(
        state=ExtractionState.EXTRACTED,
        prompt_version=PROMPT_VERSION,
        model=extractor.model,
        effort=extractor.effort,
        output_mode=extractor.output_mode,
        is_stand_in=settings.JUDGE_IS_STAND_IN,
    )
    for some in chunks(texts, 400):
        answers = [pk for kind, pk in some if kind == "response"]
        yield from (("response", pk) for pk in _ids(done, "judgement__response", answers))
        for side in ("first", "second"):
            yield from (("response", pk) for pk in _ids(done, f"judgement__pair__{side}", answers))
        golds = [pk for kind, pk in some if kind == "gold"]
        yield from (("gold", pk) for pk in _ids(done, "judgement__gold_answer", golds))


def _ids(done: QuerySet[Extraction], field: str, ids: Sequence[int]) -> Iterable[int]:
    return done.filter(**{f"{field}__in": ids}).values_list(field, flat=True) if ids else ()


def _estimate(extractor: JudgeChoice, characters: int) -> int | None:
    prompt = extraction_prompt("x" * characters, secret())
    output = TOKENS_BESIDE + TOKENS_A_CLAIM * len(expected_claims(characters).claims)
    sent = tokens_in(len(prompt.system) + len(prompt.user))
    return cost_of(extractor.model, Usage(input=sent, output=output))


def _worst(extractor: JudgeChoice, characters: int) -> int | None:
    prompt = extraction_prompt("x" * characters, secret())
    return worst_cost(extractor.model, prompt, (), settings.JUDGE_MAX_TOKENS)


def _total(costs: Sequence[int | None]) -> int | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _most(costs: Sequence[int | None]) -> int | None:
    known = [cost for cost in costs if cost is not None]
    return max(known) if len(known) == len(costs) else None
