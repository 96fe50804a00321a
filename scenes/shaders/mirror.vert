// Where the eye looks from and which way the surface faces, in the frame of the eye.
varying vec3 place, normal;

void main()
{
  place = vec3(gl_ModelViewMatrix * gl_Vertex);
  normal = gl_NormalMatrix * gl_Normal;
  gl_Position = ftransform();
}
