"""Executes the notebooks: `python run.py [--write] [NOTEBOOK...]`. Fails where one of their cells does.

Each starts in a new kernel with nothing of the person's own settings. Without `--write` nothing is changed, and it is said where
what is stored is not what comes out now. The program is $TCPTRACE_RS, or the one built last.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

HERE = Path(__file__).resolve().parent
# Reads well on a code host, and keeps the repository small.
MOST_BYTES = 400_000
# Of what is said about an error.
MOST_LINES = 25


def tidy(book) -> None:
    """Leaves out what differs between two runs that found the same."""
    book.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                     "language_info": {"name": "python"}}
    for number, cell in enumerate(book.cells, 1):
        cell.id = f"cell-{number:02}"
        cell.metadata = {}
        for output in cell.get("outputs", []):
            output.pop("metadata", None)
            if output.output_type in ("display_data", "execute_result"):
                output["metadata"] = {}
            # A picture need not say what its text form is.
            if "image/png" in output.get("data", {}):
                output.data.pop("text/plain", None)


def words(book) -> list:
    """Text of all outputs, pictures aside: their bytes depend on the machine's libraries."""
    return [
        [(output.get("text"), {kind: data for kind, data in output.get("data", {}).items() if kind != "image/png"})
         for output in cell.get("outputs", [])]
        for cell in book.cells
    ]


def execute(path: Path, write: bool) -> bool:
    book = nbformat.read(path, as_version=4)
    before = words(book)
    start = time.monotonic()
    client = NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(HERE)}},
                            extra_arguments=["--IPKernelApp.log_level=40"])
    try:
        client.execute()
    except CellExecutionError as error:
        where = re.sub(r"\x1b\[[0-9;]*m", "", error.traceback).splitlines()
        print(f"{path.name}: FAILED: {error.ename}: {error.evalue}", *where[-MOST_LINES:], sep="\n    ", file=sys.stderr)
        return False
    tidy(book)
    took = time.monotonic() - start
    if write:
        nbformat.write(book, path)
    elif words(book) != before:
        print(f"{path.name}: what is stored is not what comes out now; run.py --write stores it anew", file=sys.stderr)
    size = len(nbformat.writes(book).encode())
    print(f"{path.name}: {len(book.cells)} cells, {size / 1000:.0f} kB, {took:.1f} s")
    if size > MOST_BYTES:
        print(f"{path.name}: over {MOST_BYTES / 1000:.0f} kB", file=sys.stderr)
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store the outputs in the notebooks")
    parser.add_argument("notebooks", nargs="*", type=Path, help="which; all by default")
    args = parser.parse_args()
    if named := os.environ.get("TCPTRACE_RS"):
        if not (program := Path(named).resolve()).is_file():
            parser.error(f"TCPTRACE_RS: {program} is not there")
        os.environ["TCPTRACE_RS"] = str(program)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["IPYTHONDIR"] = os.environ["MPLCONFIGDIR"] = os.environ["JUPYTER_CONFIG_DIR"] = scratch
        os.environ["PYTHONPATH"] = str(HERE)
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda path: execute(path, args.write), args.notebooks or sorted(HERE.glob("*.ipynb"))))
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
