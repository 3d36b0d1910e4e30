"""`batch` from and to an S3-compatible server on loopback, whole and with a tenth of the requests refused: `run.py PROGRAM`.

PROGRAM is built with the feature `cloud`; the Python has what is in requirements.txt. Every dataset is compared, byte for byte, with the one
that is written from and to directories.
"""

import os
import random
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import boto3
from faulty import Faulty
from moto.server import ThreadedMotoServer

PROGRAM = str(Path(sys.argv[1]).resolve())
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
KEYS = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_DEFAULT_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}


def frame(source, target, sport, sequence, flags, payload):
    ip = struct.pack("!IHBB16s16s", 6 << 28, 20 + len(payload), 6, 64, source, target)
    tcp = struct.pack("!HHIIBBHHH", sport, 443, sequence, 1, 0x50, flags, 65535, 0, 0)
    return bytes(12) + b"\x86\xdd" + ip + tcp + payload


def capture(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for at, data in enumerate(frames):
            file.write(struct.pack("<IIII", 1_700_000_000 + at // 1000, at % 1000 * 1000, len(data), len(data)) + data)


def make(folder):
    """Captures of the fixtures, and two that need more than one block, piece and look: one of 30 MB, one whose table is larger than a piece."""
    for name in sorted(FIXTURES.rglob("*")):
        if name.is_file() and name.suffix in (".pcap", ".pcapng", ".gz", ".cap") and name.stat().st_size < 400_000:
            target = folder / name.relative_to(FIXTURES)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(name.read_bytes())
    (folder / "odd name%").mkdir()
    first = next(folder.rglob("*.pcap"))
    (folder / "odd name%" / "capture + no ending").write_bytes(first.read_bytes())
    (folder / "notes.txt").write_text("no capture")
    noise = random.Random(2)
    host = noise.randbytes(16)
    stream = (frame(host, host, 5000, 1 + at * 1400, 0x10, noise.randbytes(1400)) for at in range(21_000))
    capture(folder / "large.pcap", stream)
    ends = ((noise.randbytes(16), noise.randbytes(16), noise.getrandbits(32)) for _ in range(150_000))
    capture(folder / "connections.pcap", (frame(source, target, 5000, sequence, 2, b"") for source, target, sequence in ends))


def batch(*words, env=None, code=(0, 2), stdin=None):
    command = [PROGRAM, "batch", *map(str, words)]
    ran = subprocess.run(command, env={**os.environ, **KEYS, **(env or {})}, capture_output=True, text=True, input=stdin)
    if ran.returncode not in code:
        sys.exit(f"{command}: {ran.returncode}\n{ran.stderr[-3000:]}")
    return ran


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def main():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    direct = f"http://127.0.0.1:{port}"
    s3 = boto3.client("s3", endpoint_url=direct, region_name="us-east-1", aws_access_key_id="any", aws_secret_access_key="any")
    s3.create_bucket(Bucket="bucket")

    def objects(prefix):
        found = {}
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket="bucket", Prefix=prefix):
            for entry in page.get("Contents", []):
                found[entry["Key"][len(prefix):]] = s3.get_object(Bucket="bucket", Key=entry["Key"])["Body"].read()
        return found

    def same(what, got, wanted):
        differ = sorted(name for name in {*got, *wanted} if got.get(name) != wanted.get(name))
        if differ:
            sys.exit(f"{what}: {len(differ)} of {len(wanted)} files differ: {differ[:5]}")
        print(f"{what}: {len(wanted)} files, {sum(map(len, wanted.values())):,} bytes, the same")

    with tempfile.TemporaryDirectory() as made:
        made = Path(made)
        captures = made / "in"
        captures.mkdir()
        make(captures)
        for name, content in tree(captures).items():
            s3.put_object(Bucket="bucket", Key=f"in/{name}", Body=content)
        began = time.monotonic()
        local = batch(captures, "--no-predict", "--out", made / "local")
        took = time.monotonic() - began
        wanted = tree(made / "local")
        pieces = max(wanted.items(), key=lambda item: len(item[1]))
        if len(pieces[1]) <= 6 << 20:
            sys.exit(f"no part needs two pieces: {len(pieces[1]):,} bytes")
        print(f"directory to directory: {took:.1f} s; {local.stdout.splitlines()[0]}; the largest part has {len(pieces[1]):,} bytes")

        for title, share in (("", 0.0), (", 10 % of requests refused", 0.1)):
            proxy = Faulty(port, share)
            env = {"AWS_ENDPOINT": proxy.url}
            tag = f"{share:.0%}".rstrip("%")
            batch("s3://bucket/in", "--no-predict", "--out", made / f"from{tag}", env=env)
            same(f"s3 to directory{title}", tree(made / f"from{tag}"), wanted)
            began = time.monotonic()
            ran = batch("s3://bucket/in/", "--no-predict", "--jobs", 8, "--out", f"s3://bucket/out{tag}", env=env)
            took = time.monotonic() - began
            same(f"s3 to s3, 8 jobs{title} ({took:.1f} s)", objects(f"out{tag}/"), wanted)
            if ran.stdout != local.stdout or ran.returncode != local.returncode:
                sys.exit(f"said something else:\n{ran.stdout}")
            again = batch("s3://bucket/in/", "--no-predict", "--out", f"s3://bucket/out{tag}", env=env).stdout.splitlines()[0]
            print(f"again: {again}")
            if " 0 done," not in again:
                sys.exit("it was done again")
            killed = 0
            for wait in (0.5, 1.5, 3, 5):
                command = [PROGRAM, "batch", "s3://bucket/in", "--no-predict", "--out", f"s3://bucket/killed{tag}"]
                run = subprocess.Popen(command, env={**os.environ, **KEYS, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(wait)
                killed += run.poll() is None
                run.kill()
                run.wait()
                for name, content in objects(f"killed{tag}/").items():
                    if not name.startswith("summary") and wanted.get(name) != content:
                        sys.exit(f"killed: {name} is not as it should be")
            batch("s3://bucket/in", "--no-predict", "--out", f"s3://bucket/killed{tag}", env=env)
            same(f"killed {killed} times, then resumed{title}", objects(f"killed{tag}/"), wanted)
            print(f"requests: {proxy.asked:,}, refused: {proxy.refused:,}")
            if share and not proxy.refused:
                sys.exit("nothing was refused")

        one = "capture + no ending"
        s3.put_object_acl(Bucket="bucket", Key=f"in/odd name%/{one}", ACL="public-read")
        web = f"{direct}/bucket/in/odd%20name%25/capture%20%2B%20no%20ending"
        listed = "s3://bucket/in/odd name%25/capture + no ending"
        for title, words, stdin in (("http", [web], None), ("list on stdin", ["-"], f"{listed}\n"), ("@LIST", [f"@{made}/list"], None)):
            (made / "list").write_text(f"{listed}\n")
            batch(*words, "--no-predict", "--out", made / title, env={"AWS_ENDPOINT": direct}, code=(0,), stdin=stdin)
            batch(captures / "odd name%" / one, "--no-predict", "--out", made / f"{title} local", code=(0,))
            same(title, tree(made / title), tree(made / f"{title} local"))
        for pattern in ("link/*.pcap", "*[kt]*e", "**/s1*.pcap", "odd*/capture ? no*"):
            asked = pattern.replace("?", "%3F")
            batch(f"s3://bucket/in/{asked}", "--no-predict", "--out", made / pattern / "s3", env={"AWS_ENDPOINT": direct})
            batch(captures / pattern, "--no-predict", "--out", made / pattern / "local")
            same(f"pattern {pattern}", tree(made / pattern / "s3"), tree(made / pattern / "local"))
        for words, said in (
            (["s3://bucket/none*", "--out", made / "none"], "s3://bucket/none*: no captures there"),
            (["s3://bucket/nothing", "--out", made / "none"], "s3://bucket/nothing: no captures there"),
            (["s3://nobucket/x", "--out", made / "none"], "s3://nobucket/x: "),
            ([captures, "--out", "s3://nobucket/x"], "s3://nobucket/x: "),
            ([captures, "--out", f"{direct}/bucket/x"], "half written"),
        ):
            ran = batch(*words, env={"AWS_ENDPOINT": direct}, code=(2,))
            if said not in ran.stderr:
                sys.exit(f"{words}: {ran.stderr}")
            error = next(line for line in ran.stderr.splitlines() if line.startswith("error: "))
            print(error.replace(direct, "http://127.0.0.1")[:100])
        unfinished = s3.list_multipart_uploads(Bucket="bucket").get("Uploads", [])
        print(f"unfinished uploads of killed runs: {len(unfinished)}")
    server.stop()


main()
