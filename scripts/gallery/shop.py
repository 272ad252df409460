"""A made-up repository with ten months of history: the rows, rides and payments of a small shop."""

import os
import random
import subprocess
import time
from pathlib import Path
from typing import Any

from gatilho.ledger import lines as ledger
from gatilho.ledger.lines import Entry

DAY = 86_400
_HEADER = (
    "| id | lifecycle | trigger | note | paid when | rides | state | kind | owner | added |\n"
    "| --- | --- | --- | --- | --- | ---: | --- | --- | --- | --- |\n"
)
# id, path, note, condition, days ago it was written, days ago of its rides, days ago of payment and regression
_DEBTS = (
    ("D-7f3k", "tests/test_retry.py", "The test is **flaky** until it uses the `frozen_clock` fixture.",
     r"contains tests/test_retry.py \bfrozen_clock\b", "task", "web", 200, (150, 96, 40, 12), (), ()),
    ("D-2m9q", "scripts/deploy.sh", "`deploy.sh` waits with a fixed sleep; wait for the health check instead.",
     "lacks scripts/deploy.sh sleep", "task", "ops", 260, (210, 120, 31), (), ()),
    ("D-9c2m", "src/cart.py", "The cart is saved twice on checkout. See [the trace](https://example.org/trace).",
     "lacks src/cart.py save_twice", "finding", "web", 90, (60, 21), (), ()),
    ("D-k4rt", "src/prices.py", "Prices are floats; use `Decimal` before the next currency.",
     r"contains src/prices.py \bDecimal\b", "task", "shop", 150, (44,), (), ()),
    ("D-a8wd", "src/mail.py", "Mail is sent inside the transaction.", "contains src/mail.py outbox", "pitfall", "shop",
     25, (), (), ()),
    ("D-p3zn", "src/search.py", "Search loads every product to count them.", "contains src/search.py count",
     "task", "web", 280, (240, 190, 170), (130,), ()),
    ("D-v6hs", "src/login.py", "The login form has no rate limit.", "contains src/login.py limit", "task", "ops", 240,
     (220, 205), (180,), ()),
    ("D-x1bq", "src/stock.py", "Stock is read without a lock.", "contains src/stock.py with_lock", "task", "shop", 230,
     (200, 140), (110, 20), (70,)),
    ("D-e5jm", "src/orders.py", "Orders have no index on their date.", "contains src/orders.py index", "task", "shop",
     120, (80,), (52,), ()),
    ("D-t7yc", "docs/api.md", "The API page lacks the errors.", "contains docs/api.md Errors", "task", "web", 70,
     (38,), (33,), ()),
)  # fmt: skip
_RULES = (
    ("R-p04x", "api/schema.py", "After a schema change, run `make client` so that the generated client matches.",
     "convention", "web", 290, 14),
    ("R-d2gk", "migrations/", "A migration never drops a column in the release that stops writing it.", "directive",
     "shop", 290, 9),
    ("R-s8nf", "src/prices.py", "Round money once, at the end.", "pitfall", "shop", 210, 4),
    ("R-w3qe", "infra/", "Never edit the state file by hand.", "directive", "ops", 180, 0),
)  # fmt: skip


def make(root: Path) -> None:
    """Make the repository, up to yesterday."""
    now = int(time.time())
    root.mkdir(parents=True)
    _git(root, now, "init", "--quiet", "--initial-branch=main")
    _git(root, now, "remote", "add", "origin", "https://github.com/ana/shop.git")
    for name in sorted({one[1] for one in (*_DEBTS, *_RULES)}):
        _write(root, name + ("0001.sql" if name.endswith("/") else ""), "x = 1\n")
    for name in ("scripts/deploy.sh", "src/cart.py"):
        _write(root, name, "sleep 30\nsave_twice\n")
    events = sorted(_events(), key=lambda one: -one[0])
    rides = dict.fromkeys([one[0] for one in (*_DEBTS, *_RULES)], 0)
    paid: set[str] = set()
    for number, (ago, event, row_id) in enumerate(events):
        when = now - ago * DAY
        entry = _happen(root, event, row_id, when, number, rides, paid)
        if entry is not None:
            name = ledger.file_name(entry.when, number.to_bytes(4, "big"))
            _write(root, f"docs/gatilhos/ledger/{name}", ledger.ledger_bytes([entry]).decode())
        _write(root, "docs/gatilhos/backlog.md", _HEADER + "".join(_debt(one, now, ago, rides, paid) for one in _DEBTS))
        _write(root, "docs/gatilhos/rules.md", _HEADER + "".join(_rule(one, now, ago, rides) for one in _RULES))
        _git(root, when, "add", "--all")
        _git(root, when, "commit", "--quiet", "--allow-empty", "--message", f"{event.capitalize()} {row_id}")


def write_mistakes(root: Path) -> Path:
    """Write a table with mistakes that a person makes: a pattern, a condition that holds, a file that is not there."""
    mistakes = (
        ("D-n1aa", "debt", r"^src/(cart\.py$", "The cart has no tests.", "`exists tests/test_cart.py`", "owed"),
        ("D-n2bb", "debt", r"^src/login\.py$", "Say why a login failed.", "`contains src/login.py x`", "owed"),
        ("R-n3cc", "rule", r"^src/basket\.py$", "Baskets expire after a day.", "", "rule"),
    )
    lines = [
        f"| {row_id} | {lifecycle} | `path: {path}` | {note} | {paid_when} | 0 | {state} | task | web | |\n"
        for row_id, lifecycle, path, note, paid_when, state in mistakes
    ]
    _write(root, "docs/gatilhos/new.md", _HEADER + "".join(lines))
    return root / "docs/gatilhos/new.md"


def _events() -> list[tuple[int, str, str]]:
    chance = random.Random(7)
    found = []
    for row_id, *_, written, ridden, paid, again in _DEBTS:
        found += [(written, "written", row_id)]
        for event, days in (("charged", ridden), ("paid", paid), ("regressed", again)):
            found += [(ago, event, row_id) for ago in days]
    for row_id, *_, written, fires in _RULES:
        found += [(written, "written", row_id)]
        found += [(chance.randrange(1, written - 5), "fired", row_id) for _ in range(fires)]
    return found


def _happen(
    root: Path, event: str, row_id: str, when: int, number: int, rides: dict[str, int], paid: set[str]
) -> Entry | None:
    debt = next((one for one in _DEBTS if one[0] == row_id), None)
    if event in ("charged", "fired"):
        rides[row_id] += 1
    if event in ("written", "fired") or debt is None:
        return None
    name = debt[1]
    verb, _, pattern = debt[3].split(" ", 2)
    if event == "paid":
        paid.add(row_id)
        _write(root, name, "x = 1\n" + (pattern.strip("\\b") + "\n" if verb == "contains" else ""))
    if event == "regressed":
        paid.discard(row_id)
        _write(root, name, "x = 1\n")
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(when - 600))
    said = {"charged": name, "paid": f"{debt[3]}: {name}:2", "regressed": f"the pattern is not in {name}"}[event]
    by = "agent claude" if event == "charged" else "program claude"
    count = rides[row_id] if event == "charged" else None
    return Entry(moment, row_id, event, count, 0 if count else None, f"{number * 7919:08x}", "", by, said)


def _debt(one: tuple[Any, ...], now: int, ago: int, rides: dict[str, int], paid: set[str]) -> str:
    row_id, name, note, condition, kind, owner, written, *_ = one
    if written < ago:
        return ""
    struck = f"~~{row_id}~~" if row_id in paid else row_id
    pattern = "^" + name.replace(".", r"\.") + "$"
    state = "paid" if row_id in paid else "owed"
    return (
        f"| {struck} | debt | `path: {pattern}` | {note} | `{condition}` | {rides[row_id]} | {state} | {kind} "
        f"| {owner} | {_day(now - written * DAY)} |\n"
    )


def _rule(one: tuple[Any, ...], now: int, ago: int, rides: dict[str, int]) -> str:
    row_id, name, note, kind, owner, written, _ = one
    if written < ago:
        return ""
    pattern = "^" + name.replace(".", r"\.")
    return (
        f"| {row_id} | rule | `path: {pattern}` | {note} | | {rides[row_id]} | rule | {kind} | {owner} "
        f"| {_day(now - written * DAY)} |\n"
    )


def _day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


def _write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _git(root: Path, when: int, *arguments: str) -> None:
    dates = {f"GIT_{who}_DATE": f"@{when} +0000" for who in ("AUTHOR", "COMMITTER")}
    names = {f"GIT_{who}_NAME": "Ana" for who in ("AUTHOR", "COMMITTER")}
    mails = {f"GIT_{who}_EMAIL": "ana@example.org" for who in ("AUTHOR", "COMMITTER")}
    around = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **dates, **names, **mails}
    subprocess.run(["git", *arguments], cwd=root, env={**os.environ, **around}, check=True)
