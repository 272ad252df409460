"""Charts as SVG, written by hand: bars that each lead to the rows that they count."""

from collections.abc import Callable
from html import escape

from gatilho.report.summary import Bin, Chart

_WIDTH, _HEIGHT = 480, 140
_LINE, _LABELS = 26, 118  # of bars that lie
_GAP = 0.25
_WIDEST_BAR = 40


def chart_html(chart: Chart, target: Callable[[Bin], str]) -> str:
    """Return the bars of a chart; target: the address of the rows of one. Upright bars for times, else lying ones.

    Upright ones are stretched to the width that there is, so what is said of them is no part of the picture.
    """
    label = escape(f"{chart.title}, {_in_words(chart)}")
    if not chart.over_time:
        height = _LINE * len(chart.bins) + 4
        drawn = _lying(chart, target, _WIDTH)
        return f'<svg viewBox="0 0 {_WIDTH} {height}" role="group" aria-label="{label}">{drawn}</svg>'
    ends = "".join(f"<span>{escape(one)}</span>" for one in dict.fromkeys((chart.bins[0].label, chart.bins[-1].label)))
    return (
        f'<p class="soft">{escape(_in_words(chart))}</p><svg class="standing" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'preserveAspectRatio="none" role="group" aria-label="{label}">{_standing(chart, target)}</svg>'
        f'<p class="ends">{ends}</p>'
    )


def _in_words(chart: Chart) -> str:
    most = max(chart.bins, key=lambda one: one.count)
    total = sum(one.count for one in chart.bins)
    return (
        f"{total:,} {chart.unit if total != 1 else chart.unit.removesuffix('s')}, at most {most.count:,} ({most.label})"
    )


def _standing(chart: Chart, target: Callable[[Bin], str]) -> str:
    most = max(one.count for one in chart.bins)
    step = _WIDTH / len(chart.bins)
    wide = min(step * (1 - _GAP), _WIDEST_BAR)
    parts = [f'<line class="axis" x1="0" x2="{_WIDTH}" y1="{_HEIGHT}" y2="{_HEIGHT}"/>']
    for at, one in enumerate(chart.bins):
        if one.count:
            tall = max(_HEIGHT * one.count / most, 2)
            x = at * step + (step - wide) / 2
            place = f'x="{x:.1f}" y="{_HEIGHT - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}"'
            parts.append(_linked(chart, one, target, f'<rect class="bar" {place}/>'))
    return "".join(parts)


def _lying(chart: Chart, target: Callable[[Bin], str], width: int) -> str:
    most = max(one.count for one in chart.bins) or 1
    room = width - _LABELS - 50
    parts = []
    for at, one in enumerate(chart.bins):
        y = at * _LINE
        label = f"{one.label} rides" if chart.name == "debts-by-rides" else one.label
        shape = _text(_LABELS - 10, y + 17, "1 ride" if label == "1 rides" else label, "end")
        long = room * one.count / most if one.count else 0
        if one.count:
            shape += (
                f'<rect class="bar" x="{_LABELS}" y="{y + 4}" width="{max(long, 2):.1f}" height="{_LINE - 8}" rx="2"/>'
            )
        shape += _text(_LABELS + long + 8, y + 17, str(one.count), "start", "value")
        parts.append(_linked(chart, one, target, shape) if one.count else shape)
    return "".join(parts)


def _linked(chart: Chart, one: Bin, target: Callable[[Bin], str], shape: str) -> str:
    label = escape(f"{one.label}: {one.count} {chart.unit}")
    return f'<a href="#{target(one)}" aria-label="{label}">{shape}<title>{label}</title></a>'


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
