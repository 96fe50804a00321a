#!/usr/bin/env python3
"""The model of docs/scaling.md: time of one static solve of a body of tetrahedra over many nodes. Figures of one core and of
messages are measured (see there), those of the machine are assumptions."""
import math

WORK = 1.15e-6        # s a tetrahedron: forces, matrix, handing over
SETUP = 17.7e-6       # s an unknown: set-up of multigrid
ITERATION = 0.26e-6   # s an unknown and iteration
UNKNOWNS = 0.534      # a tetrahedron
SHARED = 0.5          # speed of a core when all cores of a node run, against alone
CORES, LATENCY, NETWORK = 32, 2e-6, 12.5e9   # of a node; s; bytes/s
MESSAGES, REDUCTIONS = 18, 3.4               # an iteration: messages a neighbour, sums over all
HALO = 7.2                                   # bytes of an iteration against those of one exchange on the finest level
SETUP_REDUCTIONS, SETUP_MESSAGES = 720, 180  # of the set-up


def iterations(tetrahedra):
    return 17 * (tetrahedra * UNKNOWNS / 3 / 9261) ** 0.055


def solve(tetrahedra, nodes):
    processes = nodes * CORES
    n = tetrahedra / processes
    points = n * UNKNOWNS / 3
    count = iterations(tetrahedra)
    work = n * (WORK + UNKNOWNS * (SETUP + ITERATION * count)) / SHARED
    border = 24 * 6 * points ** (2 / 3)                       # bytes: six sides of a cube
    leaving = HALO * border * CORES * CORES ** (-1 / 3)       # of a node: only its outer sides
    sum_over_all = LATENCY * math.log2(processes)
    one = leaving / NETWORK + MESSAGES * 26 * LATENCY + REDUCTIONS * sum_over_all
    exchange = count * one + SETUP_REDUCTIONS * sum_over_all + SETUP_MESSAGES * 26 * LATENCY
    return work, exchange


def main():
    print("| tetrahedra | iterations | nodes | s of work | s of exchange | part of exchange | GB a node |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for tetrahedra in (1e7, 1e8, 1e9):
        for nodes in (8, 64, 512, 4096):
            work, exchange = solve(tetrahedra, nodes)
            print(f"| 10^{round(math.log10(tetrahedra))} | {iterations(tetrahedra):.0f} | {nodes:,} | {work:.3g} | {exchange:.2g} | "
                  f"{100 * exchange / (work + exchange):.0f} % | {1.43e3 * tetrahedra / nodes / 1e9:.3g} |")


if __name__ == "__main__":
    main()
