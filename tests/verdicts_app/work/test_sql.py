"""Rows written without the ORM, by COPY on PostgreSQL: alike on both databases in what they do."""

import sys
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from tests import factories
from verdicts_app.models import LedgerEntry, LedgerState, Persona, PromptText
from verdicts_app.work import sql
from verdicts_app.work.writer import Writer, run_beside

pytestmark = pytest.mark.django_db
AWKWARD = 'tab\t, line\n, carriage\r, \\N, \\., "quote", \u2019'


def stored_texts() -> list[tuple[int, str]]:
    return list(PromptText.objects.order_by("pk").values_list("pk", "text"))


def test_rows_come_back_as_they_went_in_under_ids_that_rise() -> None:
    texts = [AWKWARD, "", "second"]
    rows = [(f"{number:064}", text) for number, text in enumerate(texts)]
    with transaction.atomic():
        first = sql.insert_returning(PromptText, ("sha256", "text"), rows)
        sql.insert(PromptText, ("sha256", "text"), [("f" * 64, "without asking for its id")])
    (last,) = sql.insert_returning(PromptText, ("sha256", "text"), [("e" * 64, "last")])
    assert stored_texts()[:3] == list(zip(first, texts, strict=True))
    assert first == sorted(set(first))
    assert stored_texts()[-1] == (last, "last")
    assert PromptText.objects.count() == 5


def test_no_rows_are_none() -> None:
    sql.insert(PromptText, ("sha256", "text"), [])
    assert sql.insert_returning(PromptText, ("sha256", "text"), []) == []
    sql.update_each(PromptText, ("text",), [], "true")
    assert not PromptText.objects.exists()


def test_what_the_database_refuses_is_its_error() -> None:
    row = ("0" * 64, "twice")
    with pytest.raises(IntegrityError), transaction.atomic():
        sql.insert(PromptText, ("sha256", "text"), [row, row])
    assert not PromptText.objects.exists()


def entry(state: LedgerState) -> LedgerEntry:
    system, _ = PromptText.objects.get_or_create(sha256="0" * 64, defaults={"text": ""})
    return LedgerEntry.objects.create(
        judgement=factories.make_judgement(factories.make_response()),
        attempt=1,
        prompt="first",
        ordinal=1,
        system=system,
        messages=b"",
        max_tokens=100,
        opened_at=timezone.now(),
        state=state,
        closed_at=None if state == LedgerState.OPEN else timezone.now(),
    )


def test_each_row_gets_its_own_values_where_the_condition_holds() -> None:
    entries = [entry(LedgerState.OPEN), entry(LedgerState.LOST), entry(LedgerState.OPEN)]
    at = timezone.now()
    rows: list[tuple[Any, ...]] = [
        ("answered", sql.moment(at), b"\x00\xff", number, None, one.pk)
        for number, one in enumerate(entries)
    ]
    columns = ("state", "closed_at", "reply", "output_tokens", "latency_ms")
    sql.update_each(LedgerEntry, columns, rows, "state = 'open'")
    found = LedgerEntry.objects.order_by("pk").values_list("state", "closed_at", "output_tokens")
    assert found[0] == ("answered", at, 0)
    assert found[1][::2] == ("lost", 0)
    assert found[2] == ("answered", at, 2)
    assert bytes(LedgerEntry.objects.order_by("pk")[0].reply or b"") == b"\x00\xff"


def test_a_value_that_is_too_long_is_not_cut() -> None:
    persona = Persona.objects.create(spec="a:b")
    try:
        with transaction.atomic():
            sql.update_each(Persona, ("spec",), [("x" * 300, persona.pk)], "true")
    except DatabaseError:
        return  # PostgreSQL refuses it; SQLite knows no lengths.
    persona.refresh_from_db()
    assert len(persona.spec) == 300


def test_after_a_drain_threads_take_turns_as_before() -> None:
    usual = sys.getswitchinterval()

    async def turns() -> float:
        return sys.getswitchinterval()

    writer = Writer(beat=lambda: None, beat_s=1)
    assert run_beside(writer, turns(), abort=lambda: None) < usual
    assert sys.getswitchinterval() == usual
