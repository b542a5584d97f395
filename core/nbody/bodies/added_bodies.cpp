#include "core/nbody/bodies/added_bodies.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace isolume::nbody {

std::vector<AddedBody> added_bodies(const std::string& text) {
  std::vector<AddedBody> found;
  std::istringstream all(text);
  for (std::string one; std::getline(all, one, ';');) {
    if (trimmed(one).empty()) continue;
    std::istringstream words(one);
    std::vector<double> numbers;
    std::optional<std::int64_t> step;
    std::optional<std::uint64_t> of;
    for (std::string word; words >> word;) {
      if (step) throw Error(fmt::format("Added body {}: the step is not the last word.", found.size() + 1));
      if (word.starts_with('@')) {
        step = parse_number<std::int64_t>(word.substr(1));
        if (step) continue;
        throw Error(fmt::format("Added body {}: {} is not a step. Write @100 for step 100.", found.size() + 1,
                                isolume::quoted(word)));
      }
      if (word.starts_with('#')) {
        of = parse_number<std::uint64_t>(word.substr(1));
        if (of && numbers.empty()) continue;
        throw Error(fmt::format(
            "Added body {}: {} is not the number of a body before its values. Write #7 for body 7.",
            found.size() + 1, isolume::quoted(word)));
      }
      const auto number = parse_finite(word);
      if (!number || std::abs(*number) > 1e150)
        throw Error(fmt::format("Added body {}: {} is not a finite number.", found.size() + 1,
                                isolume::quoted(word)));
      numbers.push_back(*number);
    }
    if (of && numbers.empty()) {
      found.push_back({.step = step, .of = of, .removed = true});
      continue;
    }
    const bool mass_only = of && numbers.size() == 1;
    if (mass_only) numbers.resize(7);
    if (numbers.size() != 7 || numbers[0] < 0) {
      throw Error(
          fmt::format("Added body {}: {}. Give a mass of at least 0, x y z and vx vy vz, and a "
                      "semicolon before the next body; @100 after them for a body that joins at step 100.",
                      found.size() + 1, isolume::quoted(trimmed(one))));
    }
    found.push_back({numbers[0],
                     {numbers[1], numbers[2], numbers[3]},
                     {numbers[4], numbers[5], numbers[6]},
                     step,
                     of,
                     mass_only});
  }
  return found;
}

std::string text_of(const std::vector<AddedBody>& bodies) {
  std::string text;
  for (const auto& [mass, x, v, step, of, mass_only, removed] : bodies) {
    if (!text.empty()) text += "; ";
    if (of) text += fmt::format("#{}{}", *of, removed ? "" : " ");
    if (mass_only) text += fmt::format("{}", mass);
    if (!removed && !mass_only)
      text += fmt::format("{} {} {} {} {} {} {}", mass, x.x(), x.y(), x.z(), v.x(), v.y(), v.z());
    if (step) text += fmt::format(" @{}", *step);
  }
  return text;
}

std::uint64_t count_new(std::span<const AddedBody> bodies) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(bodies, [](const AddedBody& each) { return !each.of; }));
}

std::string only_new(const std::string& text) {
  auto all = added_bodies(text);
  std::erase_if(all, [](const AddedBody& each) { return each.of.has_value(); });
  return text_of(all);
}

std::string with_added(const std::string& text, const AddedBody& body) {
  auto all = added_bodies(text);
  all.push_back(body);
  return text_of(all);
}

std::string joining_at(std::int64_t step, const std::string& now, const std::string& text) {
  const auto there = added_bodies(now);
  auto all = added_bodies(text);
  for (AddedBody& each : all) {
    if (each.step) continue;
    const auto same = std::ranges::find_if(there, [&](AddedBody other) {
      other.step.reset();
      return other == each;
    });
    each.step = same == there.end() ? step : same->step;
  }
  std::ranges::stable_sort(all, {}, &AddedBody::step);  // those of the start first
  return text_of(all);
}

std::string joining_at_start(const std::string& text) {
  auto all = added_bodies(text);
  for (AddedBody& each : all) each.step.reset();
  return text_of(all);
}

std::vector<AddedFrom> way_to(const std::string& after, const std::string& before, std::int64_t start) {
  const auto old = added_bodies(before), wanted = added_bodies(after);
  const auto [in_old, in_wanted] = std::ranges::mismatch(old, wanted);
  std::set<std::int64_t> steps;
  for (auto each = in_wanted; each != wanted.end(); ++each) steps.insert(each->step.value_or(start));
  if (in_old != old.end()) steps.insert(in_old->step.value_or(start));
  std::vector<AddedFrom> way;
  for (const std::int64_t step : steps) {
    std::vector<AddedBody> joined;
    std::ranges::copy_if(wanted, std::back_inserter(joined),
                         [&](const AddedBody& each) { return each.step.value_or(start) <= step; });
    way.push_back({step, text_of(joined)});
  }
  return way;
}

}  // namespace isolume::nbody
