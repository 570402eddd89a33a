"""Run benchmarks by name, or all. Each module has a `run()` that prints figures."""

import sys
from importlib import import_module

BENCHMARKS = {
    "ingest": "benchmarks.ingest",
    "judging": "benchmarks.judging",
    "boards": "benchmarks.boards",
    "patches": "benchmarks.patches",
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    for name in names or BENCHMARKS:
        print(f"\n{name}\n{'=' * len(name)}", flush=True)
        import_module(BENCHMARKS[name]).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
