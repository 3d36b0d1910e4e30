"""Captures that the browser's tests need and no fixture holds: one of many connections."""

import struct

SYN, ACK, FIN, PSH = 0x02, 0x10, 0x01, 0x08


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def packet(source, target, ports, seq, ack, flags, payload=0):
    tcp = struct.pack("!HHIIBBHHH", *ports, seq, ack, 5 << 4, flags, 65535, 0, 0)
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40 + payload, 0, 0x4000, 64, 6, 0, source, target)
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    return b"\x02" * 12 + b"\x08\x00" + head + tcp + b"x" * payload


def many(path, connections, segments=12, rtt=0.02):
    """Uploads of a few segments each; every tenth has its third segment lost and sent again."""
    frames = []
    server = bytes([10, 9, 0, 1])
    for n in range(connections):
        client = bytes([10, 1, n >> 8, n & 255])
        there, back = (20000 + n, 443), (443, 20000 + n)
        at = n * 0.003
        seq, size = 1001, 500 + n % 700
        send = lambda when, *rest: frames.append((when, packet(client, server, there, *rest)))
        reply = lambda when, *rest: frames.append((when, packet(server, client, back, *rest)))
        send(at, 1000, 0, SYN)
        reply(at + rtt, 5000, 1001, SYN | ACK)
        send(at + rtt, 1001, 5001, ACK)
        for k in range(segments):
            at += rtt
            send(at, seq, 5001, ACK | PSH, size)
            if n % 10 == 0 and k == 2:
                at += 0.3
                send(at, seq, 5001, ACK | PSH, size)
            seq += size
            reply(at + rtt, 5001, seq, ACK)
        at += rtt + 0.001
        send(at, seq, 5001, FIN | ACK)
        reply(at + rtt, 5001, seq + 1, FIN | ACK)
        send(at + rtt, seq + 1, 5002, ACK)
    frames.sort(key=lambda frame: frame[0])
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for at, data in frames:
            micros = round((1_700_000_000 + at) * 1e6)
            file.write(struct.pack("<IIII", micros // 1_000_000, micros % 1_000_000, len(data), len(data)) + data)
