"""Plain statements for the rows of the hot path.

A judgement writes some thirty rows. Making model objects and query trees of them takes ten times
as long as the database takes to store them; everything off the hot path uses the ORM.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Model

Row = Sequence[Any]


def moment(value: datetime) -> Any:
    """A time as the database's driver takes it."""
    return connection.ops.adapt_datetimefield_value(value)


def day(value: date) -> Any:
    """A date as the database's driver takes it."""
    return connection.ops.adapt_datefield_value(value)


def key(value: UUID) -> Any:
    """A UUID as the database's driver takes it."""
    return value if connection.features.has_native_uuid_field else value.hex


def execute(statement: str, parameters: Row) -> int:
    """Return how many rows it touched."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return int(cursor.rowcount)


def rows_of(statement: str, parameters: Row) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def for_each(statement: str, rows: Sequence[Row]) -> None:
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)


def places(number: int) -> str:
    return ", ".join(["%s"] * number)


def insert(model: type[Model], columns: Sequence[str], rows: Sequence[Row]) -> None:
    for_each(f"{_into(model, columns)} VALUES ({places(len(columns))})", rows)


def insert_new(model: type[Model], columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Leave out rows that a unique constraint refuses; other constraints still raise."""
    values = f"VALUES ({places(len(columns))})"
    for_each(f"{_into(model, columns)} {values} ON CONFLICT DO NOTHING", rows)


def insert_once(model: type[Model], columns: Sequence[str], values: Row) -> bool:
    """False where a unique constraint refuses the row."""
    row = f"VALUES ({places(len(columns))})"
    return bool(execute(f"{_into(model, columns)} {row} ON CONFLICT DO NOTHING", values))


def insert_returning(model: type[Model], columns: Sequence[str], rows: Sequence[Row]) -> list[int]:
    """The new ids, in the order of the rows."""
    if not rows:
        return []
    one = f"({places(len(columns))})"
    statement = f"{_into(model, columns)} VALUES {', '.join([one] * len(rows))} RETURNING id"
    return [row[0] for row in rows_of(statement, [value for row in rows for value in row])]


def upsert(
    model: type[Model], columns: Sequence[str], rows: Sequence[Row], on_conflict: str
) -> None:
    """One statement, so that its locks are taken in the order of the rows."""
    values = ", ".join([f"({places(len(columns))})"] * len(rows))
    statement = f"{_into(model, columns)} VALUES {values} {on_conflict}"
    execute(statement, [value for row in rows for value in row])


def _into(model: type[Model], columns: Sequence[str]) -> str:
    names = ", ".join(f'"{column}"' for column in columns)
    return f"INSERT INTO {model._meta.db_table} ({names})"
