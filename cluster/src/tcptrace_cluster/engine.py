"""The cluster: what is asked of Ray, and nothing else knows it."""

import sys
from collections.abc import Iterator

import ray
from ray import cloudpickle

from . import calls, work
from .arguments import Command, working_directory
from .child import Died
from .ended import Ended

# Tasks that Ray has at a time: enough for an autoscaler to see what is wanted; the driver slows with their number.
WINDOW = 2_000

# Longest wait for news, seconds: the progress is drawn anew after it.
TICK = 0.5


class Refused(Exception):
    """Nothing can be done: the program or the cluster said so."""


class Engine:
    """A connection to a cluster."""

    def __init__(self, command: Command):
        self.command = command
        self.directory = working_directory(command)
        self.running: dict = {}
        # The workers get the functions themselves: they need not have this package.
        cloudpickle.register_pickle_by_value(sys.modules[__package__])
        try:
            ray.init(address=command.address, log_to_driver=False, logging_level="error")
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            raise Refused(f"{command.address}: no Ray cluster could be reached or started: {error}") from error

    def warnings(self) -> Iterator[str]:
        """What will keep tasks waiting."""
        most = max((node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]), default=0)
        if most < self.command.cpus:
            yield f"no machine of the cluster has {self.command.cpus} cores now, the largest has {most:g}: traces wait for one that has"

    def find(self, stdin: str) -> tuple[list[dict], str]:
        """The traces, and the version of the program that named them."""
        found = self.once(work.find, calls.plan(self.command), stdin, self.directory)
        if "refused" in found:
            raise Refused(found["refused"])
        return found["traces"], found["version"]

    def summarize(self) -> str:
        """Has the summary written, and gives its text."""
        return self.once(work.summarize, calls.summary(self.command), self.directory)

    def record(self, lost: list[Ended]) -> None:
        """Has what was lost recorded among the failures."""
        self.once(work.record, calls.task(self.command), [{**ended.trace, "lost": ended.lost} for ended in lost], self.directory)

    def once(self, function, *arguments):
        """Runs a function on some machine and waits for it."""
        try:
            return ray.get(self.placed(ray.remote(function)).remote(self.command.program, *arguments))
        except ray.exceptions.RayError as error:
            raise Refused(reason(error)) from error

    def placed(self, task, **options):
        """The task with what it needs and when it is tried again."""
        return task.options(
            num_cpus=self.command.cpus,
            max_retries=self.command.retries,
            # The functions raise nothing but `Died`.
            retry_exceptions=True,
            **options,
        )

    def analyse(self, traces: list[dict], version: str) -> Iterator[Ended | None]:
        """Does all traces, the largest first, and tells of each that ended; `None` where there is no news."""
        waiting = sorted(traces, key=lambda trace: trace["bytes"] or 0)
        arguments = calls.task(self.command)
        task = ray.remote(work.analyse)
        while waiting or self.running:
            while waiting and len(self.running) < WINDOW:
                trace = waiting.pop()
                placed = self.placed(task, memory=trace["memory_bytes"], name=trace["trace"])
                self.running[placed.remote(self.command.program, arguments, trace, self.directory, version)] = trace
            ended, _ = ray.wait(list(self.running), num_returns=1, timeout=TICK)
            # One is waited for; whatever else has ended by now is taken along.
            more, _ = ray.wait(list(self.running), num_returns=len(self.running), timeout=0)
            for ref in {*ended, *more}:
                yield outcome(self.running.pop(ref), ref)
            yield None

    def cancel(self) -> None:
        """Stops what runs: the workers die, and the program with them."""
        for ref in self.running:
            ray.cancel(ref, force=True)
        self.running.clear()

    def close(self) -> None:
        """Leaves the cluster, or ends the one that was started for this run."""
        ray.shutdown()


def outcome(trace: dict, ref) -> Ended:
    """What became of a task that has ended."""
    try:
        return Ended(trace, ray.get(ref), None)
    except ray.exceptions.RayError as error:
        return Ended(trace, None, reason(error))


def reason(error: Exception) -> str:
    """The reason in a line: what the task raised, or what Ray says of its death."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, Died):
        return str(cause)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
