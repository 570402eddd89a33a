"""Documents whose numbers are int or Decimal, as they were written: given on and written out."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def plain(value: Any) -> Any:
    """The document with floats in place of Decimals, as Python's own JSON reader gives it."""
    match value:
        case Decimal():
            return float(value)
        case Mapping():
            return {key: plain(one) for key, one in value.items()}
        case list():
            return [plain(one) for one in value]
    return value


def canonical(value: Any) -> str:
    """ASCII JSON with sorted keys; numbers digit by digit as they were written."""
    match value:
        case Decimal():
            return str(value)
        case Mapping():
            members = (f"{json.dumps(str(key))}:{canonical(value[key])}" for key in sorted(value))
            return f"{{{','.join(members)}}}"
        case list():
            return f"[{','.join(map(canonical, value))}]"
    return json.dumps(value)
