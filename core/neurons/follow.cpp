#include "core/neurons/follow.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tbb/blocked_range.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/handover.h"

namespace isolume::neurons {
namespace {

constexpr double least_at_mark = 0.75, least_confidence = 0.5, largest_change = 2.5, least_correlation = 0.25;
constexpr std::size_t compared_areas = 5;

/// The state of a neuron in a slice.
struct Outline {
  int slice = 0;
  Ribbon ribbon;
  Levels levels;
  double u = 0, v = 0;  ///< centroid, pixels of the slice
  double area = 0;      ///< pixels
  double confidence = 0;
};
struct Path {
  std::vector<Outline> outlines;  ///< away from its mark
  std::string end;
};

/// Dark membranes with either choice: bright ones are turned over.
Patch image_patch(const Stack& stack, int slice, const Patch& like, const RibbonParameters& parameters) {
  Patch patch = patch_of(stack, slice, like.u0, like.v0, like.width, like.height, parameters.denoise);
  if (parameters.membrane == Membrane::bright) {
    for (float& each : patch.values) each = -each;
  }
  return patch;
}

Patch rectangle(double u, double v, double half_width, double half_height) {
  Patch patch;
  patch.u0 = static_cast<int>(std::floor(u - half_width));
  patch.v0 = static_cast<int>(std::floor(v - half_height));
  patch.width = static_cast<int>(std::ceil(u + half_width)) - patch.u0 + 1;
  patch.height = static_cast<int>(std::ceil(v + half_height)) - patch.v0 + 1;
  return patch;
}

/// First and last column and row inside a front, in pixels of the patch; nothing where it is empty.
struct Extent {
  int left = std::numeric_limits<int>::max(), right = -1, top = left, bottom = -1;
  bool is_empty() const { return right < left; }
};
Extent extent_of(const Patch& front) {
  Extent extent;
  for (int v = 0; v < front.height; ++v) {
    for (int u = 0; u < front.width; ++u) {
      if (front.values[front.at(u, v)] >= 0) continue;
      extent.left = std::min(extent.left, u);
      extent.right = std::max(extent.right, u);
      extent.top = std::min(extent.top, v);
      extent.bottom = std::max(extent.bottom, v);
    }
  }
  return extent;
}

/// Centroid, area and confidence, and the levels of the next slice.
void measure(Outline& outline, const Patch& image) {
  const Patch& inner = outline.ribbon.inner;
  double area = 0, sum_u = 0, sum_v = 0;
  double inside_sum = 0, inside_count = 0, membrane_sum = 0;
  std::size_t at_front = 0, at_membrane = 0;
  const double contrast = outline.levels.inside - outline.levels.membrane;
  for (int v = 0; v < inner.height; ++v) {
    for (int u = 0; u < inner.width; ++u) {
      const std::size_t at = inner.at(u, v);
      const float distance = inner.values[at];
      if (distance >= 0.5F) continue;
      const auto part = static_cast<double>(std::min(0.5F - distance, 1.F));
      area += part;
      sum_u += part * u;
      sum_v += part * v;
      if (distance < -1) {
        inside_sum += static_cast<double>(image.values[at]);
        ++inside_count;
      }
      if (distance >= 0 || distance < -1) continue;
      // From a pixel within the front, the value two pixels inward and the least one up to four pixels outward.
      const double along_u = static_cast<double>(inner.sample(u + 1, v) - inner.sample(u - 1, v)),
                   along_v = static_cast<double>(inner.sample(u, v + 1) - inner.sample(u, v - 1)),
                   length = std::hypot(along_u, along_v);
      if (length == 0) continue;
      const auto value = [&](double outward) {
        return static_cast<double>(
            image.sample(u + outward * along_u / length, v + outward * along_v / length));
      };
      double least = value(1);
      for (const double outward : {2.0, 3.0, 4.0}) least = std::min(least, value(outward));
      ++at_front;
      // Organelles at the membrane do not count against it.
      const double within = std::max(value(-2), outline.levels.inside - 0.5 * contrast);
      if (within - least <= 0.5 * contrast) continue;
      ++at_membrane;
      membrane_sum += least;
    }
  }
  outline.area = area;
  if (area > 0) {
    outline.u = inner.u0 + sum_u / area;
    outline.v = inner.v0 + sum_v / area;
  }
  outline.confidence = at_front > 0 ? static_cast<double>(at_membrane) / static_cast<double>(at_front) : 0;
  // Halfway to the means of this slice, so that an organelle does not carry them away.
  const double inside = inside_count > 0 ? inside_sum / inside_count : outline.levels.inside,
               membrane = at_membrane > 0 ? membrane_sum / static_cast<double>(at_membrane)
                                          : outline.levels.membrane;
  const Levels next{0.5 * (inside + outline.levels.inside), 0.5 * (membrane + outline.levels.membrane)};
  if (next.inside - next.membrane > 0.5 * contrast) outline.levels = next;
}

/// The membrane around a mark along rays: the first value below the middle between the inside and the darkest ones.
/// Rays that meet none take over the median of their neighbours.
std::optional<Outline> begin_at(const Stack& stack, int slice, double u, double v, double radius,
                                const RibbonParameters& parameters) {
  constexpr int ray_count = 64;
  const double most = radius > 0 ? 1.5 * radius : parameters.largest_radius;
  const double margin = most + static_cast<double>(front_reach(parameters)) + 4;
  Patch frame = rectangle(u, v, margin, margin);
  Patch image = image_patch(stack, slice, frame, parameters);
  const double x = u - image.u0, y = v - image.v0;
  const auto along = [&](int ray, double distance) {
    const double angle = 2 * std::numbers::pi * ray / ray_count;
    return static_cast<double>(image.sample(x + distance * std::cos(angle), y + distance * std::sin(angle)));
  };
  std::vector<double> near;
  const double core = std::max(radius > 0 ? 0.4 * radius : 0.0, 1.5);
  for (double dv = -core; dv <= core; ++dv) {
    for (double du = -core; du <= core; ++du) {
      if (std::hypot(du, dv) <= core) near.push_back(static_cast<double>(image.sample(x + du, y + dv)));
    }
  }
  std::ranges::nth_element(near, near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2));
  const double inside = near[near.size() / 2];
  std::vector<double> darkest;
  for (int ray = 0; ray < ray_count; ++ray) {
    double least = inside;
    for (double r = 1; r <= most; r += 0.5) least = std::min(least, along(ray, r));
    darkest.push_back(least);
  }
  std::vector<double> sorted = darkest;
  std::ranges::sort(sorted);
  const double dark = sorted[ray_count / 4], middle = 0.5 * (inside + dark);
  constexpr double rounding = 1e-5;
  if (inside - dark <= rounding * std::max(std::abs(inside), std::abs(dark))) return std::nullopt;
  std::vector<double> radii;
  std::vector<double> membrane;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (int ray = 0; ray < ray_count; ++ray) {
    double r = 1;
    while (r <= most && along(ray, r) > middle) r += 0.25;
    radii.push_back(r <= most ? r : none);
    if (r > most) continue;
    double least = middle;
    for (double outward = 0; outward <= parameters.most_width; outward += 0.5)
      least = std::min(least, along(ray, r + outward));
    membrane.push_back(least);
  }
  if (membrane.size() < ray_count / 2) return std::nullopt;
  std::vector<double> smooth;
  for (int ray = 0; ray < ray_count; ++ray) {
    std::vector<double> window;
    for (int reach = 3; window.size() < 3; ++reach) {
      window.clear();
      for (int k = -reach; k <= reach; ++k) {
        const double each = radii[static_cast<std::size_t>((ray + k + ray_count) % ray_count)];
        if (std::isfinite(each)) window.push_back(each);
      }
    }
    std::ranges::sort(window);
    smooth.push_back(window[window.size() / 2]);
  }
  Outline outline;
  outline.slice = slice;
  outline.levels.inside = inside;
  outline.levels.membrane = 0;
  for (const double each : membrane) outline.levels.membrane += each / static_cast<double>(membrane.size());
  outline.ribbon.reach = front_reach(parameters);
  // Only the rectangle that the outline needs.
  const double half = *std::ranges::max_element(smooth) + margin - most;
  frame = rectangle(u, v, half, half);
  image = image_patch(stack, slice, frame, parameters);
  outline.ribbon.inner = outline.ribbon.outer = image;
  const double width = 0.5 * (parameters.least_width + parameters.most_width);
  for (int j = 0; j < image.height; ++j) {
    for (int i = 0; i < image.width; ++i) {
      const double du = image.u0 + i - u, dv = image.v0 + j - v;
      const double turn = std::atan2(dv, du) / (2 * std::numbers::pi);
      const auto ray = static_cast<std::size_t>(std::lround((turn + 1) * ray_count)) % ray_count;
      const double distance = std::hypot(du, dv) - smooth[ray];
      outline.ribbon.inner.values[image.at(i, j)] = static_cast<float>(distance + 1);
      outline.ribbon.outer.values[image.at(i, j)] = static_cast<float>(distance - width);
    }
  }
  settle(outline.ribbon, image, outline.levels, parameters, nullptr);
  measure(outline, image);
  if (!(outline.area > 0) || outline.confidence < least_at_mark) return std::nullopt;
  return outline;
}

double mean_of(const Patch& patch, double u, double v, int half, int stride) {
  double sum = 0;
  int count = 0;
  for (int y = -half; y <= half; y += stride) {
    for (int x = -half; x <= half; x += stride, ++count)
      sum += static_cast<double>(patch.sample(u + x - patch.u0, v + y - patch.v0));
  }
  return sum / count;
}

/// What is found in the next slice: an outline, or the reason why there is none.
struct Next {
  std::optional<Outline> outline;
  std::string end;
};
Next next_of(const Stack& stack, const Outline& last, int slice, const std::vector<double>& areas,
             const RibbonParameters& parameters) {
  const Extent extent = extent_of(last.ribbon.inner);
  const Patch& old = last.ribbon.inner;
  const double margin = static_cast<double>(last.ribbon.reach) + 4;
  const int half_extent = std::max(extent.right - extent.left, extent.bottom - extent.top) / 2 + 1;
  // Where the surroundings have moved: a wide square first, then one around the membrane.
  const int reach = static_cast<int>(std::ceil(parameters.reach));
  const int wide = std::min(2 * half_extent, half_extent + 24) + 12, narrow = half_extent + 5;
  constexpr int samples = 12;  // to each side
  const int coarse = std::max(wide / samples, 1), fine = std::max(narrow / samples, 1);
  const double seen = wide + reach + 2;
  const Patch frame = rectangle(last.u, last.v, seen, seen);
  const Patch before = image_patch(stack, last.slice, frame, parameters),
              after = image_patch(stack, slice, frame, parameters);
  Match moved = match(before, after, last.u, last.v, wide, coarse, reach);
  moved = match(before, after, last.u, last.v, narrow, fine, 3, moved);
  if (moved.correlation < least_correlation)
    return {std::nullopt, fmt::format("the slice does not resemble the one before (correlation {:.2f})",
                                      moved.correlation)};
  const double u = last.u + moved.du, v = last.v + moved.dv;
  if (u < 0 || v < 0 || u > stack.width() - 1 || v > stack.height() - 1)
    return {std::nullopt, "the neuron leaves the image"};

  Outline outline;
  outline.slice = slice;
  outline.levels = last.levels;
  const double brighter = mean_of(after, u, v, narrow, fine) - mean_of(before, last.u, last.v, narrow, fine);
  outline.levels.inside += brighter;
  outline.levels.membrane += brighter;
  Patch at = rectangle(u, v, 0.5 * (extent.right - extent.left) + margin + 3,
                       0.5 * (extent.bottom - extent.top) + margin + 3);
  // The centroid is not the middle of the extent.
  const double shift_u = 0.5 * (extent.left + extent.right) + old.u0 - last.u,
               shift_v = 0.5 * (extent.top + extent.bottom) + old.v0 - last.v;
  at.u0 += static_cast<int>(std::lround(shift_u));
  at.v0 += static_cast<int>(std::lround(shift_v));
  const Patch image = image_patch(stack, slice, at, parameters);
  outline.ribbon.reach = last.ribbon.reach;
  const Patch predicted = shifted(last.ribbon.inner, moved.du, moved.dv, image, last.ribbon.reach);
  outline.ribbon.inner = predicted;
  for (float& each : outline.ribbon.inner.values) each += 1;  // it grows to the membrane
  if (extent_of(outline.ribbon.inner).is_empty()) outline.ribbon.inner = predicted;
  outline.ribbon.outer = shifted(last.ribbon.outer, moved.du, moved.dv, image, last.ribbon.reach);
  settle(outline.ribbon, image, outline.levels, parameters, &predicted);
  measure(outline, image);

  const Extent now = extent_of(outline.ribbon.inner);
  if (now.is_empty()) return {std::nullopt, "the outline has shrunk to nothing"};
  if (now.left + image.u0 <= 0 || now.top + image.v0 <= 0 || now.right + image.u0 >= stack.width() - 1 ||
      now.bottom + image.v0 >= stack.height() - 1)
    return {std::nullopt, "the neuron leaves the image"};
  if (outline.confidence < least_confidence)
    return {std::nullopt,
            fmt::format("a membrane was found along {:.0f} % of the outline only", 100 * outline.confidence)};
  std::vector<double> sorted(
      areas.end() - static_cast<std::ptrdiff_t>(std::min(areas.size(), compared_areas)), areas.end());
  std::ranges::sort(sorted);
  const double usual = sorted[sorted.size() / 2];
  if (outline.area > largest_change * usual || outline.area * largest_change < usual)
    return {std::nullopt,
            fmt::format("the area changes from {:.0f} to {:.0f} pixels: the neuron may branch, or its "
                        "membrane be open",
                        usual, outline.area)};
  return {std::move(outline), {}};
}

/// A mark in pixels.
struct Start {
  int slice = 0;
  double u = 0, v = 0, radius = 0;
};

Start start_of(const Stack& stack, const Mark& mark) {
  const Eigen::Vector3d index = stack.grid.index_at(mark.position);
  const auto [first, second] = stack.in_plane();
  const double slice = std::round(index[stack.axis]);
  const auto is_within = [](double at, int count) { return at >= -0.5 && at <= count - 0.5; };
  if (!is_within(slice, stack.slices()) || !is_within(index[first], stack.width()) ||
      !is_within(index[second], stack.height())) {
    throw Error(
        fmt::format("The mark at {:.6g}, {:.6g}, {:.6g} lies outside of the image. Give positions "
                    "within it.",
                    mark.position.x(), mark.position.y(), mark.position.z()));
  }
  const double largest = largest_mark_radius(stack.grid, stack.axis);
  if (!(mark.radius <= largest)) {
    throw Error(fmt::format(
        "The radius of the mark, {}, is larger than half of the diagonal of the slices, {}. Give a "
        "smaller one.",
        length_text(mark.radius, stack.grid.unit), length_text(largest, stack.grid.unit)));
  }
  const double pixel = std::sqrt(stack.grid.spacing(first) * stack.grid.spacing(second));
  return {static_cast<int>(slice), index[first], index[second], mark.radius / pixel};
}

/// Follows from the first mark in one direction; marks on the way begin anew.
Path follow_one_way(const Stack& stack, const std::vector<Start>& starts, int direction,
                    const RibbonParameters& parameters, Remarks& remarks, const std::string& name,
                    const std::function<void()>& step) {
  std::map<int, Start> on_the_way;  // by distance from the first mark; later marks replace earlier ones
  for (const Start& each : starts) {
    const int away = (each.slice - starts.front().slice) * direction;
    if (away >= 0) on_the_way.insert_or_assign(away, each);
  }
  if (direction < 0) on_the_way.erase(0), on_the_way.emplace(0, starts.front());
  for (const Start& each : starts) {
    if (each.slice == starts.front().slice) on_the_way.insert_or_assign(0, each);
  }
  Path path;
  std::vector<double> areas;
  for (auto at = on_the_way.begin(); at != on_the_way.end(); ++at) {
    const Start& start = at->second;
    auto begun = begin_at(stack, start.slice, start.u, start.v, start.radius, parameters);
    if (!begun) {
      if (at == on_the_way.begin()) {
        path.end = fmt::format("slice {}: no membrane was found around the mark", start.slice + 1);
        return path;
      }
      remarks.dropped(fmt::format("{}: no membrane was found around the mark in slice {}, which was left "
                                  "out. Mark the middle of the neuron.",
                                  name, start.slice + 1),
                      1);
      if (!path.end.empty()) continue;  // it has ended before this mark
    } else {
      if (!path.end.empty()) {
        remarks.warn(fmt::format("{} has a gap before slice {}, which the centre line crosses straight: {}.",
                                 name, start.slice + 1, path.end));
      }
      path.end.clear();
      areas = {begun->area};
      path.outlines.push_back(std::move(*begun));
    }
    const auto after = std::next(at);
    const int last = after == on_the_way.end() ? (direction > 0 ? stack.slices() - 1 : 0)
                                               : after->second.slice - direction;
    for (int slice = path.outlines.back().slice + direction; (last - slice) * direction >= 0;
         slice += direction) {
      step();
      Next next = next_of(stack, path.outlines.back(), slice, areas, parameters);
      if (!next.outline) {
        path.end = fmt::format("slice {}: {}", slice + 1, next.end);
        break;
      }
      areas.push_back(next.outline->area);
      path.outlines.push_back(std::move(*next.outline));
    }
  }
  return path;
}

void add_voxels(const Stack& stack, const Outline& outline, std::vector<std::size_t>& voxels) {
  const Patch& inner = outline.ribbon.inner;
  for (int j = 0; j < inner.height; ++j) {
    for (int i = 0; i < inner.width; ++i) {
      const int u = inner.u0 + i, v = inner.v0 + j;
      if (inner.values[inner.at(i, j)] < 0 && u >= 0 && v >= 0 && u < stack.width() && v < stack.height())
        voxels.push_back(stack.voxel(u, v, outline.slice));
    }
  }
}

/// Lengths, radii and volume from centres and areas.
void complete(Neuron& neuron, const Stack& stack) {
  auto& sections = neuron.sections;
  const auto [first, second] = stack.in_plane();
  const Eigen::Vector3d normal = stack.grid.step.col(first).cross(stack.grid.step.col(second)).normalized();
  const double distance = std::abs(normal.dot(stack.grid.step.col(stack.axis)));
  std::vector<Eigen::Vector3d> line;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const bool is_between = i > 0 && i + 1 < sections.size();
    line.push_back(is_between ? (sections[i - 1].centre + 2 * sections[i].centre + sections[i + 1].centre) / 4
                              : sections[i].centre);
  }
  neuron.length = neuron.volume = 0;
  double weighted = 0, weights = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::size_t back = i >= 2 ? i - 2 : 0, forth = std::min(i + 2, sections.size() - 1);
    const Eigen::Vector3d along = line[forth] - line[back];
    const double slope = along.norm() > 0 ? std::abs(along.normalized().dot(normal)) : 1;
    sections[i].radius = std::sqrt(sections[i].area * slope / std::numbers::pi);
    neuron.volume += sections[i].area * distance;
    const double before = i > 0 ? (line[i] - line[i - 1]).norm() : 0,
                 after = i + 1 < sections.size() ? (line[i + 1] - line[i]).norm() : 0;
    neuron.length += before;
    weighted += 0.5 * (before + after) * sections[i].radius;
    weights += 0.5 * (before + after);
  }
  neuron.mean_width = weights > 0 ? 2 * weighted / weights : sections.empty() ? 0 : 2 * sections[0].radius;
}

/// Ends neurons where they share a third of a section with an earlier one.
void part(std::vector<Neuron>& neurons, const std::vector<int>& first_slices, const Stack& stack,
          const std::function<std::size_t(std::size_t)>& number_of, Remarks& remarks) {
  std::size_t plane = 1;
  for (int axis = 0; axis < stack.axis; ++axis)
    plane *= static_cast<std::size_t>(stack.grid.dimensions[static_cast<std::size_t>(axis)]);
  const auto slice_of = [&](std::size_t voxel) {
    return static_cast<int>(voxel / plane % static_cast<std::size_t>(stack.slices()));
  };
  for (std::size_t n = 0; n < neurons.size(); ++n) {
    Neuron& neuron = neurons[n];
    std::map<int, std::size_t> all;  // voxels of each slice
    for (const std::size_t voxel : neuron.voxels) ++all[slice_of(voxel)];
    std::vector<std::size_t> taken;
    int low = -1, high = stack.slices();
    std::map<int, std::size_t> met;  // slice -> earlier neuron
    for (std::size_t earlier = 0; earlier < n; ++earlier) {
      const std::size_t before = taken.size();
      std::ranges::set_intersection(neuron.voxels, neurons[earlier].voxels, std::back_inserter(taken));
      std::map<int, std::size_t> shared;
      for (std::size_t i = before; i < taken.size(); ++i) ++shared[slice_of(taken[i])];
      for (const auto& [slice, count] : shared) {
        if (3 * count <= all[slice]) continue;
        met.emplace(slice, earlier);
        if (slice >= first_slices[n]) high = std::min(high, slice);
        if (slice <= first_slices[n]) low = std::max(low, slice);
      }
    }
    for (const int slice : {low, high}) {
      if (slice < 0 || slice == stack.slices()) continue;
      const std::string end = fmt::format("slice {}: it meets neuron {}", slice + 1, number_of(met[slice]));
      remarks.warn(fmt::format("Neuron {} was ended in {}. Mark one of them again before that slice.",
                               number_of(n), end));
      neuron.ends.push_back(end);
      if (low == high) break;
    }
    std::ranges::sort(taken);
    std::erase_if(neuron.sections,
                  [&](const Section& each) { return each.slice <= low || each.slice >= high; });
    std::erase_if(neuron.voxels, [&](std::size_t voxel) {
      const int slice = slice_of(voxel);
      return slice <= low || slice >= high || std::ranges::binary_search(taken, voxel);
    });
    complete(neuron, stack);
  }
}

}  // namespace

Followed follow(const Stack& stack, const std::vector<Marks>& marks, const RibbonParameters& parameters,
                const jobs::Progress& progress, const std::vector<std::size_t>& numbers) {
  if (stack.slices() < 2)
    throw Error("The image has a single slice across this axis. Open a stack of slices.");
  if (!std::ranges::all_of(stack.values, [](float each) { return std::isfinite(each); }))
    throw Error("The image has values that are not finite. Mask or replace them first.");
  if (parameters.least_width > parameters.most_width)
    throw Error(
        fmt::format("The least width of the membrane, {:.3g} pixels, is larger than the largest, "
                    "{:.3g}. Exchange them.",
                    parameters.least_width, parameters.most_width));
  const auto number_of = [&](std::size_t n) { return numbers.empty() ? n + 1 : numbers.at(n); };
  std::vector<std::vector<Start>> starts;
  std::vector<int> first_slices;
  for (const Marks& each : marks) {
    if (each.empty()) throw Error("A neuron has no marks. Give one at least.");
    std::vector<Start>& of_neuron = starts.emplace_back();
    for (const Mark& mark : each) of_neuron.push_back(start_of(stack, mark));
    first_slices.push_back(of_neuron.front().slice);
  }
  struct Ways {
    std::array<Path, 2> paths;
    std::array<Remarks, 2> remarks;
  };
  std::vector<Ways> ways(marks.size());
  const double all = static_cast<double>(marks.size()) * (stack.slices() - 1);
  std::atomic<std::size_t> done = 0;
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, 2 * marks.size(), 1), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      const std::size_t n = i / 2, way = i % 2;
      ways[n].paths[way] = follow_one_way(stack, starts[n], way == 0 ? 1 : -1, parameters,
                                          ways[n].remarks[way], fmt::format("Neuron {}", number_of(n)), [&] {
                                            progress.check();
                                            progress.report(std::min(static_cast<double>(++done) / all, 1.0));
                                          });
    }
  });
  Followed result;
  for (Ways& each : ways) {
    Neuron neuron;
    neuron.axis = stack.axis;
    for (std::size_t way = 0; way < 2; ++way) {
      Path& path = each.paths[way];
      for (std::size_t i = way == 0 ? 0 : 1; i < path.outlines.size();
           ++i) {  // the first one is of both ways
        const Outline& outline = path.outlines[i];
        add_voxels(stack, outline, neuron.voxels);
        const auto [first, second] = stack.in_plane();
        const double pixel = stack.grid.step.col(first).cross(stack.grid.step.col(second)).norm();
        neuron.sections.push_back({.slice = outline.slice,
                                   .centre = stack.position(outline.u, outline.v, outline.slice),
                                   .area = outline.area * pixel,
                                   .radius = 0,
                                   .confidence = outline.confidence});
      }
      const bool is_new = neuron.ends.empty() || neuron.ends.front() != path.end;
      if (!path.end.empty() && is_new) neuron.ends.push_back(std::move(path.end));
      result.remarks.add(each.remarks[way]);
    }
    if (neuron.sections.empty()) {
      const std::string lost = fmt::format(
          "Neuron {} was left out: no membrane was found around its first mark. Mark the middle of the neuron, "
          "choose whether membranes are dark or bright, or enlarge the largest radius.",
          number_of(result.neurons.size()));
      if (marks.size() == 1 && numbers.empty()) throw Error(lost);
      result.remarks.dropped(lost, 1);
    }
    std::ranges::sort(neuron.sections, {}, &Section::slice);
    std::ranges::sort(neuron.voxels);
    result.neurons.push_back(std::move(neuron));
  }
  part(result.neurons, first_slices, stack, number_of, result.remarks);
  return result;
}

double largest_mark_radius(const grid::Grid& grid, int axis) {
  const auto [first, second] = Stack{grid, {}, axis}.in_plane();
  const auto side = [&](int of) { return grid.dimensions[static_cast<std::size_t>(of)] * grid.spacing(of); };
  return 0.5 * std::hypot(side(first), side(second));
}

std::vector<std::uint32_t> numbers_of(const Stack& stack, const std::vector<Neuron>& neurons) {
  std::vector<std::uint32_t> numbers(stack.values.size());
  for (std::size_t n = 0; n < neurons.size(); ++n) {
    for (const std::size_t voxel : neurons[n].voxels) numbers[voxel] = static_cast<std::uint32_t>(n + 1);
  }
  return numbers;
}

std::string length_text(double length, grid::LengthUnit unit) {
  if (unit == grid::LengthUnit::millimetre && length < 1) return fmt::format("{:.4g} µm", 1000 * length);
  return fmt::format("{:.4g} {}", length, grid::to_text(unit));
}

nlohmann::ordered_json json_of(const Neuron& neuron, grid::LengthUnit unit) {
  const std::string name(grid::to_text(unit));
  double least = 1;
  for (const Section& each : neuron.sections) least = std::min(least, each.confidence);
  nlohmann::ordered_json json{{"sections", neuron.sections.size()}};
  if (!neuron.sections.empty()) {
    json["first_slice"] = neuron.sections.front().slice + 1;
    json["last_slice"] = neuron.sections.back().slice + 1;
    json["least_confidence"] = least;
  }
  json["length_" + name] = neuron.length;
  json["mean_width_" + name] = neuron.mean_width;
  json["volume_" + name + "3"] = neuron.volume;
  json["voxels"] = neuron.voxels.size();
  json["ends"] = neuron.ends;
  return json;
}

}  // namespace isolume::neurons
