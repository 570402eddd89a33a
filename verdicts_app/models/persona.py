"""Personas: who answers."""

from django.db import models


class Persona(models.Model):
    """`spec` is `theme:role` (or any name an agent goes by). A control has no character."""

    spec = models.CharField(max_length=200, unique=True)
    theme = models.CharField(max_length=200, blank=True, db_index=True)
    role = models.CharField(max_length=100, blank=True, db_index=True)
    character = models.CharField(max_length=300, blank=True)
    is_control = models.BooleanField("control", default=False)
    is_archived = models.BooleanField("archived", default=False)

    class Meta:
        ordering = ["spec"]

    def __str__(self) -> str:
        return self.spec
