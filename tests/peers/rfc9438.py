"""The windows of RFC 9438, tables 1 to 3, beside what `predict --deterministic-loss` gives.

    python3 tests/peers/rfc9438.py [--bin target/release/tcptrace-rs] [--cycles 600]

Windows in segments of 1500 bytes. The columns of Reno and HighSpeed are RFC 3649's (tables 1 and 3). A run lasts so many
cycles from loss to loss, of which slow start is a part: with few of them CUBIC comes out high. Takes five minutes.
"""

import argparse
import json
import subprocess

# Loss: windows of reno, highspeed and cubic (C = 0.4) at 100 ms (table 1), and of cubic at 10 ms (table 2).
LOSSES = {
    1e-2: (12, 12, 12, 12),
    1e-3: (38, 38, 38, 38),
    1e-4: (120, 263, 187, 120),
    1e-5: (379, 1795, 1054, 379),
    1e-6: (1200, 12280, 5926, 1200),
    1e-7: (3795, 83981, 33325, 5926),
    1e-8: (12000, 574356, 187400, 33325),
}
# Window: the loss at which reno, highspeed and cubic reach it at 100 ms (table 3).
WINDOWS = {
    8.3: (2.0e-2, 2.0e-2, 2.0e-2),
    83.3: (2.0e-4, 3.9e-4, 2.9e-4),
    833.3: (2.0e-6, 2.5e-5, 1.4e-5),
    8333.3: (2.0e-8, 1.5e-6, 6.3e-7),
    83333.3: (2.0e-10, 1.0e-7, 2.9e-8),
}
# RFC 3649's functions stay as they are above 83,000 segments (its table goes on), and more batches than are worth the time.
LARGEST = {"highspeed": 100_000}
LEAST_LOSS = 1e-9


def rows():
    for loss, windows in LOSSES.items():
        for cc, rtt, window in zip(("reno", "highspeed", "cubic", "cubic"), (100, 100, 100, 10), windows):
            yield cc, rtt, loss, window
    for window, losses in WINDOWS.items():
        for cc, loss in zip(("reno", "highspeed", "cubic"), losses):
            yield cc, 100, loss, window


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", default="target/release/tcptrace-rs")
    words.add_argument("--cycles", type=int, default=600)
    options = words.parse_args()
    print(f"{'algorithm':<10}{'RTT':>7}{'loss':>9}{'RFC':>10}{'predict':>10}{'apart':>8}")
    for cc, rtt, loss, window in rows():
        if window > LARGEST.get(cc, float("inf")) or loss < LEAST_LOSS:
            continue
        cycle = rtt / 1e3 / (loss * window)
        command = [
            options.bin, "predict", "--deterministic-loss", "--cc", cc, "--mss", "1500", "--rtt", f"{rtt}ms",
            "--rate", "10000gbit", "--loss", f"{loss * 100:.10f}%", "--format", "json",
            "--duration", f"{max(options.cycles * cycle, 1000):.0f}s",
        ]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        got = found["predictions"][0]["goodput_p50_bps"] / 8 / 1500 * rtt / 1e3
        print(f"{cc:<10}{rtt:>4} ms{loss:>9.1e}{window:>10}{got:>10.1f}{(got / window - 1) * 100:>+7.1f} %", flush=True)


if __name__ == "__main__":
    main()
