"""Processes kept together, seen from outside: a family runs in a process of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judgeweb.family import QUICK_ENDS_MOST

ROOT = Path(__file__).resolve().parents[1]
WITHIN_S = 30

# One child notes its start in a file of its own and waits; its child notes itself as well.
PARENT = """
import sys
from judgeweb.family import Family

family = Family({"LIVES": "yes"})
family.start("web process", [sys.executable, "-c", CHILD, sys.argv[1], "web"])
family.start("worker", [sys.executable, "-c", CHILD, sys.argv[1], "worker"])
print(family.watch(lambda: print("ready", flush=True)) or "asked to", flush=True)
"""
CHILD = """
import os, pathlib, subprocess, sys, time
place = pathlib.Path(sys.argv[1])
(place / f"{sys.argv[2]}-{os.getpid()}").touch()
if (place / f"{sys.argv[2]}-fails").exists():
    sys.exit(7)
grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
(place / f"grandchild-{grandchild.pid}").touch()
assert os.environ["LIVES"] == "yes"
time.sleep(120)
"""

Family = subprocess.Popen[str]


@pytest.fixture
def family(tmp_path: Path) -> Iterator[Family]:
    script = f"CHILD = {CHILD!r}\n{PARENT}"
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        yield process
        process.kill()
        for pid in (
            pid for name in ("web", "worker", "grandchild") for pid in pids(tmp_path, name)
        ):
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)


def pids(place: Path, name: str) -> list[int]:
    found = (file.name.rpartition("-")[2] for file in place.glob(f"{name}-*"))
    return [int(pid) for pid in found if pid.isdigit()]


def is_alive(pid: int) -> bool:
    """A zombie that nobody has waited for is dead."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def started(place: Path) -> dict[str, int]:
    """The process of each name, once both are there with their own children."""
    wait_until(lambda: len(pids(place, "grandchild")) == 2)
    return {name: pids(place, name)[0] for name in ("web", "worker")}


needs_proc = pytest.mark.skipif(
    sys.platform != "linux", reason="reads /proc, and only Linux tells a child of its parent's end"
)


@needs_proc
def test_a_child_that_ends_is_started_again_and_the_others_stay(
    family: Family, tmp_path: Path
) -> None:
    before = started(tmp_path)
    own = pids(tmp_path, "grandchild")

    os.kill(before["worker"], signal.SIGKILL)

    wait_until(lambda: len(pids(tmp_path, "grandchild")) == 3)
    assert len(pids(tmp_path, "worker")) == 2
    assert pids(tmp_path, "web") == [before["web"]]
    # What the dead one had started is gone as well: it could hold a port.
    assert sum(is_alive(pid) for pid in own) == 1
    family.terminate()
    said = family.communicate(timeout=WITHIN_S)[0]
    assert "The worker ended by itself (-9) and is started again." in said
    assert said.endswith("Stopping; what the judge was asked is finished first.\nasked to\n")


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_of_them(family: Family, tmp_path: Path, number: signal.Signals) -> None:
    children = started(tmp_path)

    family.send_signal(number)

    assert family.wait(WITHIN_S) == 0
    everybody = [*children.values(), *pids(tmp_path, "grandchild")]
    wait_until(lambda: not any(map(is_alive, everybody)))


@needs_proc
def test_killed_with_9_it_leaves_no_child_running(family: Family, tmp_path: Path) -> None:
    children = started(tmp_path)

    family.kill()

    wait_until(lambda: not any(map(is_alive, children.values())))


@needs_proc
def test_what_never_gets_far_ends_all_and_is_named(family: Family, tmp_path: Path) -> None:
    children = started(tmp_path)
    (tmp_path / "worker-fails").touch()

    os.kill(children["worker"], signal.SIGKILL)

    said = family.communicate(timeout=WITHIN_S)[0]
    assert f"The worker ended {QUICK_ENDS_MOST + 1} times soon after its start" in said
    assert said.count("The worker ended by itself (7)") == QUICK_ENDS_MOST - 1
    assert len(pids(tmp_path, "worker")) == 1 + QUICK_ENDS_MOST
    wait_until(lambda: not is_alive(children["web"]))
