// How a surface looks: the studio that a scene stands in, or the scene's own lights. The page and the renderer without a
// screen compile this same text, so that a scene looks the same in both.
//
//   colour out = emissive + albedo (key n.l s + sky a + fill n.v) + F (environment(r) a + highlight s)
//
// s: shadow of the key light (percentage closer filtering over a disc), a: ambient occlusion, F: Schlick's Fresnel.
// Everything is linear and in the space of the scene; dvToned brings it into 0..1 (tone mapping that leaves colours
// below 0.76 as they are), dvEncoded to sRGB.
const int DV_MOST_LIGHTS = 8;
const int DV_MOST_SHADOWS = 4;
uniform vec3 dvUp;                              // of the scene
uniform vec3 dvKey;                             // towards the key light of the studio
uniform int dvLights;                           // of the scene's own; 0: the studio's are on
uniform vec4 dvLightPlace[DV_MOST_LIGHTS];      // position and 1, or the direction towards the light and 0
uniform vec4 dvLightWay[DV_MOST_LIGHTS];        // axis of the cone and the cosine of its half angle; -2: everywhere
uniform vec4 dvLightColour[DV_MOST_LIGHTS];     // and the number of its shadow, -1 for none
uniform vec3 dvAmbient;                         // of the scene's own lights
uniform int dvShadows;                          // that are there: the first is the key light's in the studio
uniform mat4 dvShadowMatrix[DV_MOST_SHADOWS];   // from the scene into the picture of depths, 0..1
uniform vec4 dvShadowWide[DV_MOST_SHADOWS];     // radius of the blur in the picture's units, the same in metres at the scene
uniform highp sampler2DShadow dvShadowMap;      // four in a square where there is more than one
uniform sampler2D dvOcclusion;                  // of each pixel; nothing is hidden where dvOcclusionSize is 0
uniform vec2 dvOcclusionSize;                   // one pixel of it
uniform vec2 dvOcclusionFrom;                   // where the picture begins, in pixels: an inset does so elsewhere

float dvShadowOf(int k, vec3 p, vec3 n, float slope, float soft)   // soft: times the usual blur, 1 or 3
{
  if (k >= dvShadows) return 1.0;
  int taps = soft > 1.5 ? 2 * DV_TAPS : DV_TAPS;
  vec3 q = p + n * dvShadowWide[k].y * (0.35 + 1.1 * (1.0 - slope));
  vec4 h = dvShadowMatrix[k] * vec4(q, 1.0);
  if (h.w <= 0.0) return 1.0;
  vec3 c = h.xyz / h.w;
  if (any(lessThan(c, vec3(0.0))) || any(greaterThan(c, vec3(1.0)))) return 1.0;
  vec2 low = vec2(0.0), size = vec2(1.0);
  if (dvShadows > 1) { size = vec2(0.5); low = 0.5 * vec2(float(k & 1), float(k >> 1)); }
  float sum = 0.0;
  for (int i = 0; i < taps; i++) {   // a spiral of places with equal shares of the disc
    float r = sqrt((float(i) + 0.5) / float(taps)), a = 2.39996323 * float(i);
    vec2 at = clamp(c.xy + soft * dvShadowWide[k].x * r * vec2(cos(a), sin(a)), 0.002, 0.998);
    sum += texture(dvShadowMap, vec3(low + size * at, c.z - 0.0004));
  }
  return sum / float(taps);
}

// The shadow of the key light, sharp where bodies touch and soft where one is high above the other: the light is a
// disc, and its rim is 0.16 of the way from it to the body that hides it wide. How far that is comes from comparisons with
// depths nearer and nearer to the light: x of the result is how much light comes, y how far the body is, in depths of the map.
// Where it is looked for is no wider than the places lie close: a thin instrument is met everywhere or nowhere.
vec2 dvKeyLit(vec3 p, vec3 n, float slope)
{
  if (dvShadows == 0) return vec2(1.0, 0.0);
  const float widest = 0.032, levels[5] = float[5](0.0, 0.03, 0.08, 0.17, 0.32);
  vec3 c = (dvShadowMatrix[0] * vec4(p + n * dvShadowWide[0].y * (0.35 + 1.1 * (1.0 - slope)), 1.0)).xyz;
  if (any(lessThan(c, vec3(0.0))) || any(greaterThan(c, vec3(1.0)))) return vec2(1.0, 0.0);
  float hidden = 0.0, far = 0.0;
  for (int i = 0; i < DV_TAPS; i++) {
    float r = sqrt((float(i) + 0.5) / float(DV_TAPS)), a = 2.39996323 * float(i);
    vec2 at = clamp(c.xy + widest * r * vec2(cos(a), sin(a)), 0.002, 0.998);
    float dark = 1.0 - texture(dvShadowMap, vec3(at, c.z - 0.0004));
    if (dark <= 0.0) continue;
    hidden += dark;
    for (int k = 1; k < 5; k++) far += (levels[k] - levels[k - 1]) * (1.0 - texture(dvShadowMap, vec3(at, c.z - levels[k])));
  }
  if (hidden <= 0.0) return vec2(1.0, 0.0);
  far /= hidden;
  float wide = clamp(0.328 * far, 0.8 * dvShadowWide[0].x, widest), sum = 0.0;   // 0.16 of 4.1 radii, of the 2 that the map has
  int taps = 2 * DV_TAPS;
  for (int i = 0; i < taps; i++) {
    float r = sqrt((float(i) + 0.5) / float(taps)), a = 2.39996323 * float(i);
    sum += texture(dvShadowMap, vec3(clamp(c.xy + wide * r * vec2(cos(a), sin(a)), 0.002, 0.998), c.z - 0.0004));
  }
  return vec2(sum / float(taps), far);
}

float dvOcclusionAt(vec2 pixel) { return dvOcclusionSize.x > 0.0 ? texture(dvOcclusion, (pixel - dvOcclusionFrom) * dvOcclusionSize).r : 1.0; }

// a room with a bright ceiling, a grey floor, a soft box at the key light and a strip on the other side
vec3 dvEnvironment(vec3 d, float rough)
{
  vec3 up = dvUp, side = normalize(cross(up, dvKey) + 1e-5);
  vec3 c = mix(vec3(0.30, 0.29, 0.29), vec3(0.80, 0.83, 0.88), smoothstep(-0.35 - rough, 0.45 + rough, dot(d, up)));
  float soft = 0.03 + 0.45 * rough, gain = 1.0 / (1.0 + 14.0 * rough * rough);
  c += 3.4 * gain * smoothstep(0.88 - soft, 0.90 + 0.6 * soft, dot(d, dvKey));
  vec3 strip = normalize(0.35 * up - 0.2 * dvKey + side);
  c += 0.9 * gain * smoothstep(0.90 - soft, 0.93 + 0.5 * soft, dot(d, strip));
  return c;
}

float dvHighlight(vec3 n, vec3 l, vec3 v, float power) { return (power + 8.0) * 0.04 * pow(max(dot(n, normalize(l + v)), 0.0), power); }

// p, n, v: place, normal and direction towards the eye; specular and shininess as scene files have them
vec3 dvShade(vec3 albedo, vec3 specular, float shininess, vec3 emissive, vec3 n, vec3 p, vec3 v, vec2 pixel)
{
  float ao = dvOcclusionAt(pixel), wet = max(specular.r, max(specular.g, specular.b));
  float power = wet > 0.0 ? clamp(1.5 * shininess, 4.0, 400.0) : 22.0, rough = sqrt(2.0 / (power + 2.0));
  float facing = max(dot(n, v), 0.0), f0 = 0.028 + 0.075 * min(wet, 1.0);
  float fresnel = f0 + (1.0 - f0) * (1.0 - rough) * pow(1.0 - facing, 5.0);
  vec3 tint = wet > 0.0 ? mix(vec3(1.0), specular / wet, 0.6) : vec3(1.0);
  float up = 0.5 + 0.5 * dot(n, dvUp);
  vec3 sky = mix(vec3(0.235, 0.220, 0.215), vec3(0.45, 0.47, 0.51), up);
  vec3 lit, shine;
  if (dvLights == 0) {
    float slope = dot(n, dvKey), direct = max((slope + 0.12) / 1.12, 0.0);
    float s = direct > 0.0 ? dvKeyLit(p, n, clamp(slope, 0.0, 1.0)).x : 0.0;
    vec3 key = vec3(0.96, 0.93, 0.88) * direct * s * mix(1.0, ao, 0.4);
    lit = key + sky * ao + vec3(0.10, 0.11, 0.12) * facing * ao;
    shine = dvEnvironment(reflect(-v, n), rough) * ao * mix(0.55, 1.0, s) + 0.9 * key * dvHighlight(n, dvKey, v, power);
  } else {
    lit = (dvAmbient + 0.42 * sky) * ao;   // never wholly dark
    shine = 0.35 * dvEnvironment(reflect(-v, n), rough) * ao;
    for (int i = 0; i < DV_MOST_LIGHTS; i++) {
      if (i >= dvLights) break;
      vec3 l = dvLightPlace[i].w > 0.5 ? normalize(dvLightPlace[i].xyz - p) : dvLightPlace[i].xyz;
      float slope = dot(n, l), direct = max(slope, 0.0);
      if (dvLightWay[i].w > -1.5) direct *= smoothstep(dvLightWay[i].w, mix(dvLightWay[i].w, 1.0, 0.25), dot(-l, dvLightWay[i].xyz));
      if (direct <= 0.0) continue;
      if (dvLightColour[i].w >= 0.0) direct *= dvShadowOf(int(dvLightColour[i].w), p, n, clamp(slope, 0.0, 1.0), 1.0);
      vec3 c = 0.72 * dvLightColour[i].rgb * direct;
      lit += c;
      shine += 0.6 * c * dvHighlight(n, l, v, power);
    }
  }
  return emissive + albedo * lit * (1.0 - 0.5 * fresnel) + tint * fresnel * shine;
}

vec3 dvToned(vec3 c)
{
  const float start = 0.76, room = 1.0 - start;
  float peak = max(c.r, max(c.g, c.b));
  if (peak <= start) return max(c, vec3(0.0));
  float now = 1.0 - room * room / (peak + room - start);
  return mix(vec3(now), c * (now / peak), 1.0 / (0.15 * (peak - now) + 1.0));
}

vec3 dvEncoded(vec3 c) { return mix(12.92 * c, 1.055 * pow(max(c, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055, step(vec3(0.0031308), c)); }

// How much of what is behind a ground that receives shadows stays: its colour is black.
float dvGroundDark(vec3 p, vec2 pixel)
{
  float lit = 1.0, ao = dvOcclusionAt(pixel), deep = 0.36;
  if (dvLights == 0) {
    vec2 seen = dvKeyLit(p, dvUp, 1.0);
    lit = seen.x;
    deep = mix(0.46, 0.27, smoothstep(0.0, 0.2, seen.y));   // high above, more of the room's light comes below
  } else {
    float all = 0.35, there = 0.35;
    for (int i = 0; i < DV_MOST_LIGHTS; i++) {
      if (i >= dvLights) break;
      vec3 l = dvLightPlace[i].w > 0.5 ? normalize(dvLightPlace[i].xyz - p) : dvLightPlace[i].xyz;
      float direct = max(dot(dvUp, l), 0.0);
      all += direct;
      if (dvLightColour[i].w >= 0.0) direct *= dvShadowOf(int(dvLightColour[i].w), p, dvUp, 1.0, 3.0);
      there += direct;
    }
    lit = there / all;
  }
  return 1.0 - (1.0 - deep * (1.0 - lit)) * (1.0 - 0.55 * (1.0 - ao));
}
