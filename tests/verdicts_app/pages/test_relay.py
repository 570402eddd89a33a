"""The page of a relay. Golden totals 79, 70, 75, 77: mean 75.25; excellent 90.3."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests import factories
from tests.judging.test_phases import sheet
from tests.judging.world import pair_reply, scenario
from tests.verdicts_app.pages.duels import GOLDEN, make_duel, make_relay
from verdicts_app.models import Chain, Epoch, Judgement, Pair, Verdict

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(client: Client, make_user: Any) -> Client:
    client.force_login(make_user("viewer"))
    return client


def page_of(viewer: Client, chain: Chain, query: str = "") -> str:
    response = viewer.get(reverse("relay", args=[chain.pk]) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


@pytest.mark.parametrize(
    ("rating", "total", "how"),
    # 75.25 x 1.2 = 90.3; x 1.0 = 75.25, shown half up; x 0.8 = 60.2
    [
        ("excellent", "90.3", "excellently, which counts × 1.2"),
        ("good", "75.3", "well, which counts × 1"),
        ("poor", "60.2", "poorly, which counts × 0.8"),
    ],
)
def test_chain_total_is_mean_times_multiplier(
    viewer: Client, rating: str, total: str, how: str
) -> None:
    page = page_of(viewer, make_relay(rating))

    assert f"<dd>{total} <small>not capped at 100</small></dd>" in page
    assert f"lighthouse reaches {total}: its phases average 75.25" in page
    assert how in page
    for figure in ("79.0", "70.0", "75.0", "77.0"):
        assert f"<dd>{figure}</dd>" in page
    assert '<span class="expr">(79 + 70 + 75 + 77) / 4</span><span class="is">75.25</span>' in page
    assert "Four phases against control" in page
    assert page.count("✓ won") == 4
    assert "Each phase takes up the one before." in page


def test_excellent_chain_may_pass_100(viewer: Client) -> None:
    page = page_of(viewer, make_relay("excellent", marks=dict.fromkeys(GOLDEN, (9, 9, 9))))

    # 90 x 1.2
    assert "<dd>108.0 <small>not capped at 100</small></dd>" in page


def test_missing_phase_or_coherence_is_named(viewer: Client) -> None:
    page = page_of(viewer, make_relay(None, phases=("sm", "dev", "reviewer")))

    assert "Incomplete and in no ranking: tea is not judged, coherence is not judged." in page
    assert "<dd>– <small>not capped at 100</small></dd>" in page
    assert page.count("not judged</td>") == 1


def test_two_judges_make_no_chain(viewer: Client) -> None:
    chain = make_relay(None)
    factories.make_coherence(
        chain, rating="good", epoch=factories.make_epoch("o", mode="coherence", requested_model="m")
    )
    page = page_of(viewer, chain)

    assert "coherence is not judged" in page
    assert "coherence alone" in page


def test_another_opponent_is_one_link_away(viewer: Client) -> None:
    chain = make_relay("good")
    make_relay(None, theme="harbour", opponent="foundry")
    other = Chain.objects.get(theme="foundry")
    pair = factories.make_pair(chain.sm, other.sm)
    ours, theirs = sheet("phase-sm", 8, 8, 8), sheet("phase-sm", 9, 9, 9)
    make_duel(
        pair_reply(ours, theirs),
        pair_reply(theirs, ours),
        rubric="phase-sm",
        mode="phase-sm",
        about=scenario(name="ticket-kiosk"),
        pair=pair,
        serial=2,
    )
    page = page_of(viewer, chain)
    assert "against foundry, claude-sonnet-5-5</a>: incomplete" in page
    against = page_of(viewer, chain, "?against=foundry")
    assert "Four phases against foundry" in against
    assert "tea is not judged" in against


def test_coherence_verdict_leads_to_its_relay(viewer: Client) -> None:
    chain = make_relay("good")
    verdict = Verdict.objects.get(chain=chain)
    response = viewer.get(reverse("verdict", args=[verdict.pk]))

    assert response.status_code == 302
    assert response["Location"] == f"/relays/{chain.pk}/?verdict={verdict.pk}"
    assert "90.3" not in page_of(viewer, chain, f"?verdict={verdict.pk}")


# --- repeats ------------------------------------------------------------------------------------


def repeat_phase(chain: Chain, phase: str, *marks: int, repeat: int) -> Verdict:
    """One more verdict on the pair that the phase was judged in."""
    pair = Pair.objects.get(first=getattr(chain, phase))
    mode = f"phase-{phase}"
    ours, theirs = sheet(mode, *marks), sheet(mode, 5, 5, 5)
    return make_duel(
        pair_reply(ours, theirs),
        pair_reply(theirs, ours),
        rubric=mode,
        mode=mode,
        about=scenario(name="ticket-kiosk"),
        pair=pair,
        serial=repeat,
        repeat=repeat,
    )


def lose_repeat(repeat: int, *, epoch: Epoch, **subject: Any) -> None:
    judgement = factories.make_judgement(
        epoch=epoch, state="unjudged", unjudged_reason="truncated", repeat=repeat
    )
    Judgement.objects.filter(pk=judgement.pk).update(response=None, **subject)


def test_phases_count_with_the_mean_of_their_repeats(viewer: Client) -> None:
    # sm: 85 and 73, mean 79; then (79 + 70 + 75 + 77) / 4 = 75.25, x 1.2 = 90.3
    # 30 x 0.9 + 40 x 0.7 + 30 x 1.0 = 85; 30 x 0.7 + 40 x 0.7 + 30 x 0.8 = 73
    chain = make_relay("excellent", marks=GOLDEN | {"sm": (9, 7, 10)})
    second = repeat_phase(chain, "sm", 7, 7, 8, repeat=2)

    page = page_of(viewer, chain)

    assert "<dd>90.3 <small>not capped at 100</small></dd>" in page
    assert "its phases average 75.25" in page
    assert '79.0<span class="ci">85.0, 73.0</span>' in page
    assert (
        '<span>sm <span class="faint">mean of 2 repeats</span></span> '
        '<span class="expr">(85 + 73) / 2</span><span class="is">79</span>' in page
    )
    assert f'<a href="{reverse("verdict", args=[second.pk])}">Repeat 2' in page


def test_a_phase_with_fewer_than_half_its_repeats_has_no_total(viewer: Client) -> None:
    chain = make_relay("excellent")
    pair = Pair.objects.get(first=chain.dev)
    epoch = Verdict.objects.get(pair=pair).epoch
    lose_repeat(2, epoch=epoch, pair=pair)
    # 1 of 2 is half: 90.3 stands.
    assert "<dd>90.3 <small>" in page_of(viewer, chain)
    lose_repeat(3, epoch=epoch, pair=pair)

    page = page_of(viewer, chain)

    assert "Incomplete and in no ranking: dev is unjudged: 1 of 3 repeats are valid." in page
    assert '–<span class="ci">75.0, 2 unjudged</span>' in page
    # Judged again, 2 of 3 are valid: (75 + 65) / 2 = 70, (79 + 70 + 70 + 77) / 4 = 74, x 1.2.
    # 40 x 0.8 + 30 x 0.5 + 30 x 0.6 = 65
    repeat_phase(chain, "dev", 8, 5, 6, repeat=2)
    assert "<dd>88.8 <small>" in page_of(viewer, chain)


def test_coherence_is_that_of_the_majority_of_its_repeats(viewer: Client) -> None:
    chain = make_relay("poor")
    first = Verdict.objects.get(chain=chain)
    factories.make_coherence(chain, rating="excellent", epoch=first.epoch, repeat=2)

    page = page_of(viewer, chain)

    assert "no majority of the 2 coherence repeats agrees: poor, excellent." in page
    assert "<dd>– <small>no majority</small></dd>" in page
    factories.make_coherence(chain, rating="poor", epoch=first.epoch, repeat=3)
    page = page_of(viewer, chain)
    assert "<dd>60.2 <small>" in page
    assert '<span class="expr">poor (2 of 3 repeats)</span><span class="is">0.8</span>' in page
    assert "repeat 1: poor" in page
    lose_repeat(4, epoch=first.epoch, chain=chain)
    assert "no majority of the 4 coherence repeats agrees" in page_of(viewer, chain)


def test_unknown_relay_is_404(viewer: Client) -> None:
    assert viewer.get(reverse("relay", args=[999])).status_code == 404


def test_empty_phase_explains_why_nothing_cohered(viewer: Client) -> None:
    chain = make_relay(None)
    type(chain.dev).objects.filter(pk=chain.dev_id).update(text="")
    page = page_of(viewer, chain)

    assert "Dev answered nothing." in page
    assert "a chain with a gap has nothing that could cohere" in page


def test_page_takes_the_same_queries_whatever_it_holds(
    viewer: Client, django_assert_num_queries: Any
) -> None:
    small = make_relay("good", phases=("sm",))
    large = make_relay("good", theme="harbour")
    page_of(viewer, small)
    with django_assert_num_queries(16):
        page_of(viewer, small)
    with django_assert_num_queries(16):
        page_of(viewer, large)
