"""Plots of the figures as SVG, the same bytes for the same figures."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from benches.peers.task import TASKS, Task

# Told apart without seeing colours: by marker as well.
_STYLES: dict[str, dict[str, Any]] = {
    "chatfold": {"color": "#d55e00", "marker": "o", "linewidth": 2.2, "zorder": 5},
    "floor": {"color": "#888888", "linestyle": ":", "linewidth": 1.2},
    "agent-framework-core": {"color": "#0072b2", "marker": "s"},
    "langchain-core": {"color": "#009e73", "marker": "^"},
    "langchain-core (approximate)": {"color": "#56b4e9", "marker": "v"},
    "litellm": {"color": "#cc79a7", "marker": "D"},
}
_COLOURS = {
    "chatfold": "#d55e00",
    "tiktoken": "#0072b2",
    "tokenizers": "#56b4e9",
    "quicktok-v1": "#009e73",
    "splintr-rs": "#cc79a7",
}


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight", facecolor="white")
    plt.close(figure)


def _histories(tasks: dict[Task, Any], path: Path) -> None:
    figure, axes = plt.subplots(2, 3, figsize=(11, 6.4), sharex=True, constrained_layout=True)
    shown: dict[str, Any] = {}
    for axis, (task, result) in zip(axes.flat, tasks.items(), strict=True):
        for name, seconds in result["seconds"].items():
            sizes, times = map(int, seconds), [1e3 * each for each in seconds.values()]
            style = {"markersize": 4, "linewidth": 1.4} | _STYLES[name]
            shown[name] = axis.loglog(list(sizes), times, **style)[0]
        axis.set_title(TASKS[task].split(":")[0].capitalize(), fontsize=9)
        axis.grid(visible=True, which="major", color="#dddddd", linewidth=0.6)
    for axis in axes[:, 0]:
        axis.set_ylabel("milliseconds")
    for axis in axes[1]:
        axis.set_xlabel("messages")
    figure.legend(shown.values(), shown, loc="outside lower center", ncols=6, frameon=False)
    _save(figure, path)


def _counting(kinds: dict[str, dict[str, float | None]], path: Path) -> None:
    names = list(next(iter(kinds.values())))
    figure, axis = plt.subplots(figsize=(8, 0.62 * len(kinds) + 1), constrained_layout=True)
    height = 0.84 / len(names)
    for at, name in enumerate(names):
        places = [row + (at - (len(names) - 1) / 2) * height for row in range(len(kinds))]
        speeds = [each[name] or 0 for each in kinds.values()]
        axis.barh(places, speeds, height, label=name, color=_COLOURS[name])
    axis.set_yticks(range(len(kinds)), list(kinds))
    axis.invert_yaxis()
    axis.set_xlabel("MB/s, one thread, o200k_base")
    axis.grid(visible=True, axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    axis.legend(frameon=False, loc="lower right")
    _save(figure, path)


def _strategies(strategies: dict[str, Any], path: Path) -> None:
    figure, axis = plt.subplots(figsize=(8, 4.6), constrained_layout=True)
    markers = "os^vDPX<>*hpd"
    axis.set_prop_cycle(
        color=mpl.colormaps["tab20"].colors[::2] + mpl.colormaps["tab20"].colors[1::2]
    )
    for marker, (name, each) in zip(markers, strategies.items(), strict=False):
        times = [1e3 * seconds for seconds in each["whole"]]
        axis.loglog(each["sizes"], times, marker=marker, markersize=4, linewidth=1.2, label=name)
    axis.set_xlabel("messages")
    axis.set_ylabel("milliseconds, with building the index")
    axis.grid(visible=True, which="major", color="#dddddd", linewidth=0.6)
    figure.legend(loc="outside right upper", frameon=False)
    _save(figure, path)


def draw(figures: dict[str, Any], folder: Path) -> None:
    """Draw all plots into a folder."""
    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "chatfold", "svg.fonttype": "none", "font.size": 9})
    folder.mkdir(parents=True, exist_ok=True)
    _histories(figures["tasks"], folder / "histories.svg")
    _counting(figures["counting"]["o200k_base"], folder / "counting.svg")
    _strategies(figures["strategies"], folder / "strategies.svg")
