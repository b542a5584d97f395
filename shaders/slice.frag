// A slice: values of a field in colour, with contour lines of constant width on the screen. The texture holds
// the values. Interpolation by Catmull-Rom splines gives a smooth gradient, which converts a difference of
// values to a distance in pixels. Nothing is drawn outside the field's box and where it has no value.
//@ after VTK::TCoord::Dec

// Mean of the texels with a value, of the four around a position; NaN if none has one. It replaces the
// missing ones and so keeps the interpolation smooth up to the edge of the box.
float meanAround(ivec2 first, ivec2 last) {
  float sum = 0.0, count = 0.0, unknown = 0.0;
  for (int n = 0; n < 4; ++n) {
    float value = texelFetch(actortexture, clamp(first + ivec2(n & 1, n >> 1), ivec2(0), last), 0).r;
    if (isnan(value)) {
      unknown = value;
    } else {
      sum += value;
      count += 1.0;
    }
  }
  return count > 0.0 ? sum / count : unknown;
}

bool inBox(vec2 place) {
  vec2 texel = place * vec2(textureSize(actortexture, 0)) - 0.5;
  vec3 at = boxCorner + texel.x * boxAlong + texel.y * boxAcross;
  const float rounding = 1e-4;
  return all(greaterThanEqual(at, vec3(-rounding))) && all(lessThanEqual(at, vec3(1.0 + rounding)));
}

// Value, and its derivatives along the texture's columns and rows, per texel.
vec3 valueAt(vec2 place) {
  vec2 size = vec2(textureSize(actortexture, 0));
  vec2 texel = place * size - 0.5;
  vec2 first = floor(texel);
  vec2 t = texel - first;
  vec2 w[4], d[4];
  w[0] = 0.5 * t * (-1.0 + t * (2.0 - t));
  w[1] = 0.5 * (2.0 + t * t * (-5.0 + 3.0 * t));
  w[2] = 0.5 * t * (1.0 + t * (4.0 - 3.0 * t));
  w[3] = 0.5 * t * t * (t - 1.0);
  d[0] = 0.5 * (-1.0 + t * (4.0 - 3.0 * t));
  d[1] = 0.5 * t * (-10.0 + 9.0 * t);
  d[2] = 0.5 * (1.0 + t * (8.0 - 9.0 * t));
  d[3] = 0.5 * t * (-2.0 + 3.0 * t);
  ivec2 last = ivec2(size) - 1;
  vec3 sum = vec3(0.0);
  float least = 1e38, most = -1e38;  // extremes of the four texels around the position
  float mean = meanAround(ivec2(first), last);
  if (isnan(mean)) return vec3(mean, 0.0, 0.0);
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 4; ++i) {
      float value = texelFetch(actortexture, clamp(ivec2(first) + ivec2(i, j) - 1, ivec2(0), last), 0).r;
      if (isnan(value)) value = mean;
      if ((i == 1 || i == 2) && (j == 1 || j == 2)) {
        least = min(least, value);
        most = max(most, value);
      }
      sum += value * vec3(w[i].x * w[j].y, d[i].x * w[j].y, w[i].x * d[j].y);
    }
  }
  // At a nucleus, which only one or two texels resolve, splines overshoot far below zero.
  sum.x = clamp(sum.x, least, most);
  return sum;
}

vec3 colourOf(float value) {
  float part = fieldLogarithmic != 0
                   ? log(max(value, fieldRange.x) / fieldRange.x) / log(fieldRange.y / fieldRange.x)
                   : (value - fieldRange.x) / (fieldRange.y - fieldRange.x);
  int last = fieldColours.length() - 1;
  float place = float(last) * clamp(part, 0.0, 1.0);
  int below = min(int(place), last - 1);
  return mix(fieldColours[below], fieldColours[below + 1], place - float(below));
}

// Fraction of a pixel that contour lines cover. Lines fade out where they would merge, and where the field is
// so flat that a line would become an area.
float lineThrough(vec3 value, vec2 place) {
  vec2 size = vec2(textureSize(actortexture, 0));
  float steep = length(vec2(dot(value.yz, dFdx(place) * size), dot(value.yz, dFdy(place) * size)));
  float shown = fieldLogarithmic != 0 ? value.x : abs(value.x);
  float covered = 0.0;
  for (int i = 0; i < levelCount; ++i) {
    float level = levels[i];
    float away = abs(shown - level) / max(steep, 1e-6 * level);
    float next = i + 1 < levelCount ? levels[i + 1] - level : level;
    float before = i > 0 ? level - levels[i - 1] : level;
    float room = min(next, before) / max(steep, 1e-30);
    float kept = smoothstep(1.0, 3.0, room / lineWidth) * smoothstep(2e-5, 1e-4, steep / level);
    covered = max(covered, kept * clamp(0.5 * lineWidth + 0.5 - away, 0.0, 1.0));
  }
  return covered;
}
//@ instead of VTK::TCoord::Impl
  // A line has one depth across its width, but a tilted slice does not. To keep the outline on the slice
  // visible, the slice is moved back by the change of its depth over half the width of the line.
  gl_FragDepth = gl_FragCoord.z + outlineReach * length(vec2(dFdx(gl_FragCoord.z), dFdy(gl_FragCoord.z)));
  vec3 fieldValue = valueAt(tcoordVCVSOutput);
  gl_FragData[0].rgb = colourOf(fieldValue.x);
  if (levelCount > 0)
    gl_FragData[0].rgb = mix(gl_FragData[0].rgb, lineColour, lineThrough(fieldValue, tcoordVCVSOutput));
  if (isnan(fieldValue.x) || !inBox(tcoordVCVSOutput)) discard;
