#version 330 core
// Colours the logarithm of the sum in a pixel; sums below the range get the first colour.
uniform sampler2D light;
uniform sampler2D colours;  // one row, as light
uniform vec2 range;
uniform int pixels;         // screen pixels per pixel of the light buffer
layout(location = 0) out vec4 colour;

void main() {
  float value = max(texelFetch(light, ivec2(gl_FragCoord.xy) / pixels, 0).r, 1e-30);
  float part = clamp(log(value / range.x) / log(range.y / range.x), 0.0, 1.0);
  float count = float(textureSize(colours, 0).x);
  vec3 linear = textureLod(colours, vec2((part * (count - 1.0) + 0.5) / count, 0.5), 0.0).rgb;
  vec3 bright = 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055;
  colour = vec4(mix(bright, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308))), 1.0);
}
