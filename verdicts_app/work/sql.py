"""Plain statements for the rows of the hot path.

A judgement writes some thirty rows. Making model objects and query trees of them takes ten times
as long as the database takes to store them; everything off the hot path uses the ORM.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Model

Row = Sequence[Any]


def moment(value: datetime) -> Any:
    """A time as the database's driver takes it."""
    return connection.ops.adapt_datetimefield_value(value)


def moment_of(stored: datetime) -> datetime:
    """A time as a plain statement reads it: SQLite's come without their zone, which is UTC."""
    return stored if stored.tzinfo else stored.replace(tzinfo=UTC)


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
    """PostgreSQL takes rows by COPY seven times as fast as one by one."""
    if connection.vendor == "postgresql":
        _copy(model, columns, rows)
    else:
        for_each(f"{_into(model, columns)} VALUES ({places(len(columns))})", rows)


def _copy(model: type[Model], columns: Sequence[str], rows: Sequence[Row]) -> None:
    if not rows:
        return
    statement = f"COPY {model._meta.db_table} ({_names(columns)}) FROM STDIN"
    # What the server refuses is raised where the copy ends, outside of Django's own wrapper.
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(statement) as copy,
    ):
        for row in rows:
            copy.write_row(row)


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
    ids = new_ids(model, len(rows))
    insert(model, ("id", *columns), [(pk, *row) for pk, row in zip(ids, rows, strict=True)])
    return list(ids)


def new_ids(model: type[Model], number: int) -> Sequence[int]:
    """Ids that rise, taken before the rows are stored, in a transaction."""
    table = model._meta.db_table
    if connection.vendor == "postgresql":
        taken = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        return [pk for (pk,) in rows_of(taken, [table, number])]
    # The transaction is IMMEDIATE: nobody else inserts until it ends.
    last = rows_of("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
    first = (last[0][0] if last else 0) + 1
    return range(first, first + number)


def update_each(
    model: type[Model], columns: Sequence[str], rows: Sequence[Row], where: str
) -> None:
    """Set these columns of rows named by their ids, which are the last values of `rows`, where
    `where` holds."""
    if not rows:
        return
    table = model._meta.db_table
    if connection.vendor != "postgresql":
        sets = ", ".join(f"{name} = %s" for name in columns)
        for_each(f"UPDATE {table} SET {sets} WHERE id = %s AND {where}", rows)
        return
    # One statement over arrays: run row by row it takes the server five times as long.
    sets = ", ".join(f"{name} = new.new_{name}" for name in columns)
    named = ", ".join(f"new_{name}" for name in (*columns, "id"))
    arrays = ", ".join(f"%s::{_type_of(model, name)}[]" for name in (*columns, "id"))
    statement = (
        f"UPDATE {table} SET {sets} FROM unnest({arrays}) AS new({named}) "
        f"WHERE id = new.new_id AND {where}"
    )
    execute(statement, [list(values) for values in zip(*rows, strict=True)])


@cache
def _type_of(model: type[Model], column: str) -> str:
    """Without a length: a cast would cut what is too long instead of refusing it."""
    field = next(field for field in model._meta.concrete_fields if field.column == column)
    return str(field.rel_db_type(connection) or "").partition("(")[0]


def upsert(
    model: type[Model], columns: Sequence[str], rows: Sequence[Row], on_conflict: str
) -> None:
    """One statement, so that its locks are taken in the order of the rows."""
    values = ", ".join([f"({places(len(columns))})"] * len(rows))
    statement = f"{_into(model, columns)} VALUES {values} {on_conflict}"
    execute(statement, [value for row in rows for value in row])


def _into(model: type[Model], columns: Sequence[str]) -> str:
    return f"INSERT INTO {model._meta.db_table} ({_names(columns)})"


def _names(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)
