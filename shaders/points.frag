#version 330 core
// A disc of light, brightest in its middle; added to what is there.
flat in vec3 light;
layout(location = 0) out vec4 sum;

void main() {
  vec2 place = 2.0 * gl_PointCoord - 1.0;
  float inside = max(1.0 - dot(place, place), 0.0);
  sum = vec4(light * inside * inside, 0.0);
}
