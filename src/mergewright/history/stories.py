"""The story of one symbol: its states along both sides, the twins, what was concluded; as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import networkx as nx

from mergewright.history.merge_history import MergeHistory
from mergewright.model.history import CommitFacts, Standing, Verdict
from mergewright.model.threeway import Side

#: Version of the plain data that :func:`as_data` gives.
FORMAT = 1
# The state of a symbol that does not exist.
_NONE = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryStep:
    """One commit that changed the symbol.

    Attributes:
        side: ``OURS`` or ``THEIRS``.
        commit: Full id.
        author: Name of the author.
        date: Author date (UTC), ``YYYY-MM-DD``.
        title: First line of the message.
        state: Letter of the state that it made; equal letters are equal code; ``-`` where the symbol
            does not exist, ``base`` for the merge base's code.
        name: The symbol's name there.
        foreign: Whether the side merged the state from outside.
        tip: Whether it is the state at the tip.
    """

    side: Side
    commit: str
    author: str
    date: str
    title: str
    state: str
    name: str
    foreign: bool
    tip: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolStory:
    """All that is known of one symbol in one merge.

    Attributes:
        path: The contested path.
        symbol: Dotted name; empty for the whole file.
        base: Letter of the merge base's state.
        steps: Ours first, then theirs, each oldest first.
        verdict: What was concluded.
        commits: Facts of all commits that are named.
    """

    path: str
    symbol: str
    base: str
    steps: tuple[StoryStep, ...]
    verdict: Verdict
    commits: Mapping[str, CommitFacts]


def _letters(count: int) -> str:
    text = ""
    count += 1
    while count:
        count, rest = divmod(count - 1, 26)
        text = chr(65 + rest) + text
    return text


def tell(history: MergeHistory, path: str, symbol: str) -> SymbolStory:
    """The story of a symbol (or of the whole file, with an empty name)."""
    verdict = history.symbol_verdict(path, symbol)
    lineages = history.lineages(path, symbol)
    base_key = history.base_key(path, symbol)
    names: dict[bytes | None, str] = {None: _NONE}
    if base_key is not None:
        names[base_key] = "base"
    steps: list[StoryStep] = []
    for side, lineage in zip((Side.OURS, Side.THEIRS), lineages, strict=True):
        last = len(lineage.steps) - 1
        for number, step in enumerate(lineage.steps):
            if step.key not in names:
                names[step.key] = _letters(len(names) - 1 - (base_key is not None))
            facts = history.commits[step.commit]
            steps.append(
                StoryStep(
                    side=side,
                    commit=step.commit,
                    author=facts.author,
                    date=_date(facts.time),
                    title=facts.title,
                    state=names[step.key],
                    name=step.name,
                    foreign=step.foreign,
                    tip=step.key == lineage.current
                    and all(s.key != lineage.current for s in lineage.steps[number + 1 :])
                    and number <= last,
                )
            )
    named = {s.commit for s in steps} | set(verdict.commits)
    for twin in verdict.twins:
        named.update((*twin.ours, *twin.theirs))
    return SymbolStory(
        path=path,
        symbol=symbol,
        base="base" if base_key is not None else _NONE,
        steps=tuple(steps),
        verdict=verdict,
        commits={c: history.commits[c] for c in sorted(named) if c in history.commits},
    )


def _date(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d")
    except (OverflowError, OSError, ValueError):
        return "????-??-??"


def graph_of(story: SymbolStory) -> nx.MultiDiGraph[str]:
    """The story as a graph: states in order, equal states and twins as edges between the sides."""
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    graph.add_node("base", label=f"merge base\nstate {story.base}", side="base")
    by_side: dict[Side, list[StoryStep]] = {Side.OURS: [], Side.THEIRS: []}
    for step in story.steps:
        by_side[step.side].append(step)
        graph.add_node(
            f"{step.side}:{step.commit}",
            label=f"{step.commit[:10]} {step.date}\n{step.author}\n{step.title[:60]}\nstate {step.state}",
            side=step.side.value,
        )
    for side, steps in by_side.items():
        before = "base"
        for step in steps:
            node = f"{side}:{step.commit}"
            graph.add_edge(before, node, kind="next", label="")
            before = node
    for mine in by_side[Side.OURS]:
        for other in by_side[Side.THEIRS]:
            if mine.state == other.state and mine.state not in (_NONE, "base"):
                graph.add_edge(
                    f"ours:{mine.commit}", f"theirs:{other.commit}", kind="same", label="same state"
                )
    for twin in story.verdict.twins:
        for ours in twin.ours:
            for theirs in twin.theirs:
                for side, commit in ((Side.OURS, ours), (Side.THEIRS, theirs)):
                    node = f"{side}:{commit}"
                    if node not in graph and commit in story.commits:
                        facts = story.commits[commit]
                        graph.add_node(
                            node,
                            label=f"{commit[:10]} {_date(facts.time)}\n{facts.author}\n"
                            f"{facts.title[:60]}",
                            side=side.value,
                        )
                if f"ours:{ours}" in graph and f"theirs:{theirs}" in graph:
                    graph.add_edge(
                        f"ours:{ours}",
                        f"theirs:{theirs}",
                        kind="twin",
                        label=twin.evidence.value,
                    )
    return graph


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def as_dot(story: SymbolStory) -> str:
    """The story in the language of Graphviz."""
    graph = graph_of(story)
    name = f"{story.path}::{story.symbol}" if story.symbol else story.path
    lines = [
        f"digraph {_quoted(name)} {{",
        "  rankdir=LR;",
        '  node [shape=box, fontname="monospace", fontsize=10];',
        f"  label={_quoted(f'{story.verdict.standing.value}: {story.verdict.reason}')};",
    ]
    for side in ("base", "ours", "theirs"):
        nodes = [(n, d) for n, d in graph.nodes(data=True) if d["side"] == side]
        if side != "base":
            lines.append(f"  subgraph cluster_{side} {{ label={_quoted(side)};")
        lines += [f"  {_quoted(n)} [label={_quoted(d['label'])}];" for n, d in nodes]
        if side != "base":
            lines.append("  }")
    styles = {
        "next": "",
        "same": "style=dashed, dir=none, constraint=false",
        "twin": "style=dotted, dir=none, constraint=false",
    }
    for source, target, data in graph.edges(data=True):
        label = f"label={_quoted(data['label'])}" if data["label"] else ""
        shown = ", ".join(part for part in (styles[data["kind"]], label) if part)
        lines.append(f"  {_quoted(source)} -> {_quoted(target)}{f' [{shown}]' if shown else ''};")
    return "\n".join([*lines, "}", ""])


def as_data(story: SymbolStory) -> dict[str, Any]:
    """The story as plain data."""
    verdict = story.verdict
    return {
        "format": FORMAT,
        "path": story.path,
        "symbol": story.symbol,
        "base_state": story.base,
        "steps": [
            {
                "side": s.side.value,
                "commit": s.commit,
                "author": s.author,
                "date": s.date,
                "title": s.title,
                "state": s.state,
                "name": s.name,
                "foreign": s.foreign,
                "tip": s.tip,
            }
            for s in story.steps
        ],
        "twins": [
            {
                "ours": list(t.ours),
                "theirs": list(t.theirs),
                "evidence": t.evidence.value,
                "others": [e.value for e in t.others],
                "detail": t.detail,
                "partial": t.partial,
            }
            for t in verdict.twins
        ],
        "verdict": {
            "standing": verdict.standing.value,
            "evidence": verdict.evidence.value if verdict.evidence is not None else None,
            "reason": verdict.reason,
            "commits": list(verdict.commits),
            "follow_ups": list(verdict.follow_ups),
            "newer_base": verdict.base is not None,
            "group": verdict.group,
        },
        "commits": {
            oid: {"title": c.title, "author": c.author, "date": _date(c.time)}
            for oid, c in story.commits.items()
        },
    }


def as_lines(story: SymbolStory, labels: Mapping[Side, str]) -> Sequence[str]:
    """The story as lines of text for a terminal.

    Args:
        story: The story.
        labels: How the sides are called.
    """
    name = f"{story.symbol} in {story.path}" if story.symbol else story.path
    lines = [f"History of {name} (states of one letter are equal code)"]
    start = "not there at the merge base" if story.base == _NONE else "since the merge base"
    for side in (Side.OURS, Side.THEIRS):
        steps = [s for s in story.steps if s.side is side]
        lines.append(f"  {side.value} ({labels.get(side, side.value)}), {start}:")
        if not steps:
            lines.append("    no commit changed it" if story.base != _NONE else "    never there")
        for step in steps:
            marks = ["gone" if step.state == _NONE else f"state {step.state}"]
            if step.foreign:
                marks.append("merged in")
            if step.tip:
                marks.append("tip")
            if story.symbol and step.name != story.symbol:
                marks.append(f"as {step.name}")
            lines.append(
                f"    {step.commit[:10]}  {step.date}  {step.author}  {step.title}"
                f"  [{', '.join(marks)}]"
            )
    if story.verdict.twins:
        lines.append("  twins:")
    for twin in story.verdict.twins:
        more = f" (also {', '.join(e.value for e in twin.others)})" if twin.others else ""
        lines.append(
            f"    {' + '.join(c[:10] for c in twin.ours)} ~ "
            f"{' + '.join(c[:10] for c in twin.theirs)}  {twin.evidence.value}: {twin.detail}{more}"
        )
        titles = {
            c: story.commits[c].title for c in (*twin.ours, *twin.theirs) if c in story.commits
        }
        lines += [f"      {oid[:10]}  {title}" for oid, title in titles.items()]
    evidence = f" by {story.verdict.evidence.value}" if story.verdict.evidence is not None else ""
    changed = {step.side for step in story.steps}
    if story.verdict.standing is Standing.UNKNOWN and len(changed) == 1:
        lines.append(
            f"  concluded: only {changed.pop().value} changed it, so nothing of it is contested."
        )
    else:
        lines.append(
            f"  concluded: {story.verdict.standing.value}{evidence}. {story.verdict.reason}"
        )
    if story.verdict.base is not None:
        lines.append("  merged again from the newest state that both sides had")
    return lines
