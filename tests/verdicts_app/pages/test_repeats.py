"""Repeats and other judges on the page of a verdict: spread, flipped items, what boards count."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from tests import factories
from tests.judging.world import pair_reply, solo_reply
from tests.verdicts_app.pages.duels import make_duel, make_kiosk_pair
from verdicts_app.models import (
    Epoch,
    Job,
    Judgement,
    Response,
    Verdict,
    VerdictFinding,
    VerdictMark,
)
from verdicts_app.work import sums

pytestmark = pytest.mark.django_db
NANO = 10**9


@pytest.fixture
def viewer(client: Client, make_user: Any) -> Client:
    client.force_login(make_user("viewer"))
    return client


def page_of(viewer: Client, row: Verdict | Judgement) -> str:
    name = "verdict" if isinstance(row, Verdict) else "judgement"
    response = viewer.get(reverse(name, args=[row.pk]), follow=True)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def panel(page: str, heading: str = "h-repeats") -> str:
    """The section of that heading; empty where it is not there."""
    _, found, after = page.partition(f'aria-labelledby="{heading}">')
    return after.split("</section>")[0] if found else ""


def make_repeats(
    totals: Sequence[str | int],
    *,
    found: Sequence[str] = (),
    clarity: Sequence[int] = (),
    epoch: Epoch | str = "first",
    response: Response | None = None,
    job: Job | None = None,
) -> list[Verdict]:
    """`found` has per repeat a letter per item: y or n."""
    subject = response or factories.make_response()
    made = []
    for number, total in enumerate(totals, 1):
        judgement = factories.make_judgement(subject, epoch=epoch, repeat=number, job=job)
        verdict = factories.make_verdict(
            response=subject, total=total, repeat=number, epoch=epoch, judgement=judgement
        )
        for position, letter in enumerate(found[number - 1] if found else ""):
            VerdictFinding.objects.create(
                verdict=verdict,
                position=position,
                kind="baseline",
                item_id=f"ITEM-{position + 1}",
                found=letter == "y",
                evidence_state="none",
            )
        if clarity:
            VerdictMark.objects.create(
                verdict=verdict,
                position=1,
                dimension="quality",
                key="clarity",
                label="Clear explanations",
                value_exact=str(clarity[number - 1]),
                value_nano=clarity[number - 1] * NANO,
            )
        made.append(verdict)
    return made


def lose(
    response: Response, repeat: int, epoch: Epoch | str = "first", job: Job | None = None
) -> Judgement:
    return factories.make_judgement(
        response,
        epoch=epoch,
        state="unjudged",
        unjudged_reason="truncated",
        repeat=repeat,
        job=job,
    )


def test_golden_repeats_have_mean_range_and_standard_deviation(viewer: Client) -> None:
    # 70, 80, 81: mean 77, range 11, variance (49 + 9 + 16) / 2 = 37, sd 6.08. Marks 6, 8, 9: mean
    # 7.67, range 3, variance (2.78 + 0.11 + 1.78) / 2 = 2.33, sd 1.53.
    first, second, _ = make_repeats((70, 80, 81), clarity=(6, 8, 9))

    shown = panel(page_of(viewer, first))

    assert "Boards count it with the mean of the 3 repeats: 77.0." in shown
    assert (
        '<td class="num total">70.0</td><td class="num total">80.0</td>'
        '<td class="num total">81.0</td> <td class="num total">77.0</td> '
        '<td class="num">11.0</td> <td class="num">6.1</td>' in shown
    )
    assert (
        '<td class="num">6</td><td class="num">8</td><td class="num">9</td> '
        '<td class="num">7.7</td> <td class="num">3.0</td> <td class="num">1.5</td>' in shown
    )
    assert 'Repeat 1<span class="sub">shown here</span>' in shown
    assert f'<a href="{reverse("verdict", args=[second.pk])}">Repeat 2</a>' in shown


def test_items_that_flipped_show_their_majority(viewer: Client) -> None:
    # Item 1 found in all, item 2 in 2 of 3, item 3 in 1 of 3: two flipped.
    first, *_ = make_repeats((70, 80, 81), found=("yyn", "yny", "yyn"))

    shown = panel(page_of(viewer, first))

    assert "Items that flipped: 2 of 3" in shown
    assert "ITEM-1" not in shown
    assert "found, 2 of 3" in shown
    assert "missed, 2 of 3" in shown
    assert shown.count("≠ flipped") == 2


def test_an_even_split_has_no_majority(viewer: Client) -> None:
    # 1 of 2 is below 2 // 2 + 1 = 2.
    first, _ = make_repeats((70, 80), found=("y", "n"))

    assert "no majority <span" in panel(page_of(viewer, first))


def test_unjudged_repeats_are_listed_and_leave_the_mean(viewer: Client) -> None:
    first, _ = make_repeats((70, 80))
    assert first.response is not None
    lost = lose(first.response, 3)
    # (70 + 80) / 2 = 75; the third is in no mean.
    shown = panel(page_of(viewer, first))
    assert "Boards count it with the mean of the 2 valid of 3 repeats: 75.0." in shown
    assert (
        f'<a href="{reverse("judgement", args=[lost.pk])}">Repeat 3</a>: unjudged, truncated'
        in shown
    )
    # From the page of the unjudged one, too.
    assert "the mean of the 2 valid of 3 repeats: 75.0." in panel(page_of(viewer, lost))


def test_fewer_than_half_valid_are_unjudged(viewer: Client) -> None:
    [verdict] = make_repeats((70,))
    assert verdict.response is not None
    lose(verdict.response, 2)
    assert "Boards count it with the mean of the 1 valid of 2 repeats: 70.0." in page_of(
        viewer, verdict
    )
    lose(verdict.response, 3)

    page = page_of(viewer, verdict)

    assert "Boards count it as unjudged: 1 of 3 repeats is valid, fewer than half." in panel(page)
    assert "This one is in no mean." in page


def test_a_repeat_that_waits_is_listed(viewer: Client) -> None:
    first, _ = make_repeats((70, 80))
    factories.make_judgement(first.response, epoch="first", state="planned", repeat=3)

    shown = panel(page_of(viewer, first))

    assert "Repeat 3</a>: waiting" in shown
    assert "the mean of the 2 repeats: 75.0." in shown


def test_one_verdict_has_no_panel(viewer: Client) -> None:
    page = page_of(viewer, factories.make_verdict())

    assert panel(page) == panel(page, "h-jury") == ""


def test_judged_again_counts_once(viewer: Client) -> None:
    first, second = make_repeats((70, 80))
    with transaction.atomic(), sums.kept_in_step(responses=[second.response_id]):
        Verdict.objects.filter(pk=second.pk).update(superseded_at=factories.NOON, on_board=False)
    factories.make_verdict(
        response=first.response, total=90, repeat=2, identity=second.identity, epoch="first"
    )

    # The newer one counts: (70 + 90) / 2 = 80.
    assert "the mean of the 2 repeats: 80.0." in panel(page_of(viewer, first))


# --- what has no total --------------------------------------------------------------------------


def test_repeats_of_a_comparison_show_winners_and_items_by_contestant(viewer: Client) -> None:
    pair = make_kiosk_pair()
    ahead, behind = solo_reply(8, 7, 9, 8), solo_reply(7, 8, 7, 9)  # 80 and 77.5
    for number, (one, other) in enumerate([(ahead, behind), (behind, ahead), (ahead, behind)], 1):
        verdict = make_duel(
            pair_reply(one, other), pair_reply(other, one), pair=pair, repeat=number, serial=number
        )

    shown = panel(page_of(viewer, verdict))

    assert "lighthouse:reviewer won: 2 of 3 repeats say so." in shown
    assert "The board counts one duel, with the means of the 3 repeats." in shown
    # (80 + 77.5 + 80) / 3 = 79.17 and (77.5 + 80 + 77.5) / 3 = 78.33
    assert '<td class="num total">79.2</td>' in shown
    assert '<td class="num total">78.3</td>' in shown
    assert "lighthouse:<wbr>reviewer, 2 of 3" in shown


def test_repeats_of_a_relay_show_their_ratings(viewer: Client) -> None:
    chain = factories.make_chain()
    for number, rating in enumerate(("good", "poor", "good"), 1):
        verdict = factories.make_coherence(chain, rating=rating, repeat=number)

    shown = panel(page_of(viewer, verdict))

    assert "The relay counts as good: 2 of 3 repeats." in shown
    assert "good, 2 of 3" in shown
    factories.make_coherence(chain, rating="poor", repeat=4)
    assert "No majority of the repeats agrees on a rating" in panel(page_of(viewer, verdict))


def test_repeats_of_a_call_show_which_check_flipped(viewer: Client) -> None:
    capture = factories.make_capture()
    for number, ok in enumerate([(True, True, True), (True, False, True), (True, None, True)], 1):
        verdict = factories.make_call_verdict(capture, ok=ok, repeat=number)

    shown = panel(page_of(viewer, verdict))

    assert "Checks that flipped: 1 of 3" in shown
    assert "Schema" in shown
    assert "holds, 3 of 3" in shown
    # Factual: holds, fails, undecidable.
    assert shown.count("no majority") == 2


# --- other judges -------------------------------------------------------------------------------


def judges(*names: str) -> list[Epoch]:
    return [
        factories.make_epoch(f"judge {name}", requested_model=name, returned_model=name)
        for name in names
    ]


def test_judges_count_together_with_their_means(viewer: Client) -> None:
    # 70 and 80: 75. 60, 60 and 90: 70. Over judges 72.5; all five together would be 72.
    response = factories.make_response()
    one, other = judges("m-one", "m-other")
    first, _ = make_repeats((70, 80), epoch=one, response=response)
    make_repeats((60, 60, 90), epoch=other, response=response)

    shown = panel(page_of(viewer, first), "h-jury")

    assert "2 judges tried this in the same mode and rubric revision, 2 are valid." in shown
    assert '<td class="num total" data-label="Mean total"><b>72.5</b></td>' in shown
    # sd of 60, 60, 90: sqrt(300) = 17.3
    assert '<td class="num" data-label="Standard deviation">17.3</td>' in shown
    assert "mean over 2 valid judges" in shown


def test_case_52_too_few_valid_judges_are_inconclusive(viewer: Client) -> None:
    pair = make_kiosk_pair()
    replies = (
        pair_reply(solo_reply(8, 7, 9, 8), solo_reply(7, 8, 7, 9)),
        pair_reply(solo_reply(7, 8, 7, 9), solo_reply(8, 7, 9, 8)),
    )
    verdict = make_duel(*replies, pair=pair)
    assert verdict.judgement is not None
    epoch, job = verdict.epoch, verdict.judgement.job
    for name in ("m-two", "m-three"):
        another = factories.make_epoch(
            name, mode="compare", requested_model=name, rubric_revision=epoch.rubric_revision
        )
        lost = factories.make_judgement(
            epoch=another, state="unjudged", unjudged_reason="unreadable", job=job
        )
        Judgement.objects.filter(pk=lost.pk).update(response=None, pair=pair)

    page = page_of(viewer, verdict)
    shown = panel(page, "h-jury")

    assert "1 of 3 judges gave a valid verdict, fewer than half." in page
    assert "3 judges were asked in this job, 1 is valid, fewer than half" in shown
    assert "! inconclusive" in shown
    # The one vote is shown, the judges together have none.
    assert '<td class="num" data-label="Vote">lighthouse:<wbr>reviewer</td>' in shown
    assert "<b>" not in shown
    assert '<td class="num" data-label="Vote">no majority</td>' in shown


def test_another_rubric_revision_is_no_other_judge(viewer: Client) -> None:
    response = factories.make_response()
    other = factories.make_epoch(
        "other", requested_model="m-other", rubric_revision=factories.make_revision("solo", 9)
    )
    make_repeats((60,), epoch=other, response=response)
    [verdict] = make_repeats((70,), response=response)

    assert panel(page_of(viewer, verdict), "h-jury") == ""


def test_judges_of_another_job_stand_beside_those_of_this(viewer: Client) -> None:
    response = factories.make_response()
    one, two, three = judges("m-one", "m-two", "m-three")
    job = Job.objects.create(run=response.run, state="done", finished_at=factories.NOON)
    make_repeats((90,), epoch=three, response=response)
    [verdict] = make_repeats((70,), epoch=one, response=response, job=job)
    make_repeats((60,), epoch=two, response=response, job=job)

    shown = panel(page_of(viewer, verdict), "h-jury")

    # (70 + 60) / 2: the third judge was asked elsewhere.
    assert "2 judges were asked in this job" in shown
    assert "<b>65.0</b>" in shown
    assert ", another job</span>" in shown


def test_the_record_of_a_verdict_holds_both_panels(viewer: Client) -> None:
    # The totals of test_judges_count_together_with_their_means; item 2 flips.
    response = factories.make_response()
    one, other = judges("m-one", "m-other")
    first, second = make_repeats((70, 80), found=("yn", "yy"), epoch=one, response=response)
    make_repeats((60, 60, 90), epoch=other, response=response)
    lose(response, 3, epoch=one)

    record = viewer.get(reverse("verdict_json", args=[first.pk])).json()

    repeats, jury = record["repeats"], record["jury"]
    assert (repeats["asked"], repeats["valid"], repeats["counts"]) == (3, 2, True)
    # sqrt(50) = 7.0710678
    assert repeats["totals"] == {"": {"mean": 75, "range": 10, "sd": pytest.approx(7.0710678)}}
    assert repeats["repeats"] == [
        {"repeat": 1, "verdict": first.pk, "unjudged": None},
        {"repeat": 2, "verdict": second.pk, "unjudged": None},
        {"repeat": 3, "verdict": None, "unjudged": "truncated"},
    ]
    assert (repeats["items"], repeats["flipped"]) == (
        2,
        [{"item": "ITEM-2", "of": "", "marks": ["missed", "found"], "majority": None}],
    )
    assert (jury["asked"], jury["valid"], jury["conclusive"]) == (2, 2, True)
    assert jury["scores"] == {"lighthouse:reviewer": 72.5}
    assert [(row["judge"], row["valid"], row["asked"]) for row in jury["judges"]] == [
        ("m-one", 2, 3),
        ("m-other", 3, 3),
    ]
    alone = viewer.get(reverse("verdict_json", args=[factories.make_verdict().pk])).json()
    assert (alone["repeats"], alone["jury"]) == (None, None)


def test_panels_take_the_same_queries_whatever_their_number(
    viewer: Client, django_assert_max_num_queries: Any
) -> None:
    few, *_ = make_repeats((70, 80), found=("y", "n"))
    many, *_ = make_repeats((70, 80, 81, 82, 83), found=["ynynyn"] * 5, clarity=(5, 6, 7, 8, 9))
    page_of(viewer, few)
    with django_assert_max_num_queries(24):
        page_of(viewer, few)
    with django_assert_max_num_queries(24):
        page_of(viewer, many)
