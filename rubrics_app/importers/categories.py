"""One spelling for each category. It files scenarios; it never decides their mode."""

ALIASES = {
    "architect": "architecture",
    "code_review": "code-review",
    "debug": "debugging",
    "developer": "dev",
    "development": "dev",
    "review": "code-review",
    "reviewer": "code-review",
    "scrum-master": "sm",
    "scrum_master": "sm",
    "test": "tea",
    "test-engineer": "tea",
    "tester": "tea",
}


def category_of(written: str) -> str:
    """The category under its one spelling; an unknown one stays as it is."""
    folded = written.strip().lower()
    return ALIASES.get(folded, written.strip())
