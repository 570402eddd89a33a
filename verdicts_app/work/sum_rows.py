"""Rows of sums: what is added to them and taken off, in statements that do not read them first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any, Protocol, TypeVar

from django.db.models import Model

from verdicts_app.work import sql
from verdicts_app.work.request import chunks

ROWS_AT_ONCE = 500


class Addend(Protocol):
    """What is added to a row; below nothing in some column where something is taken off."""

    @property
    def may_stand_alone(self) -> bool:
        """Whether a row of just these keeps the constraints; else they change a row there is."""


F = TypeVar("F", bound=Addend)


@dataclass(frozen=True)
class SumTable:
    """A table with one row per key. `totals` are added to; of `highest` and `lowest` the row keeps
    the most and the least. `optional` keys are ids that may be NULL: a key has 0 there.
    `is_empty` is the condition under which what a row kept before counts no more.
    """

    model: type[Model]
    keys: tuple[str, ...]
    totals: tuple[str, ...]
    highest: tuple[str, ...] = ()
    lowest: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    is_empty: str = "false"

    @property
    def figures(self) -> tuple[str, ...]:
        """In the order in which they are written and read."""
        return (*self.totals, *self.highest, *self.lowest)

    def write(self, sums: Mapping[Any, F], values: Callable[[F], Sequence[Any]]) -> None:
        """In the order of the keys everywhere, so that two workers never wait for one another in a
        circle."""
        for alone, keys in groupby(sorted(sums), key=lambda key: sums[key].may_stand_alone):
            rows = [(tuple(map(_adapted, key)), _figures(values(sums[key]))) for key in keys]
            if alone:
                for chunk in chunks(rows, ROWS_AT_ONCE):
                    self._add(chunk)
            else:
                sql.for_each(self._change(), [self._to_change(*row) for row in rows])

    def stored(self) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Key and figures of each row, in one pass."""
        rows = self.model._default_manager.order_by().values_list(*self.keys, *self.figures)
        places = [self.keys.index(name) for name in self.optional]
        for row in rows.iterator(chunk_size=2000):
            key = list(row[: len(self.keys)])
            for place in places:
                key[place] = key[place] or 0
            yield tuple(key), row[len(self.keys) :]

    def _add(self, rows: list[tuple[tuple[Any, ...], tuple[Any, ...]]]) -> None:
        is_optional = [name in self.optional for name in self.keys]
        stored = [(*map(_nullable, key, is_optional), *figures) for key, figures in rows]
        sql.upsert(self.model, (*self.keys, *self.figures), stored, self._on_conflict())

    def _on_conflict(self) -> str:
        table = self.model._meta.db_table
        sets = [f"{name} = {table}.{name} + excluded.{name}" for name in self.totals]
        for names, sign in ((self.highest, "<"), (self.lowest, ">")):
            sets += [
                f"{name} = CASE WHEN {table}.{name} {sign} excluded.{name} OR {self.is_empty} "
                f"THEN excluded.{name} ELSE {table}.{name} END"
                for name in names
            ]
        return f"ON CONFLICT ({', '.join(self._key_columns())}) DO UPDATE SET {', '.join(sets)}"

    def _change(self) -> str:
        sets = [f"{name} = {name} + %s" for name in self.totals]
        for names, sign in ((self.highest, "<"), (self.lowest, ">")):
            sets += [
                f"{name} = CASE WHEN {name} {sign} %s THEN %s ELSE {name} END" for name in names
            ]
        where = " AND ".join(f"{column} = %s" for column in self._key_columns())
        return f"UPDATE {self.model._meta.db_table} SET {', '.join(sets)} WHERE {where}"

    def _to_change(self, key: tuple[Any, ...], figures: tuple[Any, ...]) -> sql.Row:
        totals, ends = figures[: len(self.totals)], figures[len(self.totals) :]
        return (*totals, *(end for end in ends for _ in range(2)), *key)

    def _key_columns(self) -> list[str]:
        return [f"COALESCE({name}, 0)" if name in self.optional else name for name in self.keys]


def _nullable(value: Any, is_optional: bool) -> Any:
    return value or None if is_optional else value


def _figures(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(_adapted, values))


def _adapted(value: Any) -> Any:
    if isinstance(value, datetime):
        return sql.moment(value)
    return sql.day(value) if isinstance(value, date) else value
