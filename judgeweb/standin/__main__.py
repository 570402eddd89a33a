"""Start the stand-in: python -m judgeweb.standin --port 18090 [--latency-ms 200]

Port 0 takes a free one. The address is the first line printed.
"""

import argparse
import socket

import uvicorn

from judgeweb.standin.server import StandIn

HOST = "127.0.0.1"
BACKLOG = 2048


def main() -> None:
    parser = argparse.ArgumentParser(prog="judgeweb.standin", description=__doc__)
    parser.add_argument("--port", type=int, default=18090)
    parser.add_argument("--latency-ms", type=float, default=0)
    options = parser.parse_args()
    listening = socket.create_server((HOST, options.port), backlog=BACKLOG)
    print(f"http://{HOST}:{listening.getsockname()[1]}", flush=True)
    # Cut connections are part of the script; uvicorn would print each as an error.
    config = uvicorn.Config(
        StandIn(options.latency_ms),
        log_level="critical",
        lifespan="off",
        backlog=BACKLOG,
        timeout_keep_alive=75,
    )
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
