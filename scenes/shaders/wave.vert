#version 120
// The surface swings along its normals; written as the shaders of old scenes are.
uniform float height, waves;
varying vec3 normal, towards;
varying float depth;

void main()
{
  float phase = waves * gl_Vertex.x * 2;
  vec4 place = gl_ModelViewMatrix * (gl_Vertex + vec4(gl_Normal * (height * sin(phase)), 0));
  normal = gl_NormalMatrix * gl_Normal;
  towards = -place.xyz;
  depth = sin(phase);
  gl_TexCoord[0] = gl_MultiTexCoord0;
  gl_FrontColor = gl_Color;
  gl_Position = gl_ProjectionMatrix * place;
}
