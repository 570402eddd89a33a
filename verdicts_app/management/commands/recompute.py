"""`manage.py recompute`: all totals again from stored marks; it must change nothing."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from verdicts_app.work import sums
from verdicts_app.work.recompute import Recomputed, recompute


class Command(BaseCommand):
    requires_system_checks = []  # lean: the pages are not loaded
    help = (
        "Compute all totals again from stored marks, and the boards' sums from the totals; list "
        "what differs; change nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--rebuild-sums",
            action="store_true",
            help="first make the boards' sums anew, as after a change of TIME_ZONE",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rebuild_sums"]:
            sums.rebuild()
        counts, differences = Recomputed(), 0
        for one in recompute(counts):
            differences += 1
            self.stdout.write(
                f"{one.place}: {one.figure}: stored {one.stored}, computed {one.computed}"
            )
        left_out = f", {counts.left_out} of other tools left out" if counts.left_out else ""
        self.stdout.write(
            f"{counts.verdicts} verdicts recomputed, {differences} differences{left_out}"
        )
        if differences:
            sys.exit(1)
