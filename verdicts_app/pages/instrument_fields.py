"""What forms that judge have in common: judge, repeats, budget, claim step and shuffled order."""

from decimal import Decimal
from typing import Any

from django import forms

from verdicts_app.work.request import MAX_REPEATS


class InstrumentForm(forms.Form):
    rubric = forms.ChoiceField(required=False)
    model = forms.CharField(max_length=1000)
    repeats = forms.IntegerField(
        min_value=1,
        max_value=MAX_REPEATS,
        error_messages=dict.fromkeys(
            ("min_value", "max_value", "invalid"), f"Choose 1 to {MAX_REPEATS}."
        ),
    )
    budget = forms.DecimalField(
        max_digits=12,
        decimal_places=4,
        min_value=Decimal("0.0001"),
        error_messages={"min_value": "Give more than 0."},
    )
    rejudge = forms.BooleanField(required=False)
    claims = forms.BooleanField(required=False)
    claims_model = forms.CharField(required=False, max_length=200)
    shuffle = forms.BooleanField(required=False)

    @property
    def instrument(self) -> dict[str, Any]:
        """Of a valid form, for a request to judge. A model without claims is left aside."""
        chosen = self.cleaned_data
        model = chosen["claims_model"].strip() if chosen["claims"] else ""
        return {
            "claims": chosen["claims"],
            "claims_model": model or None,
            "shuffle": chosen["shuffle"],
        }
