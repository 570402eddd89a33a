"""Patches measured against a gold patch: pure, nothing executed, nothing applied to a disk.

Texts come in as strings and leave as numbers. Every result is the same in every process: sums are
correctly rounded (`math.fsum`), quantities are rounded to nine decimals (`numbers.exact`) and all
that follows from them is exact; no result hangs on the order of a set.
"""
