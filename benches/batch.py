#!/usr/bin/env python3
"""How many captures `batch` does a second: `batch.py TARGET [-n CAPTURES] [-r RUNS] [-j JOBS...] [CAPTURES_DIR]`.

TARGET is cargo's release folder with the program and the example make_capture. Without a folder of captures it makes 1,000 of 100 short
connections each (`make_capture short 1000`), in which addresses and times differ. One run for each number of jobs, then again, in alternation;
told are the median of the wall and of the processor's time, and the peak of memory. The datasets are compared byte for byte. Predictions are
off: they take as long as they are given (`--predict-draws`).
"""

import argparse
import filecmp
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time

# What make_capture writes: pcap in nanoseconds, Ethernet, IPv4, one server.
SERVER = bytes([10, 1, 0, 1])
HEADER, RECORD, SOURCE, DESTINATION = 24, 16, 26, 30


def make(program, folder, count):
    """Captures of which no two are alike."""
    os.makedirs(folder, exist_ok=True)
    capture = subprocess.run([program, "short", "1000"], stdout=subprocess.PIPE, check=True).stdout
    records, at = [], HEADER
    while at < len(capture):
        seconds, _, captured, _ = struct.unpack_from("<IIII", capture, at)
        frame = at + RECORD
        client = frame + (DESTINATION if capture[frame + SOURCE : frame + SOURCE + 4] == SERVER else SOURCE)
        records.append((at, seconds, client))
        at = frame + captured
    for number in range(count):
        own = bytearray(capture)
        client = struct.pack(">I", 0x0A200000 + number)
        for at, seconds, place in records:
            struct.pack_into("<I", own, at, seconds + number)
            own[place : place + 4] = client
        below = f"{folder}/host{number % 10}"
        os.makedirs(below, exist_ok=True)
        with open(f"{below}/{number:06}.pcap", "wb") as out:
            out.write(own)


def run(command):
    """Wall and processor seconds, and peak kB."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    # 2: some captures are broken.
    if code not in (0, 2):
        sys.exit(f"{command}: exit code {code}")
    return time.monotonic() - begin, used.ru_utime, used.ru_stime, used.ru_maxrss


def files(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("target")
    parser.add_argument("captures", nargs="?")
    parser.add_argument("-n", type=int, default=1000)
    parser.add_argument("-r", "--runs", type=int, default=3)
    parser.add_argument("-j", "--jobs", type=int, nargs="*", default=[1, 2])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        captures = args.captures or f"{folder}/captures"
        if not args.captures:
            make(f"{args.target}/examples/make_capture", captures, args.n)
        found = {jobs: [] for jobs in args.jobs}
        # Each into a folder of its own: for half a minute after files were removed, ext4 makes new ones much more slowly (`recently_deleted`).
        for number in range(args.runs):
            for jobs in args.jobs:
                out = f"{folder}/{number}/jobs{jobs}"
                command = [f"{args.target}/tcptrace-rs", "batch", captures, "--out", out, "--no-predict", "--jobs", str(jobs)]
                found[jobs].append(run(command))
        first = f"{folder}/0/jobs{args.jobs[0]}"
        names = files(first)
        done = sum(name.startswith("_done/") for name in names)
        print("| jobs | wall | captures a second | user | system | peak memory |\n| --- | --- | --- | --- | --- | --- |")
        for jobs, runs in found.items():
            wall, user, system, peak = (statistics.median(column) for column in zip(*runs))
            print(f"| {jobs} | {wall:.2f} s | {done / wall:.0f} | {user:.2f} s | {system:.2f} s | {peak / 1024:.0f} MB |")
            other = f"{folder}/0/jobs{jobs}"
            _, differ, missing = filecmp.cmpfiles(first, other, names, shallow=False)
            assert files(other) == names and not differ and not missing, f"jobs {jobs}: other bytes"
        size = sum(os.path.getsize(f"{first}/{name}") for name in names)
        print(f"{done} captures, {len(names)} files, {size:,} bytes, the same for each number of jobs")


if __name__ == "__main__":
    main()
