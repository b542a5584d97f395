#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/images/dicom_frames.h"

namespace isolume::images {
namespace {

bool share_a_grid(const Frame& a, const Frame& b) {
  constexpr double tolerance = 1e-3;  // directions of real files are written to four digits at worst
  return (a.place->x - b.place->x).norm() < tolerance && (a.place->y - b.place->y).norm() < tolerance &&
         (a.spacing_mm - b.spacing_mm).norm() < 1e-4 * a.spacing_mm.norm();
}

/// Leaves those that share orientation and pixel spacing with the most others.
void keep_largest_group(std::vector<Frame>& frames, Remarks& remarks) {
  std::vector<std::vector<Frame>> groups;
  for (const Frame& frame : frames) {
    auto group = std::ranges::find_if(
        groups, [&](const std::vector<Frame>& others) { return share_a_grid(frame, others.front()); });
    if (group == groups.end()) group = groups.insert(groups.end(), std::vector<Frame>{});
    group->push_back(frame);
  }
  if (groups.size() < 2) return;
  const auto largest = std::ranges::max_element(groups, {}, &std::vector<Frame>::size);
  const std::size_t left_out = frames.size() - largest->size();
  remarks.dropped(
      fmt::format("{} of {} slices are left out: their orientation or pixel spacing differs ({} groups).",
                  left_out, frames.size(), groups.size()),
      left_out);
  frames = std::vector<Frame>(*largest);
}

Eigen::Vector3d normal_of(const Frame& frame) {
  return frame.place->x.cross(frame.place->y).normalized();
}

/// Sorts by place and leaves the first of those at one place.
void keep_one_at_each_place(std::vector<Frame>& frames, Remarks& remarks) {
  const auto all = frames.size();
  std::size_t most = 1;
  std::vector<Frame> kept;
  for (const auto& place : by_place(std::move(frames))) {
    most = std::max(most, place.size());
    kept.push_back(*std::ranges::min_element(place, {}, &Frame::order));
  }
  if (kept.size() < all) {
    remarks.dropped(
        fmt::format(
            "{} slices lie at {} positions, up to {} at one (phases, echoes or repetitions): the first of "
            "each is shown.",
            all, kept.size(), most),
        all - kept.size());
  }
  frames = std::move(kept);
}

/// The usual distance of neighbours: the mean where all are equal to 1 %, otherwise the median.
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
    sentence += fmt::format(" {} gap{}, the first after slice {}, as if {} slices were missing.", gaps,
                            gaps == 1 ? "" : "s", first_gap, missing);
  }
  remarks.warn(sentence);
}

void set_direction_and_step(Geometry& geometry, const std::vector<Frame>& frames, Remarks& remarks) {
  const Eigen::Vector3d normal = normal_of(frames.front());
  geometry.direction.col(2) = normal;
  if (frames.size() < 2) {
    geometry.spacing_mm.z() = frames.front().step_mm > 0 ? frames.front().step_mm : 1;
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
  if (tilt_degrees > 0.2) {
    remarks.warn(
        fmt::format("The gantry was tilted: slices are shifted against each other by {:.1f} degrees. "
                    "Positions are right; "
                    "slices across are drawn sheared.",
                    tilt_degrees));
    geometry.direction.col(2) = way;
  }
  geometry.spacing_mm.z() = step / normal.dot(geometry.direction.col(2));
}

/// Slices on top of each other in the order of their numbers.
void pile_up(Stack& stack, Remarks& remarks) {
  std::ranges::stable_sort(stack.frames, {}, &Frame::order);
  const double step = stack.frames.front().step_mm;
  stack.geometry.spacing_mm.z() = step > 0 ? step : 1;
  if (stack.frames.size() < 2) {
    remarks.assumed(
        "The image does not say where it lies in the patient: positions in mm count from the centre of its "
        "first pixel.");
    return;
  }
  remarks.assumed(
      fmt::format("The slices do not say where they lie: they are stacked in the order of their numbers, "
                  "{:.4g} mm apart{}.",
                  stack.geometry.spacing_mm.z(), step > 0 ? "" : " (assumed)"));
}

}  // namespace

std::vector<std::vector<Frame>> by_place(std::vector<Frame> frames) {
  const Eigen::Vector3d normal = normal_of(frames.front());
  const auto height = [&](const Frame& frame) { return normal.dot(frame.place->position_mm); };
  std::ranges::stable_sort(frames, {}, height);
  // Slices of microscopes and micro-CT lie closer than the rounding of other scanners' positions.
  const double same_place_mm = std::min(0.01, 0.1 * frames.front().spacing_mm.minCoeff());
  std::vector<std::vector<Frame>> places;
  for (Frame& frame : frames) {
    if (places.empty() || height(frame) - height(places.back().front()) >= same_place_mm)
      places.emplace_back();
    places.back().push_back(std::move(frame));
  }
  return places;
}

Stack stack_frames(std::vector<Frame> frames, const PixelLayout& layout, Remarks& remarks) {
  const auto all = frames.size();
  const auto without_place = static_cast<std::size_t>(
      std::ranges::count_if(frames, [](const Frame& frame) { return !frame.place; }));
  if (without_place > 0 && without_place < all) {
    std::erase_if(frames, [](const Frame& frame) { return !frame.place; });
    remarks.dropped(
        fmt::format("{} of {} slices do not say where they lie and are left out.", without_place, all),
        without_place);
  }
  Stack stack{.frames = std::move(frames), .geometry = {}};
  if (without_place == all) {
    pile_up(stack, remarks);
  } else {
    keep_largest_group(stack.frames, remarks);
    keep_one_at_each_place(stack.frames, remarks);
    const Frame::Place& first = *stack.frames.front().place;
    stack.geometry.origin_mm = first.position_mm;
    stack.geometry.direction.col(0) = first.x;
    stack.geometry.direction.col(1) = first.y;
    set_direction_and_step(stack.geometry, stack.frames, remarks);
  }
  stack.geometry.size = {layout.columns, layout.rows, static_cast<int>(stack.frames.size())};
  stack.geometry.spacing_mm.head<2>() = stack.frames.front().spacing_mm;
  return stack;
}

}  // namespace isolume::images
