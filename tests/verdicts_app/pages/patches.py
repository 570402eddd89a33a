"""Verdicts on patches: an instance of our own, predictions for it, judged as work does."""

import json

from rubrics_app.models import SweFunctions, SweInstance
from verdicts_app.intake import judgement_data
from verdicts_app.models import Verdict
from verdicts_app.work.plan import JudgeRequest, plan_job
from verdicts_app.work.unasked import judge_unasked

FILE = "harbour/tides.py"
GOLD = f"""\
diff --git a/{FILE} b/{FILE}
--- a/{FILE}
+++ b/{FILE}
@@ -118,6 +118,7 @@ class TideTable:
     def level_at(self, moment):
         rows = self._rows_for(moment)
-        if not rows:
-            return 0
+        if not rows:
+            raise NoReading(moment)
+        log.debug(moment)
         before, after = rows[0], rows[-1]
         span = after.at - before.at
"""
"""Old lines 118 to 123, the removed ones 120 and 121; its hunk adds three."""
PREDICTION = f"""\
I made the table say so.

```diff
diff --git a/{FILE} b/{FILE}
--- a/{FILE}
+++ b/{FILE}
@@ -119,4 +119,4 @@
         rows = self._rows_for(moment)
         if not rows:
-            return 0
+            raise NoReading(moment)
         before, after = rows[0], rows[-1]
@@ -140,2 +140,3 @@
     for station in stations:
+        print("<script>alert(1)</script>", station)
         board.put(station, table.level_at(now))
diff --git a/harbour/charts.py b/harbour/charts.py
--- a/harbour/charts.py
+++ b/harbour/charts.py
@@ -7 +7 @@
-SCALE = 1
+SCALE = 2
diff --git a/tests/test_tides.py b/tests/test_tides.py
--- a/tests/test_tides.py
+++ b/tests/test_tides.py
@@ -1 +1,2 @@
 import harbour
+assert harbour
diff --git a/reproduce.py b/reproduce.py
new file mode 100644
--- /dev/null
+++ b/reproduce.py
@@ -0,0 +1 @@
+import harbour
```
"""
FUNCTIONS = {
    FILE: [
        ["c", "TideTable", 100, 130],
        ["f", "TideTable.level_at", 118, 130],
        ["f", "publish", 136, 150],
    ]
}


def make_tides(instance_id: str = "tide-table-1182", *, has_index: bool = True) -> SweInstance:
    instance = SweInstance.objects.create(
        instance_id=instance_id,
        repo="harbour/tides",
        base_commit="0" * 40,
        problem_statement="An empty day reads as level 0.",
        patch=GOLD,
        sha256="a" * 64,
    )
    if has_index:
        SweFunctions.objects.create(instance=instance, index=json.dumps(FUNCTIONS), sha256="b" * 64)
    return instance


def make_patch_verdict(
    response: str = PREDICTION, mode: str = "ground-truth", scenario: str = "tide-table-1182"
) -> Verdict:
    data = {"spec": "clockwork:dev", "scenario": scenario, "response": response}
    taken = judgement_data.take_in(data, mode=mode, user=None, actor="test")
    planned = plan_job(request=JudgeRequest(**taken), user=None, actor="test")
    judge_unasked(planned.job.pk)
    return Verdict.objects.get(judgement__job=planned.job)
