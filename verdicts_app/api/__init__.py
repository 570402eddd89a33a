"""The HTTP routes of runs, jobs, verdicts and boards."""
