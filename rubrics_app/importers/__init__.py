"""Files of others into documents of ours. Nothing here touches the database."""

from rubrics_app.importers.json_tree import read_json
from rubrics_app.importers.scenario import ScenarioReading, read_scenario
from rubrics_app.importers.tree import MAX_BYTES, FileRefused, Note, Value
from rubrics_app.importers.yaml_tree import read_yaml

__all__ = ["FileRefused", "Note", "ScenarioReading", "read_tree", "scenario_from"]


def read_tree(source: bytes, notes: list[Note]) -> Value:
    """YAML or JSON as a tree. Raise FileRefused for anything else and for what is too large."""
    if len(source) > MAX_BYTES:
        raise FileRefused("", f"{len(source)} bytes; at most {MAX_BYTES} are read")
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileRefused("", f"not UTF-8 at byte {error.start}") from error
    if text.lstrip().startswith("{"):
        return read_json(text, notes)
    return read_yaml(text, notes)


def scenario_from(source: bytes) -> ScenarioReading:
    """Read one scenario file. Raise FileRefused with its reason."""
    notes: list[Note] = []
    return read_scenario(read_tree(source, notes), notes)
