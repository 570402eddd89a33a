"""The patch judges on real predictions with known outcome, beside simpler judges.

382 predictions (Aider, Devin) for the 300 instances of SWE-bench Lite, from the reference files
(JUDGEWEB_SHARED). AUC: how often a patch that resolved its issue scores above one that did not,
pooled, and within the instances that have both. Differences are paired and resampled by instance.
"""

import gzip
import json
import os
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.patch_probes import (
    LISTED,
    PROBES,
    Instance,
    gold,
    name_dropping,
    scope_names,
)
from judgeweb.judging.documents import RubricDocument, load_document
from judgeweb.judging.modes import PATCH_MODES, mode_named
from judgeweb.judging.patches.gold import gold_of
from judgeweb.judging.types import FunctionSpan, PatchCase, Verdict

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("JUDGEWEB_SHARED", ROOT.parent / "shared"))
FOLDER = SHARED / "samples" / "swebench"
FILES = {"Aider": "aider_gpt4o_opus.jsonl.gz", "Devin": "devin.jsonl.gz"}
RESAMPLES = 2000
SEED = 20_260
CHANGED_LINE = re.compile(r"[+-](?!\+\+|--)")
TOTALS = ("ground-truth", "swebench")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prediction:
    agent: str
    instance: Instance
    patch: str
    resolved: bool


def run() -> None:
    if not FOLDER.is_dir():
        print(f"left out: {FOLDER} is absent (JUDGEWEB_SHARED)")
        return
    predictions = list(read_predictions())
    scores, seconds = measured(predictions)
    report_aucs(predictions, scores)
    report_differences(predictions, scores)
    report_files(predictions)
    report_speed(seconds)
    report_probes()


# --- data ---------------------------------------------------------------------------------------


def lines_of(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(FOLDER / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@lru_cache(maxsize=1)
def instances() -> dict[str, Instance]:
    return {one["instance_id"]: one for one in lines_of("instances.jsonl.gz")}


@lru_cache(maxsize=1)
def functions() -> dict[str, dict[str, tuple[FunctionSpan, ...]]]:
    with gzip.open(FOLDER / "function_index.json.gz", "rt", encoding="utf-8") as file:
        index = json.load(file)
    return {
        name: {path: tuple(FunctionSpan(*row) for row in rows) for path, rows in files.items()}
        for name, files in index.items()
    }


@lru_cache(maxsize=1)
def rubrics() -> dict[str, RubricDocument]:
    text = (ROOT / "rubrics_app" / "seed" / "patches.json").read_text(encoding="utf-8")
    return {one["mode"]: load_document(RubricDocument, one) for one in json.loads(text)}


def read_predictions() -> Iterator[Prediction]:
    for agent, name in FILES.items():
        for row in lines_of(name):
            instance = instances()[row["instance_id"]]
            yield Prediction(agent, instance, row["model_patch"] or "", bool(row["resolved"]))


def case_of(mode: str, instance: Instance, response: str) -> PatchCase:
    return PatchCase(
        rubric=rubrics()[mode],
        scenario=instance["instance_id"],
        gold_patch=instance["patch"],
        response=response,
        test_patch=instance["test_patch"],
        issue=instance["problem_statement"],
        functions=functions().get(instance["instance_id"], {}),
    )


def judged(mode: str, instance: Instance, response: str) -> Verdict:
    judge, case = mode_named(mode), case_of(mode, instance, response)
    judge.check(case)
    verdict = judge.without_request(case)
    assert verdict is not None
    return verdict


# --- simpler judges -----------------------------------------------------------------------------


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def word_jaccard(one: Prediction) -> float:
    first, second = words(gold(one.instance)), words(one.patch)
    return len(first & second) / len(first | second) if first | second else 0.0


def characters(one: Prediction) -> float:
    return SequenceMatcher(None, gold(one.instance), one.patch, autojunk=False).quick_ratio()


def keywords(one: Prediction) -> float:
    return keyword_score(one.instance, one.patch)


def keyword_score(instance: Instance, answer: str) -> float:
    """The seed's rules, read again so that they do best on these data: base names of the files
    (20), names of the functions (20), changed lines of gold found word for word (40), all of them
    (10). Its 10 points for code fences and phrases are left out."""
    text = gold(instance)
    files = {path.rsplit("/", 1)[-1] for path in gold_of(text).changes.paths}
    lines = {line[1:].strip() for line in text.split("\n") if CHANGED_LINE.match(line)}
    files_found, scopes_found, lines_found = (
        sum(one in answer for one in wanted) / len(wanted) if wanted else 1.0
        for wanted in (files, scope_names(text), {line for line in lines if len(line) > 5})
    )
    is_all = min(files_found, scopes_found, lines_found) == 1
    return 20 * files_found + 20 * scopes_found + 40 * lines_found + 10 * is_all


def patch_size(one: Prediction) -> float:
    return -float(len(one.patch))


SIMPLER: dict[str, Callable[[Prediction], float]] = {
    "keyword judge": keywords,
    "word Jaccard": word_jaccard,
    "characters": characters,
    "patch size (less is more)": patch_size,
}
MEASURES = {
    "files alone (recall)": "file_recall",
    "lines alone (recall)": "line_recall",
    "added tokens alone": "added_similarity",
    "change bag F1 alone": "change_f1",
}


def measured(predictions: Sequence[Prediction]) -> tuple[dict[str, Floats], dict[str, list[float]]]:
    """Scores by judge, and the seconds of each prediction by mode. The gold patch is read anew
    every time, as for a prediction that comes alone."""
    found: dict[str, list[float]] = {name: [] for name in (*TOTALS, *SIMPLER, *MEASURES)}
    seconds: dict[str, list[float]] = {mode: [] for mode in PATCH_MODES}
    for one in predictions:
        for mode in PATCH_MODES:
            gold_of.cache_clear()
            begins = time.perf_counter()
            verdict = judged(mode, one.instance, one.patch)
            seconds[mode].append(time.perf_counter() - begins)
            found[mode].append(float(verdict.total or 0))
        for name, part in MEASURES.items():
            found[name].append(float(verdict.parts.get(part) or 0))
        for name, judge in SIMPLER.items():
            found[name].append(judge(one))
    return {name: np.array(values) for name, values in found.items()}, seconds


# --- AUC ----------------------------------------------------------------------------------------


def auc(scores: Floats, resolved: NDArray[np.bool_]) -> float:
    """Ties count half."""
    differences = scores[resolved][:, None] - scores[~resolved][None, :]
    return float(((differences > 0) + 0.5 * (differences == 0)).mean())


def within(
    scores: Floats, resolved: NDArray[np.bool_], groups: NDArray[np.int64]
) -> tuple[float, int]:
    """AUC over pairs of one instance, and how many pairs there are."""
    wins: list[float] = []
    for group in np.unique(groups):
        here = groups == group
        good, bad = scores[here & resolved], scores[here & ~resolved]
        wins += [float(a > b) + 0.5 * float(a == b) for a in good for b in bad]
    return (statistics.mean(wins) if wins else float("nan")), len(wins)


def labels(predictions: Sequence[Prediction]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    order = {name: at for at, name in enumerate(instances())}
    resolved = np.array([one.resolved for one in predictions])
    return resolved, np.array([order[one.instance["instance_id"]] for one in predictions])


def report_aucs(predictions: Sequence[Prediction], scores: dict[str, Floats]) -> None:
    resolved, groups = labels(predictions)
    agents = np.array([one.agent for one in predictions])
    pairs = within(scores[TOTALS[0]], resolved, groups)[1]
    print(f"{len(predictions)} predictions, {int(resolved.sum())} resolved; {pairs} pairs within")
    print(f"{'AUC':<28} pooled  within   Aider   Devin")
    for name, values in scores.items():
        by_agent = "   ".join(
            f"{auc(values[agents == agent], resolved[agents == agent]):.3f}" for agent in FILES
        )
        inside = within(values, resolved, groups)[0]
        print(f"{name:<28}  {auc(values, resolved):.3f}   {inside:.3f}   {by_agent}")


def report_differences(predictions: Sequence[Prediction], scores: dict[str, Floats]) -> None:
    resolved, groups = labels(predictions)
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    random = np.random.default_rng(SEED)
    drawn = [
        np.concatenate([members[at] for at in random.integers(0, len(members), len(members))])
        for _ in range(RESAMPLES)
    ]
    print(f"paired differences of pooled AUC, {RESAMPLES} resamples by instance, 95 %")
    for mode in TOTALS:
        for other in ("keyword judge", "word Jaccard"):
            points = [auc(scores[name], resolved) for name in (mode, other)]
            spread = [
                auc(scores[mode][at], resolved[at]) - auc(scores[other][at], resolved[at])
                for at in drawn
            ]
            low, high = np.quantile(spread, [0.025, 0.975])
            print(
                f"{mode} - {other:<14} {points[0] - points[1]:+.3f} [{low:+.3f}, {high:+.3f}], "
                f"above 0 in {100 * np.mean(np.array(spread) > 0):.1f} %"
            )


def report_files(predictions: Sequence[Prediction]) -> None:
    for agent in FILES:
        hits = [
            judged(TOTALS[0], one.instance, one.patch).extra["localisation"]["file"]
            for one in predictions
            if one.agent == agent
        ]
        print(f"file localisation {agent}: {100 * statistics.mean(hits):.1f} % of {len(hits)}")


def report_speed(seconds: dict[str, list[float]]) -> None:
    for mode, taken in seconds.items():
        print(
            f"{mode}: median {1000 * statistics.median(taken):.1f} ms a prediction, longest "
            f"{1000 * max(taken):.0f} ms, {len(taken) / sum(taken):.0f} predictions/s (goal: "
            "median 25 ms)"
        )


# --- probes -------------------------------------------------------------------------------------


def report_probes() -> None:
    print(f"{'probe, mean of 300':<28} ground-truth (listed)   swebench (listed)   keyword of 90")
    for name, probe in PROBES.items():
        print_probe(name, probe, *LISTED[name])
    print("Prose that names the exact path may earn file and place, 40 at most:")
    print_probe("prose with the full path", lambda one: name_dropping(one, full_path=True), 40, 40)


def print_probe(name: str, probe: Callable[[Instance], str], *listed: float) -> None:
    answers = [(one, probe(one)) for one in instances().values()]
    means = [
        statistics.mean(float(judged(mode, *answer).total or 0) for answer in answers)
        for mode in TOTALS
    ]
    keyword = statistics.mean(keyword_score(*answer) for answer in answers)
    print(
        f"{name:<28} {means[0]:8.2f} ({listed[0]:g})".ljust(53)
        + f"{means[1]:8.2f} ({listed[1]:g})".ljust(20)
        + f"{keyword:8.1f}",
        flush=True,
    )
