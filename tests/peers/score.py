#!/usr/bin/env python3
"""Scores what tshark and tcptrace say of the same captures by the same truth as the verdicts of this program.

    python3 tests/peers/score.py FOLDER [--bin target/release/tcptrace-rs] [--side snd|rcv|mid] [--only TEXT]
    python3 tests/peers/score.py FOLDER --bin target/release/tcptrace-rs --reliability

FOLDER has NAME.json, the truth of a run, and captures/NAME.SIDE.pcap[ng][.zst] (docs/accuracy.md says what they are). Needs tshark and
tcptrace (both in Debian) and, for compressed captures, zstd. Prints the table in docs/accuracy.md: one row a program and side.

tshark names frames. Its words mean: retransmission, fast_retransmission: sent again and needed; spurious_retransmission: sent again
without need; out_of_order: late. A frame is held against the packets of the truth whose bytes it has, at the nearest time within
two seconds, as this program's verdicts are. tcptrace names no frames but counts: its `rexmt data pkts` and `outoforder pkts` are held
against the packets that were sent again (as far as the tap saw them) and those that were late; what can be told is how far the sums
are off, not which packet it means, so its share right is an upper bound.

With --reliability, how often this program's verdicts are right, by the confidence that they were given: in all runs, and in those where DSACK,
SACK or timestamps are off. Only this program runs then."""

import argparse
import bisect
import collections
import glob
import json
import os
import re
import subprocess
import tempfile

WORDS = ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
MEANS = {"retransmission": "lost", "fast_retransmission": "lost", "spurious_retransmission": "spurious", "out_of_order": "reordered"}
RIGHT = {"needed": ("lost",), "spurious": ("spurious",), "partial": ("lost", "spurious"), "reordered": ("reordered",)}
NEAR = 2_000_000_000


def plain(path, folder):
    """The capture, decompressed."""
    if not path.endswith(".zst"):
        return path
    out = os.path.join(folder, os.path.basename(path)[:-4])
    subprocess.run(["zstd", "-dqf", path, "-o", out], check=True)
    return out


def facts(truth, side):
    """What the tap can have seen: flow, moment (negative: not before), first and last byte, what it was."""
    tap = side in ("mid", "pre")
    at = truth["retransmissions_columns"].index(f"t_{side}_us") if tap else 10
    base = 1 if truth.get("capture_from_ms") is None else 0
    found, again = [], set()
    for row in truth["retransmissions"]:
        flow, seq, length, what = row[1], row[2], row[3], row[5]
        again.add((flow, seq))
        passed = row[0] if side == "snd" else row[at] if len(row) > at and row[at] >= 0 else None
        if length and side == "rcv" and row[8] and passed is None:
            # It arrived, but when is not on record: the first that is said of its bytes after it was sent.
            found.append((flow, -row[0] * 1000, seq - base, seq - base + length, what))
        elif length and passed is not None and (side != "rcv" or row[8]):
            found.append((flow, passed * 1000, seq - base, seq - base + length, what))
    if side != "snd":
        late = truth[f"reordered_{side}"] if tap else truth["reordered"]
        at = truth[f"reordered_{side}_columns"].index(f"t_{side}_us") if tap else 4
        for row in late:
            if row[3]:
                # Of two copies of the same bytes either may rightly be called late.
                what = "either" if (row[1], row[2]) in again else "reordered"
                found.append((row[1], row[at] * 1000, row[2] - base, row[2] - base + row[3], what))
    return found


def tshark(path, ports, start):
    """What it calls data packets: port of the sender to moment, first and last byte, word."""
    fields = ["frame.time_epoch", "tcp.srcport", "tcp.seq", "tcp.len"] + [f"tcp.analysis.{word}" for word in WORDS]
    asked = [part for field in fields for part in ("-e", field)]
    out = subprocess.run(["tshark", "-r", path, "-Y", "tcp.len > 0", "-T", "fields", *asked], capture_output=True, text=True, check=True)
    said = collections.defaultdict(list)
    for line in out.stdout.splitlines():
        stamp, port, seq, length, *words = line.split("\t")
        port = int(port)
        called = [word for word, set_ in zip(WORDS, words) if set_]
        if port in ports and called:
            # A fast or spurious retransmission is flagged as a retransmission as well: the more exact word counts.
            word = MEANS[called[-1] if called[0] == "retransmission" else called[0]]
            seconds, _, nanos = stamp.partition(".")
            moment = int(seconds) * 10**9 + int(nanos.ljust(9, "0")[:9]) - start
            said[port].append([moment, int(seq) - 1, int(seq) - 1 + int(length), word, False])
    return said


def nearest(rows, moments, moment, begin, end):
    """The row of these bytes that is nearest in time; both lists are in its order."""
    if moment < 0:
        for place in range(bisect.bisect_left(moments, -moment), len(rows)):
            if moments[place] + moment >= 5 * NEAR:
                break
            if rows[place][1] < end and begin < rows[place][2] and not rows[place][4]:
                return rows[place]
        return None
    at = bisect.bisect_left(moments, moment)
    best = None
    for way in (range(at, len(rows)), range(at - 1, -1, -1)):
        for place in way:
            distance = abs(moments[place] - moment)
            if distance >= NEAR or (best is not None and distance >= abs(best[0] - moment)):
                break
            if rows[place][1] < end and begin < rows[place][2]:
                best = rows[place]
                break
    return best


def judge(truth, said, side):
    """Packets judged and judged rightly, and for each class truth, hits and claims."""
    port = {flow["flow"]: flow["port"] for flow in truth["flows"]}
    classes = collections.Counter()
    judged = right = 0
    for rows in said.values():
        rows.sort(key=lambda row: row[0])
    moments = {sender: [row[0] for row in rows] for sender, rows in said.items()}
    for flow, moment, begin, end, what in facts(truth, side):
        judged += what != "either"
        classes["n", what] += 1
        sender = port[flow]
        best = nearest(said.get(sender, []), moments.get(sender, []), moment, begin, end)
        if best is None:
            continue
        best[4] = True
        if what == "either":
            continue
        right += best[3] in RIGHT[what]
        if what != "partial":
            classes["said", best[3]] += 1
            classes["hit", what] += best[3] in RIGHT[what]
    for rows in said.values():
        for row in rows:
            if not row[4] and (row[3] != "reordered" or side != "snd"):
                judged += 1
                classes["said", row[3]] += 1
    return judged, right, classes


def reliability(truth, said, side):
    """Confidence and whether it was right, for each verdict but undecided, and those of which the truth is either."""
    port = {flow["flow"]: flow["port"] for flow in truth["flows"]}
    for rows in said.values():
        rows.sort(key=lambda row: row[0])
    moments = {sender: [row[0] for row in rows] for sender, rows in said.items()}
    meant = collections.defaultdict(set)
    for flow, moment, begin, end, what in facts(truth, side):
        best = nearest(said.get(port[flow], []), moments.get(port[flow], []), moment, begin, end)
        if best is not None:
            best[4] = True
            meant[id(best)].add(what)
    for rows in said.values():
        for row in rows:
            what = meant[id(row)]
            if row[3] == "undecided" or ("either" in what and row[3] != "reordered"):
                continue
            yield row[5], "either" in what or any(row[3] in RIGHT[each] for each in what)


# Without what the name says, a verdict has less to go by. ns-3 has no DSACK.
HARD = ("nodsack", "nosack", "nots", "ns3")
BINS = (0.0, 0.5, 0.65, 0.8, 0.92, 0.97, 1.01)


def print_reliability(found):
    """A row for each range of confidence; `found` has (hard, confidence, right)."""
    print("| confidence | verdicts | right | DSACK, SACK or timestamps off | right |")
    print("| --- | --- | --- | --- | --- |")
    share = lambda rows: f"{sum(right for *_, right in rows) / len(rows):.1%}" if rows else "-"
    for low, high in zip(BINS, BINS[1:]):
        rows = [row for row in found if low <= row[1] < high]
        hard = [row for row in rows if row[0]]
        if rows:
            values = sorted({row[1] for row in rows})
            label = f"{values[0]:.2f}" + (f" to {values[-1]:.2f}" if len(values) > 1 else "")
            print(f"| {label} | {len(rows):,} | {share(rows)} | {len(hard):,} | {share(hard)} |")
    for label, rows in (("all", found), ("off", [row for row in found if row[0]])):
        wrong = sum(confidence > 0.8 and not right for _, confidence, right in rows)
        print(f"{label}: {wrong} of {len(rows):,} verdicts wrong with a confidence over 0.8 ({wrong / max(1, len(rows)):.2%})")


def tcptrace(path, ports):
    """Retransmitted and out-of-order data packets of the senders at these ports, as it counts them."""
    out = subprocess.run(["tcptrace", "-ln", path], capture_output=True, text=True).stdout
    again = late = 0
    for block in out.split("TCP connection ")[1:]:
        hosts = [int(port) for port in re.findall(r"host \w+:\s+\S+:(\d+)", block)]
        for label, key in (("rexmt data pkts", "again"), ("outoforder pkts", "late")):
            counts = re.search(label + r":\s+(\d+)\s+" + label + r":\s+(\d+)", block)
            for port, count in zip(hosts, counts.groups() if counts else ()):
                if port in ports:
                    again, late = again + int(count) * (key == "again"), late + int(count) * (key == "late")
    return again, late


def macro_f1(classes):
    """Mean of the F1 of each class that there is."""
    scores = []
    for what, word in (("needed", "lost"), ("spurious", "spurious"), ("reordered", "reordered")):
        if classes["n", what]:
            recall = classes["hit", what] / classes["n", what]
            precision = classes["hit", what] / classes["said", word] if classes["said", word] else 0.0
            scores.append(2 * recall * precision / (recall + precision) if recall + precision else 0.0)
    return sum(scores) / len(scores) if scores else 0.0


def ours(program, path, ports, start):
    """The same of this program, from its table of retransmissions."""
    said = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        run = [program, "analyze", path, "--out", folder, "--tables", "csv", "--no-predict", "-qq"]
        subprocess.run(run, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def table(name):
            with open(os.path.join(folder, "tables", name + ".csv")) as lines:
                head, *rows = [line.rstrip("\n").split(",") for line in lines]
                return [dict(zip(head, row)) for row in rows]

        port = {}
        for row in table("connections"):
            port[row["connection"], "c2s"], port[row["connection"], "s2c"] = int(row["client_port"]), int(row["server_port"])
        for row in table("retransmissions"):
            sender = port[row["connection"], row["dir"]]
            if sender in ports and row["kind"] in ("retransmission", "reordering", "inferred_loss"):
                word = {"reordering": "reordered", "inferred_loss": "lost"}.get(row["kind"], row["verdict"])
                begin = int(row["offset"])
                said[sender].append([int(row["ts_ns"]) - start, begin, begin + max(1, int(row["len"])), word, False, float(row["confidence"] or 0)])
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--bin", help="this program, with the feature `tables`, to be scored as well")
    parser.add_argument("--side", action="append", choices=["snd", "rcv", "mid"])
    parser.add_argument("--only", default="", help="only runs whose name holds this")
    parser.add_argument("--reliability", action="store_true", help="this program's confidence against what was right")
    args = parser.parse_args()
    names = {"snd": "sender", "rcv": "receiver", "mid": "middle"}
    if args.reliability:
        found = []
        for side in args.side or ["snd", "rcv", "mid"]:
            for file in sorted(glob.glob(os.path.join(args.folder, "*.json"))):
                name = os.path.basename(file)[:-5]
                with open(file) as text:
                    truth = json.load(text)
                captures = glob.glob(os.path.join(args.folder, "captures", f"{name}.{side}.*"))
                if args.only in name and "flows" in truth and captures and not name.startswith("midstream"):
                    said = ours(args.bin, captures[0], {flow["port"] for flow in truth["flows"]}, truth["t0_ns"])
                    hard = any(word in name for word in HARD)
                    found += [(hard, confidence, right) for confidence, right in reliability(truth, said, side)]
        print_reliability(found)
        return
    print("| tap | program | runs | share right | macro-F1 | sent again: truth, said | late: truth, said |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for side in args.side or ["snd", "rcv", "mid"]:
        shares, pooled = collections.defaultdict(list), collections.defaultdict(collections.Counter)
        sums = collections.Counter()
        runs = 0
        for file in sorted(glob.glob(os.path.join(args.folder, "*.json"))):
            name = os.path.basename(file)[:-5]
            with open(file) as text:
                truth = json.load(text)
            captures = glob.glob(os.path.join(args.folder, "captures", f"{name}.{side}.*"))
            # Relative numbers of a capture from the middle of a stream have another origin.
            if args.only not in name or "flows" not in truth or not captures or name.startswith("midstream"):
                continue
            runs += 1
            ports = {flow["port"] for flow in truth["flows"]}
            known = [fact for fact in facts(truth, side) if fact[4] != "either"]
            again = sum(fact[4] != "reordered" for fact in known)
            sums["again", "truth"] += again
            sums["late", "truth"] += len(known) - again
            with tempfile.TemporaryDirectory() as folder:
                path = plain(captures[0], folder)
                answers = {"tshark": tshark(path, ports, truth["t0_ns"])}
                if args.bin:
                    answers["tcptrace-rs"] = ours(args.bin, path, ports, truth["t0_ns"])
                counted = tcptrace(path, ports)
            for program, said in answers.items():
                words = [row[3] for rows in said.values() for row in rows]
                sums[program, "again"] += sum(word != "reordered" for word in words)
                sums[program, "late"] += sum(word == "reordered" for word in words)
                judged, right, classes = judge(truth, said, side)
                pooled[program] += classes
                if judged:
                    shares[program].append(right / judged)
            sums["tcptrace", "again"] += counted[0]
            sums["tcptrace", "late"] += counted[1]
            both = max(again, counted[0]) + max(len(known) - again, counted[1] if side != "snd" else 0)
            if both:
                met = min(again, counted[0]) + (min(len(known) - again, counted[1]) if side != "snd" else 0)
                shares["tcptrace"].append(met / both)
        for program in ("tcptrace-rs", "tshark", "tcptrace"):
            if not shares[program]:
                continue
            share = sum(shares[program]) / len(shares[program])
            # It has no word for a needless retransmission, and does not say which packets it means.
            exact = program != "tcptrace"
            f1 = f"{macro_f1(pooled[program]):.3f}" if exact else "-"
            bound = "" if exact else "at most "
            figures = f"{sums['again', 'truth']:,}, {sums[program, 'again']:,} | {sums['late', 'truth']:,}, {sums[program, 'late']:,}"
            print(f"| {names[side]} | {program} | {runs} | {bound}{share:.3f} | {f1} | {figures} |")


if __name__ == "__main__":
    main()
