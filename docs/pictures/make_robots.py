#!/usr/bin/env python3
"""Draws robots.svg: the scenes of scenes/lattice at four moments, seen from the side, masses as dots. Run it in this folder after
`make build`; it runs ../../build/divan."""
import os
import subprocess
import tempfile

# scene, steps between pictures, axes that are drawn, what is written below
SCENES = [("actuator", 130, (0, 1), "a soft actuator that heat expands"), ("walker", 150, (0, 1), "a walker with five sets of actuators"),
          ("motors", 130, (0, 1), "a stiff body on soft legs that motors turn"), ("bone", 60, (0, 2), "a bone as four lattices")]
WIDTH, ROW = 900, 190


def positions(scene, steps):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["../../build/divan", "run", f"../../scenes/lattice/{scene}.scn", "-n", str(steps), "--dump-state", folder],
                       check=True, capture_output=True)
        points = []
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".txt"):
                continue
            with open(os.path.join(folder, name)) as f:
                numbers = [line for line in f if line.strip().startswith("X=")][0].split()[1:]
            x = [float(n) for n in numbers]
            points += [x[i:i + 3] for i in range(0, len(x), 3)]
        return points


def main():
    body = ""
    for row, (scene, every, (a, b), what) in enumerate(SCENES):
        frames = [positions(scene, every * k) for k in range(4)]
        seen = [{(round(p[a], 4), round(p[b], 4)) for p in f} for f in frames]
        low = min(p[1] for f in seen for p in f)
        scale = min((WIDTH / 4 - 20) / max(max(p[0] for p in f) - min(p[0] for p in f) for f in seen),
                    (ROW - 50) / (max(p[1] for f in seen for p in f) - low))
        for k, f in enumerate(seen):
            left, y = min(p[0] for p in f), ROW * row + ROW - 30
            dots = "".join(f"M{10 + k * WIDTH / 4 + scale * (p[0] - left):.1f} {y - scale * (p[1] - low):.1f}h0" for p in sorted(f))
            body += f'<path d="{dots}" stroke="#26547c" stroke-width="1.6" stroke-linecap="round"/>'
        body += f'<text x="10" y="{ROW * row + ROW - 8}" font-size="13">{scene}.scn: {what}</text>'
    with open("robots.svg", "w") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {ROW * len(SCENES)}" font-family="sans-serif">'
                f'<rect width="{WIDTH}" height="{ROW * len(SCENES)}" fill="white"/>{body}</svg>\n')


if __name__ == "__main__":
    main()
