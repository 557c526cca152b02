"""The commit graph of one merge: parents and twins as edges, sides on the nodes."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from mergewright.history.facts import MergeFacts
from mergewright.model.history import Twin
from mergewright.model.threeway import Side

#: Values of the edge attribute ``kind``.
PARENT = "parent"
TWIN = "twin"


def commit_graph(facts: MergeFacts, twins: Iterable[Twin] = ()) -> nx.DiGraph[str]:
    """Nodes are commit ids with ``side`` (``ours``, ``theirs``, ``base``) and ``facts``.

    Edges run from parent to child (``kind`` is ``parent``, ``first`` tells the first parent) and between
    twins, from ours to theirs (``kind`` is ``twin``, with ``twin``). Commits outside the two sides
    stand only where an edge leads to them; they have the side ``base``.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    for side in (Side.OURS, Side.THEIRS):
        for commit in facts.side(side).commits:
            graph.add_node(commit.oid, side=side.value, facts=commit)
    for side in (Side.OURS, Side.THEIRS):
        for commit in facts.side(side).commits:
            for number, parent in enumerate(commit.parents):
                if parent not in graph:
                    graph.add_node(parent, side=Side.BASE.value, facts=None)
                graph.add_edge(parent, commit.oid, kind=PARENT, first=number == 0)
    for twin in twins:
        for ours in twin.ours:
            for theirs in twin.theirs:
                graph.add_edge(ours, theirs, kind=TWIN, twin=twin)
    return graph


def first_parents(graph: nx.DiGraph[str], tip: str) -> list[str]:
    """The first-parent line of a tip within its side, newest first."""
    line = [tip]
    while True:
        before = [
            parent
            for parent, _, data in graph.in_edges(line[-1], data=True)
            if data["kind"] == PARENT and data["first"]
        ]
        if not before or graph.nodes[before[0]]["side"] == Side.BASE.value:
            return line
        line.append(before[0])


def works(graph: nx.DiGraph[str]) -> dict[str, frozenset[str]]:
    """Commit id to the work that it belongs to: itself and all that twins tie to it."""
    ties: nx.Graph[str] = nx.Graph()
    ties.add_nodes_from(n for n, data in graph.nodes(data=True) if data["side"] != Side.BASE.value)
    ties.add_edges_from((a, b) for a, b, data in graph.edges(data=True) if data["kind"] == TWIN)
    found: dict[str, frozenset[str]] = {}
    for component in nx.connected_components(ties):
        work = frozenset(component)
        for oid in work:
            found[oid] = work
    return found
