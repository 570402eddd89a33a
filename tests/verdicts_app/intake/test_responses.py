"""Taking run results in: once each, nothing dropped without a word."""

import json
import threading
from typing import Any

import pytest
from django.db import connection

from judgeweb.access.models import AuditEntry
from tests.factories import make_scenario
from verdicts_app.intake import linking
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import RunRefused, Upload, take_in
from verdicts_app.models import Persona, Response, ResponseFlag, ResponseOutcome, Run


def row(number: int = 1, **change: Any) -> dict[str, Any]:
    return {
        "run_id": f"id-{number}",
        "spec": "harbour:dev",
        "character": "Ines",
        "scenario": "ticket-kiosk",
        "timestamp": "2026-01-25T22:54:44Z",
        "response": f"Answer {number}",
    } | change


def upload(*documents: Any, run_id: str = "nightly", **given: Any) -> Receipt:
    files = [
        d if isinstance(d, UploadedFile) else UploadedFile(f"file-{n}.json", json.dumps(d).encode())
        for n, d in enumerate(documents, 1)
    ]
    return take_in(run_id=run_id, files=files, user=None, actor="test", how=Upload(**given))


@pytest.mark.django_db
def test_take_in_stores_an_answer_with_its_run_persona_and_scenario() -> None:
    scenario = make_scenario("ticket-kiosk")

    receipt = upload(row())

    response = Response.objects.get()
    assert (receipt.accepted, receipt.duplicate, receipt.refused) == (1, 0, ())
    assert receipt.response_ids == (response.pk,)
    assert response.run.run_id == "nightly"
    assert response.scenario == scenario
    assert (response.persona.spec, response.persona.theme) == ("harbour:dev", "harbour")
    assert (response.persona.role, response.persona.character) == ("dev", "Ines")
    assert (response.source_id, response.identity) == ("id-1", "id-1")
    assert response.text == "Answer 1"
    assert response.answered_at.isoformat() == "2026-01-25T22:54:44+00:00"
    assert not response.answered_at_is_upload
    assert json.loads(response.document) == row()
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.target) == ("test", "upload answers", "nightly")


@pytest.mark.django_db
def test_same_upload_twice_changes_nothing() -> None:
    a1 = {"type": "result", "result": "No id in here."}
    first = upload(row(1), [row(2), row(3)], a1, spec="harbour:qa", scenario="ticket-kiosk")
    stored = list(Response.objects.values())

    second = upload(row(1), [row(2), row(3)], a1, spec="harbour:qa", scenario="ticket-kiosk")

    assert (first.accepted, first.duplicate) == (4, 0)
    assert (second.accepted, second.duplicate, second.refused) == (0, 4, ())
    assert list(Response.objects.values()) == stored
    assert AuditEntry.objects.count() == 1


@pytest.mark.django_db
def test_other_content_under_a_known_id_is_refused_and_the_first_stands() -> None:
    upload(row(1))
    receipt = upload(row(1, response="Changed"))
    assert receipt.accepted == receipt.duplicate == 0
    assert receipt.refused[0].field == "run_id"
    assert "id-1" in receipt.refused[0].reason
    assert Response.objects.get().text == "Answer 1"


@pytest.mark.django_db
def test_an_id_that_repeats_the_run_tells_no_answers_apart() -> None:
    receipt = upload(row(1, run_id="nightly"), row(2, run_id="nightly"))
    assert receipt.accepted == 2
    assert all(r.identity.startswith("sha256:") for r in Response.objects.all())


@pytest.mark.django_db
def test_one_id_may_stand_in_two_runs_and_at_two_personas() -> None:
    upload(row(1))
    assert upload(row(1), run_id="weekly").accepted == 1
    assert upload(row(1, spec="harbour:qa")).accepted == 1
    assert Run.objects.count() == 2


@pytest.mark.django_db
def test_unknown_scenario_is_stored_unlinked_listed_and_linked_later() -> None:
    receipt = upload(row(1, scenario="later"), row(2, scenario="never"))
    assert receipt.accepted == 2
    assert receipt.unlinked == ("later", "never")
    assert linking.link_unlinked() == 0

    scenario = make_scenario("later")
    make_scenario("never", is_inline=True)
    assert linking.link_unlinked() == 1
    assert Response.objects.get(scenario_key="later").scenario == scenario
    assert Response.objects.get(scenario_key="never").scenario is None


@pytest.mark.django_db
def test_an_upload_links_what_earlier_ones_left() -> None:
    upload(row(1, scenario="later"))
    scenario = make_scenario("later")
    upload(row(2, scenario="later"))
    assert {r.scenario for r in Response.objects.all()} == {scenario}


@pytest.mark.django_db
def test_failed_run_is_stored_as_failed_and_counted_apart() -> None:
    receipt = upload(row(1, success=False, error="timeout"), row(2, response=""))
    assert (receipt.accepted, receipt.failed) == (2, 1)
    failed, empty = Response.objects.order_by("pk")
    assert (failed.outcome, failed.failure) == (ResponseOutcome.FAILED, "timeout: Answer 1")
    assert failed.text == ""
    assert (empty.outcome, empty.text) == (ResponseOutcome.ANSWERED, "")


@pytest.mark.django_db
def test_good_documents_stand_beside_refused_ones() -> None:
    receipt = upload(
        [row(1), {"spec": "a:b"}, row(2, input_tokens=-1)],
        UploadedFile("broken.json", b'{"a": 1,\n "b" 2}'),
        UploadedFile("empty.json", b" \n"),
        UploadedFile("none.json", b"[]"),
    )
    assert receipt.accepted == 1
    assert [(r.file, r.place, r.field) for r in receipt.refused] == [
        ("file-1.json", "item 2", "document"),
        ("file-1.json", "item 3", "input_tokens"),
        ("broken.json", "", ""),
        ("empty.json", "", ""),
        ("none.json", "", ""),
    ]
    assert "line 2, column 6" in receipt.refused[2].reason


@pytest.mark.django_db
def test_upload_of_nothing_readable_leaves_no_run() -> None:
    receipt = upload(UploadedFile("x.json", b"nonsense"))
    assert receipt.taken == 0
    assert not Run.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("run_id", ["", "  ", "x" * 201, "a/b", "a\x00b", "a\nb"])
def test_run_id_that_cannot_be_used_is_refused(run_id: str) -> None:
    with pytest.raises(RunRefused):
        upload(row(1), run_id=run_id)


@pytest.mark.django_db
def test_summary_is_kept_with_its_answer_whatever_the_order() -> None:
    summary = row(1, success=True, score=92.5, response=None)
    del summary["response"]
    receipt = upload(summary, row(1))
    assert (receipt.accepted, receipt.summaries, receipt.refused) == (1, 1, ())
    assert json.loads(Response.objects.get().document)["summary"]["score"] == 92.5

    again = upload(summary, row(1))
    assert (again.accepted, again.summaries, again.duplicate) == (0, 0, 2)


@pytest.mark.django_db
def test_summary_without_its_answer_is_refused_and_failed_one_is_a_failed_run() -> None:
    summary = row(7, success=True)
    del summary["response"]
    receipt = upload(summary)
    assert receipt.taken == 0
    assert "id-7" in receipt.refused[0].reason

    assert upload(summary | {"success": False}).failed == 1


@pytest.mark.django_db
def test_same_text_in_two_runs_is_flagged_on_both() -> None:
    upload(row(1, num_turns=2), row(2))
    upload(row(9, response="Answer 1"), run_id="weekly")
    flags = dict(Response.objects.values_list("source_id", "flags"))
    assert flags["id-9"] == ResponseFlag.SAME_TEXT
    assert flags["id-1"] == f"{ResponseFlag.SEVERAL_TURNS},{ResponseFlag.SAME_TEXT}"
    assert flags["id-2"] == ""


# Cases 25 and 26: half an emoji, NUL.
@pytest.mark.django_db
def test_unsendable_characters_are_escaped_for_reading_and_kept_lossless() -> None:
    text = "a\x00b \ud83d end"
    upload(UploadedFile("x.json", json.dumps(row(1, response=text, extra="\x00")).encode()))
    response = Response.objects.get()
    assert response.text == "a\\u0000b \\ud83d end"
    assert json.loads(response.text_json) == text
    assert json.loads(response.document)["extra"] == "\x00"
    assert response.flags == ResponseFlag.ESCAPED_TEXT


@pytest.mark.django_db
def test_hostile_names_are_text_like_any_other() -> None:
    name = "<img src=x onerror=alert(1)>"
    receipt = upload(row(1, spec=name, scenario="'; DROP TABLE x; --", character="{{ 7*7 }}"))
    assert receipt.accepted == 1
    assert Persona.objects.get().spec == name


@pytest.mark.django_db
def test_ndjson_is_taken_line_by_line() -> None:
    lines = [json.dumps(row(1)), "", '{"torn', json.dumps(row(2, response="x\u2028y"))]
    content = "\ufeff" + "\r\n".join(lines)
    receipt = upload(UploadedFile("runs.ndjson", content.encode()))
    assert receipt.accepted == 2
    assert [(r.place) for r in receipt.refused] == ["line 3"]


@pytest.mark.django_db
def test_persona_learns_a_character_it_did_not_have() -> None:
    upload(row(1, character=""))
    upload(row(2, character="Ines"))
    upload(row(3, character="Other"))
    persona = Persona.objects.get()
    assert persona.character == "Ines"
    upload(row(4, spec="control:dev", character=""))
    assert Persona.objects.get(spec="control:dev").is_control


@pytest.mark.django_db(transaction=True)
def test_the_same_upload_at_once_stores_each_answer_once() -> None:
    documents = [row(number) for number in range(20)]
    receipts: list[Receipt] = []
    barrier = threading.Barrier(4)

    def work(turn: int) -> None:
        barrier.wait()
        try:
            receipts.append(upload(documents[turn:] + documents[:turn]))
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(turn,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Response.objects.count() == 20
    assert sum(receipt.accepted for receipt in receipts) == 20
    assert sum(receipt.duplicate for receipt in receipts) == 60
    assert Persona.objects.count() == Run.objects.count() == 1
