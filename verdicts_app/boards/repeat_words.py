"""What the boards count of several repeats, in one sentence."""

from collections.abc import Sequence
from fractions import Fraction

from judgeweb.judging.arithmetic import round_half_up
from judgeweb.judging.repeats import is_enough, majority
from verdicts_app.boards.repeat_lines import FigureLine, WordLine
from verdicts_app.models import Judgement, Origin, Verdict


def counted_in_words(
    row: Verdict | Judgement,
    totals: Sequence[FigureLine],
    votes: Sequence[WordLine],
    *,
    valid: int,
    asked: int,
) -> str:
    if row.capture_id is not None:
        return "Pass rates count every valid repeat; the export takes the first."
    who = _who(row)
    share = f"{valid} of {asked} repeats {'is' if valid == 1 else 'are'} valid"
    if not is_enough(valid, asked):
        return f"{who} as unjudged: {share}, fewer than half."
    of = f"the {valid} repeats" if valid == asked else f"the {valid} valid of {asked} repeats"
    if row.chain_id is not None:
        return _rating(votes, asked)
    if row.pair_id is not None:
        return f"{_winner(votes, asked)} The board counts one duel, with the means of {of}."
    mean = totals[0].mean if totals else None
    if mean is None:
        return f"{share.capitalize()}; no total is known."
    return f"{who} with the mean of {of}: {round_half_up(mean, 1)}.{_apart(totals[0])}"


def _apart(line: FigureLine) -> str:
    if line.range is None or line.sd is None:
        return ""
    sd = round_half_up(Fraction(line.sd), 1)
    return f" They lie within {round_half_up(line.range, 1)} points, standard deviation {sd}."


def _who(row: Verdict | Judgement) -> str:
    if row.gold_answer_id is not None:
        return "A calibration counts those of one job together; all of them stand"
    return (
        "A trial is on no board; it counts"
        if row.epoch.origin == Origin.TRIAL
        else "Boards count it"
    )


def _rating(votes: Sequence[WordLine], asked: int) -> str:
    rating = _majority(votes, asked)
    if not rating:
        return "No majority of the repeats agrees on a rating, so the relay is incomplete."
    return f"The relay counts as {rating}: {votes[0].known.count(rating)} of {asked} repeats."


def _winner(votes: Sequence[WordLine], asked: int) -> str:
    said = _majority(votes, asked)
    if not said:
        return "The repeats have no majority, so nobody won."
    agreeing = f"{votes[0].known.count(said)} of {asked} repeats say so"
    if said in ("tie", "inconsistent"):
        return f"Nobody won ({said}): {agreeing}."
    return f"{said} won: {agreeing}."


def _majority(votes: Sequence[WordLine], asked: int) -> str:
    return (majority(votes[0].known, asked) if votes else None) or ""
