"""The command line."""

import argparse
import os
import re
from dataclasses import dataclass
from pathlib import PurePath

EPILOG = """\
What follows `--` goes to `tcptrace-rs batch` as it is, on every machine.

examples:
  on this machine:
    tcptrace-cluster /captures --out incident
  on a cluster, without predictions, ten minutes a trace at most:
    tcptrace-cluster --address ray://head:10001 /captures --out /shared/incident -- --no-predict --timeout 10min

exit codes: 0 every trace is in the dataset; 2 some failed or were lost, or usage; 130 interrupted
"""

URL = re.compile(r"[a-z][a-z0-9+]*://")


@dataclass(frozen=True)
class Command:
    """What the driver was told."""

    inputs: list[str]
    out: str
    root: str | None
    group_by: str | None
    address: str
    program: str
    cpus: int
    retries: int
    log_json: bool
    quiet: bool
    options: list[str]

    @property
    def is_local(self) -> bool:
        """Whether the cluster is this machine alone, started for this run."""
        return self.address == "local"


def parse(arguments: list[str], environment: dict[str, str]) -> Command:
    """Reads the command line; ends the process with code 2 where it makes no sense."""
    own, options = split(arguments)
    parser = argparse.ArgumentParser(
        prog="tcptrace-cluster",
        description="Analyse many captures into one dataset on a Ray cluster: a task for each trace.",
        usage="%(prog)s INPUT... --out DATASET [OPTIONS] [-- BATCH_OPTIONS]",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="as `tcptrace-rs batch` takes them, on the cluster's machines; - is read here")
    parser.add_argument("--out", metavar="DATASET", required=True, help="the dataset, on storage that all machines share")
    parser.add_argument("--root", metavar="DIR", help="name traces by their paths below this directory")
    parser.add_argument("--group-by", metavar="RULE", help="which files are one trace")
    parser.add_argument("--address", metavar="ADDRESS", default=environment.get("RAY_ADDRESS") or "local",
                        help="the cluster, such as ray://head:10001 [default: $RAY_ADDRESS, or one on this machine]")
    parser.add_argument("--program", metavar="PATH", default="tcptrace-rs", help="the program on the cluster's machines [default: %(default)s]")
    parser.add_argument("--cpus", metavar="N", type=at_least(1), default=1, help="cores for each trace [default: %(default)s]")
    parser.add_argument("--retries", metavar="N", type=at_least(0), default=3,
                        help="more tries of a trace whose worker, machine or program died [default: %(default)s]")
    parser.add_argument("--log", choices=["json"], help="tell of each trace on stderr as json")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    parsed = parser.parse_args(own)
    command = Command(
        inputs=parsed.inputs,
        out=parsed.out,
        root=parsed.root,
        group_by=parsed.group_by,
        address=parsed.address,
        program=parsed.program,
        cpus=parsed.cpus,
        retries=parsed.retries,
        log_json=parsed.log == "json",
        quiet=parsed.quiet,
        options=options,
    )
    wrong = misplaced(command)
    if wrong is not None:
        parser.error(wrong)
    return command


def split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What stands before the first `--`, and what after."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def misplaced(command: Command) -> str | None:
    """A path that would be another place on each machine of a cluster."""
    if command.is_local:
        return None
    paths = [place.removeprefix("@") for place in command.inputs if place != "-"]
    paths += [command.out, *([command.root] if command.root else [])]
    for path in paths:
        if not URL.match(path) and not PurePath(path).is_absolute():
            return f"{path}: on a cluster paths must be absolute, since they are opened on other machines"
    return None


def at_least(least: int):
    """A parser of whole numbers from `least` on."""

    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise ValueError(text)
        return value

    number.__name__ = f"whole number from {least} on"
    return number


def working_directory(command: Command) -> str:
    """Where the program runs: relative paths mean something on this machine only."""
    return os.getcwd() if command.is_local else "/"
