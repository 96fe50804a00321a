// The mean of occlusion.glsl over 4 x 4 pixels, without those of other bodies.
uniform highp sampler2D depths;
uniform sampler2D raw;
uniform mat4 unprojection;
uniform vec2 pixelSize;
uniform float reach;
in vec2 at;
out vec4 result;

float away(vec2 uv)
{
  vec4 h = unprojection * vec4(2.0 * uv - 1.0, 2.0 * texture(depths, uv).r - 1.0, 1.0);
  return h.z / h.w;
}

void main()
{
  float z = away(at), sum = 0.0, all = 0.0;
  for (int y = -2; y < 2; y++)
    for (int x = -2; x < 2; x++) {
      vec2 uv = at + pixelSize * vec2(float(x), float(y));
      float w = max(0.02, 1.0 - abs(away(uv) - z) / (0.35 * reach));
      sum += w * texture(raw, uv).r;
      all += w;
    }
  result = vec4(sum / all, 0.0, 0.0, 1.0);
}
