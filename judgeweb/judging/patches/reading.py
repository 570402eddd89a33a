"""The reader of unified diffs: one pass over the lines, a draft per file."""

import re

from judgeweb.judging.patches.diffs import Draft, Hunk, Line, Malformed, Patch, merged
from judgeweb.judging.patches.paths import (
    NOTHING,
    git_names,
    git_paths,
    one_file,
    unquoted,
    without_prefixes,
)

_HUNK = re.compile(r"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@(.*)")
_BINARY = re.compile(r"Binary files (.+) and (.+) differ")
# What git writes between its own line and the names.
_EXTENDED = (
    "old mode ",
    "new mode ",
    "deleted file mode ",
    "new file mode ",
    "copy from ",
    "copy to ",
    "rename from ",
    "rename to ",
    "similarity index ",
    "dissimilarity index ",
    "index ",
)
_SIGNATURE = "-- "
FAULTS_KEPT = 20


def read_diff(text: str, *, first_line: int = 1) -> Patch:
    """Every file of the diff. `first_line` is the number of the text's first line in what it was
    taken from. Text around the diffs is passed over. Never raises."""
    return _Reader(text, first_line).read()


class _Reader:
    def __init__(self, text: str, first_line: int) -> None:
        self.lines = text.removeprefix("\ufeff").split("\n")
        if self.lines[-1] == "":
            self.lines.pop()
        self.first_line = first_line
        self.at = 0
        self.drafts: list[Draft] = []
        self.faults: list[Malformed] = []
        self.after_hunk = False

    def read(self) -> Patch:
        while self.at < len(self.lines):
            if self._line().startswith("@@"):
                self._hunk(self._line())
                continue
            self._between_hunks(self._line())
            self.after_hunk = False
        for draft in self.drafts:
            if draft.named_at is not None and not draft.hunks and draft.binary is None:
                self._fault("no hunk after the names of a file", draft.named_at)
        files = [draft.done() for draft in self.drafts]
        return Patch(merged([file for file in files if file.path]), tuple(self.faults))

    def _between_hunks(self, line: str) -> None:
        if line.startswith("diff --git "):
            self._git_header(line)
        elif self._is_names():
            self._names()
        elif line == "GIT binary patch":
            self._binary_content()
        elif found := _BINARY.fullmatch(line):
            self._binary_mark(found)
        elif self.after_hunk and line[:1] in ("+", "-", " ") and line != _SIGNATURE:
            self._surplus()
        else:
            self.at += 1

    def _line(self, ahead: int = 0) -> str:
        """The line without its CR; "" past the end."""
        at = self.at + ahead
        return self.lines[at].removesuffix("\r") if at < len(self.lines) else ""

    def _fault(self, message: str, at: int | None = None) -> None:
        if len(self.faults) < FAULTS_KEPT:
            place = self.at if at is None else at
            self.faults.append(Malformed(self.first_line + place, message))

    # --- headers --------------------------------------------------------------------------------

    def _git_header(self, line: str) -> None:
        begins = self.at
        old, new = git_paths(*git_names(line.removeprefix("diff --git ")))
        if not old:
            self._fault("the names of the line diff --git cannot be read")
        draft = Draft(old, new)
        self.drafts.append(draft)
        self.at += 1
        while (line := self._line()).startswith(_EXTENDED):
            _extended(draft, line)
            self.at += 1
        if self._is_names():
            self._names(draft)
        if draft.old and draft.new and draft.old != draft.new and not draft.is_moved:
            self._fault("two names of a file that no line renames", begins)
            draft.old, draft.new = one_file(draft.old, draft.new)

    def _is_names(self) -> bool:
        line, following = self._line(), self._line(1)
        if line.startswith("--- "):
            return following.startswith(("+++ ", "@@ -"))
        return line.startswith("+++ ") and following.startswith("@@ -")

    def _names(self, draft: Draft | None = None) -> None:
        """The lines `---` and `+++`. Both stand there, or the diff is malformed."""
        named: dict[str, str] = {}
        begins = self.at
        while (mark := self._line()[:4]) in ("--- ", "+++ ") and mark not in named:
            named[mark] = unquoted(self._line()[4:])
            self.at += 1
        if len(named) < 2:
            self._fault("one of the lines --- and +++ is missing", begins)
        old, new = named.get("--- "), named.get("+++ ")
        if old is None and new is not None:
            old = f"a/{new[2:]}" if new.startswith("b/") else new
        if new is None and old is not None:
            new = f"b/{old[2:]}" if old.startswith("a/") else old
        assert old is not None
        assert new is not None
        if draft is None:
            old, new = one_file(*without_prefixes(old, new))
            draft = Draft("", "")
            self.drafts.append(draft)
        else:
            old, new = git_paths(old, new)
        draft.named_at = begins
        if NOTHING in (old, new):
            old, new = _as_headed(old, draft.old), _as_headed(new, draft.new)
        if not draft.is_moved:
            draft.old = "" if old == NOTHING else old
            draft.new = "" if new == NOTHING else new

    # --- hunks ----------------------------------------------------------------------------------

    def _hunk(self, line: str) -> None:
        if not self.drafts:
            self._fault("a hunk before any file is named")
            self._skip_hunk()
            return
        header = _HUNK.fullmatch(line)
        if header is None:
            self._fault("a hunk header without line numbers")
            self._skip_hunk()
            return
        old_start, old_count, new_start, new_count = (
            int(number) if number is not None else 1 for number in header.groups()[:4]
        )
        begins = self.at
        self.at += 1
        lines = self._body(begins, old_start - (old_count > 0), old_count, new_count)
        self.drafts[-1].hunks.append(Hunk(old_start, new_start, header[5].strip(), tuple(lines)))

    def _body(self, begins: int, old: int, old_left: int, new_left: int) -> list[Line]:
        lines: list[Line] = []
        self.after_hunk = True
        while old_left > 0 or new_left > 0:
            raw = self.lines[self.at] if self.at < len(self.lines) else None
            sign = " " if raw in ("", "\r") else (raw or "\0")[0]
            if raw is None or sign not in " +-\\":
                self._fault(
                    f"a hunk ends before its counts: {old_left} old and {new_left} new lines are "
                    "missing",
                    begins,
                )
                self.after_hunk = False
                return lines
            if sign == "\\":
                self.at += 1
                continue
            if (sign != "+" and not old_left) or (sign != "-" and not new_left):
                self._fault("a hunk has other lines than its header counts", begins)
                return lines
            if sign != "+":
                old, old_left = old + 1, old_left - 1
            if sign != "-":
                new_left -= 1
            has_cr = raw.endswith("\r")
            lines.append(Line(sign, raw[1:].removesuffix("\r"), old, has_cr))
            self.at += 1
        if self._line().startswith("\\"):
            self.at += 1
        return lines

    def _surplus(self) -> None:
        """Lines right behind a hunk that its header does not count."""
        self._fault("a hunk has more lines than its header counts")
        self._pass_changes()

    def _skip_hunk(self) -> None:
        """A hunk without counts cannot be read: only its end is looked for."""
        self.at += 1
        self._pass_changes()
        self.after_hunk = False

    def _pass_changes(self) -> None:
        while self.at < len(self.lines) and not self._is_names():
            if self.lines[self.at][:1] not in ("+", "-", " ", "\\", "", "\r"):
                return
            self.at += 1

    # --- binary ---------------------------------------------------------------------------------

    def _binary_content(self) -> None:
        """A full binary diff: the forward content up to the first empty line."""
        begins = self.at
        self.at += 1
        content: list[str] = []
        while self.at < len(self.lines) and (line := self._line()):
            content.append(line)
            self.at += 1
        if not self.drafts or not content:
            self._fault("a binary diff without file or content", begins)
            return
        self.drafts[-1].binary = "\n".join(content)
        self.at += 1
        if self._line().startswith(("literal ", "delta ")):
            while self.at < len(self.lines) and self._line():
                self.at += 1

    def _binary_mark(self, found: re.Match[str]) -> None:
        old, new = without_prefixes(unquoted(found[1]), unquoted(found[2]))
        last = self.drafts[-1] if self.drafts else None
        if last is None or last.hunks or last.binary is not None:
            last = Draft("", "")
            self.drafts.append(last)
            last.old = "" if old == NOTHING else old
            last.new = "" if new == NOTHING else new
        last.binary = ""
        self.at += 1


def _as_headed(name: str, headed: str) -> str:
    """A name that stands beside no file, without a prefix that git's own line shows to be one."""
    return headed if headed and name.partition("/")[2] == headed else name


def _extended(draft: Draft, line: str) -> None:
    """One of the lines between the names that git gives a file."""
    draft.is_moved |= line.startswith(("rename ", "copy "))
    if line.startswith(("new file mode ", "copy from ")):
        draft.old = ""
    elif line.startswith("deleted file mode "):
        draft.new = ""
    elif line.startswith(("old mode ", "new mode ")):
        draft.mode_changed = True
    elif line.startswith("rename from "):
        draft.old = unquoted(line.removeprefix("rename from "))
    elif line.startswith(("rename to ", "copy to ")):
        draft.new = unquoted(line.split(" to ", 1)[1])
