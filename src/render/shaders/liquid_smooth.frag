// Smooths the distances of liquid_depth.frag along one direction: a mean over neighbours that are about as far away, so
// that drops become one surface and what is behind stays behind. 0: there is no liquid.
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
  float z = texture(ways, at).r, sum = 0.0, all = 0.0;
  if (z <= 0.0) { result = vec4(0.0); return; }
  int most = int(clamp(wide * pixels / (flatView ? 1.0 : z), 2.0, 40.0));
  for (int i = -40; i <= 40; i++) {
    if (abs(i) > most) continue;
    float other = texture(ways, at + float(i) * along).r, s = 1.3 * float(i) / float(most), d = (other - z) / falloff;
    if (other <= 0.0) continue;
    float w = exp(-s * s - d * d);
    sum += w * other;
    all += w;
  }
  result = vec4(sum / all, 0.0, 0.0, 1.0);
}
