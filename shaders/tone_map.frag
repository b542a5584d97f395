#version 330 core
// Tone mapping: 1 - exp(-exposure light) approaches white without reaching it; then conversion to sRGB.
uniform sampler2D light;
uniform float exposure;
uniform int pixels;  // screen pixels per pixel of the light buffer
layout(location = 0) out vec4 colour;

void main() {
  vec3 sum = pixels == 1 ? texelFetch(light, ivec2(gl_FragCoord.xy), 0).rgb
                         : texture(light, gl_FragCoord.xy / (float(pixels) * vec2(textureSize(light, 0)))).rgb;
  vec3 linear = 1.0 - exp(-exposure * max(sum, 0.0));
  vec3 bright = 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055;
  colour = vec4(mix(bright, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308))), 1.0);
}
