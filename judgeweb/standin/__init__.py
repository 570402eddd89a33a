"""A stand-in for the Messages API on the loopback interface: demo, tests and benchmarks.

It judges nothing. Its marks come from a hash of the prompt and say so in their reasoning.
    python -m judgeweb.standin --port 18090 [--latency-ms 200]
"""
