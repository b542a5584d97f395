#version 330 core
// Bodies as discs of light. If the size of a disc must be clamped, its total light is preserved: it is spread
// over the pixels of the clamped disc.
layout(location = 0) in vec3 position;
layout(location = 1) in float mass;
layout(location = 2) in float value;

uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform float pixels;      // width of one scene unit at a distance of one unit
uniform float meanMass;
uniform float luminosity;  // of a body of mean mass, as light times the square of the scene's unit
uniform float radius;      // of such a body, in the scene's unit
uniform float discLight;   // if positive, light at the centre of every disc, whatever its mass and size
uniform vec2 diameters;    // the smallest and largest on the screen, in pixels
uniform vec2 valueRange;   // values of the first and last colour
uniform bool logarithmic;
uniform sampler2D colours; // one row

flat out vec3 light;  // at the centre of the disc

const float pi = 3.14159265;

float partOfRange() {
  if (!logarithmic) return (value - valueRange.x) / max(valueRange.y - valueRange.x, 1e-30);
  return log(max(value, 1e-30) / valueRange.x) / max(log(valueRange.y / valueRange.x), 1e-30);
}

void main() {
  gl_Position = projectionMatrix * (viewMatrix * vec4(position, 1.0));
  float unit = pixels / gl_Position.w;
  float part = mass / meanMass;
  gl_PointSize = clamp(2.0 * radius * pow(part, 1.0 / 3.0) * unit, diameters.x, diameters.y);
  // The profile (1 - r^2)^2 of points.frag integrates to a third of the disc's area.
  float area = 0.25 * pi * gl_PointSize * gl_PointSize / 3.0;
  float count = float(textureSize(colours, 0).x);
  float place = (clamp(partOfRange(), 0.0, 1.0) * (count - 1.0) + 0.5) / count;
  float bright = discLight > 0.0 ? discLight : luminosity * part * unit * unit / area;
  light = textureLod(colours, vec2(place, 0.5), 0.0).rgb;
  // Spheres must be visible on black: dark colours are raised to full brightness at the same hue.
  if (discLight > 0.0) light /= max(max(light.r, max(light.g, light.b)), 1e-3);
  light *= bright;
}
