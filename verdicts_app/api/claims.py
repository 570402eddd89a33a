"""The claims of a verdict and the requests behind it, as the API gives them."""

from typing import Any

from verdicts_app.boards.claim_tables import ClaimTable
from verdicts_app.boards.requests_made import RequestMade
from verdicts_app.exports.numbers import dollars


def request_out(made: RequestMade) -> dict[str, Any]:
    return {**vars(made), "cost_usd": dollars(made.cost_nano_usd)}


def claims_out(table: ClaimTable) -> dict[str, Any]:
    extraction = table.extraction
    return {
        "contestant": table.contestant,
        "model": extraction.model,
        "returned_model": extraction.returned_model,
        "prompt_version": extraction.prompt_version,
        "judgement": extraction.judgement_id,
        "claims": [
            {
                "number": row.claim.number,
                "text": row.claim.text,
                "quote": row.claim.quote,
                "quote_state": row.claim.evidence_state.value,
                "quote_at": row.claim.evidence_at,
                "rulings": [vars(ruling) for ruling in row.rulings],
            }
            for row in table.rows
        ],
        "requests": [request_out(made) for made in table.requests],
    }
