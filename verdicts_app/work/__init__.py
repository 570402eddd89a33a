"""The work: plan, claim, judge, record. Services that know nothing of the queue."""
