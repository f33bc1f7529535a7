"""Weak and strong components and PageRank with Dask, for graphs that fit no memory.

    counterpoint graph export crawl.graph FOLDER --to parquet
    python graph_on_dask.py wcc FOLDER RESULT

Reads pages.parquet (id) and links.parquet (source, target), writes a folder of Parquet files. Every
step is a join or a sum of dask.dataframe, whose parts go through disk; what one iteration hands to
the next is written, so that no plan grows. Needs `pip install "dask[dataframe]" pyarrow` only; on a
cluster, make a `dask.distributed.Client` first and name folders that all workers see.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

import dask.dataframe as dd

Frame = Any
"""A dask.dataframe.DataFrame."""


class Work:
    """Frames that are written down under a name, the last one of a name only.

    Parameters
    ----------
    folder : Path
        Is made, and removed by `close`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._turn: dict[str, int] = {}
        folder.mkdir(parents=True)

    def kept(self, frame: Frame, name: str) -> Frame:
        """Compute a frame, write it, and return it read from there."""
        turn = self._turn.get(name, 0) + 1
        path = self._folder / f"{name}-{turn}"
        frame.to_parquet(path, write_index=False, engine="pyarrow")
        if turn > 1:
            shutil.rmtree(self._folder / f"{name}-{turn - 1}")
        self._turn[name] = turn
        return dd.read_parquet(path, engine="pyarrow")

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self._folder)


def joined(labels: Frame, found: Frame, column: str) -> Frame:
    """Return labels with a column of what was found for some of the pages."""
    return labels.merge(found[["id", column]], on="id", how="left")


def least_of_sources(links: Frame, labels: Frame) -> Frame:
    """Return for each page that is linked to the least label among the pages that link to it."""
    near = links.merge(labels.rename(columns={"id": "source"}), on="source")
    near = near.groupby("target")["label"].min().reset_index()
    return near.rename(columns={"target": "id", "label": "near"})


def lowered(labels: Frame, near: Frame) -> Frame:
    """Return labels, each replaced by what is near if that is less."""
    both = joined(labels, near, "near")
    least = both["label"].where(both["near"].isna() | (both["label"] <= both["near"]), both["near"])
    return both.assign(label=least.astype("int64"))[["id", "label"]]


def moved(old: Frame, new: Frame) -> int:
    """Return how many labels are not what they were."""
    both = old.merge(new.rename(columns={"label": "new"}), on="id")
    return int((both["label"] != both["new"]).sum().compute())


def plain_labels(pages: Frame) -> Frame:
    """Return every page with its own number as label."""
    ids = pages["id"].astype("int64")
    return ids.to_frame().assign(label=ids)


def wcc(pages: Frame, links: Frame, work: Work) -> Frame:
    """Return pages with the lowest page of their weak component as ``label``.

    Labels are propagated both ways, and a label is replaced by its own label: so a path of labels
    halves at each turn.
    """
    back = links.rename(columns={"source": "target", "target": "source"})[["source", "target"]]
    either = work.kept(dd.concat([links, back]), "either")
    labels = work.kept(plain_labels(pages), "weak")
    while True:
        new = lowered(labels, least_of_sources(either, labels))
        above = new.rename(columns={"id": "label", "label": "above"})
        jumped = new.merge(above, on="label")[["id", "above"]].rename(columns={"above": "label"})
        old, labels = labels, work.kept(jumped, "next")
        if not moved(old, labels):
            return labels
        labels = work.kept(labels, "weak")


def scc(pages: Frame, links: Frame, work: Work) -> Frame:
    """Return pages with the lowest page of their strong component as ``label``.

    By coloring (Orzan 2004): a page's color is the lowest page that reaches it. A page of its own
    color is the lowest of its component, and the component is what reaches it within the color.
    Components found are taken out; what is left is colored again.
    """
    left, rows = plain_labels(pages)[["id"]], links
    done = []
    turn = 0
    while True:
        left, rows = work.kept(left, "left"), work.kept(rows, "rows")
        if not len(left):
            return dd.concat(done)
        found = work.kept(alone(left, rows), "alone")
        if not len(found):
            found = colored(left, rows, work)
        turn += 1
        done.append(work.kept(found, f"found-{turn}"))
        left, rows = without(left, rows, done[-1])


def alone(left: Frame, rows: Frame) -> Frame:
    """Return the pages that no other page links to, or that link to none: components of one."""
    others = rows[rows["source"] != rows["target"]]
    linking, linked = (
        others.groupby(end).size().rename(f"{end}s").reset_index().rename(columns={end: "id"})
        for end in ("source", "target")
    )
    inside = linking.merge(linked, on="id").assign(inside=1)
    both = joined(left, inside, "inside")
    ends = both[both["inside"].isna()][["id"]]
    return ends.assign(label=ends["id"])


def colored(left: Frame, rows: Frame, work: Work) -> Frame:
    """Return the pages of the components of the lowest pages of all colors."""
    colors = work.kept(left.assign(label=left["id"]), "colors")
    while True:
        new = work.kept(lowered(colors, least_of_sources(rows, colors)), "lower")
        if not moved(colors, new):
            break
        colors = work.kept(new, "colors")
    # Links within a color, backward: what reaches the page that gave the color.
    source = colors.rename(columns={"id": "source", "label": "color"})
    target = colors.rename(columns={"id": "target", "label": "other"})
    same = rows.merge(source, on="source").merge(target, on="target")
    same = work.kept(same[same["color"] == same["other"]][["source", "target"]], "same")
    reached = work.kept(colors[colors["id"] == colors["label"]], "reached")
    number = len(reached)
    while True:
        before = same.merge(reached.rename(columns={"id": "target"}), on="target")
        before = before[["source", "label"]].rename(columns={"source": "id"})
        more = dd.concat([reached, before]).groupby("id")["label"].min().reset_index()
        more = work.kept(more, "more")
        if len(more) == number:
            return reached
        reached = work.kept(more, "reached")
        number = len(reached)


def without(left: Frame, rows: Frame, found: Frame) -> tuple[Frame, Frame]:
    """Return pages and links without the pages that were found."""
    gone = found[["id"]].assign(gone=1)
    left = joined(left, gone, "gone")
    rows = rows.merge(gone.rename(columns={"id": "source"}), on="source", how="left")
    rows = rows[rows["gone"].isna()][["source", "target"]]
    rows = rows.merge(gone.rename(columns={"id": "target"}), on="target", how="left")
    return left[left["gone"].isna()][["id"]], rows[rows["gone"].isna()][["source", "target"]]


def pagerank(
    pages: Frame, links: Frame, work: Work, *, damping: float = 0.85, tolerance: float = 1e-9,
    most: int = 500,
) -> Frame:  # fmt: skip
    """Return pages with their ``rank``; the weight of pages without links goes to all pages."""
    ids = work.kept(plain_labels(pages)[["id"]], "ids")
    number = len(ids)
    degree = links.groupby("source").size().rename("degree").reset_index()
    degree = work.kept(degree.rename(columns={"source": "id"}), "degrees")
    ranks = work.kept(ids.assign(rank=1 / number), "ranks")
    for _ in range(most):
        share = ranks.merge(degree, on="id")
        lost = 1 - float(share["rank"].sum().compute())
        share = share.assign(part=share["rank"] / share["degree"])[["id", "part"]]
        brought = links.merge(share.rename(columns={"id": "source"}), on="source")
        brought = brought.groupby("target")["part"].sum().reset_index()
        new = joined(ranks, brought.rename(columns={"target": "id"}), "part").fillna({"part": 0.0})
        everywhere = (1 - damping + damping * lost) / number
        new = work.kept(new.assign(new=everywhere + damping * new["part"]), "new")
        change = float((new["new"] - new["rank"]).abs().sum().compute())
        ranks = work.kept(new[["id", "new"]].rename(columns={"new": "rank"}), "ranks")
        if change <= tolerance:
            break
    return ranks


ALGORITHMS = {"wcc": wcc, "scc": scc, "pagerank": pagerank}


def run(algorithm: str, folder: Path, result: Path) -> None:
    """Read a graph, run an algorithm, write ``result``."""
    pages = dd.read_parquet(folder / "pages.parquet", columns=["id"], engine="pyarrow")
    links = dd.read_parquet(folder / "links.parquet", engine="pyarrow").astype("int64")
    work = Work(result.with_name(result.name + ".work"))
    try:
        found = ALGORITHMS[algorithm](pages, links, work)
        found.to_parquet(result, write_index=False, engine="pyarrow")
    finally:
        work.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("algorithm", choices=ALGORITHMS)
    parser.add_argument("folder", type=Path, help="with pages.parquet and links.parquet")
    parser.add_argument("result", type=Path, help="a folder that is made")
    given = parser.parse_args()
    run(given.algorithm, given.folder, given.result)
