#include "core/fourier/mesh_transform.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <kissfft/kissfft.hh>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::fourier {
namespace {

using Range = tbb::blocked_range<std::size_t>;

}  // namespace

struct MeshTransform::Plan {
  kissfft<double> line;
  Plan(std::size_t side, bool inverse) : line(side, inverse) {}
};

MeshTransform::MeshTransform(const Sides& sides) : sides_(sides) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    forward_[axis] = std::make_unique<const Plan>(sides[axis], false);
    inverse_[axis] = std::make_unique<const Plan>(sides[axis], true);
  }
}

MeshTransform::~MeshTransform() = default;

/// Transforms along y and x.
void MeshTransform::transform_planes(std::span<Complex> modes, const Plans& plans) const {
  const auto [nx, ny, nz] = sides_;
  const std::size_t deep = depth();
  const auto transform_line = [&modes](const Plan& plan, std::size_t first, std::size_t stride,
                                       std::vector<Complex>& line) {
    plan.line.transform(&modes[first], line.data(), 0, 1, stride);
    for (std::size_t i = 0; i < line.size(); ++i) modes[first + i * stride] = line[i];
  };
  handover::parallel_for(Range(0, nx), [&, ny = ny](const Range& part) {
    std::vector<Complex> line(ny);
    for (std::size_t x = part.begin(); x != part.end(); ++x) {
      for (std::size_t z = 0; z < deep; ++z) transform_line(*plans[1], x * ny * deep + z, deep, line);
    }
  });
  handover::parallel_for(Range(0, ny), [&, nx = nx, ny = ny](const Range& part) {
    std::vector<Complex> line(nx);
    for (std::size_t y = part.begin(); y != part.end(); ++y) {
      for (std::size_t z = 0; z < deep; ++z) transform_line(*plans[0], y * deep + z, ny * deep, line);
    }
  });
}

void MeshTransform::forward(std::span<const double> values, std::span<Complex> modes) const {
  const std::size_t n = sides_[2], deep = depth();
  handover::parallel_for(Range(0, sides_[0] * sides_[1], 16), [&](const Range& part) {
    std::vector<Complex> in(n), out(n);
    for (std::size_t row = part.begin(); row != part.end(); ++row) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(row * n), n, in.begin());
      forward_[2]->line.transform(in.data(), out.data());
      std::copy_n(out.begin(), deep, modes.begin() + static_cast<std::ptrdiff_t>(row * deep));
    }
  });
  transform_planes(modes, forward_);
}

void MeshTransform::inverse(std::span<Complex> modes, std::span<double> values) const {
  transform_planes(modes, inverse_);
  const std::size_t n = sides_[2], deep = depth();
  handover::parallel_for(Range(0, sides_[0] * sides_[1], 16), [&](const Range& part) {
    std::vector<Complex> in(n), out(n);
    for (std::size_t row = part.begin(); row != part.end(); ++row) {
      for (std::size_t z = 0; z < deep; ++z) in[z] = modes[row * deep + z];
      for (std::size_t z = deep; z < n; ++z) in[z] = std::conj(in[n - z]);
      inverse_[2]->line.transform(in.data(), out.data());
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

}  // namespace isolume::fourier
