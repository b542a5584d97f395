#version 330 core
// A disc of light, brightest at its centre, with additive blending.
flat in vec3 light;
uniform float discLight;  // if positive, the point is a sphere with limb darkening, not light that fades out
layout(location = 0) out vec4 sum;

void main() {
  vec2 place = 2.0 * gl_PointCoord - 1.0;
  float inside = max(1.0 - dot(place, place), 0.0);
  float sphere = smoothstep(0.0, 0.2, inside) * (0.3 + 0.7 * sqrt(inside));
  sum = vec4(light * (discLight > 0.0 ? sphere : inside * inside), 0.0);
}
