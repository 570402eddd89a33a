"""What forms that judge have in common: judge, repeats, budget, claim step and shuffled order."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms

from judgeweb.judging.errors import CaseRefused
from verdicts_app.work.plan import JudgeRequest, Price, price
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

    @property
    def judges(self) -> dict[str, Any]:
        """Of a valid form, for a request to judge: one model, or several with commas between."""
        models = [name.strip() for name in self.cleaned_data["model"].split(",") if name.strip()]
        return {"model": models[0]} if len(models) == 1 else {"models": models}

    @property
    def budget_nano_usd(self) -> int | None:
        """None while it cannot be read."""
        budget = self.cleaned_data.get("budget") if self.is_bound and self.is_valid() else None
        return int(budget * 10**9) if budget is not None else None

    def priced(self, wanted: JudgeRequest, names: Mapping[str, str]) -> Price | None:
        """None where the request is refused: the form says why at its field. `names`: fields of
        requests by their names in the form."""
        try:
            return price(request=wanted)
        except CaseRefused as refused:
            field = names.get(refused.field, refused.field)
            self.add_error(field if field in self.fields else None, refused.message)
            return None
