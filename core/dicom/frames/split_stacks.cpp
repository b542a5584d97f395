#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/dicom/frames/frames.h"

namespace isolume::dicom {
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
    Difference{Frame::gradient, "direction"},
    Difference{Frame::tube_voltage, "tube voltage"},
    Difference{Frame::image_type, "image type"},
    Difference{Frame::dimension, "dimension"},
    Difference{Frame::Order(Frame::dimension + 1), "dimension"},
    Difference{Frame::Order(Frame::dimension + 2), "dimension"},
    Difference{Frame::Order(Frame::dimension + 3), "dimension"},
    Difference{Frame::Order(Frame::dimension + 4), "dimension"},
    Difference{Frame::Order(Frame::dimension + 5), "dimension"},
    Difference{Frame::frame_time, "time"},
    Difference{Frame::acquisition, "acquisition"},
    Difference{Frame::trigger_time, "phase"},
    Difference{Frame::acquisition_moment, "time"},
    Difference{Frame::content_moment, "time"},
};

/// Whether it may be the moment of every slice rather than of a whole volume.
bool is_moment(Frame::Order which) {
  return which == Frame::acquisition_moment || which == Frame::content_moment;
}

std::string name_of_part(const FrameStack& stack, const std::string& part) {
  return stack.name + (stack.name.empty() ? "" : ", ") + part;
}

/// Texts take part in the order of frames by their ranks.
void rank_texts(std::vector<Frame>& frames, std::string Frame::*text, Frame::Order order) {
  std::set<std::string> texts;
  for (const Frame& frame : frames) texts.insert(frame.*text);
  for (Frame& frame : frames)
    frame.order[order] = static_cast<double>(std::distance(texts.begin(), texts.find(frame.*text)));
}

/// Splits by an attribute if it distinguishes frames at the same position: it has no more values than there are
/// frames at a position, and each value has fewer at a position. (Numbers that increase from slice to slice do not.)
std::vector<FrameStack> split_by(const FrameStack& stack, const Difference& difference) {
  const std::size_t most = most_at_one_place(stack.frames);
  std::map<double, std::vector<Frame>> by_value;
  for (const Frame& frame : stack.frames) by_value[frame.order[difference.which]].push_back(frame);
  if (by_value.size() < 2 || by_value.size() > most) return {stack};
  const std::size_t places = by_place(stack.frames).size();
  std::vector<FrameStack> parts;
  for (auto& [value, frames] : by_value) {
    if (most_at_one_place(frames) >= most) return {stack};
    if (is_moment(difference.which) && 2 * by_place(frames).size() < places) return {stack};
    std::string number = fmt::format("{} of {}", parts.size() + 1, by_value.size());
    if (difference.which == Frame::b_value) number = fmt::format("{:g} s/mm²", value);
    if (difference.which == Frame::image_type) number = frames.front().type_text;
    parts.push_back({name_of_part(stack, fmt::format("{} {}", difference.name, number)), std::move(frames)});
  }
  return parts;
}

/// A frame, the index of its place, and what it is sorted by.
struct Numbered {
  const Frame* frame;
  std::size_t place;
  std::tuple<double, double, double> key;
};

/// In the order of their moments, or of their numbers alone; nothing if two frames are the same in it.
std::optional<std::vector<Numbered>> in_order(const std::vector<std::vector<Frame>>& places, bool by_moment) {
  std::vector<Numbered> all;
  for (std::size_t place = 0; place < places.size(); ++place) {
    for (const Frame& frame : places[place]) {
      const auto& order = frame.order;
      all.push_back({.frame = &frame,
                     .place = place,
                     .key = {by_moment ? order[Frame::acquisition_moment] : 0, order[Frame::instance],
                             order[Frame::frame_number]}});
    }
  }
  std::ranges::sort(all, {}, &Numbered::key);
  if (std::ranges::adjacent_find(all, {}, &Numbered::key) != all.end()) return std::nullopt;
  return all;
}

/// Volumes that follow each other, cut where `begins_anew` says so of the places of a volume so far and the next one;
/// nothing if there are more than `most`.
template <class BeginsAnew>
std::optional<std::vector<std::vector<Frame>>> runs_of(const std::vector<Numbered>& all, std::size_t most,
                                                       const BeginsAnew& begins_anew) {
  std::vector<std::vector<Frame>> runs;
  std::vector<std::size_t> places;
  for (const Numbered& next : all) {
    if (runs.empty() || begins_anew(places, next.place)) {
      if (runs.size() == most) return std::nullopt;
      runs.emplace_back();
      places.clear();
    }
    runs.back().push_back(*next.frame);
    places.push_back(next.place);
  }
  return runs;
}

/// Whether every volume goes through the places in the same order, whatever that is.
bool repeat_their_order(const std::vector<Numbered>& all, std::size_t places) {
  for (std::size_t at = places; at < all.size(); ++at) {
    if (all[at].place != all[at - places].place) return false;
  }
  return true;
}

/// The volumes, if moments or numbers show that they follow each other. Where frames are missing, that is only certain
/// if places are in ascending or descending order.
std::optional<std::vector<std::vector<Frame>>> following_each_other(
    const std::vector<std::vector<Frame>>& places, std::size_t most, bool is_complete) {
  using Places = std::vector<std::size_t>;
  for (const bool by_moment : {true, false}) {
    const auto all = in_order(places, by_moment);
    if (!all) continue;
    if (is_complete && repeat_their_order(*all, places.size()))
      return runs_of(*all, most, [&](const Places& at, std::size_t) { return at.size() == places.size(); });
    if (is_complete) continue;
    auto runs = runs_of(*all, most, [](const Places& at, std::size_t next) { return next <= at.back(); });
    if (!runs)
      runs = runs_of(*all, most, [](const Places& at, std::size_t next) { return next >= at.back(); });
    if (runs) return runs;
  }
  return std::nullopt;
}

/// Whether numbers go through all frames of a place before the next.
bool go_place_by_place(const std::vector<std::vector<Frame>>& places, std::size_t most) {
  const auto all = in_order(places, false);
  for (std::size_t at = 0; all && at < all->size(); ++at) {
    if ((*all)[at].place != (*all)[at - at % most].place) return false;
  }
  return all.has_value();
}

/// Whether something that says what a frame is, or when it was taken, differs between neighbours in a sorted place.
bool are_told_apart(const std::vector<Frame>& place) {
  const auto is_alike = [](const Frame& a, const Frame& b) {
    return std::equal(a.order.begin(), a.order.begin() + Frame::instance, b.order.begin());
  };
  return std::ranges::adjacent_find(place, is_alike) == place.end();
}

void warn_of_mixture(const FrameStack& stack, const std::vector<std::vector<Frame>>& places, std::size_t most,
                     std::size_t incomplete, Remarks& remarks) {
  const std::string which = stack.name.empty() ? "" : fmt::format(" ({})", stack.name);
  if (incomplete > 0) {
    remarks.add(RemarkKind::warning,
                fmt::format("At {} of {} positions there are fewer than {} slices{}, and it is unknown which "
                            "are missing: repetitions may be mixed.",
                            incomplete, places.size(), most, which),
                incomplete);
    return;
  }
  remarks.add(
      RemarkKind::warning,
      fmt::format("Nothing but the order of their numbers tells the {} slices at each of {} positions "
                  "apart{}: repetitions may be mixed.",
                  most, places.size(), which),
      places.size());
}

/// Volumes that follow each other, else the first of each position, the second ..., in the order of attributes and
/// numbers.
std::vector<FrameStack> split_by_order(const FrameStack& stack, Remarks& remarks) {
  const std::size_t most = most_at_one_place(stack.frames);
  if (most < 2) return {stack};
  auto places = by_place(stack.frames);
  for (auto& place : places) std::ranges::stable_sort(place, {}, &Frame::order);
  const auto incomplete = static_cast<std::size_t>(
      std::ranges::count_if(places, [&](const auto& place) { return place.size() < most; }));
  std::vector<std::vector<Frame>> volumes(most);
  if (auto runs = following_each_other(places, most, incomplete == 0)) {
    volumes = std::move(*runs);
  } else {
    for (const auto& place : places) {
      for (std::size_t at = 0; at < place.size(); ++at) volumes[at].push_back(place[at]);
    }
    const bool is_certain =
        incomplete == 0 && (std::ranges::all_of(places, are_told_apart) || go_place_by_place(places, most));
    if (!is_certain) warn_of_mixture(stack, places, most, incomplete, remarks);
  }
  std::vector<FrameStack> parts;
  for (auto& volume : volumes) {
    parts.push_back(
        {name_of_part(stack, fmt::format("repetition {} of {}", parts.size() + 1, most)), std::move(volume)});
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

/// Stacks of slices above each other, the largest first. A slice begins or joins another stack if it is shifted against
/// the slice below by more than the size of the picture, which no gantry tilt causes.
std::vector<std::vector<Frame>> columns_of(std::vector<Frame> frames, const PixelLayout& layout) {
  if (!frames.front().place) return {std::move(frames)};
  const Frame::Place axes = *frames.front().place;
  const Eigen::Vector3d normal = axes.x.cross(axes.y);
  const Eigen::Vector2d field_mm =
      frames.front().spacing_mm.cwiseProduct(Eigen::Vector2d(layout.columns, layout.rows));
  std::ranges::stable_sort(frames, {},
                           [&](const Frame& frame) { return normal.dot(frame.place->position_mm); });
  std::vector<std::vector<Frame>> columns;
  for (Frame& frame : frames) {
    auto column = std::ranges::find_if(columns, [&](const std::vector<Frame>& below) {
      const Eigen::Vector3d offset = frame.place->position_mm - below.back().place->position_mm;
      return std::abs(offset.dot(axes.x)) < field_mm.x() && std::abs(offset.dot(axes.y)) < field_mm.y();
    });
    if (column == columns.end()) column = columns.insert(columns.end(), std::vector<Frame>{});
    column->push_back(std::move(frame));
  }
  std::ranges::stable_sort(columns, std::ranges::greater{}, &std::vector<Frame>::size);
  return columns;
}

/// By all that may distinguish its frames.
std::vector<FrameStack> split_column(FrameStack column, Remarks& remarks) {
  const bool is_one = !repeats(column.frames);
  std::vector<FrameStack> stacks{std::move(column)};
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
  split_all([&](const FrameStack& stack) { return split_by_order(stack, remarks); });
  return stacks;
}

}  // namespace

std::vector<FrameStack> split_stacks(std::vector<Frame> frames, const PixelLayout& layout, Remarks& remarks) {
  rank_texts(frames, &Frame::type_text, Frame::image_type);
  rank_texts(frames, &Frame::gradient_text, Frame::gradient);
  std::vector<FrameStack> all;
  const auto columns = columns_of(std::move(frames), layout);
  for (const auto& column : columns) {
    FrameStack stack{columns.size() > 1 ? fmt::format("stack {} of {}", all.size() + 1, columns.size()) : "",
                     column};
    all.push_back(std::move(stack));
  }
  std::vector<FrameStack> stacks;
  for (FrameStack& stack : all) {
    for (FrameStack& part : split_column(std::move(stack), remarks)) stacks.push_back(std::move(part));
  }
  return stacks;
}

}  // namespace isolume::dicom
