"""The page of a comparison: both contestants, both orders, the decision in words."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests import factories
from tests.judging.world import checklist_reply, pair, pair_reply, scenario, solo_reply
from tests.verdicts_app.pages.duels import MAREN, SCENARIO, make_duel, make_kiosk_pair

pytestmark = pytest.mark.django_db
GENERIC = scenario(name="ticket-kiosk")


@pytest.fixture
def viewer(client: Client, make_user: Any) -> Client:
    client.force_login(make_user("viewer"))
    return client


def page_of(viewer: Client, verdict: Any) -> str:
    response = viewer.get(reverse("verdict", args=[verdict.pk]))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def marked(one: tuple[int, ...], other: tuple[int, ...], **more: Any) -> dict[str, Any]:
    return pair_reply(solo_reply(*one), solo_reply(*other), **more)


WIN = (
    # 80 and 70; in the second order 77.5 and 72.5. Means 78.75 and 71.25.
    marked((8, 7, 9, 8), (7, 7, 7, 7), winner="A"),
    marked((7, 7, 7, 8), (8, 8, 8, 7), winner="A"),
)


def test_win_is_said_in_words_with_both_totals(viewer: Client) -> None:
    page = page_of(viewer, make_duel(*WIN, about=GENERIC))

    assert (
        "lighthouse:reviewer has the higher total in both orders, 7.5 points ahead. "
        "Names, specs and models were hidden from the judge." in page
    )
    assert '<span class="win">78.8</span>' in page
    assert "<span>71.3</span>" in page
    assert "✓ lighthouse:<wbr>reviewer wins both orders" in page
    assert "Maren Holt, night keeper" in page
    assert "Bastian Kroog, pilot" in page


def test_marks_stand_beside_each_other_in_both_orders(viewer: Client) -> None:
    page = page_of(viewer, make_duel(*WIN, about=GENERIC))

    assert "Order 1: lighthouse:<wbr>reviewer is A" in page
    assert "Order 2: harbour:<wbr>reviewer is A" in page
    # Correctness: 8 against 7, then 8 against 7.
    assert (
        '<th scope="row">Correctness</th> <td class="num">8</td> <td class="num">7</td> '
        '<td class="num">+1</td> <td class="num col-start">8</td> <td class="num">7</td>' in page
    )
    assert '<td class="num">80.0</td> <td class="num">70.0</td> <td class="num">+10.0</td>' in page
    assert "It names the cause and what follows from it" in page
    # The second judge named A, which was the harbour, against its own marks.
    assert "≠ stated harbour:<wbr>reviewer" in page


def test_working_is_written_out_per_contestant_and_order(viewer: Client) -> None:
    page = page_of(viewer, make_duel(*WIN, about=GENERIC))

    assert "<h3>harbour:<wbr>reviewer, second order</h3>" in page
    assert '<span class="expr">20 + 17.5 + 22.5 + 20</span><span class="is">80</span>' in page
    assert '<span class="expr">(80 + 77.5) / 2</span><span class="is">78.75</span>' in page
    assert (
        '<span class="expr">78.75 \u2212 71.25 <span class="faint">lighthouse:reviewer has the '
        'higher total in both orders</span></span><span class="is">7.5</span>' in page
    )


@pytest.mark.parametrize(
    ("replies", "sentence", "badge"),
    [
        (
            [marked((8,) * 4, (7,) * 4)] * 2,
            "No winner: lighthouse:reviewer leads in the first order, harbour:reviewer in the "
            "second.",
            "≠ inconsistent",
        ),
        (
            [marked((8,) * 4, (8,) * 4), marked((7,) * 4, (8,) * 4)],
            "A tie: equal totals in the first order.",
            '<span class="badge">tie</span>',
        ),
        ([marked((8,) * 4, (8,) * 4)] * 2, "A tie: equal totals in both orders.", "tie</span>"),
    ],
)
def test_no_winner_is_said_in_words(
    viewer: Client, replies: list[dict[str, Any]], sentence: str, badge: str
) -> None:
    page = page_of(viewer, make_duel(*replies, about=GENERIC))

    assert sentence in page
    assert badge in page
    assert 'class="win"' not in page


def test_one_order_says_what_it_cannot_show(viewer: Client) -> None:
    page = page_of(viewer, make_duel(marked((8,) * 4, (7,) * 4), about=GENERIC, orders=1))

    assert "One order was judged, so a liking for the first place would not show." in page
    assert "Order 2" not in page


def test_empty_answer_is_named(viewer: Client) -> None:
    alone = {"contestants": {"A": solo_reply(1, 1, 1, 1)}, "justification": "It is there. " * 20}
    page = page_of(viewer, make_duel(alone, about=GENERIC, pair=make_kiosk_pair(second=" ")))

    assert "harbour:reviewer answered nothing, which counts as a total of 0." in page
    assert "The other one was judged alone." in page
    assert '<span class="win">10.0</span>' in page
    assert '<td class="num">1</td> <td class="num">–</td>' in page


def test_checklist_stands_side_by_side_with_quotes_lit_in_their_response(viewer: Client) -> None:
    ours = checklist_reply(_listed(), {"C1", "L1"})
    theirs = checklist_reply(_listed(), {"C1"})
    theirs["baseline_findings"][0]["evidence"] = "Retries are bounded"
    theirs["false_positives"] = [
        {"claim": "The mail is late", "evidence": None, "why_invalid": "it is not"}
    ]
    verdict = make_duel(
        pair_reply(ours, theirs), pair_reply(theirs, ours), rubric="checklist", about=SCENARIO
    )
    page = page_of(viewer, verdict)

    assert "Checklist, side by side" in page
    assert page.count("✓</span> found") == 6
    assert page.count("</span> missed") == 6
    # Four quotes of the lighthouse stand in its answer, at one place.
    assert page.count('<mark class="ev"') == 1
    assert '<mark class="ev" id="ev-1-1">' in page
    assert 'href="#ev-1-4"' in page
    assert page.count('<del class="ev-lost">Retries are bounded</del>') == 2
    assert "2 of 6 quotes are not in the response" in page
    assert page.count("The mail is late") == 2
    assert "harbour:<wbr>reviewer: 2 claims" in page


def _listed() -> Any:
    return pair("checklist", SCENARIO)


def test_page_takes_the_same_queries_whatever_it_holds(
    viewer: Client, django_assert_num_queries: Any
) -> None:
    small = make_duel(*WIN, about=GENERIC)
    ours = checklist_reply(_listed(), {"C1", "C2", "L1"})
    large = make_duel(
        pair_reply(ours, ours),
        pair_reply(ours, ours),
        rubric="checklist",
        about=SCENARIO,
        pair=small.pair,
        serial=2,
    )
    page_of(viewer, small)
    with django_assert_num_queries(20):
        page_of(viewer, small)
    with django_assert_num_queries(20):
        page_of(viewer, large)


def test_hostile_text_is_shown_as_text(viewer: Client) -> None:
    hostile = make_kiosk_pair(first=f"<script>alert(1)</script> {MAREN}")
    reasons = marked((8,) * 4, (7,) * 4, justification="<img src=x onerror=alert(1)> " * 10)
    page = page_of(viewer, make_duel(reasons, reasons, about=GENERIC, pair=hostile))

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<img src=x" not in page


def test_unjudged_pair_has_a_page_with_both_answers(viewer: Client) -> None:
    subject = make_kiosk_pair()
    judgement = factories.make_judgement(
        subject.first, epoch="compare", state="unjudged", unjudged_reason="truncated"
    )
    type(judgement).objects.filter(pk=judgement.pk).update(response=None, pair=subject)
    response = viewer.get(reverse("judgement", args=[judgement.pk]))
    page = " ".join(response.content.decode().split())

    assert "lighthouse:<wbr>reviewer against harbour:<wbr>reviewer on ticket-kiosk" in page
    assert "Retries are unbounded." in page
    assert "A refund of minus ten charges the guest." in page
