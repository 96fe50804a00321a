#!/usr/bin/env python3
"""A cube of n^3 cells, six tetrahedra each, that hangs from one side under its weight: the body of docs/scaling.md.

    bench/cube.py 30 DIR        writes DIR/c30.vtu and DIR/c30.scn (static, conjugate gradients with multigrid of PETSc)
    time build/divan run DIR/c30.scn -n 1
    time mpirun -n 2 build/divan run DIR/c30.scn -n 1 --distributed
"""
import array
import struct
import sys

SOLVERS = {
    "gamg": '<PetscLinearSolver name="solver" options="-ksp_type cg -ksp_rtol 1e-8 -pc_type gamg" repeatable="0"/>',
    "cg": '<CGLinearSolver name="solver" iterations="5000" tolerance="1e-16" threshold="1e-16"/>',
    "direct": '<SparseLDLSolver name="solver" template="CompressedRowSparseMatrixMat3x3d"/>',
}
SCENE = """<?xml version="1.0"?>
<Node name="root" gravity="0 -9.81 0" dt="1">
  <DefaultAnimationLoop/>
  <StaticSolver/>
  <NewtonRaphsonSolver maxNbIterationsNewton="1" warnWhenDiverge="0" warnWhenLineSearchFails="0"/>
  {solver}
  <MeshVTKLoader name="mesh" filename="{mesh}"/>
  <TetrahedronSetTopologyContainer name="tetrahedra" src="@mesh"/>
  <MechanicalObject name="dofs" src="@mesh"/>
  <DiagonalMass massDensity="1000"/>
  <TetrahedronFEMForceField name="fem" youngModulus="1e6" poissonRatio="0.3" method="large"/>
  <BoxROI name="held" box="-0.1 -0.1 -0.1 0.0001 1.1 1.1"/>
  <FixedProjectiveConstraint indices="@held.indices"/>
</Node>
"""
CORNERS = ((0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7))


def block(values):
    raw = values.tobytes()
    return struct.pack("<Q", len(raw)) + raw


def mesh(n):
    m = n + 1
    points = array.array("d")
    for k in range(m):
        for j in range(m):
            for i in range(m):
                points.extend((i / n, j / n, k / n))
    step = [(c & 1) + (c >> 1 & 1) * m + (c >> 2) * m * m for c in range(8)]
    shape = [step[c] for corners in CORNERS for c in corners]
    cells = array.array("i")
    for k in range(n):
        for j in range(n):
            for i in range(n):
                first = i + m * (j + m * k)
                cells.extend([first + s for s in shape])
    return points, cells


def write_vtu(path, points, cells):
    count = len(cells) // 4
    blocks, at, places = [], 0, []
    for values in (points, cells, array.array("i", range(4, 4 * count + 1, 4)), array.array("B", [10]) * count):
        places.append(at)
        blocks.append(block(values))
        at += len(blocks[-1])
    with open(path, "wb") as f:
        f.write(f"""<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<UnstructuredGrid><Piece NumberOfPoints="{len(points) // 3}" NumberOfCells="{count}">
<Points><DataArray type="Float64" NumberOfComponents="3" format="appended" offset="{places[0]}"/></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="appended" offset="{places[1]}"/>
<DataArray type="Int32" Name="offsets" format="appended" offset="{places[2]}"/>
<DataArray type="UInt8" Name="types" format="appended" offset="{places[3]}"/></Cells>
</Piece></UnstructuredGrid><AppendedData encoding="raw">_""".encode())
        for b in blocks:
            f.write(b)
        f.write(b"</AppendedData></VTKFile>\n")


def main():
    if len(sys.argv) not in (3, 4) or not sys.argv[1].isdigit() or sys.argv[3:] and sys.argv[3] not in SOLVERS:
        sys.exit(__doc__ + "\n    bench/cube.py N DIR [" + "|".join(SOLVERS) + "]")
    n, folder, solver = int(sys.argv[1]), sys.argv[2], (sys.argv[3:] or ["gamg"])[0]
    write_vtu(f"{folder}/c{n}.vtu", *mesh(n))
    with open(f"{folder}/c{n}.scn", "w") as f:
        f.write(SCENE.format(solver=SOLVERS[solver], mesh=f"c{n}.vtu"))


main()
