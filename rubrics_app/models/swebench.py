"""SWE-bench instances: an issue of a real repository with the patch that resolved it."""

from django.db import models
from django.db.models.functions import Now


class SweInstance(models.Model):
    """One instance as published. `sha256` is of its content; rows never change and never go.

    `fail_to_pass` and `pass_to_pass` are JSON lists of test ids, `extras` a JSON object of the
    other fields of the file.
    """

    instance_id = models.CharField(max_length=200, unique=True)
    repo = models.CharField(max_length=200)
    base_commit = models.CharField(max_length=64)
    version = models.CharField(max_length=50, blank=True)
    problem_statement = models.TextField(blank=True)
    hints_text = models.TextField(blank=True)
    patch = models.TextField()
    test_patch = models.TextField(blank=True)
    fail_to_pass = models.TextField(default="[]")
    pass_to_pass = models.TextField(default="[]")
    extras = models.TextField(default="{}")
    sha256 = models.CharField(max_length=64)
    source = models.CharField(max_length=300, blank=True)
    imported_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["instance_id"]
        verbose_name = "SWE-bench instance"
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(instance_id="") & ~models.Q(patch=""),
                name="an instance has an id and a gold patch",
            ),
        ]

    def __str__(self) -> str:
        return self.instance_id


class SweFunctions(models.Model):
    """Where the functions and classes of an instance's old files begin and end.

    `index` is JSON text: {path: [[kind, dotted name, first line, last line], ...]}. Rows never
    change and never go, as their verdicts pin `sha256`.
    """

    instance = models.OneToOneField(SweInstance, models.PROTECT, related_name="functions")
    index = models.TextField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        verbose_name_plural = "SWE-bench function indexes"

    def __str__(self) -> str:
        return f"functions of {self.instance_id}"


class SweAlias(models.Model):
    """Another name of an instance, given on purpose: names are never matched by their parts."""

    alias = models.CharField(max_length=200, unique=True)
    instance = models.ForeignKey(SweInstance, models.PROTECT, related_name="aliases")

    class Meta:
        ordering = ["alias"]
        verbose_name = "SWE-bench alias"
        verbose_name_plural = "SWE-bench aliases"

    def __str__(self) -> str:
        return self.alias
