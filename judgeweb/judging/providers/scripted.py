"""A judge that says what it was told to say, for tests and dry runs. No network.

`ScriptedAsk(["{...}", ProviderBusy("..."), Reply(...)])` answers its calls in that order and
keeps what it was asked.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from judgeweb.judging.errors import ProviderError
from judgeweb.judging.types import Prompt, Reply, Turn, Usage

SCRIPTED_USAGE = Usage(input=900, output=300)


@dataclass(frozen=True)
class Asked:
    """One call as it came in."""

    prompt: Prompt
    turns: tuple[Turn, ...]
    max_tokens: int


class ScriptedAsk:
    """Replies in, prompts out. Text stands for a complete reply; an error is raised."""

    def __init__(self, script: Iterable[Reply | str | ProviderError]) -> None:
        self._script = iter(tuple(script))
        self.asked: list[Asked] = []

    async def __call__(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
        """Answer with the next line of the script. Raise AssertionError when it is used up."""
        self.asked.append(Asked(prompt, turns, max_tokens))
        line = next(self._script, None)
        if line is None:
            raise AssertionError(f"asked {len(self.asked)} times, more than the script has lines")
        if isinstance(line, ProviderError):
            raise line
        return scripted_reply(line) if isinstance(line, str) else line


def scripted_reply(text: str) -> Reply:
    """A complete reply of one text block."""
    return Reply(text, "end_turn", ("text",), SCRIPTED_USAGE, "scripted")
