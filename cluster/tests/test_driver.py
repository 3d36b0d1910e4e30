"""What needs no Ray: the command line, the calls of the program, outcomes, counts, progress."""

import contextlib
import io
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from tcptrace_cluster import calls, child, work
from tcptrace_cluster.arguments import parse
from tcptrace_cluster.ended import Ended
from tcptrace_cluster.notices import Notices
from tcptrace_cluster.progress import Progress, clock, printable, size
from tcptrace_cluster.tally import Tally

TRACE = {"trace": "web1/eth0.pcap", "files": [], "bytes": 1_500, "memory_bytes": None}


def refused(*arguments: str) -> str:
    """What is said of a command line that makes no sense."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            parse(list(arguments), {})
    except SystemExit as end:
        assert end.code == 2, end.code
        return said.getvalue()
    raise AssertionError(f"{arguments} was taken")


def fake(folder: str, script: str) -> str:
    """A program that does what the script says when it is told to `batch`."""
    path = Path(folder) / "program"
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo tcptrace-rs 1.2.3 && exit\n{script}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


class CommandLine(unittest.TestCase):
    def test_options_of_batch_go_to_plan_and_task_but_not_inputs(self):
        command = parse(["/in", "@/list", "--out", "/set", "--root", "/", "--cpus", "2", "--", "--filter", "port 80", "--"], {})
        self.assertEqual(
            calls.plan(command),
            ["batch", "/in", "@/list", "--root", "/", "--plan", "--out", "/set", "--jobs", "2", "--log", "json", "--filter", "port 80", "--"],
        )
        self.assertEqual(calls.task(command), ["batch", "--task", "-", "--out", "/set", "--jobs", "2", "--log", "json", "--filter", "port 80", "--"])
        self.assertEqual(calls.summary(command), ["batch", "--summarize", "--out", "/set"])

    def test_relative_paths_are_for_this_machine_only(self):
        self.assertTrue(parse(["in", "--out", "set"], {}).is_local)
        for arguments in (["in", "--out", "/set"], ["/in", "--out", "set"], ["@in", "--out", "/set"], ["/in", "--out", "/set", "--root", "in"]):
            self.assertIn("absolute", refused(*arguments, "--address", "ray://head:10001"))
        taken = parse(["/in", "@/list", "-", "s3://bucket/in", "--out", "/set"], {"RAY_ADDRESS": "head:6379"})
        self.assertEqual((taken.address, taken.is_local), ("head:6379", False))

    def test_numbers_and_what_is_missing(self):
        self.assertIn("whole number from 1 on", refused("in", "--out", "set", "--cpus", "0"))
        self.assertIn("--out", refused("in"))
        self.assertIn("INPUT", refused("--out", "set"))


class Outcomes(unittest.TestCase):
    def analyse(self, script: str, wanted: str = "tcptrace-rs 1.2.3") -> dict:
        with tempfile.TemporaryDirectory() as folder:
            return work.analyse(fake(folder, script), ["batch"], TRACE, folder, wanted)

    def test_a_line_on_the_trace_is_an_answer_whatever_the_code(self):
        line = '{"trace": "web1/eth0.pcap", "status": "failed", "failures": []}'
        said = self.analyse(f"grep -q '\"web1/eth0.pcap\"' || exit 9; echo noise >&2; echo '{line}' >&2; exit 2")
        self.assertEqual((said["status"], said["host"]), ("failed", child.host()))

    def test_without_a_line_it_died_and_is_tried_again(self):
        for script, reason in (("echo 'error: disk full' >&2; exit 2", "exit code 2: error: disk full"), ("kill -SEGV $$", "killed by signal 11")):
            with self.assertRaisesRegex(child.Died, reason):
                self.analyse(script)

    def test_another_version_writes_nothing(self):
        with self.assertRaisesRegex(child.Died, "has tcptrace-rs 1.2.3, but the traces were planned by tcptrace-rs 1.2.2"):
            self.analyse("touch written", "tcptrace-rs 1.2.2")

    def test_a_missing_program_is_named(self):
        with self.assertRaisesRegex(child.Died, "has no program /no/such"):
            child.version("/no/such", "/")

    def test_what_was_lost_is_told_to_the_program_with_its_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            program = fake(folder, "cat > told; echo '1 traces: 1 done, 0 done before, 1 failed'; exit 2")
            work.record(program, ["batch"], [{**TRACE, "lost": "the node died"}, TRACE], folder)
            told = [json.loads(line) for line in (Path(folder) / "told").read_text().splitlines()]
            self.assertEqual(told, [{**TRACE, "lost": "the node died"}, TRACE])
            with self.assertRaisesRegex(child.Died, "the record of lost traces"):
                work.record(fake(folder, "exit 2"), ["batch"], [TRACE], folder)

    def test_a_plan_is_refused_or_has_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(work.find(fake(folder, "echo 'error: no' >&2; exit 2"), ["batch"], "", folder), {"refused": "error: no"})
            found = work.find(fake(folder, "cat"), ["batch"], '{"trace": "a"}\n', folder)
            self.assertEqual(found, {"version": "tcptrace-rs 1.2.3", "traces": [{"trace": "a"}]})

    @unittest.skipUnless(child.leash(), "needs setpriv of util-linux")
    def test_the_program_dies_with_its_worker(self):
        with tempfile.TemporaryDirectory() as folder:
            program = fake(folder, "echo $$ > number; exec sleep 600")
            code = f"from tcptrace_cluster import child; child.run({program!r}, [], '', {folder!r})"
            worker = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": sys.path[0]})
            number = Path(folder) / "number"
            self.wait(lambda: number.exists() and number.read_text())
            worker.send_signal(signal.SIGKILL)
            worker.wait()
            self.wait(lambda: self.is_gone(int(number.read_text())))

    def wait(self, holds) -> None:
        limit = time.monotonic() + 30
        while not holds():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)

    def is_gone(self, number: int) -> bool:
        try:
            return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True


class Telling(unittest.TestCase):
    def ended(self, status: str, failures: list | None = None) -> Ended:
        return Ended(TRACE, {"trace": TRACE["trace"], "status": status, "failures": failures or []}, None)

    def test_counts_and_exit_codes(self):
        tally = Tally(traces=4, bytes=6_000)
        tally.take(self.ended("done"))
        tally.take(self.ended("skipped"))
        self.assertEqual(tally.exit_code, 0)
        tally.take(self.ended("failed"))
        self.assertEqual(tally.exit_code, 2)
        tally.take(Ended(TRACE, None, "the node died"))
        self.assertEqual(tally.text(), "4 traces: 1 done, 1 done before, 1 failed, 1 lost")
        self.assertEqual((tally.ended, tally.bytes_ended), (4, 6_000))
        lost = Tally(traces=1, bytes=0)
        lost.take(Ended(TRACE, None, "the node died"))
        self.assertEqual(lost.exit_code, 2)

    def test_failures_are_told_without_control_characters(self):
        stream = io.StringIO()
        progress = Progress(Tally(traces=2, bytes=0), log_json=False, quiet=False, stream=stream)
        progress.ended(self.ended("failed", [{"file": "a.pcap", "reason": "cut \x1b[2J here"}]))
        progress.ended(Ended(TRACE, None, "the node died"))
        self.assertEqual(stream.getvalue(), "error: a.pcap: cut \\x1b[2J here\nerror: web1/eth0.pcap: lost: the node died\n")

    def test_progress_says_what_is_left(self):
        tally = Tally(traces=4, bytes=6_000)
        tally.take(self.ended("done"))
        progress = Progress(tally, log_json=False, quiet=False, stream=io.StringIO())
        # 1,500 bytes in 3 s are 500 a second, and 4,500 are left.
        self.assertEqual(progress.state(progress.since + 3), "1 of 4 traces, 1.5 kB of 6 kB, 500 B/s, ETA 0:09")
        self.assertEqual((size(2.5e13), clock(3_725)), ("25 TB", "1:02:05"))

    def test_ray_speaks_without_colours(self):
        stream = io.StringIO()
        print("\x1b[33m(raylet)\x1b[0m Task failed", file=Notices(stream))
        self.assertEqual(stream.getvalue(), "(raylet) Task failed\n")
        self.assertEqual(printable("naïve\n"), "naïve\\n")


if __name__ == "__main__":
    unittest.main()
