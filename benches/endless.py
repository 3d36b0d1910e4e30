#!/usr/bin/env python3
"""An endless capture in a pipe: `endless.py TARGET [SECONDS]`, 600 seconds unless told otherwise.

TARGET is cargo's release folder with the program and the example make_capture, which writes 1,000 connections a second of the
capture's time as fast as they are read. Tells the memory every tenth of the time, then stops the program with Ctrl-C; fails unless that
gives a report and exit code 0, and unless memory is flat, within a fifth, once the first connections are forgotten (4 minutes after their end).
"""

import signal
import subprocess
import sys
import time


def resident(pid):
    """MB of a process."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def main():
    target, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 600.0
    writer = [f"{target}/examples/make_capture", "steady", str(10**15)]
    make = subprocess.Popen(writer, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    command = [f"{target}/tcptrace-rs", "analyze", "--no-predict", "-qq", "--report-every", "10s", "--top", "1", "-"]
    program = subprocess.Popen(command, stdin=make.stdout, stdout=subprocess.PIPE, text=True)
    make.stdout.close()
    begun, told, periods, sizes = time.monotonic(), 0, 0, []
    for line in program.stdout:
        periods += 1
        passed = time.monotonic() - begun
        if passed >= told * seconds / 10:
            sizes.append(resident(program.pid))
            print(f"{passed:6.0f} s  {periods * 10:9,} s of the capture  {sizes[-1]:6.1f} MB", flush=True)
            told += 1
        if passed >= seconds:
            break
    program.send_signal(signal.SIGINT)
    rest = program.stdout.read()
    code = program.wait()
    make.kill()
    make.wait()
    summed_up = next(line for line in rest.splitlines() if "connections, most payload" in line)
    print(f"exit code {code}: {summed_up}")
    # The first three may be from before anything is forgotten; later the hash table doubles once, when places of what was removed fill it.
    settled = sizes[3:]
    assert code == 0 and max(settled) < 1.2 * min(settled), "memory is not flat"


if __name__ == "__main__":
    main()
