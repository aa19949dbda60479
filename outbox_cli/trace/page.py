"""Writes an event's way as one HTML page that needs nothing else: to attach to a ticket, or to print."""

from html import escape

from outbox_cli.shown import shown
from outbox_cli.trace.timeline import Moment, Timeline, time_of
from outbox_cli.trace.view import clock, since

STYLE = """
:root { color-scheme: light dark; --ink: #1d2530; --soft: #5b6673; --paper: #fbfaf7; --line: #d9d5cb;
  --card: #ffffff; --good: #1d7a4d; --bad: #b3261e; --open: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa5b1; --paper: #14181d; --line: #333b45;
  --card: #1c2229; --good: #5bc48d; --bad: #ff8a80; --open: #e3b341; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2.5rem 1.25rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; }
h1 { margin: 0; font: 600 1.4rem/1.3 ui-monospace, monospace; overflow-wrap: anywhere; }
.verdict { margin: .5rem 0 2rem; color: var(--open); font-weight: 600; }
.verdict.applied { color: var(--good); }
.verdict.conflicting { color: var(--bad); }
ol { list-style: none; margin: 0; padding: 0; }
li { display: grid; grid-template-columns: 8.5rem 1.75rem 1fr; }
time { padding-top: .6rem; text-align: right; font: .85rem/1.4 ui-monospace, monospace; }
time span, .source { color: var(--soft); font-size: .85rem; }
time span { display: block; }
.dot { position: relative; }
.dot::before { content: ""; position: absolute; left: 50%; top: 0; bottom: 0; border-left: 2px solid var(--line); }
li:first-child .dot::before { top: 1.1rem; }
li:last-child .dot::before { bottom: calc(100% - 1.1rem); }
.dot::after { content: ""; position: absolute; left: calc(50% - 5px); top: .7rem; width: 12px; height: 12px;
  border-radius: 50%; background: var(--good); border: 2px solid var(--paper); }
.failed .dot::after { background: var(--bad); }
.total .dot::after { background: var(--soft); }
.card { margin: .25rem 0; padding: .35rem .8rem .45rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; overflow-wrap: anywhere; }
.stage { font-weight: 600; margin-right: .5rem; }
.what { display: inline-block; }
.failed .what { color: var(--bad); }
.source { display: block; }
footer { margin-top: 2rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 34rem) {
  body { padding: 1.25rem .75rem; }
  li { grid-template-columns: 1.75rem 1fr; }
  time { grid-column: 2; padding: .5rem 0 0; text-align: left; }
  time span { display: inline; margin-left: .5rem; }
  .dot { grid-row: 1 / span 2; grid-column: 1; }
}
"""


def timeline_page(timeline: Timeline) -> str:
    """The whole page; every text of the event is escaped, and nothing is loaded from elsewhere."""
    start = next((moment.at_ms for moment in timeline.moments if moment.at_ms is not None), 0)
    title = _html(timeline.event_id)
    moments = "\n".join(_moment(moment, start) for moment in timeline.moments)
    first = time_of(timeline.moments[0]) or time_of(timeline.moments[-1])
    verdict = f"verdict{' conflicting' if timeline.conflicting else ' applied' if timeline.applied else ''}"
    day = f"{first:%Y-%m-%d}" if first else ""
    headers = "".join(f"\n<p>{_html(f'{name}: {value}')}</p>" for name, value in timeline.headers.items())
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="{verdict}">{_html(timeline.verdict)}</p>{headers}
<ol>
{moments}
</ol>
<footer>Times are of {day}, in UTC. Under each moment stands where it, and its time, was read.</footer>
</main>
</body>
</html>
"""


def _moment(moment: Moment, start_ms: int) -> str:
    at = time_of(moment)
    stands = f' datetime="{at.isoformat(timespec="milliseconds")}"' if at else ""
    classes = " ".join([moment.stage.replace(" ", "-"), *(["failed"] if moment.failed else [])])
    return (
        f'<li class="{classes}"><time{stands}>{clock(at)}<span>{_html(since(start_ms, moment))}</span></time>'
        f'<span class="dot"></span><div class="card"><span class="stage">{_html(moment.stage)}</span>'
        f'<span class="what">{_html(moment.what)}</span><span class="source">{_html(moment.source)}</span></div></li>'
    )


def _html(text: str) -> str:
    return escape(shown(text))
