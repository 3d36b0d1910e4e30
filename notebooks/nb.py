"""What the notebooks share: the program, the bundled data, and how pictures look."""

import json
import math
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import polars as pl
from IPython.display import Markdown, display
from matplotlib_inline.backend_inline import set_matplotlib_formats

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"

# Okabe and Ito's palette, which colour-blind people can tell apart.
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW, GREY = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#7f7f7f",
)

plt.rcParams.update({
    "figure.figsize": (9, 3.6), "figure.dpi": 80, "savefig.dpi": 80, "figure.constrained_layout.use": True,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.3, "font.size": 10,
    "legend.frameon": False,
})
# Without the version of matplotlib, which would make each new one a change of every picture.
set_matplotlib_formats("png", metadata={"Software": None})
pl.Config.set_tbl_rows(30)
pl.Config.set_tbl_cols(20)
pl.Config.set_tbl_width_chars(180)
pl.Config.set_fmt_str_lengths(60)
pl.Config.set_tbl_hide_dataframe_shape(True)
pl.Config.set_tbl_hide_column_data_types(True)


def program() -> Path:
    """$TCPTRACE_RS, or the newest that cargo has built here, or the one on the PATH."""
    if named := os.environ.get("TCPTRACE_RS"):
        return Path(named)
    target = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
    target = target if target.is_absolute() else ROOT / target
    built = [path for kind in ("release", "debug") if (path := target / kind / "tcptrace-rs").exists()]
    if built:
        return max(built, key=lambda path: path.stat().st_mtime)
    if found := shutil.which("tcptrace-rs"):
        return Path(found)
    raise FileNotFoundError("no tcptrace-rs: run `cargo build --release`, or say where it is in TCPTRACE_RS")


def run(*args) -> str:
    """What the program prints; its error, if it fails."""
    done = subprocess.run([program(), "-q", *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"tcptrace-rs {' '.join(map(str, args))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def run_json(*args):
    return json.loads(run(*args, "--format", "json"))


def predict(*args) -> pl.DataFrame:
    """A row for each algorithm, and for each point of a sweep. The predictor's own numbers, rates in bit/s."""
    text = run("predict", *args, "--format", "csv")
    return pl.read_csv(text.encode(), infer_schema_length=None).drop("connection", "dir")


def compare(before, after, *args) -> list[dict]:
    """The comparisons of `compare BEFORE --vs AFTER`."""
    answer = run_json("compare", before, "--vs", after, *args)
    return answer.get("comparisons", [answer])


class Analysis:
    """What `analyze --out` wrote of a capture."""

    def __init__(self, capture, *args):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        run("analyze", capture, "--out", self.folder, "--plots", "none", *args)

    def table(self, name: str) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "tables" / f"{name}.parquet")


def seconds(column: str, start: int) -> pl.Expr:
    """Nanoseconds since the epoch as seconds since `start`."""
    return ((pl.col(column) - start) / 1e9).alias(column.removesuffix("_ns") + "_s")


def wilson(part: int, whole: int, z: float = 1.96) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927): holds for few cases and near 0 and 1 too."""
    share, weight = part / whole, 1 + z * z / whole
    middle = (share + z * z / (2 * whole)) / weight
    half = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole)) / weight
    return max(0.0, middle - half), min(1.0, middle + half)


def say(text: str) -> None:
    """A paragraph whose numbers were computed."""
    display(Markdown(text))


def close(text: str = "") -> None:
    plt.show()
    if text:
        say(text)
