"""The router of what is judged against."""

from ninja import Router

router = Router(tags=["rubrics and scenarios"])
