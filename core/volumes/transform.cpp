#include "core/volumes/transform.h"

#include <algorithm>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::volumes {
namespace {

using Range = tbb::blocked_range<int>;

}  // namespace

Transform::Transform(const Counts& counts)
    : counts_(counts),
      x_(make_row_plan(counts[0])),
      y_(make_line_plan(counts[1])),
      z_(make_line_plan(counts[2])) {
  const int lanes = transform_lanes();
  row_length_ = (counts[0] / 2 + 1 + lanes - 1) / lanes * lanes;
}

Modes Transform::make_modes() const {
  Modes modes;
  modes.counts = counts_;
  modes.row_length = row_length_;
  modes.numbers.resize(modes.row(0, counts_[2]));
  return modes;
}

/// Along x and y.
void Transform::forward_planes(const float* values, Modes& modes) const {
  const int lanes = transform_lanes();
  handover::parallel_for(Range(0, counts_[2]), [&](const Range& part) {
    for (int z = part.begin(); z != part.end(); ++z) {
      for (int y = 0; y < counts_[1]; y += lanes) {
        const std::size_t row =
            static_cast<std::size_t>(z) * static_cast<std::size_t>(counts_[1]) + static_cast<std::size_t>(y);
        forward_rows(x_, values + row * static_cast<std::size_t>(counts_[0]), std::min(lanes, counts_[1] - y),
                     modes.numbers.data() + modes.row(y, z), row_length_);
      }
      transform_columns(y_, false, modes.numbers.data() + modes.row(0, z), modes.row(1, 0), row_length_);
    }
  });
}

void Transform::inverse_planes(Modes& modes, float scale, float* values) const {
  const int lanes = transform_lanes();
  handover::parallel_for(Range(0, counts_[2]), [&](const Range& part) {
    for (int z = part.begin(); z != part.end(); ++z) {
      transform_columns(y_, true, modes.numbers.data() + modes.row(0, z), modes.row(1, 0), row_length_);
      for (int y = 0; y < counts_[1]; y += lanes) {
        const std::size_t row =
            static_cast<std::size_t>(z) * static_cast<std::size_t>(counts_[1]) + static_cast<std::size_t>(y);
        inverse_rows(x_, modes.numbers.data() + modes.row(y, z), row_length_, std::min(lanes, counts_[1] - y),
                     scale, values + row * static_cast<std::size_t>(counts_[0]));
      }
    }
  });
}

void Transform::transform_depth(Modes& modes, bool is_inverse) const {
  handover::parallel_for(Range(0, counts_[1]), [&](const Range& part) {
    for (int y = part.begin(); y != part.end(); ++y) {
      transform_columns(z_, is_inverse, modes.numbers.data() + modes.row(y, 0), modes.row(0, 1), row_length_);
    }
  });
}

void Transform::forward(std::span<const float> values, Modes& modes) const {
  forward_planes(values.data(), modes);
  transform_depth(modes, false);
}

void Transform::inverse(Modes& modes, std::span<float> values) const {
  transform_depth(modes, true);
  inverse_planes(modes, 1, values.data());
}

void Transform::filter(std::span<float* const> fields, std::span<Modes> modes,
                       const std::function<void(const ModePlane&)>& multiply) const {
  for (std::size_t f = 0; f < fields.size(); ++f) forward_planes(fields[f], modes[f]);
  const auto pair = 2 * static_cast<std::size_t>(row_length_), depth = static_cast<std::size_t>(counts_[2]);
  handover::parallel_for(Range(0, counts_[1]), [&](const Range& part) {
    // Rows of a plane of constant ky lie far from each other in memory: a copy stays in the cache.
    thread_local FieldValues copies;
    copies.resize(std::max(copies.size(), fields.size() * depth * pair));
    std::vector<float*> planes(fields.size());
    for (std::size_t f = 0; f < fields.size(); ++f) planes[f] = copies.data() + f * depth * pair;
    for (int y = part.begin(); y != part.end(); ++y) {
      for (std::size_t f = 0; f < fields.size(); ++f) {
        for (int z = 0; z < counts_[2]; ++z) {
          std::copy_n(modes[f].real(y, z), pair, planes[f] + static_cast<std::size_t>(z) * pair);
        }
        transform_columns(z_, false, planes[f], pair, row_length_);
      }
      multiply({.ky = y,
                .row_count = counts_[0] / 2 + 1,
                .row_length = row_length_,
                .planes = counts_[2],
                .fields = planes});
      for (std::size_t f = 0; f < fields.size(); ++f) {
        transform_columns(z_, true, planes[f], pair, row_length_);
        for (int z = 0; z < counts_[2]; ++z) {
          std::copy_n(planes[f] + static_cast<std::size_t>(z) * pair, pair,
                      modes[f].numbers.data() + modes[f].row(y, z));
        }
      }
    }
  });
  const auto scale = static_cast<float>(1 / static_cast<double>(point_count(counts_)));
  for (std::size_t f = 0; f < fields.size(); ++f) inverse_planes(modes[f], scale, fields[f]);
}

}  // namespace isolume::volumes
