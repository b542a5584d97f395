#include "core/anatomy/smoother.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/volumes/gaussian.h"

namespace isolume::anatomy {
namespace {

/// Copies the rows of a volume, with zeros after each of them and after the last.
void copy_rows(std::span<const float> from, const Counts& from_counts, std::span<float> to,
               const Counts& to_counts) {
  const auto common = static_cast<std::size_t>(std::min(from_counts[0], to_counts[0]));
  const auto row_of = [](const Counts& counts, int y, int z) {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[1]) + static_cast<std::size_t>(y)) *
           static_cast<std::size_t>(counts[0]);
  };
  handover::parallel_for(tbb::blocked_range<int>(0, to_counts[2]), [&](const tbb::blocked_range<int>& part) {
    for (int z = part.begin(); z != part.end(); ++z) {
      for (int y = 0; y < to_counts[1]; ++y) {
        float* row = to.data() + row_of(to_counts, y, z);
        const bool exists = y < from_counts[1] && z < from_counts[2];
        if (exists) std::copy_n(from.data() + row_of(from_counts, y, z), common, row);
        std::fill(row + (exists ? common : 0), row + to_counts[0], 0.F);
      }
    }
  });
}

}  // namespace

Smoother::Smoother(const Counts& counts, const std::array<double, 3>& spacing_mm,
                   const FluidParameters& parameters)
    : counts_(counts), spacing_(spacing_mm), parameters_(parameters) {
  if (parameters.smoothing != Smoothing::helmholtz) return;
  Counts suiting = counts;
  for (int& each : suiting) each = volumes::next_transform_count(each);
  transform_.emplace(suiting);
  const std::size_t at_once = parameters.compressibility == 0 ? 1 : 3;
  for (std::size_t i = 0; i < at_once; ++i) {
    modes_.push_back(transform_->make_modes());
    if (suiting != counts) padded_.emplace_back(volumes::point_count(suiting));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (int k = 0; k < suiting[axis]; ++k) {
      const double angle = 2 * std::numbers::pi * k / suiting[axis];
      laplacian_[axis].push_back(
          static_cast<float>((2 - 2 * std::cos(angle)) / (spacing_mm[axis] * spacing_mm[axis])));
      slope_[axis].push_back(static_cast<float>(std::sin(angle) / spacing_mm[axis]));
    }
  }
}

/// The inverse of a + b s s^T is (1 - b s s^T / (a + b |s|^2)) / a (Sherman and Morrison).
void Smoother::solve_modes(const volumes::ModePlane& plane) const {
  const auto l2 = static_cast<float>(parameters_.smoothness_mm * parameters_.smoothness_mm);
  const float b = static_cast<float>(parameters_.compressibility) * l2;
  const auto y = static_cast<std::size_t>(plane.ky);
  std::vector<float> inverse(static_cast<std::size_t>(plane.row_count));
  for (int kz = 0; kz < plane.planes; ++kz) {
    const auto z = static_cast<std::size_t>(kz);
    const float across = 1 + l2 * (laplacian_[1][y] + laplacian_[2][z]);
    const float* along = laplacian_[0].data();
    if (b == 0) {
      for (int k = 0; k < plane.row_count; ++k)
        inverse[static_cast<std::size_t>(k)] = 1 / (across + l2 * along[k]);
      for (std::size_t field = 0; field < plane.fields.size(); ++field) {
        float* const row = plane.row(field, kz);
        for (float* const part : {row, row + plane.row_length}) {
          for (int k = 0; k < plane.row_count; ++k) part[k] *= inverse[static_cast<std::size_t>(k)];
        }
      }
      continue;
    }
    float* const rows[3] = {plane.row(0, kz), plane.row(1, kz), plane.row(2, kz)};
    for (int k = 0; k < plane.row_count; ++k) {
      const float a = across + l2 * along[k];
      const float s[3] = {slope_[0][static_cast<std::size_t>(k)], slope_[1][y], slope_[2][z]};
      const float divisor = a + b * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
      for (const int part : {k, plane.row_length + k}) {
        const float divergence =
            (s[0] * rows[0][part] + s[1] * rows[1][part] + s[2] * rows[2][part]) * b / divisor;
        for (std::size_t axis = 0; axis < 3; ++axis)
          rows[axis][part] = (rows[axis][part] - divergence * s[axis]) / a;
      }
    }
  }
}

void Smoother::smooth(VectorField& field) {
  if (parameters_.smoothness_mm == 0) return;
  if (!transform_) {
    std::array<double, 3> sigma{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      sigma[axis] = std::numbers::sqrt2 * parameters_.smoothness_mm / spacing_[axis];
    for (auto& component : field.components) volumes::smooth_gaussian(component, counts_, sigma);
    return;
  }
  for (std::size_t first = 0; first < 3; first += modes_.size()) {
    std::array<float*, 3> parts{};
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      parts[i] = padded_.empty() ? field.data(first + i) : padded_[i].data();
      if (!padded_.empty()) copy_rows(field.components[first + i], counts_, padded_[i], transform_->counts());
    }
    transform_->filter(std::span(parts).first(modes_.size()), modes_,
                       [this](const volumes::ModePlane& plane) { solve_modes(plane); });
    for (std::size_t i = 0; i < padded_.size(); ++i)
      copy_rows(padded_[i], transform_->counts(), field.components[first + i], counts_);
  }
}

}  // namespace isolume::anatomy
