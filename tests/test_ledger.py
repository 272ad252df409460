"""The ledger's bytes and its fold."""

import hashlib
import random

import cmarkgfm
import pytest
from builders import Repo
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.ledger import lines as ledger
from gatilho.ledger.lines import Entry, tally_of

SETTINGS = settings(max_examples=200)

times = st.sampled_from([f"2026-11-{day:02d} 12:00:{second:02d}" for day in (1, 2, 29) for second in (0, 1)])
sessions = st.sampled_from(["00000001", "00000002", "00000003", "00000004"])
counts = st.integers(min_value=0, max_value=6)
charges = st.builds(
    lambda when, base, further, session: Entry(
        when, "D-1", "charged", base + further, base, session, "", "program claude", "src/a.py"
    ),
    times,
    counts,
    st.integers(min_value=1, max_value=4),
    sessions,
)
sets = st.builds(
    lambda when, number: Entry(when, "D-1", "set", number, number, "", "", "person", "recount"), times, counts
)
states = st.builds(
    lambda when, event: Entry(when, "D-1", event, None, None, "", "", "person", ""),
    times,
    st.sampled_from((*ledger.STATE_EVENTS, "asked", "allowed")),
)
entries = st.lists(st.one_of(charges, charges, sets, states), max_size=14)


def _charge(session: str, base: int = 0, when: str = "2026-11-29 12:00:00") -> Entry:
    return Entry(when, "D-1", "charged", base + 1, base, session)


def _set(number: int, when: str) -> Entry:
    return Entry(when, "D-1", "set", number, number)


@SETTINGS
@given(entries, st.randoms(use_true_random=False), counts)
def test_order_duplicates_and_files_change_nothing(lines: list[Entry], chance: random.Random, cell: int) -> None:
    expected = tally_of(lines, cell)
    shuffled = lines + chance.choices(lines, k=5) if lines else []
    chance.shuffle(shuffled)
    assert tally_of(shuffled, cell) == expected
    cut = chance.randrange(len(shuffled) + 1)
    one, other = (ledger.parse_ledger(ledger.ledger_bytes(part), "f")[0] for part in (shuffled[:cut], shuffled[cut:]))
    assert tally_of(other + one, cell) == expected


def _count(lines: list[Entry], cell: int) -> int:
    """The count in force, in the words of the rule and sharing no code with the program."""
    charges = [line for line in lines if line.event == "charged"]
    sets = [line for line in lines if line.event == "set"]
    of_session = {
        session: [line for line in charges if line.session == session] for session in {c.session for c in charges}
    }
    if sets:
        last = max(sets, key=lambda line: (line.when, line.rides))
        later = [s for s, found in of_session.items() if min(line.when for line in found) > last.when]
        return max((last.rides or 0) + len(later), cell)
    best = 0
    for base in {0} | {line.base or 0 for line in charges}:
        covered = [
            session
            for session, found in of_session.items()
            if any((line.rides or 0) <= base and (line.base or 0) < base for line in found)
        ]
        best = max(best, base + len(of_session) - len(covered))
    return max(best, cell)


@SETTINGS
@given(entries, counts)
def test_the_count_is_that_of_the_rule(lines: list[Entry], cell: int) -> None:
    assert tally_of(lines, cell).count == _count(lines, cell)


@SETTINGS
@given(entries, entries, counts)
def test_a_merge_loses_no_charge_and_doubles_none(ours: list[Entry], theirs: list[Entry], cell: int) -> None:
    ours, theirs = ([line for line in side if line.event != "set"] for side in (ours, theirs))
    merged = tally_of(ours + theirs, cell)
    assert merged == tally_of(theirs + ours, cell) == tally_of(ours + theirs + ours, cell)
    assert merged.sessions == tally_of(ours).sessions | tally_of(theirs).sessions
    bases = [line.base or 0 for line in ours + theirs if line.event == "charged"]
    assert merged.count <= max([*bases, 0]) + len(merged.sessions) or merged.count == cell
    assert merged.count >= max([*bases, len(merged.sessions) if not any(bases) else 0, cell])


@SETTINGS
@given(entries, st.none() | counts, sessions)
def test_one_more_charge_is_one_more_ride(lines: list[Entry], cell: int | None, session: str) -> None:
    lines = [line for line in lines if line.event != "set"]
    before = tally_of(lines, cell)
    base, rides = before.next_charge(cell)
    assert base == (cell if (cell or 0) > before.ledger_count else before.base)
    if not before.charged(session):
        after = tally_of([*lines, _charge(session, base, "2026-12-01 00:00:00").replace(rides=rides)], None)
        assert after.ledger_count == rides > before.count
        assert after.charged(session)
        explained = all((line.rides or 0) == (line.base or 0) + 1 for line in lines if line.event == "charged")
        if (cell or 0) <= before.ledger_count or explained:
            assert rides == before.count + 1


def _story(*told: "tuple[str, int] | int") -> int:
    """The count after rides, each (session, cell before it), on one ledger; a number is the cell at the end."""
    lines: list[Entry] = []
    cell = 0
    for one in told:
        if isinstance(one, int):
            cell = one
            continue
        base, cell = tally_of(lines, one[1]).next_charge(one[1])
        lines.append(_charge(one[0], base).replace(rides=cell))
    return tally_of(lines, cell).count


def test_each_ride_of_one_after_the_other_counts_one() -> None:
    assert _story(("a", 0), ("b", 1), ("c", 2)) == 3
    assert _story(("a", 3), ("b", 4), ("c", 5)) == 6
    assert _story(("a", 0), ("b", 7), ("c", 8)) == 9
    assert _story(("a", 0), ("b", 0), ("c", 0), 0) == 3


def test_lines_that_arrive_behind_their_table_count_once() -> None:
    """Three rides were committed without their ledger files, a clone rode once, then the files came."""
    late = [_charge(session).replace(rides=number) for number, session in enumerate("abc", 1)]
    base, rides = tally_of([], 3).next_charge(3)
    assert (base, rides) == (3, 4)
    clone = _charge("d", base).replace(rides=rides)
    for known in range(4):
        assert tally_of([*late[:known], clone], 4).count == 4
    assert tally_of([*late, clone], 0).count == 4


@pytest.mark.parametrize(
    ("lines", "cell", "expected"),
    [
        pytest.param([], 4, 4, id="an imported table counts as its cell says"),
        pytest.param([], None, 0, id="nothing at all"),
        pytest.param([_charge("a"), _charge("b")], 1, 2, id="two branches took 0 to 1, the cell merged to 1"),
        pytest.param([_charge("a", 3), _charge("a", 3), _charge("b", 3)], 4, 5, id="one charge arrived twice"),
        pytest.param([_charge("a", 3), _charge("b", 3), _charge("c", 3), _charge("d", 3)], 7, 7, id="squash, then one more"),
        pytest.param([_charge("a", 3)], 4, 4, id="a cherry-pick and the branch it came from"),
        pytest.param([_charge("a", 3)], 2, 4, id="a lowered cell changes nothing"),
        pytest.param([_charge("a", 3)], 9, 9, id="a raised cell holds at once"),
        pytest.param([_charge("a", 0), _charge("b", 8)], 0, 9, id="a raised cell that a charge took over has the rides before it"),
        pytest.param([_charge("a"), _set(0, "2026-11-30 00:00:00")], 0, 0, id="a set ends what came before"),
        pytest.param([_charge("a"), _set(5, "2026-11-28 00:00:00")], 0, 6, id="a charge later than the set"),
        pytest.param(
            [_set(2, "2026-11-28 00:00:00"), _set(7, "2026-11-28 00:00:00")], 0, 7, id="of two sets at once the larger"
        ),
        pytest.param(
            [_set(9, "2026-11-27 00:00:00"), _set(2, "2026-11-28T00:00:00Z"), _charge("a", 2)], 0, 3, id="the later set"
        ),
        pytest.param([_set(2, "2026-11-28 00:00:00"), _charge("a", 6)], 0, 3, id="a ride that knew nothing of the set"),
        pytest.param(
            [_set(2, "2026-11-28 00:00:00"), _set(6, "2026-11-28 00:00:01"), _charge("a", 6)], 0, 7,
            id="a cell raised after the set, taken over",
        ),
        pytest.param(
            [_charge("a", 0, "2026-11-27 00:00:00"), _set(2, "2026-11-28 00:00:00"), _charge("a", 2)],
            0,
            2,
            id="a charge from before the set that arrives again",
        ),
    ],
)  # fmt: skip
def test_the_count_in_force(lines: list[Entry], cell: int | None, expected: int) -> None:
    assert tally_of(lines, cell).count == expected


def test_the_tally_says_what_happened_last() -> None:
    paid = Entry("2026-11-29 12:00:00", "D-1", "paid", 1, 0, "a", "c" * 40, "program claude", "tests/a.py:3")
    back = Entry("2026-11-29 12:00:00.001", "D-1", "regressed", 1, 0)
    asked = Entry("2026-11-30 12:00:00", "D-1", "asked", 1, 0)
    tally = tally_of([asked, back, _charge("s"), paid])
    assert (tally.state_event, tally.state, tally.paid) == ("regressed", back, paid)
    assert tally.charged("s")
    assert not tally.charged("t")
    assert tally.latest == asked.when
    assert tally_of([]).state_event == ""


texts = st.text(
    alphabet=st.one_of(st.sampled_from("|\\`*_~<>[]&@ ./:aé0-"), st.characters(exclude_categories=("Cs", "Cc"))),
    max_size=30,
)


@SETTINGS
@given(texts, texts, st.sampled_from(ledger.EVENTS), st.none() | counts)
def test_a_line_comes_back_as_it_was(name: str, evidence: str, event: str, rides: int | None) -> None:
    def shown(text: str) -> str:
        return "".join(letter for letter in text if letter.isprintable()).strip()

    entry = Entry(
        "2026-11-29 12:00:00", "x" + shown(name), event, rides, rides, "0a0b0c0d", "", "person", shown(evidence)
    )
    data = ledger.ledger_bytes([entry, entry])
    assert data.count(b"\n") == 6
    assert ledger.parse_ledger(data, "f") == ([entry, entry], [])
    assert ledger.parse_ledger(data.replace(b"\n", b"\r\n"), "f") == ([entry, entry], [])


@SETTINGS
@given(texts)
def test_github_sees_one_line_of_nine_cells_and_no_markup(evidence: str) -> None:
    text = "".join(letter for letter in evidence if letter.isprintable()).strip()
    data = ledger.ledger_bytes([Entry("2026-11-29 12:00:00", "D-1", "paid", 1, 0, "", "", "person", text)])
    html = cmarkgfm.github_flavored_markdown_to_html(data.decode())
    assert html.count("<tr>") == 2
    body = html[html.index("<tbody>") :]
    assert body.count("<td") == 9
    for mark in ("<em>", "<strong>", "<del>", "<a ", "<img"):
        assert mark not in body


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param("a\x1b[31mred", id="a terminal escape"),
        pytest.param("a\r\nb | c", id="a line break"),
        pytest.param("a\u202eb\u2028c\u2066d", id="reversed text and strange line ends"),
        pytest.param("x" * 5000, id="a very long text"),
    ],
)
def test_what_must_not_be_in_a_repository_is_not(evidence: str) -> None:
    data = ledger.ledger_bytes([Entry("2026-11-29 12:00:00", "D-1", "paid", 1, 0, "", "", "person", evidence)])
    assert len(data.splitlines()) == 5
    assert not any(letter in data.decode() for letter in "\x1b\r\u202e\u2028\u2066")
    assert len(data) < 1300
    assert ledger.parse_ledger(data, "f")[1] == []


def test_a_count_as_long_as_a_cell_may_have_is_read() -> None:
    line = Entry("2026-11-29 12:00:00", "D-1", "charged", 10**20, 10**20 - 1, "0a0b0c0d", "", "program claude", "a.py")
    assert ledger.parse_ledger(ledger.ledger_bytes([line]), "f") == ([line], [])


def test_words_and_paths_are_readable_in_the_diff() -> None:
    line = Entry("2026-11-29 12:00:00", "D-7f3k", "charged", 3, 1, "0a0b0c0d", "c" * 40, "program claude", "src/a_b.py")
    assert ledger.ledger_bytes([line]).decode().splitlines()[2] == (
        f"| 2026-11-29 12:00:00 | D-7f3k | charged | 3 | 1 | 0a0b0c0d | {'c' * 40} | program claude | src/a_b.py |"
    )


# As earlier versions wrote it, without the comment at the end.
GOOD = ledger.ledger_bytes([_charge("s")]).decode().partition("\n<!--")[0]


@pytest.mark.parametrize(
    ("text", "found", "wrong"),
    [
        pytest.param("", 0, 0, id="an empty file"),
        pytest.param("words without a table\n", 0, 1, id="a file without a table"),
        pytest.param("# Title\n\n" + GOOD + "\nafter\n", 1, 0, id="prose around the table"),
        pytest.param("\ufeff" + GOOD, 1, 0, id="a byte order mark"),
        pytest.param(GOOD.replace("| ", "|   ").replace("---", "-----"), 1, 0, id="a table that was aligned by an editor"),
        pytest.param(GOOD + "| 2026 | D-2 | eaten | | | | | | |\n", 1, 1, id="an unknown event"),
        pytest.param(GOOD + "| 2026 | | paid | | | | | | |\n", 1, 1, id="a line without an id"),
        pytest.param(GOOD + "| 2026-01-06 | D-2 | paid | many | | | | | |\n", 2, 1, id="a count that is no number"),
        pytest.param(GOOD + f"| 2026-01-06 | D-2 | paid | {'9' * 5000} | | | | | |\n", 2, 1, id="a count beyond all counting"),
        pytest.param(GOOD + "| 2026-01-06 | D-2 | paid |\n", 2, 0, id="a line cut short"),
        pytest.param(GOOD + "| yesterday | D-2 | paid |\n", 2, 1, id="a time that is none"),
        pytest.param(GOOD + "| 2026-11-29T12:00:00.5Z | D-2 | paid |\n", 2, 0, id="a time in another form"),
        pytest.param(GOOD + "<<<<<<< ours\n| 2026-01-06 | D-2 | paid |\n=======\n| 2026-01-06 | D-3 | paid |\n>>>>>>> x\n", 3, 0,
                     id="conflict markers: both sides count"),
    ],
)  # fmt: skip
def test_reading_what_others_may_have_touched(text: str, found: int, wrong: int) -> None:
    lines, problems = ledger.parse_ledger(text.encode(), "docs/gatilhos/ledger/x.md")
    assert (len(lines), len(problems)) == (found, wrong)
    for problem in problems:
        assert problem.place.file == "docs/gatilhos/ledger/x.md"
        assert problem.remedy


@pytest.mark.parametrize(
    "when", ["zzzz", "9999-12-31 23:59:59.x1", "2026-11-29 10:00:00.5.3", "yesterday.\u0663", "2026-02-30"]
)
def test_what_is_no_time_outlasts_no_set(when: str) -> None:
    lines, problems = ledger.parse_ledger(
        ledger.ledger_bytes([_charge("s", 3, when), _set(1, "2026-11-29 12:00:00")]), "x.md"
    )
    assert [problem.message for problem in problems] == [
        f"when (UTC) is {when[:20]!r}, not a time such as 2026-11-29 21:32:05"
    ]
    tally = tally_of(lines, 1)
    assert tally.count == 1
    assert ledger.just_after(tally.latest) > tally.latest


def test_a_problem_names_its_line() -> None:
    _, problems = ledger.parse_ledger(
        b"| x |\n\n" + ledger.ledger_bytes([]).partition(b"\n<!--")[0] + b"| 2026 | D-2 | eaten |\n", "x.md"
    )
    assert [problem.place.line for problem in problems] == [5]


def test_a_rename_takes_the_ledger_along() -> None:
    renamed = [
        Entry("2026-11-03 00:00:00", "B", "renamed", 1, 0, evidence="C"),
        Entry("2026-11-02 00:00:00", "A", "renamed", 1, 0, evidence="B"),
    ]
    lines = [Entry("2026-11-01 00:00:00", name, "charged", 1, 0, name) for name in "ABCD"]
    groups = ledger.by_row([*lines, *renamed])
    assert tally_of(groups["C"]).sessions == frozenset("ABC")
    assert groups["A"] == groups["C"]
    assert tally_of(groups["D"]).sessions == frozenset("D")
    back = ledger.by_row([*lines, *renamed, Entry("2026-11-04 00:00:00", "C", "renamed", 1, 0, evidence="A")])
    assert tally_of(back["A"]).count == 3


def test_times_are_compared_and_followed() -> None:
    when = "2026-11-29 12:00:00"
    seen = [when]
    for _ in range(2000):
        seen.append(ledger.just_after(seen[-1]))
    assert seen == sorted(seen)
    assert len(set(seen)) == len(seen)
    assert seen[-1] < "2026-11-29 12:00:01"
    assert ledger.moment("2026-11-29T12:00:00Z") == when


def test_the_name_of_a_file_and_of_a_session() -> None:
    assert ledger.file_name("2026-11-29 12:00:00", bytes(range(8))) == "2026-11-29-00010203.md"
    names = {
        ledger.session_hash("s1"),
        ledger.session_hash("s1", 1),
        ledger.session_hash("s2"),
        ledger.session_hash("\ud800"),
    }
    assert len(names) == 4
    assert all(len(name) == 8 and int(name, 16) >= 0 for name in names)
    assert ledger.session_hash("s1") == hashlib.sha256(b"s1").hexdigest()[:8]


def test_a_folder_is_read_whole(repo: Repo) -> None:
    folder = repo.path("docs/gatilhos/ledger")
    assert ledger.read_folder(folder) == ([], [])
    repo.write("docs/gatilhos/ledger/2026-11-29-00000001.md", ledger.ledger_bytes([_charge("a")]))
    repo.write("docs/gatilhos/ledger/2026-11-29-00000002.md", ledger.ledger_bytes([_charge("b"), _charge("c")]))
    repo.write("docs/gatilhos/ledger/README.md", "What this is.\n")
    (repo.root / "docs/gatilhos/ledger/2026-11-29-00000003.md").mkdir()
    lines, problems = ledger.read_folder(folder)
    assert tally_of(lines).sessions == frozenset("abc")
    assert len(problems) == 1


def test_a_cell_that_a_charge_is_not_covered_by_counts_beside_it() -> None:
    assert tally_of([_charge("s1").replace(rides=9)], 3).next_charge(3) == (3, 5)


def test_after_a_correction_the_charges_before_it_are_in_its_number() -> None:
    lines = [_set(1, "2026-11-29 11:00:00"), _charge("s1", 8)]
    assert tally_of(lines, 3).next_charge(3) == (3, 4)
