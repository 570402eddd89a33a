"""The same verdict in every process: no number hangs on the order of a set."""

import os
import subprocess
import sys

from tests.judging.patches.patching import ROOT

SCRIPT = """
import hashlib
from tests.judging.patches.patching import CASES, GOLD, MODES, OLD, SHAPE, changed, judged
NAMES = "alpha beta gamma delta epsilon zeta eta theta iota kappa".split()
many = "\\n".join(f"    {name} = {name}_of(w, {name!r})" for name in NAMES)
golds = [GOLD, changed(2, "    return w + h", many)]
answers = [path.read_bytes().decode() for path in sorted(CASES.glob("*.diff"))]
for n, (a, b) in enumerate(zip(NAMES, NAMES[1:]), 1):
    answers.append(changed(n, f"{a} + {b}", f"{b} = {a}"))
for name in NAMES:
    diffs = [changed(n, name, other) for n, other in enumerate(NAMES, 1)]
    fenced = "".join(f"```diff\\n{diff}```\\n" for diff in diffs)
    answers.append(f"In {SHAPE}:2 and area, {name} is wrong. See src/x.py.\\n\\n{fenced}")
answers.append(f"{SHAPE} line 2: area")
answers.append(f"```python {SHAPE}\\ndef area(w, h):\\n    return w * h\\n```")
digest = hashlib.sha256()
for mode in MODES:
    for gold in golds:
        for answer in answers:
            for old in ({}, {SHAPE: OLD}):
                verdict = judged(mode, answer, gold_patch=gold, old_files=old,
                                 issue="`alpha` and beta_gamma() and eta()")
                digest.update(repr(verdict).encode("utf-8", "backslashreplace"))
print(len(answers), digest.hexdigest())
"""


def test_verdicts_are_the_same_under_ten_hash_seeds() -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in range(10)
    ]
    printed = {process.communicate()[0] for process in running}

    assert [process.returncode for process in running] == [0] * 10
    assert len(printed) == 1
    # 15 diffs, 9 small changes, 10 answers of ten diffs each, 2 others.
    assert printed.pop().startswith("36 ")
