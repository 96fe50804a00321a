#version 120
varying vec3 outer;
void main() { gl_FragColor = vec4(outer, 1); }
