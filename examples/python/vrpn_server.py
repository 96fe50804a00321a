#!/usr/bin/env python3
"""A tracker for VRPNTrackerDriver without a tracker: a VRPN server on this machine whose sensor goes round in a circle, a hundred
times a second. Take emulate away from `tracker` in scenes/haptic/drivers.scn to see it.

    python3 examples/python/vrpn_server.py [--port 3883] [--seconds 10] [--radius 0.03]
"""
import argparse
import math
import socket
import struct
import time

COOKIE = b"vrpn: ver. 07.35  0".ljust(24, b"\0")
SENDER, POSE, BUTTON = 0, 0, 1              # numbers that this server gives


def message(sender, kind, body):
    """Length of head and body, time, sender, kind, sequence, body; padded to 8 bytes; the most significant byte first."""
    now = time.time()
    head = struct.pack(">6i", 24 + len(body), int(now), int(1e6 * (now % 1)), sender, kind, 0)
    return head + body.ljust((len(body) + 7) // 8 * 8, b"\0")


def named(number, kind, name):
    text = name.encode() + b"\0"
    return message(number, kind, struct.pack(">i", len(text)) + text)


def serve(peer, seconds, radius):
    peer.sendall(COOKIE)
    if peer.recv(24, socket.MSG_WAITALL)[:13] != COOKIE[:13]:
        return
    peer.sendall(named(SENDER, -1, "Tracker0") + named(POSE, -2, "vrpn_Tracker Pos_Quat") + named(BUTTON, -2, "vrpn_Button Change"))
    begin = time.monotonic()
    while (t := time.monotonic() - begin) < seconds:
        place = radius * math.cos(2 * t), radius * math.sin(2 * t), 0.0
        peer.sendall(message(SENDER, POSE, struct.pack(">ii7d", 0, 0, *place, 0, 0, 0, 1)))
        time.sleep(0.01)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--port", type=int, default=3883)
    p.add_argument("--seconds", type=float, default=10)
    p.add_argument("--radius", type=float, default=0.03, help="m")
    args = p.parse_args()
    with socket.create_server(("127.0.0.1", args.port)) as server:
        server.settimeout(args.seconds)
        peer, _ = server.accept()
        with peer:
            peer.settimeout(None)
            try:
                serve(peer, args.seconds, args.radius)
            except (BrokenPipeError, ConnectionResetError):
                print("the program has gone")


if __name__ == "__main__":
    main()
