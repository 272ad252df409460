"""The report: its figures, the lives that it keeps, and the page, also in a real browser."""

import base64
import hashlib
import json
import random
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import browser
import pytest
from browser import Browser
from builders import BACKLOG, HEADER, Repo, row, run_cli

from gatilho.backtest.replayed import courses_of, past_in_words
from gatilho.commands import report as report_command
from gatilho.compare.revisions import Revisions
from gatilho.compare.table_lines import carried_over
from gatilho.document.document import Document
from gatilho.errors import UsageError
from gatilho.git.root import find_repository
from gatilho.index.index import Index, open_index
from gatilho.ledger.lines import Entry, ledger_bytes
from gatilho.model import Row
from gatilho.report import pasts
from gatilho.report.lives import Kept, content_stamps
from gatilho.report.summary import LifeEvent, ReportRow, summarise
from gatilho.workspace.past import load_past
from gatilho.workspace.workspace import Workspace

DAY = 86_400
HOSTILE = (
    "<img src=x onerror=window.pwned=1> <script>window.pwned=1</script> [go](javascript:window.pwned=1) "
    "![i](https://evil.example/x.png) </td></table></main> `<svg onload=window.pwned=1>` &lt;script&gt; \\| \u202e"
)


def event(day: int, kind: str, rides: int = 0, **more: Any) -> LifeEvent:
    return LifeEvent(day * DAY + 60, "D-1", kind, f"{kind} it", rides, **more)


def debt(row_id: str, *events: LifeEvent, rides: int = 0, due: bool = False, struck: bool = False) -> ReportRow:
    made = Row(row_id, "debt", note="a note", rides=rides, struck=struck)
    return ReportRow(made, "paid" if struck else "owed", rides, due, says="owed", asked_at=3, events=events)


def counts(bins: Any) -> dict[str, int]:
    return {one.label: one.count for one in bins if one.count}


def test_figures_and_the_rows_behind_them() -> None:
    due = debt("D-1", event(10, "written"), event(20, "charged", 1), event(30, "charged", 1), rides=12, due=True)
    paid = debt("D-2", event(5, "written"), event(8, "charged", 1), event(15, "paid", evidence="a:1"), struck=True)
    again = debt("D-3", event(1, "charged", 1), event(9, "edited", state="paid"), event(40, "regressed"), rides=1)
    rule = ReportRow(Row("R-1", note="r"), "rule", 7, asked_at=3, events=(event(35, "rides", 7),))
    found = summarise([again, rule, paid, due], "1970-02-11")  # day 41
    assert counts(found.totals) == {
        "debts due": 1, "open debts": 2, "payments": 2, "owed again": 1, "rules in force": 1, "rides in 30 days": 9,
    }  # fmt: skip
    assert [one.id for one in found.debts] == ["D-1", "D-3"]
    charts = {chart.name: chart for chart in found.charts}
    assert counts(charts["debts-by-rides"].bins) == {"1": 1, "10 or more": 1}
    assert counts(charts["debts-by-age"].bins) == {"under 3 months": 2}
    assert counts(charts["rides-over-time"].bins)["1970-02-05"] == 7
    assert [(one.row.id, one.days_open, one.days_ridden, one.undone) for one in found.payments] == [
        ("D-2", 10, 7, ""),
        ("D-3", 8, 8, "1970-02-10"),
    ]
    assert found.median_days == 7.5
    assert [(one.row.id, one.paid) for one in found.regressions] == [("D-3", "1970-01-10")]
    assert [(one.rides, one.recent, one.last) for one in found.rules] == [(7, 7, "1970-02-05")]
    redated = ReportRow(Row("D-4", added="1970-02-01"), "owed", 0, events=(event(10, "written"),))
    assert redated.first_day == "1970-01-11"
    later = summarise([again, rule, paid, due], "1970-02-11", 30 * DAY)
    assert (len(later.payments), len(later.regressions), later.since) == (0, 1, "1970-01-31")


@pytest.mark.parametrize(
    ("days", "label", "number"),
    [(3, "1970-01-01", 4), (100, "week of 1969-12-29", 15), (500, "January 1970", 17), (3000, "1970", 9)],
)
def test_a_time_is_shown_in_columns_that_fit(days: int, label: str, number: int) -> None:
    rows = [debt("D-1", event(0, "charged", 1), event(days, "charged", 1))]
    bins = summarise(rows, rows[0].events[-1].day).charts[0].bins
    assert (bins[0].label, len(bins), sum(one.count for one in bins)) == (label, number, 2)


def test_an_empty_report_has_no_figures() -> None:
    assert counts(summarise([], "2026-01-01").totals) == {}


def test_tables_are_carried_over_a_change_as_a_parse_finds_them() -> None:
    chance = random.Random(3)
    kinds = (b"| a | b |", b"| c |", b"text", b"", b"| id | trigger | note |", b"| --- | --- | --- |", b"> | q |")
    carried = 0
    for _ in range(3000):
        old = [chance.choice(kinds) for _ in range(chance.randrange(14))]
        new = list(old)
        at, gone = chance.randrange(len(old) + 1), chance.randrange(3)
        added = [chance.choice(kinds) for _ in range(chance.randrange(3))]
        removed = [(at + 1 + number, line) for number, line in enumerate(old[at : at + gone])]
        new[at : at + gone] = added
        tables = Document(b"\n".join(old)).tables
        found = carried_over(tables, removed, [(at + 1 + number, line) for number, line in enumerate(added)])
        if found is not None:
            carried += bool(tables)
            parsed = Document(b"\n".join(new)).tables
            assert [(one.header_line, one.last_line) for one in found] == [
                (one.header_line, one.last_line) for one in parsed
            ], (old, new)
    assert carried > 50


def write_ledger(repo: Repo, name: str, *entries: Entry) -> None:
    repo.write(f"docs/gatilhos/ledger/{name}.md", ledger_bytes(entries))


@pytest.fixture
def world(repo: Repo) -> Repo:
    """A repository in which a debt rode and was paid, one rode by its cell alone, and one was removed."""
    repo.table(row("D-1", "path: a", "first"), row("D-2", "path: b", "second"), row("D-9", "path: z", "gone"))
    write_ledger(
        repo, "2026-01-10-0badcafe", Entry("2026-01-10 10:00:00", "D-1", "charged", 1, 0, "aa", by="agent claude")
    )
    repo.table(row("D-1", "path: a", "first", rides=1), row("D-2", "path: b", "second", rides=2))
    write_ledger(
        repo, "2026-01-14-0badcafe",
        Entry("2026-01-14 10:00:00", "D-1", "paid", None, None, "aa", by="program claude", evidence="exists a: a"),
    )  # fmt: skip
    paid = row("~~D-1~~", "path: a", "first", rides=1, state="paid")
    repo.table(paid, row("D-2", "path: b", "second", rides=3), row("R-1", "path: x", "rule", lifecycle="rule", rides=5))
    return repo


def as_json(repo: Repo, *arguments: str) -> dict[str, Any]:
    done = run_cli("report", "--json", *arguments, cwd=repo.root)
    assert done.status == 0, done.stderr
    found = json.loads(done.stdout)
    return {**found, "totals": {one["name"]: one for one in found["totals"]}}


def test_the_figures_of_a_real_history(world: Repo) -> None:
    found = as_json(world)
    assert found["schema_version"] == 1
    assert found["report"]["commit"] == world.git("rev-parse", "HEAD").strip()
    assert {name: one["count"] for name, one in found["totals"].items()} == {
        "due": 1, "open": 1, "paid": 1, "regressed": 0, "rules": 1, "recent-rides": 0,
    }  # fmt: skip
    assert [(one["id"], one["rides"], one["due"]) for one in found["debts"]] == [("D-2", 3, True)]
    assert [(one["id"], one["evidence"], one["days_from_first_ride"]) for one in found["payments"]] == [
        ("D-1", "exists a: a", 4)
    ]
    rows = {one["id"]: one for one in found["rows"]}
    assert rows["D-9"]["state"] == "gone"
    assert [one["message"] for one in rows["D-2"]["life"]] == [
        "written: second", "rides 0 -> 2 (not in the ledger)", "rides 2 -> 3 (not in the ledger)",
    ]  # fmt: skip
    assert sum(one["count"] for one in found["charts"][0]["bins"]) == 4 + 5 - 5  # a rule's first cell is no ride
    assert as_json(world, "--since", "2026-01-12")["charts"][0]["bins"] == []


def index_of(repo: Repo) -> Index:
    repository = find_repository(str(repo.root))
    assert repository is not None
    return open_index(repository)


def lives_of(repo: Repo, patience: float = 60) -> dict[str, Any]:
    with index_of(repo) as index, Revisions(index.repository) as opened, Kept(index) as kept:
        found = kept.lives(opened, patience=patience)
        return {"unread": found.unread, **{name: found.of(name)[0] for name in ("D-1", "D-2", "D-3", "D-9", "N-1")}}


def test_what_is_kept_of_a_history_equals_a_reading_of_all(world: Repo) -> None:
    kept = world.root / ".git/gatilho/report.db"
    lives_of(world)
    world.git("branch", "side")
    world.table(row("N-1", "path: a", "renamed from D-2", rides=3), row("D-3", "path: c", "new"))
    write_ledger(world, "2026-02-01-0badcafe", Entry("2026-02-01 10:00:00", "D-3", "charged", 1, 0, "bb"))
    assert lives_of(world)["D-3"]
    world.commit("The ledger")
    world.git("switch", "--quiet", "side")
    assert lives_of(world)["D-3"] == ()  # another branch has another history
    world.write("other.txt", "x")
    world.commit("Elsewhere")
    world.git("merge", "--quiet", "main")
    write_ledger(
        world, "2026-02-02-0badcafe", Entry("2026-02-02 10:00:00", "D-2", "renamed", evidence="N-1", by="person")
    )
    world.commit("Say what it was called")
    found = lives_of(world)
    assert [one.kind for one in found["N-1"]][-1] == "renamed"
    kept.unlink()
    assert lives_of(world) == found
    kept.unlink()
    reads = 0
    while (slowly := lives_of(world, patience=0))["unread"]:  # one commit in each run
        reads += 1
        assert reads < 20
    assert reads > 2
    assert slowly == found


def test_a_page_of_kept_pieces_equals_one_made_anew(world: Repo) -> None:
    def page() -> str:
        return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", page_of(world).read_text(encoding="utf-8"))

    page()
    paid = row("~~D-1~~", "path: a", "first", rides=1, state="paid")
    steps = (
        lambda: world.table(paid, row("D-2", "path: b", "said <otherwise>", rides=3)),
        lambda: world.table("", paid, row("D-2", "path: b", "said <otherwise>", rides=4)),
        lambda: write_ledger(world, "2026-02-01-0badcafe", Entry("2026-02-01 10:00:00", "D-2", "asked", by="agent")),
        lambda: world.git("commit", "--quiet", "--amend", "--message", "x", "--author", "Bea <b@example.org>"),
        lambda: world.write("gatilho.toml", "ask_after = 9\n"),
    )
    for number, change in enumerate(steps):
        change()
        kept = page()
        (world.root / ".git/gatilho/report.db").unlink()
        assert kept == page(), number


def test_what_rows_would_have_done_is_what_backtest_says(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pasts, "COMMITS", 6)
    monkeypatch.setattr(pasts, "_AT_ONCE", 1)
    conditions = {"D-1": "lacks a.sh sleep", "D-2": "contains **/*.py clock", "D-3": "missing lib/x.py"}
    rows = [row(name, r"path: ^a\.sh$", "n", paid_when=text) for name, text in conditions.items()]
    rules = [row(name, one, "n", lifecycle="rule") for name, one in (("R-1", "glob: lib/*.py"), ("R-2", "glob: z.sh"))]
    repo.table(*rows, *rules)
    repo.table(rows[0].replace("D-1", "D-4"), file="sub/docs/gatilhos/a.md")  # its files are others
    chance = random.Random(5)
    untried, tried = [], []
    with monkeypatch.context() as watched:
        watched.setattr(pasts, "courses_of", lambda *given: tried.append(len(given[2])) or courses_of(*given))
        for number in range(14):
            for name in chance.sample(("a.sh", "b.md", "lib/x.py", "lib/y.py"), 2):
                repo.write(name, chance.choice(("sleep", "clock", "wait")) + f" {number}\n")
            if number % 5 == 4:
                repo.git("rm", "--quiet", "-r", "--force", "--ignore-unmatch", "lib")
            if number == 6:
                repo.git("mv", "--force", "a.sh", "z.sh")
            repo.commit()
            with index_of(repo) as index, Kept(index) as kept:
                scope, past = Workspace(index), load_past(index.repository, 6)
                assert past is not None
                found = pasts.gather_pasts(
                    scope, kept, content_stamps(scope.own_rows), patience=0 if number == 8 else 60
                )
                wanted = courses_of(index.repository, past, [one.row for one in scope.own_rows], 3)
                figures = {place: one.in_words() for place, one in found.figures.items()}
                untried.append(found.untried)
                assert len(figures) == 6 - found.untried
                assert figures.items() <= {one.row.place: past_in_words(one, past) for one in wanted}.items(), number
    assert [number for number, left in enumerate(untried) if left] == [8]
    assert sum(tried) < 6 * 14  # a row that no commit concerns is not tried again
    assert {one["id"]: one["past"]["summary"] for one in as_json(repo)["rows"]}["R-1"].startswith("spoke on ")


class Page(HTMLParser):
    """What an HTML file consists of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.inner: dict[str, str] = {}
        self.policy = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.attributes |= {name for name in found if not name.startswith(("data-", "aria-"))}
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if tag == "a" else []
        self.policy = found["content"] if "http-equiv" in found else self.policy
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside in ("style", "script"):
            self.inner[self._inside] = self.inner.get(self._inside, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""


@pytest.fixture
def hostile(repo: Repo) -> Repo:
    """A repository whose every text wants to be more than text."""
    repo.git("remote", "add", "origin", "https://me:secret@example.com/a/<script>x.git")
    header = HEADER.replace("| state |\n", "| state | owner | <b>own</b> |\n", 1).replace(
        "| ---: | --- |", "| ---: | --- | --- | --- |"
    )
    lines = [
        row('D-"><script>window.pwned=1</script>', "path: <i>", HOSTILE, rides=3) + " <i>owner</i> | <i>cell</i> |",
        row("D-2", "path: ^a$", "Plain **bold** [site](https://example.org/?a=1&b=2)", rides=1) + " | |",
        row("~~D-3~~", "path: ^c$", "Paid.", rides=1, state="paid") + " ana | |",
        row("R-1", "path: x", "A rule.", lifecycle="rule", rides=2) + " | |",
        *(row(f"R-{number}", "path: y", "One of many.", lifecycle="rule") + " | |" for number in range(10, 130)),
    ]
    repo.table(*lines, header=header, commit=False)
    write_ledger(
        repo, "2026-01-10-0badcafe",
        Entry("2026-01-10 10:00:00", "D-3", "charged", 1, 0, "aa"),
        Entry("2026-01-12 10:00:00", "D-3", "paid", evidence="<img src=x onerror=window.pwned=1>"),
    )  # fmt: skip
    repo.git("add", "--all")
    repo.git("-c", "user.name=<b onclick=x>Ana", "commit", "--quiet", "--message", "<script>")
    return repo


def page_of(repo: Repo) -> Path:
    path = repo.root.parent / "report.html"
    assert report_command.main(["--root", str(repo.root), "-o", str(path)]) == 0
    return path


def test_the_page_is_one_file_in_which_every_link_leads_somewhere(hostile: Repo) -> None:
    found = Page(page_of(hostile).read_text(encoding="utf-8"))
    assert len(found.ids) == len(set(found.ids))
    assert {link[1:] for link in found.links if link.startswith("#")} <= {*found.ids, ""}
    outside = {link for link in found.links if not link.startswith("#")}
    assert outside == {"https://example.org/?a=1&b=2", "https://evil.example/x.png"}  # a picture is a mere link
    assert not found.tags & {"img", "iframe", "object", "embed", "form", "i", "b onclick"}
    assert not {name for name in found.attributes if name == "style" or name.startswith("on")}
    for kind, text in found.inner.items():
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in found.policy
    assert found.policy.startswith("default-src 'none';")


def test_the_page_in_a_browser(hostile: Repo) -> None:
    if not browser.find_browser():
        pytest.skip("no Chromium is installed: apt-get install chromium")
    address = page_of(hostile).as_uri()
    with Browser() as shown:
        for scheme, part in (("light", ""), ("light", "#rows-open"), ("dark", "#row-D-3"), ("dark", "")):
            shown.look(scheme=scheme)
            shown.open("about:blank")
            shown.open(address + part)
            assert violations(shown) == [], (scheme, part)
        shown.open("about:blank")
        shown.open(address)
        use_by_keyboard(shown)
        shown.look(width=320)
        assert shown.run("document.documentElement.scrollWidth") == 320
        sort_and_page_on_a_phone(shown)
        shown.look(media="print")
        assert shown.run("getComputedStyle(document.querySelector('.filter')).display") == "none"
        shown.call("Emulation.setScriptExecutionDisabled", value=True)
        shown.look()
        shown.open("about:blank")
        shown.open(address + "#row-D-3")
        shown.call("Emulation.setScriptExecutionDisabled", value=False)
        assert shown.run("document.querySelectorAll('.filter').length") == 0
        assert shown.run("document.querySelectorAll('#rules ~ .scroll tbody tr').length") == 121
        assert shown.run("document.querySelector('#overview').checkVisibility()") is False
        assert shown.run("document.querySelector('#row-D-3').innerText.includes('ride 1')") is True
        assert shown.run("window.pwned === undefined") is True
        assert {one.split("#")[0] for one in shown.requests} <= {address, "about:blank", "data:,"}
        assert shown.said == []


def violations(shown: Browser) -> list[str]:
    """What axe finds wrong with the page as it is shown; nothing is looked for where npm did not bring axe."""
    if not browser.AXE.exists():
        return []
    shown.run(browser.AXE.read_text(encoding="utf-8") + "; undefined")
    script = "axe.run().then(done => done.violations.map(one => one.id + ' ' + one.nodes.map(n => n.html).slice(0, 3)))"
    return list(shown.run(script))


def use_by_keyboard(shown: Browser) -> None:
    """Sort and filter a table, and go to a row's page, as one does without a mouse."""
    shown.press("Tab")
    assert shown.run("document.activeElement.textContent") == "Skip to the figures"
    first = "document.querySelector('#debts ~ .scroll tbody tr').innerText"
    assert HOSTILE[:4] in shown.run(first)
    shown.run("document.querySelector('#debts ~ .scroll th:nth-child(3) button').focus()")
    shown.press("Enter")
    shown.press("Enter")
    assert shown.run("document.querySelector('#debts ~ .scroll th:nth-child(3)').ariaSort") == "ascending"
    assert "D-2" in shown.run(first)
    shown.run("document.querySelector('#debts ~ .filter input').focus()")
    shown.call("Input.insertText", text="site")
    assert shown.run("document.querySelector('#debts ~ .filter [role=status]').textContent") == "1 of 2 rows"
    shown.run("document.querySelector('#debts ~ .scroll tbody a[href=\"#row-D-2\"]').focus()")
    shown.press("Enter")
    shown.run("new Promise(done => setTimeout(done, 50))")
    assert shown.run("document.activeElement.textContent") == "Debt D-2"
    assert shown.run("document.querySelector('#overview').checkVisibility()") is False


def sort_and_page_on_a_phone(shown: Browser) -> None:
    """Sort where no head of a column is seen, and go through a table of which a part is shown."""
    shown.run("location.hash = ''; new Promise(done => setTimeout(done, 50))")
    assert violations(shown) == []
    rules, first = "document.querySelector('#rules').parentElement", "querySelector('tbody tr').innerText"
    assert shown.run(f"{rules}.querySelector('thead').checkVisibility()") is False
    assert "R-1\n" in shown.run(f"{rules}.{first}")
    assert shown.run(f"{rules}.querySelector('.rest').checkVisibility()") is False
    select = f"{rules}.querySelector('select')"
    shown.run(f"{select}.value = '0 1'; {select}.dispatchEvent(new Event('change'))")
    assert "R-99" in shown.run(f"{rules}.{first}")
    assert shown.run(f"{rules}.querySelector('[aria-sort]').ariaSort") == "descending"
    shown.run(f"{rules}.querySelector('.pager button:nth-child(2)').focus()")
    shown.press("Enter")
    assert shown.run(f"{rules}.querySelector('[role=status]').textContent") == "Rows 101 to 121 of 121"
    assert shown.run(f"{rules}.querySelectorAll('tbody:first-of-type tr').length") == 21
    shown.run(f"{rules}.querySelector('.pager button:nth-child(3)').click()")
    assert shown.run(f"{rules}.querySelectorAll('tbody:first-of-type tr').length") == 121


def test_where_it_is_written(world: Repo, tmp_path: Path) -> None:
    done = run_cli("report", "--open", cwd=world.root, env={"BROWSER": f"sh -c 'echo %s > {tmp_path}/opened'"})
    page = world.root / ".git/gatilho/report.html"
    assert (done.status, done.stdout) == (0, f"Wrote {page}\n")
    assert (tmp_path / "opened").read_text().strip() == page.as_uri()
    assert report_command.main(["--root", str(world.root), "-o", str(page)]) == 0
    table = world.read(BACKLOG)
    for name in (BACKLOG, "docs"):
        with pytest.raises(UsageError, match="is no report of gatilho"):
            report_command.main(["--root", str(world.root), "-o", str(world.root / name)])
    with pytest.raises(UsageError, match="there is no such directory"):
        report_command.main(["--root", str(world.root), "-o", str(tmp_path / "no" / "x.html")])
    assert world.read(BACKLOG) == table
    assert not re.search(r"report", world.git("status", "--porcelain"))
