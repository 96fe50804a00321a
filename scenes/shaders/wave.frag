#version 120
// Light as old scenes have it: ambient, diffuse and a highlight of every lamp, stripes of two colours.
uniform vec3 stripes[2];
uniform sampler2D picture;
uniform int lamps = 1;
varying vec3 normal, towards;
varying float depth;

vec3 lit(int i, vec3 n, vec3 v, vec3 colour)
{
  vec3 l = normalize(gl_LightSource[i].position.xyz);
  float direct = max(dot(n, l), 0), shine = pow(max(dot(n, normalize(l + v)), 0), 40);
  return gl_LightSource[i].diffuse.rgb * (colour * direct + 0.35 * shine);
}

void main()
{
  vec3 v = normalize(towards), n = normalize(normal), colour = mix(stripes[0], stripes[1], step(0, depth));
#ifdef HAS_TEXTURE
  colour *= 0.35 + 0.65 * texture2D(picture, gl_TexCoord[0].st * 2).rgb;
#endif
  if (dot(n, v) < 0) n = -n;
  vec3 sum = colour * 0.3;
  for (int i = 0; i < lamps; i++) sum += lit(i, n, v, colour);
  gl_FragColor = vec4(sum, 1);
}
