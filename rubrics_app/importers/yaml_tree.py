"""YAML into a tree: nothing is constructed, aliases cannot multiply, a key given twice is said."""

from collections.abc import Iterator

import yaml

from rubrics_app.importers.tree import MAX_DEPTH, MAX_VALUES, FileRefused, Kind, Note, Value

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_MERGE = _CORE + "merge"
_SCALARS = {
    "str": Kind.TEXT,
    "int": Kind.NUMBER,
    "float": Kind.NUMBER,
    "bool": Kind.BOOLEAN,
    "null": Kind.NOTHING,
    "timestamp": Kind.TEXT,
    "value": Kind.TEXT,
}


def read_yaml(text: str, notes: list[Note]) -> Value:
    """Raise FileRefused, with the line where it is known."""
    try:
        _check_depth(text)
        documents = list(yaml.compose_all(text, Loader=_LOADER))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise FileRefused("", f"not YAML: {problem}", mark.line + 1 if mark else None) from error
    documents = [node for node in documents if node is not None]
    if len(documents) != 1:
        raise FileRefused("", f"holds {len(documents)} documents; one is expected")
    return _Reader(notes).value(documents[0], "")


def _check_depth(text: str) -> None:
    """Before anything is composed, for that is done by recursion."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            mark = event.start_mark
            line = mark.line + 1 if mark else None
            raise FileRefused("", f"nested deeper than {MAX_DEPTH} levels", line)


class _Reader:
    """Counts what it reads: an alias counts with all that it stands for."""

    def __init__(self, notes: list[Note]) -> None:
        self.notes = notes
        self.count = 0
        self.open: set[int] = set()

    def value(self, node: yaml.Node, place: str) -> Value:
        line = node.start_mark.line + 1
        self.count += 1
        if self.count > MAX_VALUES:
            raise FileRefused(place, f"more than {MAX_VALUES} values, aliases counted in", line)
        if id(node) in self.open:
            raise FileRefused(place, "an alias stands inside what it names", line)
        self.open.add(id(node))
        value = self._value(node, place, line)
        self.open.discard(id(node))
        return value

    def _value(self, node: yaml.Node, place: str, line: int) -> Value:
        kind = node.tag.removeprefix(_CORE)
        if isinstance(node, yaml.ScalarNode) and kind in _SCALARS:
            return Value(_SCALARS[kind], node.value, line)
        if isinstance(node, yaml.SequenceNode) and kind == "seq":
            return Value(
                Kind.LIST,
                line=line,
                items=tuple(self.value(n, f"{place}[{i}]") for i, n in enumerate(node.value)),
            )
        if isinstance(node, yaml.MappingNode) and kind == "map":
            return Value(Kind.MAP, line=line, entries=tuple(self._entries(node, place)))
        raise FileRefused(place, f"the tag {node.tag!r} is not read: objects are never built", line)

    def _entries(self, node: yaml.MappingNode, place: str) -> Iterator[tuple[str, Value]]:
        merged: dict[str, Value] = {}
        own: dict[str, Value] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise FileRefused(place, "a key must be text", line)
            key = key_node.value
            below = f"{place}.{key}" if place else key
            value = self.value(value_node, below)
            if key_node.tag == _MERGE:
                for source in value.items or (value,):
                    merged = {**dict(source.entries), **merged}
                continue
            if key in own:
                self.notes.append(Note(below, "the key stands twice; the last one counts", line))
            own[key] = value
        yield from {**merged, **own}.items()
