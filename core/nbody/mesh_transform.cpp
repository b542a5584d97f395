#include "core/nbody/mesh_transform.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <kissfft/kissfft.hh>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::nbody {

struct MeshTransform::Plan {
  kissfft<double> line;
  Plan(std::size_t side, bool inverse) : line(side, inverse) {}
};

MeshTransform::MeshTransform(std::size_t side)
    : side_(side),
      forward_(std::make_unique<const Plan>(side, false)),
      inverse_(std::make_unique<const Plan>(side, true)) {}

MeshTransform::~MeshTransform() = default;

/// Along y and x.
void MeshTransform::transform_planes(std::span<Complex> modes, const Plan& plan) const {
  const std::size_t n = side_, deep = depth();
  const auto transform_line = [&](std::size_t first, std::size_t stride, std::vector<Complex>& line) {
    plan.line.transform(&modes[first], line.data(), 0, 1, stride);
    for (std::size_t i = 0; i < n; ++i) modes[first + i * stride] = line[i];
  };
  using Range = tbb::blocked_range<std::size_t>;
  handover::parallel_for(Range(0, n), [&](const Range& part) {
    std::vector<Complex> line(n);
    for (std::size_t x = part.begin(); x != part.end(); ++x) {
      for (std::size_t z = 0; z < deep; ++z) transform_line(x * n * deep + z, deep, line);
    }
  });
  handover::parallel_for(Range(0, n), [&](const Range& part) {
    std::vector<Complex> line(n);
    for (std::size_t y = part.begin(); y != part.end(); ++y) {
      for (std::size_t z = 0; z < deep; ++z) transform_line(y * deep + z, n * deep, line);
    }
  });
}

void MeshTransform::forward(std::span<const double> values, std::span<Complex> modes) const {
  using Range = tbb::blocked_range<std::size_t>;
  const std::size_t n = side_, deep = depth();
  handover::parallel_for(Range(0, n * n, 16), [&](const Range& part) {
    std::vector<Complex> in(n), out(n);
    for (std::size_t row = part.begin(); row != part.end(); ++row) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(row * n), n, in.begin());
      forward_->line.transform(in.data(), out.data());
      std::copy_n(out.begin(), deep, modes.begin() + static_cast<std::ptrdiff_t>(row * deep));
    }
  });
  transform_planes(modes, *forward_);
}

void MeshTransform::inverse(std::span<Complex> modes, std::span<double> values) const {
  transform_planes(modes, *inverse_);
  using Range = tbb::blocked_range<std::size_t>;
  const std::size_t n = side_, deep = depth();
  handover::parallel_for(Range(0, n * n, 16), [&](const Range& part) {
    std::vector<Complex> in(n), out(n);
    for (std::size_t row = part.begin(); row != part.end(); ++row) {
      for (std::size_t z = 0; z < deep; ++z) in[z] = modes[row * deep + z];
      for (std::size_t z = deep; z < n; ++z) in[z] = std::conj(in[n - z]);
      inverse_->line.transform(in.data(), out.data());
      for (std::size_t z = 0; z < n; ++z) values[row * n + z] = out[z].real();
    }
  });
}

bool suits_transform(std::size_t side) {
  if (side == 0 || side % 2 != 0) return false;
  for (const std::size_t factor : {2u, 3u, 5u}) {
    while (side % factor == 0) side /= factor;
  }
  return side == 1;
}

std::size_t next_transform_side(std::size_t side) {
  while (!suits_transform(side)) ++side;
  return side;
}

}  // namespace isolume::nbody
