#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/dicom/frames/frames.h"

namespace isolume::dicom {
namespace {

/// The largest sine of the angles between two frames' axes.
double turn_between(const Frame& a, const Frame& b) {
  return std::max((a.place->x - b.place->x).norm(), (a.place->y - b.place->y).norm());
}

bool share_a_grid(const Frame& a, const Frame& b) {
  // Half a degree: headers sometimes have three digits only, and converters stack such slices.
  constexpr double tolerance = 0.0087;
  const bool are_parallel = !a.place || turn_between(a, b) < tolerance;
  return are_parallel && (a.spacing_mm - b.spacing_mm).norm() < 1e-4 * a.spacing_mm.norm() &&
         a.regions == b.regions;
}

std::string names_of(const std::vector<Frame>& frames, const NameOfFrame& name_of) {
  std::vector<std::string> names;
  for (const Frame& frame : frames) names.push_back(name_of(frame));
  return first_names(names);
}

/// Keeps those that share orientation and pixel spacing with the most others.
void keep_largest_group(std::vector<Frame>& frames, const NameOfFrame& name_of, Remarks& remarks) {
  std::vector<std::vector<Frame>> groups;
  for (const Frame& frame : frames) {
    auto group = std::ranges::find_if(
        groups, [&](const std::vector<Frame>& others) { return share_a_grid(frame, others.front()); });
    if (group == groups.end()) group = groups.insert(groups.end(), std::vector<Frame>{});
    group->push_back(frame);
  }
  const auto largest = std::ranges::max_element(groups, {}, &std::vector<Frame>::size);
  std::vector<Frame> left_out;
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    if (group != largest) left_out.insert(left_out.end(), group->begin(), group->end());
  }
  if (!left_out.empty()) {
    remarks.dropped(
        fmt::format(
            "{} of {} slices are left out: their orientation or pixel spacing differs ({} groups): {}.",
            left_out.size(), frames.size(), groups.size(), names_of(left_out, name_of)),
        left_out.size());
  }
  frames = std::vector<Frame>(*largest);
}

/// Slices rotated relative to the first by more than rounding are displaced accordingly at their edges.
void warn_of_turned(const std::vector<Frame>& frames, Remarks& remarks) {
  constexpr double rounding = 1e-3;
  double most = 0;
  for (const Frame& frame : frames) most = std::max(most, turn_between(frame, frames.front()));
  if (most <= rounding) return;
  remarks.warn(
      fmt::format("Slices are turned against each other by up to {:.2f} degrees; the first one's orientation "
                  "is used for all.",
                  most * 180 / std::numbers::pi));
}

Eigen::Vector3d normal_of(const Frame& frame) {
  return frame.place->x.cross(frame.place->y).normalized();
}

/// Sorts by position and keeps the first of those at the same one.
void keep_one_at_each_place(std::vector<Frame>& frames, const NameOfFrame& name_of, Remarks& remarks) {
  const auto all = frames.size();
  std::size_t most = 1;
  std::vector<Frame> kept, left_out;
  for (const auto& place : by_place(std::move(frames))) {
    most = std::max(most, place.size());
    const auto first = std::ranges::min_element(place, {}, &Frame::order);
    kept.push_back(*first);
    left_out.insert(left_out.end(), place.begin(), first);
    left_out.insert(left_out.end(), std::next(first), place.end());
  }
  if (kept.size() < all) {
    remarks.dropped(
        fmt::format(
            "{} slices lie at {} positions, up to {} at one (phases, echoes or repetitions): the first of "
            "each is shown, not {}.",
            all, kept.size(), most, names_of(left_out, name_of)),
        all - kept.size());
  }
  frames = std::move(kept);
}

/// The usual distance of neighbours: the mean if all are equal to 1 %, otherwise the median.
double usual_step(const std::vector<double>& steps) {
  std::vector<double> sorted = steps;
  std::ranges::sort(sorted);
  const double median = sorted[sorted.size() / 2];
  if (sorted.back() - sorted.front() > 0.01 * median) return median;
  double sum = 0;
  for (const double step : steps) sum += step;
  return sum / static_cast<double>(steps.size());
}

void warn_of_unequal_steps(const std::vector<double>& steps, double usual, Remarks& remarks) {
  const auto [low, high] = std::ranges::minmax(steps);
  if (high - low <= 0.01 * usual) return;
  std::size_t missing = 0, gaps = 0, first_gap = 0;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const double times = steps[at] / usual;
    if (times < 1.5) continue;
    if (gaps++ == 0) first_gap = at + 1;
    missing += static_cast<std::size_t>(std::lround(times)) - 1;
  }
  std::string sentence = fmt::format(
      "Slices are {:.4g} to {:.4g} mm apart; {:.4g} mm is used throughout, so positions and volumes are "
      "wrong where it differs.",
      low, high, usual);
  if (gaps > 0) {
    sentence += fmt::format(" {} gap{}, the first after slice {}, as if {} slice{} missing.", gaps,
                            gaps == 1 ? "" : "s", first_gap, missing, missing == 1 ? " was" : "s were");
  }
  remarks.warn(sentence);
}

/// The largest distance of a slice, within its plane, from the straight column that the volume is.
double farthest_offset_mm(const images::Geometry& geometry, const Eigen::Vector3d& normal,
                          const std::vector<Frame>& frames) {
  const Eigen::Vector3d way = geometry.step.col(2) / normal.dot(geometry.step.col(2));
  double farthest = 0;
  for (const Frame& frame : frames) {
    const Eigen::Vector3d from_first = frame.place->position_mm - frames.front().place->position_mm;
    farthest = std::max(farthest, (from_first - normal.dot(from_first) * way).norm());
  }
  return farthest;
}

void set_direction_and_step(images::Geometry& geometry, const std::vector<Frame>& frames, Remarks& remarks) {
  const Eigen::Vector3d normal = normal_of(frames.front());
  geometry.set_direction(2, normal);
  if (frames.size() < 2) {
    geometry.has_thickness = frames.front().step_mm > 0;
    geometry.set_spacing(2, geometry.has_thickness ? frames.front().step_mm : 1);
    return;
  }
  std::vector<double> steps;
  for (std::size_t at = 1; at < frames.size(); ++at) {
    steps.push_back(normal.dot(frames[at].place->position_mm - frames[at - 1].place->position_mm));
  }
  const double step = usual_step(steps);
  warn_of_unequal_steps(steps, step, remarks);
  const Eigen::Vector3d way =
      (frames.back().place->position_mm - frames.front().place->position_mm).normalized();
  const double tilt_degrees = std::acos(std::min(1.0, normal.dot(way))) * 180 / std::numbers::pi;
  const bool is_tilted = tilt_degrees > 0.2;
  if (is_tilted) geometry.set_direction(2, way);
  const double offset_mm = farthest_offset_mm(geometry, normal, frames);
  const bool is_straight = offset_mm <= 0.1 * frames.front().spacing_mm.minCoeff();
  if (!is_straight) {
    remarks.warn(
        fmt::format("Slices are shifted against each other within their planes: they are stacked straight, "
                    "up to {:.3g} mm from their positions, so lengths and surfaces across slices are wrong.",
                    offset_mm));
  }
  if (is_tilted) {
    remarks.warn(
        fmt::format("The gantry was tilted: slices are shifted against each other by {:.1f} degrees. "
                    "{} across are drawn sheared.",
                    tilt_degrees, is_straight ? "Positions are right; slices" : "Slices"));
  }
  geometry.set_spacing(2, step / normal.dot(geometry.direction(2)));
}

/// Stacks slices by their Slice Location, if all have one of their own.
bool pile_up_by_location(Stack& stack, Remarks& remarks) {
  std::vector<Frame> frames = stack.frames;
  if (!std::ranges::all_of(frames, [](const Frame& frame) { return frame.location_mm.has_value(); }))
    return false;
  std::ranges::stable_sort(frames, {}, &Frame::location_mm);
  std::vector<double> steps;
  for (std::size_t at = 1; at < frames.size(); ++at)
    steps.push_back(*frames[at].location_mm - *frames[at - 1].location_mm);
  constexpr double same_place_mm = 1e-3;
  if (std::ranges::min(steps) < same_place_mm) return false;
  stack.frames = std::move(frames);
  stack.geometry.set_spacing(2, usual_step(steps));
  warn_of_unequal_steps(steps, stack.geometry.spacing(2), remarks);
  remarks.assumed(
      fmt::format("The slices do not say where they lie: they are stacked by their Slice Location, {:.4g} mm "
                  "apart.",
                  stack.geometry.spacing(2)));
  return true;
}

/// Stacks slices without positions by their locations, else in the order of their numbers.
void pile_up(Stack& stack, Remarks& remarks) {
  std::ranges::stable_sort(stack.frames, {}, &Frame::order);
  const double step = stack.frames.front().step_mm;
  stack.geometry.set_spacing(2, step > 0 ? step : 1);
  if (stack.frames.size() < 2) {
    stack.geometry.has_thickness = step > 0;
    remarks.assumed(
        "The image does not say where it lies in the patient: positions in mm count from the centre of its "
        "first pixel.");
    return;
  }
  if (stack.frames.front().is_moment) {
    stack.geometry.has_thickness = false;
    stack.geometry.set_spacing(2, 1);
    remarks.warn(fmt::format(
        "Its {} frames are times and not slices: they are stacked, and lengths and volumes across them mean "
        "nothing.",
        stack.frames.size()));
    return;
  }
  if (pile_up_by_location(stack, remarks)) return;
  const Frame &first = stack.frames.front(), &last = stack.frames.back();
  const bool are_numbered =
      first.file == last.file || first.order[Frame::instance] != last.order[Frame::instance];
  remarks.assumed(fmt::format(
      "The slices do not say where they lie: they are stacked in the order of their {}, "
      "{:.4g} mm apart{}.",
      are_numbered ? "numbers" : "file names", stack.geometry.spacing(2), step > 0 ? "" : " (assumed)"));
}

}  // namespace

std::vector<std::vector<Frame>> by_place(std::vector<Frame> frames) {
  const Eigen::Vector3d normal = normal_of(frames.front());
  const auto height = [&](const Frame& frame) { return normal.dot(frame.place->position_mm); };
  std::ranges::stable_sort(frames, {}, height);
  // Slices of microscopes and micro-CT are closer than the rounding of other scanners' positions.
  const double same_place_mm = std::min(0.01, 0.1 * frames.front().spacing_mm.minCoeff());
  std::vector<std::vector<Frame>> places;
  for (Frame& frame : frames) {
    if (places.empty() || height(frame) - height(places.back().front()) >= same_place_mm)
      places.emplace_back();
    places.back().push_back(std::move(frame));
  }
  return places;
}

std::vector<Frame> alike_frames(std::vector<Frame> frames, const NameOfFrame& name_of, Remarks& remarks) {
  const auto has_place = [](const Frame& frame) { return frame.place.has_value(); };
  std::vector<Frame> placed, elsewhere;
  std::ranges::partition_copy(frames, std::back_inserter(placed), std::back_inserter(elsewhere), has_place);
  if (placed.empty()) {
    placed = std::move(elsewhere);
  } else if (!elsewhere.empty()) {
    remarks.dropped(fmt::format("{} of {} slices do not say where they lie and are left out: {}.",
                                elsewhere.size(), frames.size(), names_of(elsewhere, name_of)),
                    elsewhere.size());
  }
  keep_largest_group(placed, name_of, remarks);
  return placed;
}

Stack stack_frames(std::vector<Frame> frames, const PixelLayout& layout, const NameOfFrame& name_of,
                   Remarks& remarks) {
  Stack stack{.frames = std::move(frames), .geometry = {}};
  if (!stack.frames.front().place) {
    pile_up(stack, remarks);
  } else {
    keep_one_at_each_place(stack.frames, name_of, remarks);
    warn_of_turned(stack.frames, remarks);
    const Frame::Place& first = *stack.frames.front().place;
    stack.geometry.origin = first.position_mm;
    stack.geometry.set_direction(0, first.x);
    stack.geometry.set_direction(1, first.y);
    set_direction_and_step(stack.geometry, stack.frames, remarks);
  }
  stack.geometry.dimensions = {layout.columns, layout.rows, static_cast<int>(stack.frames.size())};
  for (const int axis : {0, 1}) stack.geometry.set_spacing(axis, stack.frames.front().spacing_mm[axis]);
  stack.geometry.regions = stack.frames.front().regions;
  return stack;
}

}  // namespace isolume::dicom
