// The ground: nothing but the shadows on it, which fade towards its rim. The text of light.glsl stands above.
in vec3 vPlace;
uniform vec3 middle;
uniform float radius;
out vec4 result;

void main()
{
  float away = distance(vPlace, middle) / radius, there = 1.0 - smoothstep(0.45, 1.0, away);
  result = vec4(0.05, 0.06, 0.085, there * dvGroundDark(vPlace, gl_FragCoord.xy));
}
