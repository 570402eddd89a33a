"""`manage.py recompute`: all totals again from stored marks; it must change nothing."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from verdicts_app.work.recompute import Recomputed, recompute


class Command(BaseCommand):
    requires_system_checks = []  # lean: the pages are not loaded
    help = "Compute all totals again from stored marks; list what differs; change nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        counts, differences = Recomputed(), 0
        for one in recompute(counts):
            differences += 1
            self.stdout.write(
                f"verdict {one.verdict_id}: {one.figure}: "
                f"stored {one.stored}, computed {one.computed}"
            )
        left_out = f", {counts.left_out} of other tools left out" if counts.left_out else ""
        self.stdout.write(
            f"{counts.verdicts} verdicts recomputed, {differences} differences{left_out}"
        )
        if differences:
            sys.exit(1)
