"""The three calls of the program: what there is to do, one trace of it, the summary."""

from .arguments import Command


def plan(command: Command) -> list[str]:
    """Prints a line of JSON for each trace."""
    found = [*command.inputs]
    if command.root is not None:
        found += ["--root", command.root]
    if command.group_by is not None:
        found += ["--group-by", command.group_by]
    return ["batch", *found, "--plan", *common(command)]


def task(command: Command) -> list[str]:
    """Does the trace of such a line on standard input, and logs a line about it."""
    return ["batch", "--task", "-", *common(command)]


def summary(command: Command) -> list[str]:
    """Writes the summary of what is in the dataset."""
    return ["batch", "--summarize", "--out", command.out]


def common(command: Command) -> list[str]:
    """The same for both, so that what a task refuses the plan has refused before."""
    return ["--out", command.out, "--jobs", str(command.cpus), "--log", "json", *command.options]
