// What fog.frag has summed up, over the picture: exp(-mu way) of it stays.
in vec2 at;
uniform highp sampler2D ways;
out vec4 result;

void main()
{
  vec4 sum = texture(ways, at);
  float way = abs(sum.a);
  if (way < 1e-4) discard;
  result = vec4(clamp(sum.rgb / sum.a, 0.0, 1.0), 1.0 - exp(-way));
}
