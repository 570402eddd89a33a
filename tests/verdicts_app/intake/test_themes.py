"""Theme files into personas."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from judgeweb.access.models import AuditEntry
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import Upload, take_in
from verdicts_app.models import Persona, Run, Theme

pytestmark = pytest.mark.django_db
HARBOUR = """
theme:
  name: harbour
  description: People of a small port.
  era: 1930s
agents:
  dev:
    character: Ines Holt
    style: Short sentences, no metaphors.
    expertise: [engines, radio]
    voice: {pitch: low}
  sm:
    character: Tom
"""


def upload(text: str, **given: Any) -> Receipt:
    file = UploadedFile("any", text.encode())
    return take_in(run_id="themes", files=[file], user=None, actor="test", **given)


def test_each_agent_is_a_persona_of_its_theme() -> None:
    receipt = upload(HARBOUR)
    assert (receipt.personas, receipt.refused) == (2, ())
    dev = Persona.objects.get(spec="harbour:dev")
    assert (dev.theme, dev.role, dev.character) == ("harbour", "dev", "Ines Holt")
    assert (dev.style, dev.expertise) == ("Short sentences, no metaphors.", "engines\nradio")
    assert json.loads(dev.extras) == {"voice": {"pitch": "low"}}
    theme = Theme.objects.get()
    assert theme.description == "People of a small port."
    assert json.loads(theme.extras) == {"era": "1930s"}
    assert not Run.objects.exists()
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.detail) == (
        "import theme",
        "theme harbour: 2 personas new, 0 changed",
    )


def test_importing_again_changes_nothing_and_an_edit_changes_one() -> None:
    upload(HARBOUR)
    rows = list(Persona.objects.values())
    assert upload(HARBOUR).files[0].outcome == "read"
    assert list(Persona.objects.values()) == rows
    assert AuditEntry.objects.count() == 1
    upload(HARBOUR.replace("character: Tom", "character: Tim"))
    assert Persona.objects.get(spec="harbour:sm").character == "Tim"
    assert AuditEntry.objects.first().detail == "theme harbour: 0 personas new, 1 changed"


def test_a_number_is_a_name() -> None:
    upload("theme: {name: 1984}\nagents: {dev: {character: Winston}, 12: {character: 1}}\n")
    assert {p.spec: p.character for p in Persona.objects.all()} == {
        "1984:dev": "Winston",
        "1984:12": "1",
    }
    upload("theme: 2001\nagents: {dev: Dave}\n")
    assert Persona.objects.get(spec="2001:dev").character == "Dave"


def test_a_control_has_no_character() -> None:
    upload("theme: {name: control}\nagents: {dev: {character: }}\n")
    persona = Persona.objects.get()
    assert (persona.is_control, persona.character) == (True, "")


def test_a_persona_across_roles_learns_its_character() -> None:
    Persona.objects.create(spec="harbour:ines-holt", theme="harbour", role="sm")
    upload(HARBOUR)
    across = Persona.objects.get(spec="harbour:ines-holt")
    assert (across.character, across.role) == ("Ines Holt", "sm")
    assert Persona.objects.count() == 3


@pytest.mark.parametrize(
    ("text", "place", "field"),
    [
        ("theme: {}\nagents: {dev: {}}\n", "line 1", "theme.name"),
        ("theme: 'a:b'\nagents: {dev: {}}\n", "line 1", "theme.name"),
        ("theme: a\nagents: twelve\n", "line 2", "agents"),
        ("theme: a\nagents: {}\n", "line 2", "agents"),
        ("theme: a\nagents:\n  dev: {}\n  sm: [x]\n", "line 4", "agents.sm"),
        ("theme: a\nagents:\n  dev:\n    character: {x: y}\n", "line 4", "agents.dev.character"),
        ("theme: a\nagents:\n  dev:\n    style: {x: y}\n", "line 4", "agents.dev.style"),
        ("theme: a\nagents: [{role: dev}, {role: dev}]\n", "line 2", "agents"),
    ],
)
def test_a_theme_that_cannot_be_read_names_line_and_key(text: str, place: str, field: str) -> None:
    (refusal,) = upload(text).refused
    assert (refusal.place, refusal.field) == (place, field)
    assert not Persona.objects.exists()


def command(*arguments: Any) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("import_themes", *map(str, arguments), stdout=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


def test_the_command_takes_files_and_folders(tmp_path: Path) -> None:
    file = tmp_path / "harbour.yaml"
    file.write_text(HARBOUR)
    code, out = command(tmp_path, "--dry-run")
    assert (code, Persona.objects.count()) == (0, 0)
    assert out == f"read    {file}: 2 personas\ndry run, nothing was changed\n"
    assert command(file) == (0, f"read    {file}: 2 personas\n")
    other = tmp_path / "other.yaml"
    other.write_text("spec: a:b\nscenario: s\nresponse: Hello.\n")
    code, out = command(tmp_path)
    assert code == 1
    assert f"refused {other}: nothing taken\n        line 1, theme: this is no theme" in out
    assert not Run.objects.exists()


def test_a_dry_run_of_an_upload_leaves_no_persona() -> None:
    receipt = upload(HARBOUR, how=Upload(), dry_run=True)
    assert (receipt.personas, Persona.objects.count(), Theme.objects.count()) == (2, 0, 0)
