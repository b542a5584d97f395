#include "core/neurons/patch.h"

#include <algorithm>
#include <cmath>

namespace isolume::neurons {

std::size_t Stack::voxel(int u, int v, int slice) const {
  std::array<int, 3> index{};
  index[static_cast<std::size_t>(in_plane()[0])] = u;
  index[static_cast<std::size_t>(in_plane()[1])] = v;
  index[static_cast<std::size_t>(axis)] = slice;
  const auto& n = grid.dimensions;
  return (static_cast<std::size_t>(index[2]) * static_cast<std::size_t>(n[1]) +
          static_cast<std::size_t>(index[1])) *
             static_cast<std::size_t>(n[0]) +
         static_cast<std::size_t>(index[0]);
}

Eigen::Vector3d Stack::position(double u, double v, double slice) const {
  Eigen::Vector3d index;
  index[in_plane()[0]] = u;
  index[in_plane()[1]] = v;
  index[axis] = slice;
  return grid.position(index);
}

float Patch::sample(double u, double v) const {
  const double x = std::clamp(u, 0.0, static_cast<double>(width - 1)),
               y = std::clamp(v, 0.0, static_cast<double>(height - 1));
  const int i = std::min(static_cast<int>(x), std::max(width - 2, 0)),
            j = std::min(static_cast<int>(y), std::max(height - 2, 0));
  const int right = std::min(i + 1, width - 1), below = std::min(j + 1, height - 1);
  const auto a = static_cast<float>(x - i), b = static_cast<float>(y - j);
  return (1 - b) * ((1 - a) * values[at(i, j)] + a * values[at(right, j)]) +
         b * ((1 - a) * values[at(i, below)] + a * values[at(right, below)]);
}

Patch patch_of(const Stack& stack, int slice, int u0, int v0, int width, int height, double sigma) {
  std::vector<float> weights{1};
  if (sigma > 0) {
    const int reach = static_cast<int>(std::ceil(3 * sigma));
    float sum = 0;
    weights.clear();
    for (int i = -reach; i <= reach; ++i) {
      weights.push_back(static_cast<float>(std::exp(-0.5 * i * i / (sigma * sigma))));
      sum += weights.back();
    }
    for (float& each : weights) each /= sum;
  }
  const int reach = static_cast<int>(weights.size()) / 2;
  const std::size_t u_stride =
                        stack.width() > 1 ? stack.voxel(1, 0, 0) - stack.voxel(0, 0, 0) : std::size_t{0},
                    v_stride =
                        stack.height() > 1 ? stack.voxel(0, 1, 0) - stack.voxel(0, 0, 0) : std::size_t{0},
                    first = stack.voxel(0, 0, slice);
  const int tall = height + 2 * reach;
  std::vector<float> line(static_cast<std::size_t>(width + 2 * reach)),
      rows(static_cast<std::size_t>(width) * static_cast<std::size_t>(tall));
  for (int y = 0; y < tall; ++y) {
    const auto v = static_cast<std::size_t>(std::clamp(v0 + y - reach, 0, stack.height() - 1));
    for (std::size_t x = 0; x < line.size(); ++x) {
      const auto u =
          static_cast<std::size_t>(std::clamp(u0 + static_cast<int>(x) - reach, 0, stack.width() - 1));
      line[x] = stack.values[first + u * u_stride + v * v_stride];
    }
    float* row = rows.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
    for (int x = 0; x < width; ++x) row[x] = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      for (int x = 0; x < width; ++x) row[x] += weights[k] * line[static_cast<std::size_t>(x) + k];
    }
  }
  Patch patch{u0, v0, width, height, {}};
  patch.values.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    float* row = patch.values.data() + patch.at(0, y);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const float* from = rows.data() + (static_cast<std::size_t>(y) + k) * static_cast<std::size_t>(width);
      for (int x = 0; x < width; ++x) row[x] += weights[k] * from[x];
    }
  }
  return patch;
}

Patch shifted(const Patch& patch, double du, double dv, const Patch& like, float outside) {
  Patch result{like.u0, like.v0, like.width, like.height, std::vector<float>(like.values.size(), outside)};
  const double u = like.u0 - du - patch.u0, v = like.v0 - dv - patch.v0;  // of the first pixel, in `patch`
  const int i = static_cast<int>(std::floor(u)), j = static_cast<int>(std::floor(v));
  const auto a = static_cast<float>(u - i), b = static_cast<float>(v - j);
  const int first = std::max(-i, 0), last = std::min(patch.width - 2 - i, like.width - 1);
  for (int y = std::max(-j, 0); y <= std::min(patch.height - 2 - j, like.height - 1); ++y) {
    const float *above = patch.values.data() + patch.at(0, y + j), *below = above + patch.width;
    float* row = result.values.data() + result.at(0, y);
    for (int x = first; x <= last; ++x) {
      const int k = x + i;
      row[x] =
          (1 - b) * ((1 - a) * above[k] + a * above[k + 1]) + b * ((1 - a) * below[k] + a * below[k + 1]);
    }
  }
  return result;
}

Match match(const Patch& before, const Patch& after, double u, double v, int half, int stride, int reach,
            const Match& from) {
  const int centre_u = static_cast<int>(std::lround(u)), centre_v = static_cast<int>(std::lround(v));
  std::vector<float> content;
  for (int y = -half; y <= half; y += stride) {
    for (int x = -half; x <= half; x += stride) {
      const int i = std::clamp(centre_u + x - before.u0, 0, before.width - 1),
                j = std::clamp(centre_v + y - before.v0, 0, before.height - 1);
      content.push_back(before.values[before.at(i, j)]);
    }
  }
  const auto count = static_cast<float>(content.size());
  float mean = 0, squares = 0;
  for (const float each : content) mean += each / count;
  for (float& each : content) each -= mean, squares += each * each;
  const int whole_u = static_cast<int>(std::lround(from.du)),
            whole_v = static_cast<int>(std::lround(from.dv));
  const auto correlation_at = [&](int du, int dv) {
    float product = 0, sum = 0, sum_squares = 0;
    std::size_t k = 0;
    for (int y = -half; y <= half; y += stride) {
      const int j = std::clamp(centre_v + y + whole_v + dv - after.v0, 0, after.height - 1);
      for (int x = -half; x <= half; x += stride, ++k) {
        const int i = std::clamp(centre_u + x + whole_u + du - after.u0, 0, after.width - 1);
        const float value = after.values[after.at(i, j)] - mean;
        product += content[k] * value;
        sum += value;
        sum_squares += value * value;
      }
    }
    const float variance = (sum_squares - sum * sum / count) * squares;
    return variance > 0 ? static_cast<double>(product / std::sqrt(variance)) : 0.0;
  };
  const int side = 2 * reach + 1;
  std::vector<double> found(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  const auto at = [&](int du, int dv) -> double& {
    return found[static_cast<std::size_t>(dv + reach) * static_cast<std::size_t>(side) +
                 static_cast<std::size_t>(du + reach)];
  };
  std::array<int, 2> best{0, 0};
  for (int dv = -reach; dv <= reach; ++dv) {
    for (int du = -reach; du <= reach; ++du) at(du, dv) = correlation_at(du, dv);
  }
  for (int dv = -reach; dv <= reach; ++dv) {
    for (int du = -reach; du <= reach; ++du) {
      if (at(du, dv) > at(best[0], best[1])) best = {du, dv};
    }
  }
  const auto vertex = [](double left, double middle, double right) {
    const double bend = left - 2 * middle + right;
    return bend < 0 ? std::clamp(0.5 * (left - right) / bend, -0.5, 0.5) : 0.0;
  };
  Match result{static_cast<double>(whole_u + best[0]), static_cast<double>(whole_v + best[1]),
               at(best[0], best[1])};
  if (std::abs(best[0]) < reach)
    result.du += vertex(at(best[0] - 1, best[1]), result.correlation, at(best[0] + 1, best[1]));
  if (std::abs(best[1]) < reach)
    result.dv += vertex(at(best[0], best[1] - 1), result.correlation, at(best[0], best[1] + 1));
  return result;
}

}  // namespace isolume::neurons
