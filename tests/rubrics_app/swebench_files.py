"""SWE-bench instances as records and as Parquet, for tests."""

import io
from typing import Any

import pyarrow
import pyarrow.parquet

PATCH = "--- a/src/x.py\n+++ b/src/x.py\n@@ -1 +1 @@\n-a\n+b\n"


def record(number: int = 1, **values: Any) -> dict[str, Any]:
    return {
        "repo": "isle/beacon",
        "instance_id": f"isle__beacon-{number}",
        "base_commit": "0" * 40,
        "patch": PATCH,
        "test_patch": PATCH.replace("src/x.py", "tests/test_x.py"),
        "problem_statement": "The beacon stays dark\nIt does not blink.",
        "hints_text": "",
        "created_at": "2026-01-02T03:04:05Z",
        "version": "1.0",
        "FAIL_TO_PASS": '["tests/test_x.py::test_a"]',
        "PASS_TO_PASS": "[]",
        "environment_setup_commit": "1" * 40,
        **values,
    }


def parquet(*records: dict[str, Any]) -> bytes:
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(records)), sink)
    return sink.getvalue()
