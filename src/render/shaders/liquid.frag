// The surface of a liquid over the picture: its smoothed distances have normals, light is reflected there, bent on its
// way in, and swallowed on the way through. The text of light.glsl stands above.
in vec2 at;
uniform highp sampler2D ways;   // smoothed distances from the eye
uniform highp sampler2D sums;   // of fog.frag: colour times mu way, and mu way
uniform sampler2D behind;       // the picture without the liquid
uniform mat4 toPicture, unprojection;
uniform vec3 eye, towards;      // towards the camera where there is no perspective; 0 where there is
uniform vec2 pixelSize;
uniform float bend;             // metres: how far light is bent aside at most
uniform vec4 part;              // of the picture that is drawn: first corner and size
out vec4 result;

vec3 placeOf(vec2 uv)
{
  vec4 a = unprojection * vec4(2.0 * uv - 1.0, -1.0, 1.0), b = unprojection * vec4(2.0 * uv - 1.0, 1.0, 1.0);
  vec3 from = a.xyz / a.w, way = normalize(b.xyz / b.w - from);
  float away = texture(ways, uv).r;
  return dot(towards, towards) > 0.0 ? from + way * (away - dot(eye - from, towards)) : eye + way * away;
}

// to the neighbour of the two that is about as far away
vec3 slope(vec3 p, float away, vec2 step)
{
  float a = texture(ways, at - step).r, b = texture(ways, at + step).r;
  bool first = b <= 0.0 || (a > 0.0 && abs(a - away) < abs(b - away));
  if (first && a <= 0.0) return vec3(0.0);
  return first ? p - placeOf(at - step) : placeOf(at + step) - p;
}

void main()
{
  float away = texture(ways, at).r;
  vec4 sum = texture(sums, at);
  if (away <= 0.0) discard;
  vec3 p = placeOf(at), v = dot(towards, towards) > 0.0 ? towards : normalize(eye - p);
  vec3 n = cross(slope(p, away, vec2(pixelSize.x, 0.0)), slope(p, away, vec2(0.0, pixelSize.y)));
  n = dot(n, n) > 0.0 ? normalize(n) : v;
  if (dot(n, v) < 0.0) n = -n;
  float way = abs(sum.a), seen = 1.0 - exp(-way);
  vec3 colour = way > 1e-6 ? clamp(sum.rgb / sum.a, 0.0, 1.0) : vec3(1.0);
  vec4 bent = toPicture * vec4(p - bend * seen * (n - v * dot(n, v)), 1.0);
  vec3 back = texture(behind, part.xy + part.zw * clamp(0.5 + 0.5 * bent.xy / bent.w, 0.0, 1.0)).rgb;
  vec3 albedo = pow(colour, vec3(2.2));
  vec3 lit = dvEncoded(dvToned(dvShade(albedo, vec3(0.9), 90.0, vec3(0.0), n, p, v, gl_FragCoord.xy)));
  vec3 shine = dvEncoded(dvToned(dvShade(vec3(0.0), vec3(0.9), 90.0, vec3(0.0), n, p, v, gl_FragCoord.xy)));
  vec3 through = back * mix(vec3(1.0), colour, seen);
  result = vec4(mix(through + shine * (1.0 - through), lit, 0.75 * seen), 1.0);
  vec4 h = toPicture * vec4(p, 1.0);
  gl_FragDepth = clamp(0.5 + 0.5 * h.z / h.w, 0.0, 1.0);
}
