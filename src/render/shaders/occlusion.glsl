// Ambient occlusion from the depths of a picture: how much of the half space above a point is taken by what is near.
//
//   a = 1 - (2 strength / N) sum max(0, v.n - bias d) / (v.v + small)      v: from the point to N places around it
//
// after McGuire and others, "The alchemy screen-space ambient obscurance algorithm" (2011). The places turn from pixel to
// pixel in squares of 4 x 4, which blur.glsl averages.
uniform highp sampler2D depths;
uniform mat4 projection, unprojection;   // of the camera
uniform vec2 pixelSize;                  // 1 / width, 1 / height
uniform float reach;                     // metres
in vec2 at;
out vec4 result;

vec3 placeOf(vec2 uv)
{
  vec4 h = unprojection * vec4(2.0 * uv - 1.0, 2.0 * texture(depths, uv).r - 1.0, 1.0);
  return h.xyz / h.w;
}

void main()
{
  float depth = texture(depths, at).r;
  if (depth >= 0.999999) { result = vec4(1.0, 1.0, 0.0, 1.0); return; }
  vec3 p = placeOf(at);
  vec3 right = placeOf(at + vec2(pixelSize.x, 0.0)) - p, left = p - placeOf(at - vec2(pixelSize.x, 0.0));
  vec3 above = placeOf(at + vec2(0.0, pixelSize.y)) - p, below = p - placeOf(at - vec2(0.0, pixelSize.y));
  vec3 dx = abs(right.z) < abs(left.z) ? right : left, dy = abs(above.z) < abs(below.z) ? above : below;
  vec3 n = normalize(cross(dx, dy));
  vec4 edge = projection * vec4(p + vec3(reach, 0.0, 0.0), 1.0), here = projection * vec4(p, 1.0);
  float wide = min(0.5 * (edge.x / edge.w - here.x / here.w), 0.25);   // reach, in parts of the picture's width
  if (wide < 0.7 * pixelSize.x) { result = vec4(1.0, 0.0, 0.0, 1.0); return; }
  ivec2 cell = ivec2(gl_FragCoord.xy) & 3;
  float turn = 6.2831853 * float((cell.x * 4 + cell.y) * 7 % 16) / 16.0, sum = 0.0;
  const int N = 14;
  for (int i = 0; i < N; i++) {
    float r = (float(i) + 0.5) / float(N), a = 2.39996323 * float(i) + turn;
    vec2 uv = at + wide * r * vec2(cos(a), sin(a) * pixelSize.y / pixelSize.x);
    vec3 v = placeOf((floor(uv / pixelSize) + 0.5) * pixelSize) - p;   // a pixel's own place: planes stay planes
    float d2 = dot(v, v), fall = max(1.0 - d2 / (reach * reach), 0.0);
    sum += fall * max(0.0, dot(v, n) - 0.004 * reach - 0.06 * sqrt(d2)) / (d2 + 0.002 * reach * reach) * reach;
  }
  float a = max(0.0, 1.0 - 0.66 * max(0.0, sum / float(N) - 0.05));
  result = vec4(a, depth, 0.0, 1.0);
}
