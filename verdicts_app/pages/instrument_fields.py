"""What forms that judge have in common: the claim step and the shuffled order."""

from typing import Any

from django import forms


class InstrumentForm(forms.Form):
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
