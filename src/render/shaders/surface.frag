// Lit surfaces. The texts of light.glsl and layers.glsl stand above.
in vec3 vPlace, vNormal;
in vec2 vCoordinates;
in vec4 vTint, vPaint;
in float vCut;
uniform vec3 eye, towards;   // towards the camera where there is no perspective; 0 where there is
uniform vec4 colour;         // linear
uniform vec3 specular, emissive;
uniform float shininess;
uniform int textured;
uniform bool flatFaces;
uniform sampler2D picture;
out vec4 result;

void main()
{
  if (vCut < 0.0 || dvOutside()) discard;
  vec4 c = colour * vTint;
  if (textured == 1) c *= texture(picture, vCoordinates);
  c.rgb = mix(c.rgb, vPaint.rgb, vPaint.a);   // what is painted over it is wet
  if (c.a < 0.02) discard;
  vec3 n = flatFaces ? cross(dFdx(vPlace), dFdy(vPlace)) : vNormal, v = dot(towards, towards) > 0.0 ? towards : normalize(eye - vPlace);
  n = normalize(dot(n, n) > 0.0 ? n : v);
  if (flatFaces ? dot(n, v) < 0.0 : !gl_FrontFacing) n = -n;
  vec3 lit = dvShade(c.rgb, mix(specular, vec3(0.8), vPaint.a), mix(shininess, 60.0, vPaint.a), emissive, n, vPlace, v, gl_FragCoord.xy);
  result = vec4(dvEncoded(dvToned(lit)), c.a);
}
