import re

import pytest

from verdicts_app.pages.context import NAVIGATION

pytestmark = pytest.mark.django_db


def test_signing_in_and_out(client, make_user):
    make_user("viewer", "rana")
    response = client.post("/login/", {"username": "rana", "password": "correct horse"})
    assert (response.status_code, response.url) == (302, "/")
    assert client.post("/logout/").status_code == 302
    assert client.get("/").status_code == 302


def test_a_wrong_password_says_how_many_tries_are_left(client, settings):
    settings.AXES_FAILURE_LIMIT = 3
    page = client.post("/login/", {"username": "rana", "password": "no"}).content.decode()
    assert "Name and password do not match." in page
    assert "2 more tries, then a pause of 15 minutes." in page


def test_too_many_tries_pause_signing_in(client, settings, make_user):
    settings.AXES_FAILURE_LIMIT = 2
    make_user("viewer", "rana")
    for _ in range(2):
        response = client.post("/login/", {"username": "rana", "password": "no"})
    assert response.status_code == 429
    assert "Wait 15 minutes" in response.content.decode()
    response = client.post("/login/", {"username": "rana", "password": "correct horse"})
    assert response.status_code == 429


def test_signing_in_never_leads_off_the_site(client, make_user):
    make_user("viewer", "rana")
    response = client.post(
        "/login/?next=https://elsewhere.example/", {"username": "rana", "password": "correct horse"}
    )
    assert response.url == "/"


@pytest.mark.parametrize(
    ("role", "links"),
    [
        ("viewer", ["Leaderboard", "Trends", "Runs", "Calls", "Calibration"]),
        (
            "operator",
            ["Leaderboard", "Trends", "Runs", "Calls", "Upload", "Calibration", "Playground"],
        ),
    ],
)
def test_the_top_bar_leads_where_the_role_may_go(client, make_user, role, links):
    client.force_login(make_user(role))
    page = client.get("/account/").content.decode()
    nav = page[page.index("<nav") : page.index("</nav>")]
    assert re.findall(r">([^<>]+)</a>", nav) == links


def test_every_place_of_the_top_bar_has_its_page(client, make_user):
    client.force_login(make_user("admin"))
    page = client.get("/account/").content.decode()
    nav = page[page.index("<nav") : page.index("</nav>")]
    assert len(re.findall("<li>", nav)) == sum(len(places) for places in NAVIGATION.values())


def test_the_judge_is_said_to_be_missing_until_one_is_set(client, make_user, settings):
    client.force_login(make_user("viewer"))
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""
    assert "waiting for a judge" in client.get("/account/").content.decode()
    settings.ANTHROPIC_API_KEY = "any"
    assert "ready" in client.get("/account/").content.decode()


def test_a_page_that_is_not_there_says_so(client, make_user):
    client.force_login(make_user("viewer"))
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "There is nothing at this address" in response.content.decode()


def test_a_fault_of_ours_has_a_report_number(client, make_user, monkeypatch):
    def fail(_: object) -> None:
        raise RuntimeError("planned")

    monkeypatch.setattr("verdicts_app.pages.leaderboard.ranked_board", fail)
    client.force_login(make_user("viewer"))
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    assert re.search(r"e-\d{8}-\d{4}-[0-9a-f]{4}", response.content.decode())


def test_pages_send_a_strict_policy_and_no_inline_style(client, make_user):
    client.force_login(make_user("viewer"))
    response = client.get("/figures/")
    assert "style-src 'self'" in response.headers["Content-Security-Policy"]
    page = response.content.decode()
    assert " style=" not in page
    assert not re.search(r"<script(?![^>]*src=)(?![^>]*application/json)", page)
