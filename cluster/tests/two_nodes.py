"""A cluster of two nodes on this machine loses a worker and then a node, and makes the dataset of a run without a cluster.

    python cluster/tests/two_nodes.py target/release/tcptrace-rs [FOLDER]

needs Linux and the package's requirements (`pip install ./cluster`). Everything is made in FOLDER, by default a temporary one.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ray.cluster_utils import Cluster

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = [
    "small/base.pcap",
    "small/cut.pcap",
    "small/drop.pcap",
    "small/reuse.pcap",
    "small/s4_receiver_fastrtx.pcap",
    "link/vxlan.pcap",
    "real/tail-bursts-loss4-cubic.snd.pcapng",
    "check/ns3-loss3-rtt54-reno.snd.pcap.zst",
    "fleet/synloss-cubic.snd.pcap.zst",
    "fleet/rwnd-64k-cubic.snd.pcap.zst",
]
HOSTS = 20
TRACES = HOSTS * len(FIXTURES)
# Each host has one that is cut.
FAILED = HOSTS
OPTIONS = ["--no-predict"]
PATIENCE = 120.0
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "cluster/src")}


def main() -> None:
    program = Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        run(str(program), Path(sys.argv[2]).resolve())
    else:
        with tempfile.TemporaryDirectory() as folder:
            run(str(program), Path(folder))


def run(program: str, folder: Path) -> None:
    captures, alone, together = folder / "captures", folder / "alone", folder / "together"
    for host in range(HOSTS):
        for fixture in FIXTURES:
            place = captures / f"web{host:02}" / Path(fixture).name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "fixtures" / fixture, place)
    since = time.monotonic()
    ran = subprocess.run([program, "batch", captures, "--out", alone, *OPTIONS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    expect(ran.returncode == 2, f"the run alone ended with {ran.returncode}")
    tell(f"alone: {TRACES} captures in {time.monotonic() - since:.1f} s")

    # The port of the agent is said since `ray://` asks for one that is known beforehand.
    head = {"num_cpus": 2, "ray_client_server_port": 23_999, "runtime_env_agent_port": 23_998}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        second = cluster.add_node(num_cpus=2)
        since = time.monotonic()
        driver = start(program, captures, together)
        await_done(together, TRACES // 5, driver)
        kill_worker(program, together)
        await_done(together, TRACES // 2, driver)
        cluster.remove_node(second, allow_graceful=False)
        tell(f"node killed, {done(together)} traces were done")
        stdout, stderr = driver.communicate(timeout=600)
    finally:
        cluster.shutdown()
    tell(f"cluster: exit code {driver.returncode} after {time.monotonic() - since:.1f} s: {stdout.splitlines()[0] if stdout else stderr}")
    expect(driver.returncode == 2, "the captures that are cut make it 2")
    said = [json.loads(line) for line in stderr.splitlines() if line.startswith("{")]
    expect(len({line["trace"] for line in said}) == len(said) == TRACES, f"a line for each trace, not {len(said)}")
    expect(sum(line["status"] == "failed" for line in said) == FAILED, f"{FAILED} failures")
    # One that is killed after its record was written is found done by the next try.
    expect(all(line["status"] in ("done", "failed", "skipped") for line in said), "none was lost")
    compare(content(alone), content(together))
    lose(program, captures / "web00", folder)


def lose(program: str, captures: Path, folder: Path) -> None:
    """One capture kills whatever runs it: it is recorded as lost, and the next run, with a program that lives, does it."""
    deadly, out, alone = folder / "deadly", folder / "lost", folder / "whole"
    deadly.write_text(f"""#!/bin/sh
case "$*" in *--task*) ;; *) exec "{program}" "$@" ;; esac
task=$(cat)
case "$task" in *\'"lost"\'*) ;; *{FIXTURES[0].rpartition("/")[2]}*) kill -KILL $$ ;; esac
printf "%s\\n" "$task" | "{program}" "$@"
""")
    deadly.chmod(0o755)
    ran = subprocess.run(command_line(str(deadly), captures, out, "--retries", "1"), env=ENVIRONMENT, capture_output=True, text=True, check=False)
    said = ran.stdout.splitlines()[0] if ran.stdout else ran.stderr
    expect(ran.returncode == 2 and said.endswith(f"{len(FIXTURES)} traces: {len(FIXTURES) - 2} done, 0 done before, 1 failed, 1 lost"), said)
    failures = {one["source"]: one for one in json.loads((out / "summary.json").read_text())["failures"]}
    expect(failures["base.pcap"]["kind"] == "lost", str(failures))
    tell(f"lost, and recorded: {failures['base.pcap']['reason']}")
    for place in (out, alone):
        subprocess.run([program, "batch", captures, "--out", place, *OPTIONS], capture_output=True, check=False)
    compare(content(alone), content(out), len(FIXTURES))


def command_line(program: str, captures: Path, out: Path, *more: str) -> list:
    """The driver's command line; it alone has the package."""
    command = [sys.executable, "-m", "tcptrace_cluster", *more, captures, "--out", out]
    return [*command, "--program", program, "--log", "json", "--", *OPTIONS]


def start(program: str, captures: Path, out: Path) -> subprocess.Popen:
    """The driver, through `ray://`."""
    command = command_line(program, captures, out, "--address", "ray://127.0.0.1:23999")
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill_worker(program: str, dataset: Path) -> None:
    """Kills a worker in the middle of a trace: its program is halted first, so that it cannot end before."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        for child in map(int, filter(str.isdigit, os.listdir("/proc"))):
            words, _, parent = process(child)
            worker = process(parent)[0][0]
            if words[:2] != [program, "batch"] or "--task" not in words or not worker.startswith("ray::"):
                continue
            try:
                os.kill(child, signal.SIGSTOP)
            except ProcessLookupError:
                continue
            time.sleep(0.05)
            if process(child)[1] != "T":
                continue
            os.kill(parent, signal.SIGKILL)
            tell(f"worker killed in the middle of a trace ({worker}), {done(dataset)} traces were done")
            while process(child)[1] not in ("", "Z"):
                expect(time.monotonic() < limit, "the program outlived its worker")
                time.sleep(0.05)
            tell("its program died with it")
            return
        time.sleep(0.002)
    expect(False, "no worker was found at work")


def process(number: int) -> tuple[list[str], str, int]:
    """The command line of a process, its state and its parent; empty if there is none."""
    try:
        words = Path(f"/proc/{number}/cmdline").read_text().split("\0")
        state, parent = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[:2]
        return words, state, int(parent)
    except (FileNotFoundError, ProcessLookupError):
        return [""], "", 0


def done(dataset: Path) -> int:
    """Traces that have a record."""
    return len(list(dataset.glob("_done/*.json")))


def await_done(dataset: Path, traces: int, driver: subprocess.Popen) -> None:
    limit = time.monotonic() + PATIENCE
    while done(dataset) < traces:
        expect(driver.poll() is None, f"the driver has ended: {driver.poll()}")
        expect(time.monotonic() < limit, f"{done(dataset)} traces after {PATIENCE} s")
        time.sleep(0.02)
    expect(done(dataset) < TRACES, "all was done before anything was killed")


def content(dataset: Path) -> dict[str, str]:
    """Every file of a dataset with the hash of its bytes."""
    files = [path for path in dataset.rglob("*") if path.is_file()]
    return {str(path.relative_to(dataset)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def compare(alone: dict[str, str], together: dict[str, str], traces: int = TRACES) -> None:
    differ = sorted(name for name in alone.keys() | together.keys() if alone.get(name) != together.get(name))
    expect(not differ, f"{len(differ)} files differ: {differ[:10]}")
    expect(len([name for name in alone if name.startswith("_done/")]) == traces, "a record for each trace")
    tell(f"{len(alone)} files in each dataset, byte for byte the same")


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(f"FAILED: {otherwise}")


def tell(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
