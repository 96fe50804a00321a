#!/usr/bin/env python3
"""Draws the two pictures of architecture.md: rooms.svg and step.svg. Run it in this folder."""


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
    [("base", "memory, arrays, text, log, files, threads, packs")],
    [("math", "vectors, matrices, quaternions, decompositions, kernels")],
    [("object", "classes, roles, fields, values, registry, context")],
    [("scene", "nodes, links, walks, plans, timers, life of a scene")],
    [("state", "DOF types, MechanicalObject, operations over a plan")],
    [("topology", "points and elements"), ("io", "scene files, meshes, loaders"), ("engine", "selectors")],
    [("mass", ""), ("force", "fem, spring, load"), ("mapping", "linear")],
    [("linear", "solvers"), ("ode", "integrators, loop"), ("constraint", "projective")],
    [("collision", "models"), ("visual", "models"), ("control", "settings")],
    [("app", "all rooms registered, dumps, series")],
    [("view", "session and server of the viewer")],
]
COLOURS = ["#e8eef7", "#e8eef7", "#dcefe2", "#dcefe2", "#dcefe2", "#f7efdc", "#f7e3dc", "#f7e3dc", "#efe0f0", "#e6e6e6", "#e0e8f4"]


def rooms():
    body, y = "", 20
    for row, colour in zip(ROOMS, COLOURS):
        w = (700 - 20 * (len(row) - 1)) / len(row)
        for i, (name, what) in enumerate(row):
            body += box(20 + i * (w + 20), y, w, 46, name, colour, what)
        if y > 20:
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


rooms()
step()
