#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/images/dicom_frames.h"

namespace isolume::images {
namespace {

std::size_t most_at_one_place(const std::vector<Frame>& frames) {
  std::size_t most = 0;
  for (const auto& place : by_place(frames)) most = std::max(most, place.size());
  return most;
}

/// Attributes in which frames at the same position may differ, in order of preference, and their names.
struct Difference {
  Frame::Order which;
  const char* name;
};
constexpr std::array differences{
    Difference{Frame::energy_window, "energy window"},
    Difference{Frame::detector, "detector"},
    Difference{Frame::rr_interval, "R-R interval"},
    Difference{Frame::time_slot, "time slot"},
    Difference{Frame::phase, "phase"},
    Difference{Frame::time_slice, "time slice"},
    Difference{Frame::temporal_position, "phase"},
    Difference{Frame::cardiac_phase, "cardiac phase"},
    Difference{Frame::echo, "echo"},
    Difference{Frame::echo_time, "echo"},
    Difference{Frame::inversion_time, "inversion time"},
    Difference{Frame::b_value, "b-value"},
    Difference{Frame::frame_time, "time"},
    Difference{Frame::acquisition, "acquisition"},
    Difference{Frame::trigger_time, "phase"},
};

/// Splits by an attribute if it distinguishes frames at the same position: it has no more values than there are
/// frames at a position, and each value has fewer at a position. (Numbers that increase from slice to slice do not.)
std::vector<FrameStack> split_by(const FrameStack& stack, const Difference& difference) {
  const std::size_t most = most_at_one_place(stack.frames);
  std::map<double, std::vector<Frame>> by_value;
  for (const Frame& frame : stack.frames) by_value[frame.order[difference.which]].push_back(frame);
  if (by_value.size() < 2 || by_value.size() > most) return {stack};
  std::vector<FrameStack> parts;
  for (auto& [value, frames] : by_value) {
    if (most_at_one_place(frames) >= most) return {stack};
    const std::string number = difference.which == Frame::b_value
                                   ? fmt::format("{:g} s/mm²", value)
                                   : fmt::format("{} of {}", parts.size() + 1, by_value.size());
    parts.push_back(
        {fmt::format("{}{}{} {}", stack.name, stack.name.empty() ? "" : ", ", difference.name, number),
         std::move(frames)});
  }
  return parts;
}

/// The first of each position, the second ..., in the order of their numbers.
std::vector<FrameStack> split_by_order(const FrameStack& stack) {
  const std::size_t most = most_at_one_place(stack.frames);
  if (most < 2) return {stack};
  std::vector<FrameStack> parts(most);
  for (auto& place : by_place(stack.frames)) {
    std::ranges::stable_sort(place, {}, &Frame::order);
    for (std::size_t at = 0; at < place.size(); ++at) parts[at].frames.push_back(place[at]);
  }
  for (std::size_t at = 0; at < most; ++at) {
    parts[at].name =
        fmt::format("{}{}repetition {} of {}", stack.name, stack.name.empty() ? "" : ", ", at + 1, most);
  }
  return parts;
}

/// Whether at least half of the positions have several frames.
bool repeats(const std::vector<Frame>& frames) {
  if (frames.empty() || !frames.front().place) return false;
  const auto places = by_place(frames);
  return 2 * std::ranges::count_if(places, [](const auto& place) { return place.size() > 1; }) >=
         std::ssize(places);
}

}  // namespace

std::vector<FrameStack> split_stacks(std::vector<Frame> frames) {
  const bool is_one = !repeats(frames);
  std::vector<FrameStack> stacks{{"", std::move(frames)}};
  if (is_one) return stacks;
  const auto split_all = [&](const auto& split) {
    std::vector<FrameStack> parts;
    for (const FrameStack& stack : stacks) {
      for (FrameStack& part : split(stack)) parts.push_back(std::move(part));
    }
    stacks = std::move(parts);
  };
  for (const Difference& difference : differences) {
    split_all([&](const FrameStack& stack) { return split_by(stack, difference); });
  }
  split_all(split_by_order);
  return stacks;
}

}  // namespace isolume::images
