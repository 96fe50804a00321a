// A polished surface: what a ray that is thrown back meets in a cube of pictures, and a part of its own colour.
uniform samplerCube sky;
uniform float polish;
varying vec3 place, normal;

void main()
{
  vec3 n = normalize(normal), v = normalize(place);
  n = faceforward(n, v, n);
  vec3 ray = reflect(v, n) * mat3(gl_ModelViewMatrix[0].xyz, gl_ModelViewMatrix[1].xyz, gl_ModelViewMatrix[2].xyz);   // back into the scene
  float rim = polish + (1.0 - polish) * pow(1.0 - abs(dot(n, v)), 4.0);
  gl_FragColor = vec4(mix(gl_FrontMaterial.diffuse.rgb, vec3(textureCube(sky, ray)), rim), 1.0);
}
