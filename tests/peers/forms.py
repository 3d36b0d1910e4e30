#!/usr/bin/env python3
"""`predict` beside the closed forms, set by set, on measured single flows.

    python3 tests/peers/forms.py BENCH.csv --bin target/release/tcptrace-rs

BENCH.csv has the columns set, stack, cc, rate_mbps, rtt_ms, loss, loss_dir, buf_pkts, mss, dur_s, xfer_mb, flows, value_mbps. Each form is
capped at the rate and at the receive window over the RTT, as its users do; where a row has no loss it says the cap. Printed is the
median error of each. Rows without a rate have the best of their set (300 Mbit/s for `somers`); those of `losstol-a` a window that gives it instead,
with --link a link too. The sets `rebbr` were measured on the link, before
the loss: with headers, what was lost behind it and what was sent again for nothing. What is said is turned into the same; with --goodput only
what was lost is taken off what was measured. Standard library only."""
import argparse, csv, json, math, subprocess
from collections import defaultdict

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("bench")
parser.add_argument("--bin", default="target/release/tcptrace-rs")
parser.add_argument("--max-loss", type=float, default=0.2)
parser.add_argument("--link", action="store_true", help="losstol-a had a slow link, not a small window")
parser.add_argument("--goodput", action="store_true", help="hold goodput against what was measured less the loss, and tell CUBIC and BBR apart")
args = parser.parse_args()

# IPv4 and TCP with timestamps.
HEADER = 52


def pftk(p, rtt, b, timeout=0.25, most=1e9):
    """Packets a second (Padhye et al. 1998, equation 31)."""
    c = (2 + b) / (3 * b)
    w = c + math.sqrt(8 * (1 - p) / (3 * b * p) + c * c)
    q = min(1, (1 - (1 - p) ** 3) * (1 + (1 - p) ** 3 * (1 - (1 - p) ** (w - 3))) / (1 - (1 - p) ** w)) if w > 3 else 1
    g = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    return ((1 - p) / p + w + q / (1 - p)) / (rtt * (b * w / 2 + 1) + q * g * timeout / (1 - p))


FORMS = {
    "Mathis 0.93": lambda p, r, cap: 0.93 / math.sqrt(p) / r,
    "Mathis 1.22": lambda p, r, cap: 1.22 / math.sqrt(p) / r,
    "PFTK b 2": lambda p, r, cap: pftk(p, r, 2),
    "PFTK b 1": lambda p, r, cap: pftk(p, r, 1),
    "RFC 9438": lambda p, r, cap: max(1.2 / math.sqrt(p), 1.054 * (r / p) ** 0.75) / r,
    "C (1 - p)": lambda p, r, cap: cap * (1 - p),
}


def command(row):
    """The command for a row, and the name of its algorithm there."""
    stack, cc, hz = row["stack"].lower(), row["cc"], None
    sender = "linux-4" if stack.startswith("linux4") else "linux-6"
    if "freebsd" in stack:
        sender = "freebsd-14"
        if cc.startswith("cubic-"):
            _, kind, clock = cc.split("-")
            cc, hz, sender = "cubic", clock[2:], "freebsd-15" if kind == "patched" else sender
        elif cc == "rack":
            cc, sender = "cubic", "freebsd-14-rack"
    cc = {"newreno": "reno"}.get(cc, cc)
    loss = f"{float(row['loss'] or 0) * 100:.8f}%"
    out = [args.bin, "predict", "--format", "json", "--sender", sender, "--cc", cc, "--rtt", row["rtt_ms"] + "ms", "--rate", row["rate_mbps"] + "mbit", "--loss", loss]
    out += ["--hz", hz] if hz else []
    if row["buf_pkts"]:
        out += ["--buffer", "unlimited" if row["buf_pkts"] == "inf" else str(int(float(row["buf_pkts"]) * (int(row["mss"] or 1448) + HEADER)))]
    out += ["--rwnd", str(row["window"])] if "window" in row else []
    out += ["--duration", row["dur_s"] + "s"] if row["dur_s"] else []
    out += ["--bytes", str(int(float(row["xfer_mb"]) * 1e6))] if row["xfer_mb"] else []
    out += ["--ack-loss", loss] if row["loss_dir"] == "both" else []
    return out + (["--flows", row["flows"]] if row["flows"] not in ("", "1") else []), cc


rows = [row for row in csv.DictReader(open(args.bench)) if row["value_mbps"] and row["rtt_ms"] and float(row["loss"] or 0) <= args.max_loss]
best = defaultdict(float)
for row in rows:
    best[row["set"]] = max(best[row["set"]], float(row["value_mbps"]))
errors, known = defaultdict(lambda: defaultdict(list)), {}
for row in rows:
    if row["set"] == "losstol-a" and not args.link:
        row["window"] = int(best[row["set"]] * 1e6 / 8 * float(row["rtt_ms"]) / 1e3)
        row["rate_mbps"] = "1000"
    row["rate_mbps"] = row["rate_mbps"] or ("300" if row["set"] == "somers" else f"{best[row['set']] * 1.04:.3f}")
    p, rtt, mss = float(row["loss"] or 0), float(row["rtt_ms"]) / 1e3, int(row["mss"] or 1448)
    on_link = row["set"].startswith("rebbr")
    truth = float(row["value_mbps"]) * 1e6 * ((1 - p) if on_link else 1)
    rate = float(row["rate_mbps"]) * 1e6
    window = row.get("window", (2 if "freebsd" in row["stack"].lower() else 4) * 1024 * 1024)
    cap = min(rate * mss / (mss + HEADER), window * 8 / rtt) / 8 / mss
    line, cc = command(row)
    if tuple(line) not in known:
        found = json.loads(subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout)["predictions"]
        known[tuple(line)] = {x["cc"]: (x["goodput_p50_bps"], x["retransmit_rate"]) for x in found}[cc]
    goodput, again = known[tuple(line)]
    said = {"predict": goodput}
    said.update({name: min(form(p, rtt, cap), cap) * 8 * mss if p else cap * 8 * mss for name, form in FORMS.items()})
    if on_link and not args.goodput:
        said = {name: value * (mss + HEADER) / mss for name, value in said.items()}
        # Of what arrives, what did not need to be sent again.
        said["predict"] *= (1 - p) / (1 - again)
    groups = [row["set"], "all"]
    if truth < 0.8 * min(rate, window * 8 / rtt):
        kind = row["cc"].split("-")[0]
        groups += ["informative"] + ([f"informative, {kind.upper()}"] if args.goodput and kind in ("cubic", "bbr") else [])
    for group in groups:
        for name, value in said.items():
            errors[group][name].append(abs(value - truth) / truth)


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def share(value):
    return f"{100 * value:.{1 if value < 0.1 else 0}f} %"


names = ["predict", *FORMS]
print("| rows | n | " + " | ".join(names) + " |\n| --- | --- |" + " --- |" * len(names))
for group in sorted(errors, key=lambda g: (g == "all", g.startswith("informative"), g)):
    of = errors[group]
    print(f"| {group} | {len(of['predict'])} | " + " | ".join(f"{share(median(of[name]))}" for name in names) + " |")
