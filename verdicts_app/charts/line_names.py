"""Short names of personas at the ends of a chart's lines."""

from collections.abc import Sequence

NAME_MOST = 20
"""Characters of a line's name at its end."""


def short_names(names: Sequence[str]) -> dict[str, str]:
    """The theme alone where it names one line; with the role where lines share the theme."""
    themes = [name.partition(":")[0] for name in names]
    return {
        name: _cut(theme, NAME_MOST) if themes.count(theme) == 1 else _with_role(name)
        for name, theme in zip(names, themes, strict=True)
    }


def _with_role(name: str) -> str:
    """The role, which tells the lines apart, gets its room first."""
    theme, _, role = name.partition(":")
    role = _cut(role, NAME_MOST // 2)
    return f"{_cut(theme, NAME_MOST - 1 - len(role))}:{role}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
