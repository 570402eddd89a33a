"""Taking in captured calls of 6 KB beside the floor of the same run: decode, and insert as it is.

The floor decodes with msgspec and stores every line whole in one table with one unique key, 500 a
transaction; on PostgreSQL by COPY into a temporary table and ON CONFLICT. Ours is everything:
lines cut off a stream, each checked field by field, doubled keys, duplicates and conflicts told
apart, prompts once, retries linked, five indexes, and a receipt. The long stream and the file of
2 GB show the memory; BENCH_FILE_MB=0 leaves the file out.
"""

import json
import os
import random
import resource
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from itertools import islice
from typing import IO, Any

import msgspec

from benchmarks.databases import run_on_each_database, set_up

RECORDS = 20_000
ROUNDS = 3
BATCH = 500
PROMPTS = 20
TYPES = ("classifier", "planner", "implementer", "integrator")
CHUNK = 256 * 1024
LONG_RECORDS = 200_000
FILE_MB = int(os.environ.get("BENCH_FILE_MB", "2000"))


def run() -> None:
    run_on_each_database("benchmarks.ingest")


def measure() -> None:
    vendor = set_up()
    taken_in(chunks(RECORDS, seed=98), "warm-up")
    before = peak_mb()
    speed = rate(lambda: taken_in(chunks(LONG_RECORDS, seed=99), "long"), LONG_RECORDS)
    print(
        f"{vendor:<10} {LONG_RECORDS} captures in one stream: {speed:,.0f}/s with making them, "
        f"peak memory {before:.0f} MB before, {peak_mb():.0f} MB after",
        flush=True,
    )
    if FILE_MB:
        measure_file(vendor)
    floors, ours = [], []
    for number in range(ROUNDS):
        stream = list(chunks(RECORDS, seed=number))
        floors.append(rate(lambda stream=stream: floor(stream, vendor)))
        ours.append(rate(lambda stream=stream, number=number: taken_in(stream, f"run {number}")))
    best_floor, best = max(floors), max(ours)
    print(
        f"{vendor:<10} {RECORDS} captures of 6 KB, best of {ROUNDS}: floor {best_floor:,.0f}/s, "
        f"ours {best:,.0f}/s, {best / best_floor:.2f} of the floor",
        flush=True,
    )


def measure_file(vendor: str) -> None:
    with tempfile.TemporaryFile() as file:
        lines = write_file(file)
        file.seek(0)
        before = peak_mb()
        speed = rate(lambda: taken_in(iter(lambda: file.read(CHUNK), b""), "file"), lines)
    print(
        f"{vendor:<10} one file of {FILE_MB:,} MB, {lines:,} captures: {speed:,.0f}/s, "
        f"peak memory {before:.0f} MB before, {peak_mb():.0f} MB after",
        flush=True,
    )


def write_file(file: IO[bytes]) -> int:
    """Return the number of lines."""
    lines = 0
    for line in captures(10**9, random.Random(97)):
        file.write(line)
        lines += 1
        if lines % 1000 == 0 and file.tell() >= FILE_MB * 10**6:
            return lines
    return lines


def rate(work: Callable[[], None], records: int = RECORDS) -> float:
    start = time.perf_counter()
    work()
    return records / (time.perf_counter() - start)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- captures -----------------------------------------------------------------------------------


def chunks(count: int, *, seed: int) -> Iterator[bytes]:
    held = bytearray()
    for line in captures(count, random.Random(seed)):
        held += line
        if len(held) >= CHUNK:
            yield bytes(held)
            held.clear()
    yield bytes(held)


def captures(count: int, chance: random.Random) -> Iterator[bytes]:
    files = [f"{chance.choice('abcdefgh')}{number}/module_{number}.py" for number in range(400)]
    sentences = [f'- "{chance.choice(files)}" needs {chance.choice(files)}: é\n' for _ in files]

    def prose(size: int) -> str:
        return "".join(chance.choices(sentences, k=size // 40 + 1))[:size]

    prompts = [prose(2000) for _ in range(PROMPTS)]
    asked, kind = "", 0
    for number in range(count):
        is_retry = bool(asked) and chance.random() < 0.05
        kind = kind if is_retry else chance.randrange(PROMPTS)
        asked = f"{asked}\n\nThe answer was no JSON." if is_retry else prose(2600)
        answer = {"status": "ready", "summary": prose(700)}
        record = {
            "call_id": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
            "run_id": "bench",
            "call_type": TYPES[kind % len(TYPES)],
            "model": "sonnet",
            "system_prompt": prompts[kind],
            "user_content": asked,
            "response_content": json.dumps(answer, indent=1),
            "parsed_ok": True,
            "input_tokens": chance.randrange(90_000),
            "output_tokens": chance.randrange(3000),
            "latency_ms": chance.randrange(60_000),
            "success": True,
            "failure_kind": None,
            "cgroup_applied": True,
            "ts": f"2026-11-30T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z",
        }
        yield json.dumps(record, separators=(",", ":")).encode() + b"\n"


# --- ours and the floor -------------------------------------------------------------------------


def taken_in(stream: Any, run_id: str) -> None:
    from verdicts_app.intake import captures as intake

    receipt = intake.take_in(run_id=run_id, chunks=stream, user=None, actor="benchmark")
    assert receipt.accepted == receipt.lines


COLUMNS = (
    *("call_id", "run_id", "call_type", "model", "system_prompt", "user_content"),
    *("response_content", "parsed_ok", "input_tokens", "output_tokens", "latency_ms"),
    *("success", "failure_kind", "cgroup_applied", "ts"),
)
TYPE_OF = {
    "parsed_ok": "boolean",
    "success": "boolean",
    "cgroup_applied": "boolean",
    "input_tokens": "bigint",
    "output_tokens": "bigint",
    "latency_ms": "double precision",
}


def floor(stream: list[bytes], vendor: str) -> None:
    from django.db import connection, transaction

    columns = ", ".join(f"{name} {TYPE_OF.get(name, 'text')}" for name in COLUMNS)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_floor")
        cursor.execute(f"CREATE TABLE bench_floor ({columns}, UNIQUE (call_id))")
        if vendor == "postgresql":
            cursor.execute("DROP TABLE IF EXISTS bench_new")
            cursor.execute("CREATE TEMPORARY TABLE bench_new (LIKE bench_floor)")
    rows = decoded(stream)
    while batch := list(islice(rows, BATCH)):
        with transaction.atomic(), connection.cursor() as cursor:
            (copy if vendor == "postgresql" else insert)(cursor, batch)


def decoded(stream: list[bytes]) -> Iterator[list[Any]]:
    decode = msgspec.json.Decoder().decode
    rest = b""
    for chunk in stream:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            record = decode(line)
            yield [record[name] for name in COLUMNS]


def insert(cursor: Any, batch: list[list[Any]]) -> None:
    places = ", ".join(["%s"] * len(COLUMNS))
    cursor.executemany(f"INSERT INTO bench_floor VALUES ({places})", batch)


def copy(cursor: Any, batch: list[list[Any]]) -> None:
    with cursor.copy("COPY bench_new FROM STDIN") as into:
        for row in batch:
            into.write_row(row)
    cursor.execute("INSERT INTO bench_floor SELECT * FROM bench_new ON CONFLICT DO NOTHING")
    cursor.execute("TRUNCATE bench_new")


if __name__ == "__main__":
    measure()
