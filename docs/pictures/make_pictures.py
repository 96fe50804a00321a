#!/usr/bin/env python3
"""Draws the pictures of architecture.md (rooms.svg, step.svg, contact-step.svg) and performance.md (contacts.svg, constraints.svg and
changes.svg, from bench/results/collision.json, constraint.json and topology.json, which `divan bench collision --json` and its kin
write). Run it in this folder."""
import json
import math


def box(x, y, w, h, text, fill, small=""):
    out = f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}" stroke="#334"/>'
    out += f'<text x="{x + w / 2}" y="{y + (h / 2 + 5 if not small else h / 2 - 3)}" text-anchor="middle" font-size="14" font-weight="bold">{text}</text>'
    if small:
        out += f'<text x="{x + w / 2}" y="{y + h / 2 + 15}" text-anchor="middle" font-size="11" fill="#333">{small}</text>'
    return out


def arrow(x1, y1, x2, y2, colour="#334", dash=""):
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="1.6" marker-end="url(#a)"{" stroke-dasharray=" + chr(34) + dash + chr(34) if dash else ""}/>'


def svg(name, w, h, body):
    with open(name, "w") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" font-family="sans-serif">'
                '<defs><marker id="a" markerWidth="9" markerHeight="9" refX="8" refY="3" orient="auto"><path d="M0,0 L8,3 L0,6 z" fill="#334"/></marker></defs>'
                f'<rect width="{w}" height="{h}" fill="white"/>{body}</svg>\n')


ROOMS = [
    [("base", "memory, arrays, text, log, files, threads, outboxes, packs")],
    [("math", "vectors, matrices, quaternions, decompositions, sparse rows, kernels")],
    [("object", "classes, roles, fields, memory, registry, context, SOFA's mistakes")],
    [("scene", "nodes, links, walks, plans with their live part, timers, life of a scene")],
    [("topology", "points and elements, changes and who follows them")],
    [("state", "DOF types, vectors, MechanicalObject")],
    [("mechanics", "operations over a plan, rows of constraints"), ("element", "blocks, packs, shapes")],
    [("io", "scene files, meshes, records"), ("engine", "selectors")],
    [("mass", ""), ("force", "fem, spring, load"), ("mapping", "linear, nonlinear")],
    [("linear", "systems, solvers"), ("ode", "integrators, loops")],
    [("constraint", "projective, Lagrangian"), ("collision", "detection, response")],
    [("visual", "models"), ("control", "settings, plugins")],
    [("instrument", "beams, needles"), ("robot", "cables"), ("lattice", "springs"), ("fluid", "particles, grids")],
    [("haptic", "hands"), ("heart", "beats"), ("anatomy", "patients"), ("distributed", "PETSc, MPI")],
    [("app", "all rooms registered, dumps, series")],
    [("view", "session and server of the viewer")],
    [("render", "pictures and films")],
]
BESIDE = {"haptic"}   # rows that belong to the one above: no arrow between them
COLOURS = ["#e8eef7", "#e8eef7", "#dcefe2", "#dcefe2", "#dcefe2", "#dcefe2", "#dcefe2", "#f7efdc", "#f7e3dc", "#f7e3dc", "#efe0f0",
           "#efe0f0", "#e6e6e6", "#e6e6e6", "#e0e8f4", "#e0e8f4", "#e0e8f4"]


def rooms():
    body, y = "", 20
    for row, colour in zip(ROOMS, COLOURS):
        w = (700 - 20 * (len(row) - 1)) / len(row)
        for i, (name, what) in enumerate(row):
            body += box(20 + i * (w + 20), y, w, 46, name, colour, what)
        if y > 20 and row[0][0] not in BESIDE:
            body += arrow(370, y, 370, y - 13)
        y += 60
    body += f'<text x="370" y="{y + 12}" text-anchor="middle" font-size="12" fill="#333">an arrow means: may include headers of</text>'
    svg("rooms.svg", 740, y + 30, body)


STEPS = [
    ("begin event", "controllers, playback", "#dcefe2"),
    ("links and engines", "fields that follow others are pulled", "#dcefe2"),
    ("integrate", "solvers in graph order, each over its own plan", "#f7e3dc"),
    ("project, propagate", "positions and velocities down the mappings", "#f7efdc"),
    ("clear external forces, advance time", "", "#e8eef7"),
    ("end event", "exporters, stresses", "#dcefe2"),
    ("visual models", "mappings to what is seen, normals", "#efe0f0"),
    ("check", "every state still finite?", "#e6e6e6"),
]
SOLVER = [
    ("force", "f = external + masses + forces, up through J^T"),
    ("right-hand side", "b = h (f + (h + rK) K v - rM M v), projected"),
    ("conjugate gradients", "A p: forces and masses of the plan, up to 25 times"),
    ("update", "v += dv, x += h v"),
]


def step():
    body = ""
    for i, (name, what, colour) in enumerate(STEPS):
        y = 20 + 60 * i
        body += box(20, y, 320, 46, name, colour, what)
        if i:
            body += arrow(180, y - 14, 180, y)
    for i, (name, what) in enumerate(SOLVER):
        y = 80 + 60 * i
        body += box(420, y, 340, 46, name, "#f7e3dc", what)
        if i:
            body += arrow(590, y - 14, 590, y)
    body += arrow(340, 163, 420, 103) + arrow(420, 283, 340, 175, dash="5 3")
    body += '<text x="590" y="66" text-anchor="middle" font-size="13">a solver, for example implicit Euler</text>'
    svg("step.svg", 780, 20 + 60 * len(STEPS) + 10, body)


CONTACT = [
    ("begin", "event, links, engines", "#dcefe2"),
    ("collision", "contacts become responses", "#efe0f0"),
    ("motion", "solvers in graph order, over fixed and live part", "#f7e3dc"),
    ("constraints", "free-motion loop only", "#f7efdc"),
    ("end", "project, propagate, end_step, visual models, check", "#e8eef7"),
]
BESIDE = [
    (1, [("refit", "models' trees of boxes"), ("broad phase", "pairs of models"), ("narrow phase", "pairs of primitives"),
         ("intersection", "contacts"), ("contact manager", "responses from the pool")]),
    (2, [("plan", "fixed | live"), ("matrix", "A, its pattern and factor"), ("beside it", "H^T B H of live forces"),
         ("solve", "Woodbury or CG"), ("free motion", "x, v")]),
    (3, [("rows", "H, up through mappings"), ("compliance", "W = sum H A^-1 H^T"), ("laws", "equal, unequal, Coulomb"),
         ("multipliers", "kept for the next step"), ("correct", "x += h A^-1 H^T lambda")]),
]


def contact_step():
    body, colours = "", [c for _, _, c in CONTACT]
    for i, (name, what, colour) in enumerate(CONTACT):
        y = 40 + 84 * i
        body += box(20, y, 330, 50, name, colour, what)
        if i:
            body += arrow(185, y - 34, 185, y)
    for row, parts in BESIDE:
        y = 40 + 84 * row
        body += arrow(350, y + 25, 384, y + 25, dash="5 3")
        for i, (name, what) in enumerate(parts):
            x = 386 + 184 * i
            body += box(x, y, 166, 50, name, colours[row], what)
            if i:
                body += arrow(x - 18, y + 25, x, y + 25)
    body += '<text x="845" y="84" text-anchor="middle" font-size="13">the graph and its version stand still; only the live part changes</text>'
    svg("contact-step.svg", 1320, 40 + 84 * len(CONTACT), body)


def curves(name, series, axis, ideal, told):
    """Times of series over their sizes, both logarithmic; dashed lines of `ideal` through the first points."""
    xs, ys = [x for c in series for x in c["elements"]], [y for c in series for y in c["ms"]]
    low, high = [math.floor(math.log10(min(v))) for v in (xs, ys)], [math.ceil(math.log10(max(v))) for v in (xs, ys)]

    def px(x):
        return 70 + 520 * (math.log10(x) - low[0]) / (high[0] - low[0])

    def py(y):
        return 340 - 300 * (math.log10(y) - low[1]) / (high[1] - low[1])

    body = ""
    for k in range(low[0], high[0] + 1):
        body += f'<line x1="{px(10 ** k):.1f}" y1="40" x2="{px(10 ** k):.1f}" y2="340" stroke="#ddd"/><text x="{px(10 ** k):.1f}" y="358" text-anchor="middle" font-size="11">{10 ** k:,}</text>'
    for k in range(low[1], high[1] + 1):
        body += f'<line x1="70" y1="{py(10 ** k):.1f}" x2="590" y2="{py(10 ** k):.1f}" stroke="#ddd"/><text x="64" y="{py(10 ** k) + 4:.1f}" text-anchor="end" font-size="11">{10 ** k:g}</text>'
    body += f'<text x="330" y="380" text-anchor="middle" font-size="12">{axis}</text><text x="20" y="30" font-size="12">ms, one thread</text>'
    for i, c in enumerate(series):
        colour = ["#2b6cb0", "#c05621", "#2f855a", "#805ad5"][i % 4]
        n0, t0 = c["elements"][0], c["ms"][0]
        line = [(n, t0 * ideal(n) / ideal(n0)) for n in c["elements"]]
        body += f'<polyline fill="none" stroke="{colour}" stroke-dasharray="4 4" points="{" ".join(f"{px(n):.1f},{py(t):.1f}" for n, t in line if t < 10 ** high[1])}"/>'
        body += f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(f"{px(n):.1f},{py(t):.1f}" for n, t in zip(c["elements"], c["ms"]))}"/>'
        body += "".join(f'<circle cx="{px(n):.1f}" cy="{py(t):.1f}" r="4" fill="{colour}"/>' for n, t in zip(c["elements"], c["ms"]))
        body += f'<text x="90" y="{64 + 18 * i}" font-size="12" fill="{colour}">{c["name"]} ({c["per"]}); dashed: {told}</text>'
    svg(name, 620, 390, body)


def results(name, key):
    with open(f"../../bench/results/{name}.json") as f:
        return [c for c in json.load(f)[key] if c["threads"] == 1]


def contacts():
    curves("contacts.svg", results("collision", "collision"), "elements", lambda n: n * math.log(n), "n log n")
    curves("constraints.svg", results("constraint", "constraint"), "contacts", lambda n: n, "n")
    curves("changes.svg", results("topology", "topology"), "elements", lambda n: n * math.log(n), "n log n")


rooms()
step()
contact_step()
contacts()
