"""Child processes that live and die together on one machine.

One that ends by itself is started again; one that does not get far several times over ends all,
since then something is wrong that a restart does not mend.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType

STOP_WITHIN_S = 20
LIVED_S = 30
"""A child that ends before this age did not get far."""
QUICK_ENDS_MOST = 3
PR_SET_PDEATHSIG = 1
"""From linux/prctl.h: the signal that a child gets when its parent dies."""


@dataclass
class Child:
    """`quick_ends` counts how often in a row it did not get far."""

    name: str
    command: Sequence[str]
    is_silent: bool
    process: "subprocess.Popen[bytes]"
    started_at: float
    quick_ends: int = 0

    def signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


class Family:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = {**os.environ, **environment}
        self.children: list[Child] = []
        self.stopping = False

    def start(self, name: str, command: Sequence[str], *, is_silent: bool = False) -> None:
        """`is_silent`: what it says on stdout is for nobody."""
        process = self._process(command, is_silent)
        self.children.append(Child(name, command, is_silent, process, time.monotonic()))

    def watch(self, ready: Callable[[], None]) -> str:
        """Keep the children running until a signal comes; end them. Return what to tell where
        one cannot be kept running, "" after a signal."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._asked_to_stop)
        ready()
        lost = None
        while not (self.stopping or (lost := self._restart_those_that_ended())):
            time.sleep(0.2)
        if lost is None:
            print("\nStopping; what the judge was asked is finished first.", flush=True)
        self.stop()
        return (
            ""
            if lost is None
            else (
                f"The {lost.name} ended {lost.quick_ends} times soon after its start, see the "
                "lines above; the rest was stopped. Start again: what was in hand is judged then."
            )
        )

    def stop(self) -> None:
        """SIGTERM to each child, which ends its own; SIGKILL to what takes too long."""
        for child in self.children:
            child.process.terminate()
        deadline = time.monotonic() + STOP_WITHIN_S
        for child in self.children:
            with suppress(subprocess.TimeoutExpired):
                child.process.wait(max(0.1, deadline - time.monotonic()))
            child.signal_group(signal.SIGKILL)

    def _restart_those_that_ended(self) -> Child | None:
        """The first child that is given up, if any."""
        for child in self.children:
            status = child.process.poll()
            if status is None:
                continue
            got_far = time.monotonic() - child.started_at >= LIVED_S
            child.quick_ends = 0 if got_far else child.quick_ends + 1
            if child.quick_ends > QUICK_ENDS_MOST:
                return child
            print(f"The {child.name} ended by itself ({status}) and is started again.", flush=True)
            # Its own children may have outlived it, and hold its port.
            child.signal_group(signal.SIGKILL)
            child.process = self._process(child.command, child.is_silent)
            child.started_at = time.monotonic()
        return None

    def _process(self, command: Sequence[str], is_silent: bool) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command,
            env=self.environment,
            stdout=subprocess.DEVNULL if is_silent else None,
            start_new_session=True,
            preexec_fn=_ends_with_its_parent(os.getpid()),
        )

    def _asked_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stopping = True


def _ends_with_its_parent(parent: int) -> Callable[[], None] | None:
    """What a child does before it becomes another program, so that it is told to stop where its
    parent is killed and cannot tell it. Only Linux can do that."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)

    def ask() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died before it was asked for
            os.kill(os.getpid(), signal.SIGTERM)

    return ask
