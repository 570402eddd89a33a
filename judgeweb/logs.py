"""What the log leaves out."""

import logging


class NoTracebackOfRefusals(logging.Filter):
    """A request that was refused (403, 404, ...) is no fault of the code: one line says it all."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = None
        return True
