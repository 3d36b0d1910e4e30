"""What a task of the cluster does. Sent to the workers by value, as `child` is."""

import json

from .child import Died, host, run, version


def find(program: str, arguments: list[str], stdin: str, directory: str) -> dict:
    """Finds the traces. A refusal is an answer: the same everywhere, and no reason to try again."""
    known = version(program, directory)
    ran = run(program, arguments, stdin, directory)
    if ran.code == 0:
        return {"version": known, "traces": [json.loads(line) for line in ran.stdout.splitlines()]}
    if ran.code == 2:
        return {"refused": ran.stderr.strip()}
    raise ran.died("plan")


def analyse(program: str, arguments: list[str], trace: dict, directory: str, wanted: str) -> dict:
    """Analyses one trace into the dataset, and gives the program's line about it.

    A line is an answer, also that the capture is broken; without one the program died.
    """
    here = version(program, directory)
    if here != wanted:
        raise Died(f"{host()} has {here}, but the traces were planned by {wanted}")
    ran = run(program, arguments, json.dumps(trace), directory)
    for line in ran.stderr.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict) and said.get("trace") == trace["trace"]:
            return {**said, "host": ran.host}
    raise ran.died("the program")


def record(program: str, arguments: list[str], lost: list[dict], directory: str) -> None:
    """Writes into the dataset why traces are missing. Those that a try has put there after all stay as they are."""
    ran = run(program, arguments, "\n".join(json.dumps(trace) for trace in lost), directory)
    # 2 says that there are failures now; the program's line of counts, that they are recorded.
    if ran.code not in (0, 2) or not ran.stdout:
        raise ran.died("the record of lost traces")


def summarize(program: str, arguments: list[str], directory: str) -> str:
    """Writes the summary and gives its text."""
    ran = run(program, arguments, "", directory)
    # 2 says that the dataset holds failures; without a text nothing was written.
    if ran.code in (0, 2) and ran.stdout:
        return ran.stdout
    raise ran.died("summary")
