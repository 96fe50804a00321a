// The picture as a lens bends it: (1 + k1 r2 + k2 r4) times as far from the middle, r = 1 at half the height.
in vec2 at;
uniform sampler2D picture;
uniform vec2 lens;
uniform float aspect;
out vec4 result;

void main()
{
  vec2 p = (2.0 * at - 1.0) * vec2(aspect, 1.0);
  float r = dot(p, p), f = 1.0 + lens.x * r + lens.y * r * r;
  vec2 from = 0.5 + 0.5 * (2.0 * at - 1.0) * f;
  bool there = all(greaterThanEqual(from, vec2(0.0))) && all(lessThanEqual(from, vec2(1.0)));
  result = there ? vec4(texture(picture, from).rgb, 1.0) : vec4(0.0, 0.0, 0.0, 1.0);
}
