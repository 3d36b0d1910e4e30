#!/usr/bin/env python3
"""What analysis costs by the size of a capture, as a table and a plot with log axes: `growth.py TARGET [PLOT.svg]`.

TARGET is cargo's release folder with the program and the example make_capture. Time is that of the processor, of one thread, the least of
three runs (of one above three million packets); memory is the peak. Needs 4 GB of room for temporary files. Needs matplotlib for the plot only.
"""

import os
import subprocess
import sys
import tempfile

SERIES = {
    "packets": [("bulk", n, 8, n) for n in (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000)],
    "segments in flight": [("bulk", 600_000, n, n * 16) for n in (1, 10, 100, 1_000, 6_250)],
    "connections": [("short", n * 10, 8, n) for n in (100, 1_000, 10_000, 100_000, 1_000_000)],
}


def run(program, capture, times):
    """Processor seconds, the least of so many runs, and peak kB."""
    best = None
    for _ in range(times):
        child = subprocess.Popen([program, "analyze", "--no-predict", "--threads", "1", "-qq", capture], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        assert status == 0, f"{capture}: {status}"
        time = used.ru_utime + used.ru_stime
        best = min(best, (time, used.ru_maxrss)) if best else (time, used.ru_maxrss)
    return best


def main():
    target = sys.argv[1]
    program, make = f"{target}/tcptrace-rs", f"{target}/examples/make_capture"
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        capture = f"{folder}/capture.pcap"
        for name, points in SERIES.items():
            print(f"| {name} | of packets | CPU time | a packet | peak memory |\n| --- | --- | --- | --- | --- |")
            for kind, packets, flight, size in points:
                with open(capture, "wb") as out:
                    subprocess.run([make, kind, str(packets), str(flight)], stdout=out, check=True)
                time, peak = run(program, capture, 3 if packets < 3_000_000 else 1)
                found.setdefault(name, []).append((size, time / packets * 1e9))
                print(f"| {size:,} | {packets:,} | {time:.2f} s | {time / packets * 1e9:.0f} ns | {peak / 1024:.0f} MB |", flush=True)
            print()
    if len(sys.argv) > 2:
        import matplotlib

        matplotlib.use("svg")
        from matplotlib import pyplot as plot

        plot.rcParams["svg.hashsalt"] = "growth"
        figure, axes = plot.subplots(figsize=(8, 4.5))
        for (name, points), marker in zip(found.items(), "osD"):
            axes.plot(*zip(*points), marker=marker, label=name)
        axes.set(xscale="log", xlabel="how many", ylabel="CPU time a packet (ns)", title="Cost of a packet by the size of a capture")
        axes.set_ylim(bottom=0)
        axes.legend()
        axes.grid(alpha=0.3)
        figure.savefig(sys.argv[2], bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
