#version 330 core
// Dims the current picture: blending multiplies it by alpha.
uniform float kept;
layout(location = 0) out vec4 factor;

void main() {
  factor = vec4(0.0, 0.0, 0.0, kept);
}
