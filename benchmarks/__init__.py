"""The speed goals, measured: `python -m benchmarks [name ...]`. No test runs these."""
