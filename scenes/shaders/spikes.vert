#version 120
varying vec3 inner;
void main()
{
  inner = gl_Color.rgb;
  gl_Position = gl_ModelViewMatrix * gl_Vertex;
}
