#!/usr/bin/env python3
"""A stitch with a curved needle: a scene in which a holder turns an arc of 140 degrees through two edges of tissue, down into the
first, out of its side, into the side of the second and up again; the thread follows, and its ends close the gap. The needle cuts a
path of its own radius (bevelRadius).
tools/generate/stitch/stitch.py > scenes/instrument/stitch.scn"""
import math

RADIUS, HEIGHT = 0.007, 0.018            # of the arc, and of its centre above the ground; the top of the tissue is at 0.015
ARC, TIP = math.radians(140), math.pi + 0.15   # of the needle; where its tip starts
PIECES, BEAM, THREAD = 10, 0.0015, 44    # beams of the needle, length and number of those of the thread
TURN = 2 * math.pi - 0.44 + 0.5 + ARC - TIP    # until its end has left the tissue
KEYS, TURNED, DRAWN, CROSSED = 90, 6.0, 9.0, 13.0   # keys and end of the turn, then of the other motions, s


def on_arc(angle):
    return (RADIUS * math.cos(angle), HEIGHT + RADIUS * math.sin(angle))


def frames():
    """x y and direction, the end of the thread first, the tip last"""
    out = []
    tail = TIP - ARC
    x, y = on_arc(tail)
    way = tail + math.pi / 2
    for i in range(THREAD, 0, -1):
        out.append((x - i * BEAM * math.cos(way), y - i * BEAM * math.sin(way), way))
    for i in range(PIECES + 1):
        angle = tail + ARC * i / PIECES
        out.append((*on_arc(angle), angle + math.pi / 2))
    return out


def movement(name, index, keys):
    times = " ".join(f"{k[0]:.4g}" for k in keys)
    rows = "  ".join(f"{x:.7g} {y:.7g} {z:.7g} 0 0 {a:.6g}" for _, x, y, z, a in keys)
    return (f'    <LinearMovementProjectiveConstraint name="{name}" indices="{index}" keyTimes="{times}"\n'
            f'      movements="{rows}"/>\n')


def needle_keys(x, y):
    """where a frame of the needle goes: around, then away, then across"""
    start = math.atan2(y - HEIGHT, x)
    keys = []
    for k in range(KEYS + 1):
        a = TURN * k / KEYS
        u, v = on_arc(start + a)
        keys.append((TURNED * k / KEYS, u - x, v - y, 0, a))
    _, dx, dy, _, a = keys[-1]
    keys.append((DRAWN, dx + 0.012, dy + 0.016, 0, a))
    keys.append((CROSSED, dx - 0.0197, dy + 0.0177, -0.0025, a))
    keys.append((20, dx - 0.0197, dy + 0.0177, -0.0025, a))
    return keys


def tissue(name, low, high):
    return f'''  <Node name="{name}">
    <EulerImplicitSolver rayleighStiffness="0.05" rayleighMass="0.1"/>
    <SparseLDLSolver/>
    <RegularGridTopology name="grid" n="5 8 6" min="{low} 0 -0.008" max="{high} 0.015 0.008"/>
    <MechanicalObject name="points"/>
    <UniformMass totalMass="0.002"/>
    <HexahedronFEMForceField youngModulus="100000" poissonRatio="0.4" method="large"/>
    <BoxROI name="base" box="-1 -1 -1 1 0.0001 1"/>
    <FixedProjectiveConstraint indices="@base.indices"/>
    <LinearSolverConstraintCorrection/>
    <NeedleInsertionConstraint name="channel" needle="@/Thread/frames" tissue="@points" topology="@grid" spacing="0.0015"
      bevelRadius="{RADIUS:g}" punctureForce="0.1" cuttingForce="0.03" dryFriction="3" viscousFriction="20" friction="0.1"/>
    <Node name="Skin">
      <QuadSetTopologyContainer name="quads"/>
      <Hexa2QuadTopologicalMapping input="@../grid" output="@quads"/>
      <Node name="Contact">
        <TriangleSetTopologyContainer name="triangles"/>
        <Quad2TriangleTopologicalMapping input="@../quads" output="@triangles"/>
        <MechanicalObject name="skin" position="@../../grid.position"/>
        <IdentityMapping input="@../../points" output="@skin"/>
        <TriangleCollisionModel/>
        <PointCollisionModel/>
      </Node>
    </Node>
    <Node name="Visual">
      <OglModel name="visual" src="@../grid" color="0.9 0.6 0.55 0.6"/>
      <IdentityMapping input="@../points" output="@visual"/>
    </Node>
  </Node>
'''


def tube(lengths, radii):
    """points around the line, quads between the rings"""
    points, quads, s = [], [], 0
    for i, r in enumerate(radii):
        points += [f"{s:.6g} {r * math.cos(k * math.pi / 2):.3g} {r * math.sin(k * math.pi / 2):.3g}" for k in range(4)]
        if i < len(lengths):
            quads += [f"{4 * i + k} {4 * i + (k + 1) % 4} {4 * i + 4 + (k + 1) % 4} {4 * i + 4 + k}" for k in range(4)]
            s += lengths[i]
    return "  ".join(points), "  ".join(quads)


def main():
    line = frames()
    count = len(line)
    arc = RADIUS * ARC / PIECES
    lengths = [BEAM] * THREAD + [arc] * PIECES
    radii = [0.0003] * THREAD + [0.0004] * PIECES + [0.00005]
    position = "  ".join(f"{x:.7g} {y:.7g} 0 0 0 {math.sin(a / 2):.9g} {math.cos(a / 2):.9g}" for x, y, a in line)
    points, quads = tube(lengths, radii)
    print(f'''<?xml version="1.0"?>
<!-- A stitch with a curved needle: a holder turns it through two edges of tissue (to {TURNED:g} s), draws the thread after it (to
     {DRAWN:g} s), and pulls both ends up and across, which closes the gap (to {CROSSED:g} s). Metres, kilograms, seconds. Made by
     tools/generate/stitch/stitch.py. -->
<Node name="root" gravity="0 0 0" dt="0.01">
  <FreeMotionAnimationLoop/>
  <BlockGaussSeidelConstraintSolver maxIterations="1000" tolerance="1e-6"/>
  <CollisionPipeline/>
  <BruteForceBroadPhase/>
  <BVHNarrowPhase/>
  <MinProximityIntersection alarmDistance="0.0008" contactDistance="0.0002"/>
  <CollisionResponse response="FrictionContactConstraint" responseParams="mu=0.3"/>
  <VisualStyle displayFlags="showVisualModels"/>
  <Node name="Thread">
    <EulerImplicitSolver rayleighStiffness="0.05" rayleighMass="2"/>
    <SparseLDLSolver/>
    <MechanicalObject template="Rigid3" name="frames" position="{position}"/>
    <MeshTopology edges="{" ".join(f"{i} {i + 1}" for i in range(count - 1))}"/>
    <BeamInterpolation name="beams" radius="{" ".join(["0.0002"] * THREAD + ["0.0004"] * PIECES)}"
      defaultYoungModulus="{" ".join(["2e8"] * THREAD + ["1e10"] * PIECES)}" defaultPoissonRatio="0.3"/>
    <AdaptiveBeamForceFieldAndMass interpolation="@beams" massDensity="2000"/>''')
    for i in range(THREAD + 1, count):
        x, y, _ = line[i]
        print(movement(f"holder{i - THREAD}", i, needle_keys(x, y)), end="")
    # the end of the thread comes after, so that nothing is taut, and crosses at last
    x, y, _ = line[0]
    goals = [(0, x, y, 0), (2, 0.045, 0.045, 0), (4, 0.012, 0.055, 0), (TURNED, -0.012, 0.045, 0), (DRAWN, -0.014, 0.026, 0),
             (CROSSED, 0.0144, 0.0377, 0.0025), (20, 0.0144, 0.0377, 0.0025)]
    print(movement("tail", 0, [(t, u - x, v - y, w, 0) for t, u, v, w in goals]), end="")
    print(f'''    <LinearSolverConstraintCorrection/>
    <Node name="Tube">
      <MechanicalObject name="tube"/>
      <AdaptiveBeamMapping interpolation="@../beams" input="@../frames" output="@tube" isMechanical="0" points="{points}"/>
      <Node name="Visual">
        <OglModel name="visual" color="0.2 0.25 0.7" position="{points}" quads="{quads}"/>
        <IdentityMapping input="@../tube" output="@visual"/>
      </Node>
    </Node>
  </Node>''')
    print(tissue("Left", -0.0085, -0.002), end="")
    print(tissue("Right", 0.002, 0.0085), end="")
    print("</Node>")


main()
