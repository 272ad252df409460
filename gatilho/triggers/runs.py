"""Runs: what a part of a pattern demands of every match, and how the demands of parts are put together.

They are lists of texts that are in every match in this order, anything between two of them. The first run begins and
the last one ends where the part does; one run alone is the exact text.
"""

_LONGEST_REPEAT = 64

NOTHING = [""]
ANYTHING = ["", ""]
# Under (?i) the engine lets the dotted and dotless i, the Kelvin sign and the long s stand for these letters.
CASED_BEYOND_ASCII = frozenset("iksIKS")


def join(left: list[str], right: list[str]) -> list[str]:
    """Return the runs of two parts that are side by side."""
    return [*left[:-1], left[-1] + right[0], *right[1:]]


def repeat(runs: list[str], least: int, most: int | None) -> list[str]:
    """Return the runs of a part that occurs from least to most times, without a limit when most is None."""
    if least == 0:
        return ANYTHING
    # Of several copies the first begins and the last ends like the part: its runs are true of all of them together.
    if len(runs) > 1 or runs[0] == "":
        return runs
    # Fewer copies than demanded are still a true promise, and a bounded one.
    copies = min(least, max(1, _LONGEST_REPEAT // len(runs[0])))
    text = runs[0] * copies
    return [text] if copies == most else [text, text]


def either(branches: list[list[str]]) -> list[str]:
    """Return the runs that any of the branches guarantees: shared beginnings, middles and ends."""
    if len(branches) == 1 or all(branch == branches[0] for branch in branches):
        return branches[0]
    middles = [run for run in branches[0] if run and all(_within(run, branch) for branch in branches[1:])]
    firsts = [branch[0] for branch in branches]
    lasts = [branch[-1] for branch in branches]
    return [_common_prefix(firsts), *middles, _common_prefix([last[::-1] for last in lasts])[::-1]]


def _within(run: str, branch: list[str]) -> bool:
    return any(run in other for other in branch)


def _common_prefix(texts: list[str]) -> str:
    # What the first and the last in order have in common, all between them have too.
    low, high = min(texts), max(texts)
    length = 0
    while length < len(low) and length < len(high) and low[length] == high[length]:
        length += 1
    return low[:length]
