#include "core/simulation/record.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace isolume::simulation {

Record::Record(std::unique_ptr<Simulation> simulation, std::size_t checkpoint_bytes, std::int64_t spacing,
               Course course)
    : simulation_(std::move(simulation)),
      checkpoint_bytes_(checkpoint_bytes),
      spacing_(spacing),
      course_(std::move(course)) {
  if (course_.start.empty())
    course_ = {.start = values_of(simulation_->parameters()), .begin = simulation_->step()};
  start_here();
  for (auto& [step, values] : std::exchange(course_.changes, {})) {
    live_ = side_of(step);
    Side& side = sides_[live_];
    side.changes.push_back({place(side, step), std::move(values)});
  }
}

void Record::start_here() {
  origin_ = simulation_->step();
  at_ = origin_;
  live_ = 0;
  sides_.clear();
  const CheckpointPointer start = simulation_->checkpoint();
  for (const int direction : {1, -1}) {
    sides_.push_back({direction, Checkpoints(checkpoint_bytes_, spacing_)});
    sides_.back().checkpoints.put(0, start);
  }
  if (const auto last = simulation_->recorded_until()) sides_[0].last = *last - origin_;
}

std::int64_t Record::live_end() const {
  const Side& live = sides_[live_];
  const std::int64_t end = live.changes.empty() ? live.last : std::max(live.last, live.changes.back().step);
  return origin_ + end * live.direction;
}

Course Record::course() const {
  Course course = course_;
  course.origin = origin_;
  for (const std::size_t which : {1 - live_, live_}) {  // the live side determines its end
    const Side& side = sides_[which];
    for (const auto& [at, values] : side.changes)
      course.changes.push_back({origin_ + at * side.direction, values});
  }
  return course;
}

Course Record::course_to(std::int64_t step) const {
  Course course = course_;
  course.origin = step;
  course.way.push_back({origin_});
  const Side& side = sides_[side_of(step)];
  for (const auto& [at, values] : side.changes) {
    if (at <= place(side, step)) course.way.push_back({origin_ + at * side.direction, values});
  }
  return course;
}

std::optional<std::int64_t> Record::place_now(const Side& side) const {
  if (!at_ || place(side, *at_) < 0) return std::nullopt;
  return place(side, *at_);
}

void Record::keep_end() {
  if (!at_) return;
  Side& side = sides_[side_of(*at_)];
  if (side.last > 0 && place(side, *at_) == side.last && !side.end) side.end = simulation_->checkpoint();
}

void Record::restore(Side& side, const Checkpoints::Found& found) {
  keep_end();
  at_.reset();
  simulation_->restore(*found.checkpoint);
  at_ = origin_ + found.step * side.direction;
}

bool Record::move_towards(std::int64_t step, std::int64_t most_steps, const jobs::Progress& progress) {
  if (at_ == step) return true;
  if (is_recording()) {
    at_.reset();
    simulation_->advance(step - simulation_->step(), progress);
    at_ = step;
    return true;
  }
  Side& side = sides_[side_of(step)];
  const std::int64_t goal = place(side, step);
  Checkpoints::Found start = side.checkpoints.before(goal);
  if (side.end && goal >= side.last) start = {side.last, side.end};
  const auto now = place_now(side);
  if (!now || *now > goal || *now < start.step) {
    restore(side, start);
    return at_ == step;
  }
  std::int64_t to = std::min(goal, *now + most_steps);
  // Multiples count from step 0, not from the origin.
  const std::int64_t rest = (origin_ + to * side.direction) % most_steps * side.direction;
  const std::int64_t past = rest < 0 ? rest + most_steps : rest;
  if (to - past > *now) to -= past;
  for (const Change& change : side.changes) {
    if (change.step > *now) to = std::min(to, change.step);
  }
  if (*now < side.last) to = std::min(to, side.last);
  advance(side, *now, to, progress);
  return at_ == step;
}

void Record::advance(Side& side, std::int64_t from, std::int64_t to, const jobs::Progress& progress) {
  at_.reset();
  try {
    simulation_->advance((to - from) * side.direction, progress);
  } catch (const Cancelled&) {
    to = place(side, simulation_->step());
    // The state is that of a whole step, but perhaps one that is not recorded: that step is computed again.
    if (to <= side.last) at_ = simulation_->step();
    throw;
  }
  for (const Change& change : side.changes) {
    if (change.step == to) simulation_->set_parameters(change.values);
  }
  if (to > side.last) {
    side.last = to;
    side.end.reset();
    live_ = side.direction > 0 ? 0 : 1;
    if (side.checkpoints.due(to)) side.checkpoints.put(to, simulation_->checkpoint());
  }
  at_ = origin_ + to * side.direction;
}

void Record::set_parameter(const std::string& key, const parameters::Value& value) {
  simulation_->set_parameter(key, value);
  if (is_recording()) return;
  Side& side = sides_[live_];
  if (side.last == 0) {  // the origin has changed, so the other side no longer follows from it
    if (course_.way.empty()) {
      course_.start = values_of(simulation_->parameters());
    } else {
      course_.way.push_back({origin_, {{key, value}}});
    }
    start_here();
    return;
  }
  side.changes.push_back({side.last, {{key, value}}});
  side.end.reset();
  if (side.checkpoints.before(side.last).step == side.last) {
    side.checkpoints.put(side.last, simulation_->checkpoint());
  }
}

std::optional<parameters::Value> Record::cut_here(const std::string& without) {
  if (is_recording()) throw Error("What has been recorded before stays as it is.");
  if (*at_ < origin_) {
    course_ = course_to(*at_);
    start_here();
    return std::nullopt;
  }
  Side& side = sides_[0];
  side.last = place(side, *at_);
  side.checkpoints.cut(side.last);
  std::erase_if(side.changes, [&](const Change& change) { return change.step > side.last; });
  side.end.reset();
  live_ = 0;
  std::size_t withdrawn = 0;
  for (Change& change : side.changes) {
    if (change.step == side.last) withdrawn += change.values.erase(without);
  }
  if (withdrawn == 0) return std::nullopt;
  std::erase_if(side.changes, [](const Change& change) { return change.values.empty(); });
  side.checkpoints.cut(side.last - 1);
  leave();
  parameters::Value before = course_.start.at(without);
  for (const auto* changes : {&course_.way, &side.changes}) {
    for (const Change& change : *changes) {
      if (const auto found = change.values.find(without); found != change.values.end())
        before = found->second;
    }
  }
  return before;
}

}  // namespace isolume::simulation
