#!/usr/bin/env python3
"""A program as a haptic device: sends where a hand is to Divan (UDPHapticDriver) a thousand times a second, and is pushed by
the force that comes back. The hand is a mass on a damped spring that wants to go down and up again.

    python3 examples/python/haptic_client.py [--port 8133] [--seconds 4] [--down 0.04]
"""
import argparse
import math
import socket
import struct
import time

POSE = struct.Struct("<4sI7dI")     # "DVH1", sequence, place (m), quaternion, buttons
FORCE = struct.Struct("<4sI6d")     # "DVF1", sequence, force (N), torque (N m)
MASS, DAMPING, STIFFNESS = 0.2, 5.0, 400.0


def newest_force(link, last):
    """The force of the newest packet, or the last one."""
    try:
        while True:
            packet = link.recv(FORCE.size + 1)
            if len(packet) == FORCE.size and packet[:4] == b"DVF1":
                last = FORCE.unpack(packet)[2:5]
    except BlockingIOError:
        return last


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--host", default="127.0.0.1")
    p.add_argument("--port", type=int, default=8133)
    p.add_argument("--seconds", type=float, default=4)
    p.add_argument("--down", type=float, default=0.04, help="how far the hand wants to go, m")
    args = p.parse_args()
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.connect((args.host, args.port))
    link.setblocking(False)
    x, v, force, strongest, dt = 0.0, 0.0, (0.0, 0.0, 0.0), 0.0, 0.001
    begin = time.monotonic()
    for n in range(int(args.seconds / dt)):
        wanted = -args.down * (0.5 - 0.5 * math.cos(2 * math.pi * n * dt / args.seconds))
        v += dt * (STIFFNESS * (wanted - x) - DAMPING * v + force[1]) / MASS
        x += dt * v
        try:
            link.send(POSE.pack(b"DVH1", n + 1, 0, x, 0, 0, 0, 0, 1, 0))
            force = newest_force(link, force)
        except ConnectionRefusedError:      # nobody listens yet
            force = (0.0, 0.0, 0.0)
        strongest = max(strongest, abs(force[1]))
        time.sleep(max(0.0, begin + (n + 1) * dt - time.monotonic()))
    print(f"{args.seconds:g} s, the strongest force was {strongest:.3f} N")


if __name__ == "__main__":
    main()
