"""Why something is unjudged, and what a flag means, in words for people."""

from dataclasses import dataclass

from judgeweb.judging.types import Flag, UnjudgedReason


@dataclass(frozen=True)
class Reason:
    """`meaning` says what happened, `advice` what helps; `can_retry` where another try may."""

    name: str
    meaning: str
    advice: str
    can_retry: bool


_ANOTHER_TRY = "Another try often reads well."
_READ_FIRST = "Read the reply before anything else; the same request is likely to end the same way."

REASONS: dict[str, Reason] = {
    reason.value: Reason(reason.value.replace("_", " "), meaning, advice, can_retry)
    for reason, meaning, advice, can_retry in [
        (UnjudgedReason.UNREADABLE, "no verdict could be read", _ANOTHER_TRY, True),
        (UnjudgedReason.AMBIGUOUS, "two different verdicts in one reply", _ANOTHER_TRY, True),
        (
            UnjudgedReason.INVALID,
            "a mark of the wrong type or outside its scale, after one re-ask",
            _ANOTHER_TRY,
            True,
        ),
        (
            UnjudgedReason.INCOMPLETE,
            "an item or a mark was missing or doubled, after one re-ask",
            _ANOTHER_TRY,
            True,
        ),
        (
            UnjudgedReason.TRUNCATED,
            "the reply hit the token limit twice",
            "Raise JUDGE_MAX_TOKENS, restart the worker, then retry.",
            True,
        ),
        (UnjudgedReason.REFUSED, "the judge declined", _READ_FIRST, False),
        (UnjudgedReason.EMPTY_REPLY, "the reply held no text", _ANOTHER_TRY, True),
        (
            UnjudgedReason.REPLY_TOO_SHORT,
            "the reply was under 200 characters",
            "Read the reply; a short answer often says why.",
            True,
        ),
        (
            UnjudgedReason.NO_USAGE,
            "the reply did not report its tokens",
            "Where the server never reports them, set JUDGE_REPORTS_USAGE=0, then retry.",
            True,
        ),
        (
            UnjudgedReason.TOO_LARGE,
            "the request was too large for the judge",
            "Shorten the response, or use a judge that reads more.",
            False,
        ),
        (UnjudgedReason.BAD_REQUEST, "the judge did not accept the request", _READ_FIRST, False),
        (
            UnjudgedReason.PROVIDER_UNAVAILABLE,
            "the provider was busy or down through all attempts",
            "Retry when it answers again.",
            True,
        ),
        (
            UnjudgedReason.CASE_REFUSED,
            "a value that judging needs is missing, so nothing was sent",
            "Complete the scenario or upload the answer again, then judge the run.",
            False,
        ),
        (
            UnjudgedReason.LOST_WORKER,
            "the worker died on it again and again",
            "Look into the worker's log, then retry.",
            True,
        ),
        (
            UnjudgedReason.INTERNAL_ERROR,
            "a fault of judgeweb itself",
            "The worker's log has it; retry after the fix.",
            True,
        ),
    ]
}


def reason_in_words(name: str) -> Reason:
    return REASONS.get(name) or Reason(name.replace("_", " "), "", _READ_FIRST, can_retry=True)


FLAGS: dict[str, str] = {
    Flag.REPAIRED: "the reply's JSON had a slip that was mended without touching any string",
    Flag.COERCED: "a number came as text holding nothing else and was read as that number",
    Flag.STATED_DIFFERS: "the judge stated a figure that its own marks do not give",
    Flag.UNKNOWN_DIMENSION: "the judge marked something the rubric does not ask for; not counted",
    Flag.INVENTED_ID: "the judge named items that are not on the list; not counted",
    Flag.EVIDENCE_NOT_FOUND: "a quote is not in the response",
    Flag.CLAIM_CONFLICT: "a claim was said to match and to be something else: the match counts",
    Flag.FOUND_WITHOUT_EVIDENCE: "an item was called found without a quote",
    Flag.EMPTY_ANSWER: "the answer is empty: total 0, and nothing was sent to the judge",
    Flag.ESCAPED_TEXT: "characters that cannot be stored are shown as visible escapes",
    Flag.REASKED: "the first reply could not be taken; the judge was asked once more",
    Flag.REUSED: "what the judge decides was taken from an earlier verdict: nobody was asked",
    Flag.IGNORED_BLOCKS: "the reply held blocks of other kinds; they were left out",
    Flag.NO_PATCH: "the answer holds no diff, no code with its path, no search and replace block",
    Flag.MALFORMED_PATCH: "a hunk or header of the diff is broken: it is never called applied",
    Flag.UNSAFE_PATH: "a path leads out of the repository; it is not counted",
    Flag.LINE_ENDS: "the lines end otherwise than in the gold patch",
    Flag.BINARY_PATCH: "binary content, compared only where both diffs hold it whole",
    Flag.NO_CODE_CHANGE: "comments, docstrings and white space alone: total 0",
    Flag.SAME_AS_GOLD: "the gold patch's own change, token by token, at the same places",
    Flag.CUT_SHORT: "too large to be compared whole: the beginning was",
}

FLAG_SIGNS: dict[str, str] = {
    Flag.STATED_DIFFERS: "warn",
    Flag.EVIDENCE_NOT_FOUND: "bad",
    Flag.EMPTY_ANSWER: "warn",
    Flag.NO_PATCH: "warn",
    Flag.MALFORMED_PATCH: "bad",
    Flag.UNSAFE_PATH: "bad",
    Flag.NO_CODE_CHANGE: "warn",
    Flag.SAME_AS_GOLD: "good",
    Flag.CUT_SHORT: "warn",
}
