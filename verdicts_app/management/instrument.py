"""The options of commands that judge: the claim step and the shuffled order."""

from argparse import ArgumentParser


def add_instrument(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--claims",
        action="store_true",
        help="extract what a response claims once, and match that against its checklist",
    )
    parser.add_argument(
        "--claims-model", help="the model that extracts the claims (default: the judge model)"
    )
    parser.add_argument(
        "--shuffle",
        action="store_true",
        help="show each repeat the rubric and the checklist in another order",
    )
