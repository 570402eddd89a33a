"""Calibration: what the made-up judge thinks of the sample gold standards.

Their answers stand in the scenario files; here stands which of their words show which item.
"""

from collections.abc import Mapping

from judgeweb.judging.documents import GoldDocument, ScenarioDocument
from verdicts_app.sample.looks import Sheet, given

QUOTES: Mapping[str, Mapping[str, str]] = {
    "ticket-kiosk-refunds": {
        "NO-AUTHORISATION": "refund() never checks who is calling",
        "SQL-IN-LOOKUP": "find_order pastes the order id into SQL",
        "DOUBLE-REFUND": "Two clicks refund twice",
        "SWALLOWED-ERROR": "The gateway error is swallowed",
        "CARD-IN-LOG": "card_number goes to the log in full",
        "SECRET-IN-SOURCE": "GATEWAY_KEY stands in the source",
        "FLOAT-MONEY": "float(amount) loses cents",
        "MAIL-BEFORE-COMMIT": "The mail leaves before the commit",
        "MAGIC-VENUE": "Venue 1 is hard-coded",
        "NO-TIMEOUT": "The post has no timeout",
    },
    "tide-table-cache": {
        "DEFAULT-AT-IMPORT": "The default of table() is evaluated when the module is imported",
        "KEY-WITHOUT-PORT": "The cache key holds the day alone",
        "LOCAL-CLOCK": "fromtimestamp() takes the zone of the machine",
        "CACHE-NEVER-EXPIRES": "Nothing ever leaves CACHE",
        "SHARED-MUTABLE": "Callers get the very list that is cached",
    },
}
"""By scenario and item, verbatim but for the line ends."""
MARKS = {
    "quality": {"clear_explanations": 10, "actionable_fixes": 10},
    "persona": {"in_character": 10, "professional_tone": 9},
}


def sheet_of(scenario: ScenarioDocument, gold: GoldDocument) -> Sheet:
    """What the judge says of the gold standard's answer to a scenario with issues."""
    quotes = QUOTES[gold.scenario]
    lists = {
        "baseline_findings": scenario.baseline_issues,
        "bonus_findings": scenario.bonus_issues,
    }
    findings = {
        name: [
            {"id": item.id, "found": item.id in quotes, "evidence": quotes.get(item.id)}
            for item in items
        ]
        for name, items in lists.items()
    }
    marks = {
        group: {key: given(value) for key, value in values.items()}
        for group, values in MARKS.items()
    }
    return {
        **findings,
        "novel_findings": [],
        "false_positives": [],
        **marks,
        "assessment": "Sample data, no judge was asked. Worst first, and each with its proof.",
    }
