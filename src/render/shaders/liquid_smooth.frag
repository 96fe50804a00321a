// Smooths the distances of liquid_depth.frag along one direction: a mean over neighbours that are about as far away, so
// that drops become one surface and what is behind stays behind. 0: there is no liquid. Neighbours count in pairs,
// one on each side: where one is missing, at a rim, the other would draw the surface to its side. Weights fall to 0
// where the window ends. Else there are streaks along the direction.
in vec2 at;
uniform highp sampler2D ways;
uniform vec2 along;      // one pixel along the direction
uniform float wide;      // metres over which it is smoothed
uniform float falloff;   // metres: what is farther or nearer than this counts little
uniform float pixels;    // that a metre has at a distance of 1, or anywhere where there is no perspective
uniform bool flatView;   // no perspective
out vec4 result;

void main()
{
  float z = texture(ways, at).r, sum = z, all = 1.0;
  if (z <= 0.0) { result = vec4(0.0); return; }
  float most = clamp(wide * pixels / (flatView ? 1.0 : z), 2.0, 40.0);
  for (int i = 1; i < 40; i++) {
    float s = float(i) / most;
    if (s >= 1.0) break;
    float before = texture(ways, at - float(i) * along).r, behind = texture(ways, at + float(i) * along).r;
    if (before <= 0.0 || behind <= 0.0) continue;
    float a = (before - z) / falloff, b = (behind - z) / falloff, w = 1.0 - s * s;
    w *= w * exp(-max(a * a, b * b));
    sum += w * (before + behind);
    all += 2.0 * w;
  }
  result = vec4(sum / all, 0.0, 0.0, 1.0);
}
