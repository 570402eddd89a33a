"""The responses that a request is about, as planning reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.db.models import QuerySet
from django.db.models.functions import Length

from judgeweb.judging.types import Contestant
from verdicts_app.models import Response, ResponseOutcome
from verdicts_app.work.cases import name_in
from verdicts_app.work.identity import Subject, response_subject
from verdicts_app.work.request import chunks


class Row(NamedTuple):
    """A response without its text, whose length is `characters`."""

    id: int
    outcome: str
    scenario_id: int | None
    scenario_key: str
    identity: str
    run_id: str
    run_pk: int
    spec: str
    theme: str
    role: str
    is_control: bool
    character: str
    persona_character: str
    characters: int

    def stand_in(self, mode: str) -> Contestant:
        """Who answered, with something in the place of the answer."""
        name = name_in(mode, self.spec, self.theme)
        return Contestant(name, self.character or self.persona_character, "an answer")

    @property
    def subject(self) -> Subject:
        return response_subject(
            run_id=self.run_id,
            spec=self.spec,
            scenario_key=self.scenario_key,
            identity=self.identity,
        )


def row_of(response: Response, pk: int) -> Row:
    """The row of a response that may not be stored yet, under the id that its request gives it."""
    persona = response.persona
    return Row(
        id=pk,
        outcome=response.outcome,
        scenario_id=response.scenario_id,
        scenario_key=response.scenario_key,
        identity=response.identity,
        run_id=response.run.run_id,
        run_pk=response.run.pk or 0,
        spec=persona.spec,
        theme=persona.theme,
        role=persona.role,
        is_control=persona.is_control,
        character=response.character,
        persona_character=persona.character,
        characters=len(response.text),
    )


COLUMNS = (
    "id",
    "outcome",
    "scenario_id",
    "scenario_key",
    "identity",
    "run__run_id",
    "run_id",
    "persona__spec",
    "persona__theme",
    "persona__role",
    "persona__is_control",
    "character",
    "persona__character",
)


def rows_of_run(run_id: str) -> Iterator[Row]:
    yield from _rows(Response.objects.filter(run__run_id=run_id))


def rows_named(ids: Iterable[int]) -> Iterator[Row]:
    for some in chunks(ids):
        yield from _rows(Response.objects.filter(pk__in=some))


def _rows(responses: QuerySet[Response]) -> Iterator[Row]:
    """Those whose text is here: an absent answer is nobody's to judge."""
    here = responses.exclude(outcome=ResponseOutcome.ABSENT)
    values = here.order_by("id").values_list(*COLUMNS, Length("text"))
    yield from map(Row._make, values.iterator(chunk_size=2000))
