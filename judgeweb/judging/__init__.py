"""The judging core: what a verdict is and how it comes about.

Knows no Django, no Celery, no clock and no network (but `providers/`).
"""
