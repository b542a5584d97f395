#include "core/simulation/runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/error_text.h"
#include "core/simulation/record.h"

namespace isolume::simulation {
namespace {

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::min();

/// Where a task takes place; an empty `step` means the live end of the record.
struct Place {
  std::optional<std::int64_t> step = std::nullopt;
  bool recorded_only = false;
  bool anywhere = false;  ///< at any step
};

/// A pending task.
struct Task {
  Place place;
  std::function<void()> arrive;  ///< may throw
  std::function<void(std::exception_ptr)> fail;
};

RunnerOptions ending_with(const Simulation& simulation, RunnerOptions options) {
  if (!options.last_step) options.last_step = simulation.recorded_until();
  return options;
}

std::string text_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return error_text(error);
  } catch (...) {
    return "Something went wrong in the simulation, which does not say what.";
  }
}

}  // namespace

class Runner::Worker {
 public:
  Worker(std::unique_ptr<Simulation> simulation, const RunnerOptions& options, const Course& course,
         Runner& runner);
  ~Worker();

  void add(Task task);
  void cancel();
  void wake() {
    ++signal_;
    signal_.notify_one();
  }

  const RunnerOptions options;
  const bool reversible;
  FrameRing ring;
  std::atomic<std::int64_t> first, last, shown = nowhere, ahead = nowhere;
  std::atomic<std::uint64_t> epoch = 0;

  void cut(const std::string& without);
  void set_parameter(const std::string& key, const parameters::Value& value);
  void resume();
  FramePointer frame();
  std::unique_ptr<Simulation> branch() { return record_.simulation().branch(); }
  Course course(std::optional<std::int64_t> to) const {
    return to ? record_.course_to(*to) : record_.course();
  }

  RunnerStatus status() const;
  void observe(std::function<void()> observer);

  /// The parameters for panels: the values set last, of which some may still be on their way to the simulation.
  class LiveParameters final : public parameters::ParameterSet {
   public:
    LiveParameters(const parameters::ParameterSet& from, Runner& runner)
        : descriptions_(from.descriptions()), runner_(runner) {
      take(from);
    }
    std::vector<parameters::Description> descriptions() const override { return descriptions_; }
    parameters::Value get(std::string_view key) const override {
      const std::lock_guard lock(mutex_);
      return shown(key);
    }
    void set(std::string_view key, const parameters::Value& value) override {
      runner_.set_parameter(key, value);
    }
    /// Sends a value on its way; returns its number.
    std::uint64_t send(std::string_view key, const parameters::Value& value) {
      const std::lock_guard lock(mutex_);
      on_their_way_.push_back({++sent_, std::string(key), value});
      return sent_;
    }
    /// It has arrived, or never will.
    void end(std::uint64_t number) {
      const std::lock_guard lock(mutex_);
      const auto found = std::ranges::find(on_their_way_, number, &Sent::number);
      if (found == on_their_way_.end()) return;
      const Sent ended = *found;
      on_their_way_.erase(found);
      if (shown(ended.key) != ended.value) ++epoch_;
    }
    /// The simulation has this value.
    void note(std::string_view key, const parameters::Value& value) {
      const std::lock_guard lock(mutex_);
      put(key, value);
    }
    /// The simulation has these values.
    void take(const parameters::ParameterSet& from) {
      const std::lock_guard lock(mutex_);
      for (const auto& each : descriptions_) put(each.key, from.get(each.key));
    }
    std::uint64_t epoch() const {
      const std::lock_guard lock(mutex_);
      return epoch_;
    }

   private:
    struct Sent {
      std::uint64_t number;
      std::string key;
      parameters::Value value;
    };
    // The caller of these holds the mutex.
    void put(std::string_view key, const parameters::Value& value) {
      const auto [place, is_new] = values_.try_emplace(std::string(key), value);
      if (is_new || place->second == value) return;
      place->second = value;
      if (!is_on_its_way(key)) ++epoch_;
    }
    bool is_on_its_way(std::string_view key) const {
      return std::ranges::find(on_their_way_, key, &Sent::key) != on_their_way_.end();
    }
    /// Of all that are on their way, the last one.
    const parameters::Value& shown(std::string_view key) const {
      for (auto each = on_their_way_.rbegin(); each != on_their_way_.rend(); ++each) {
        if (each->key == key) return each->value;
      }
      const auto found = values_.find(key);
      if (found == values_.end()) throw Error("There is no parameter named " + quoted(key) + ".");
      return found->second;
    }

    const std::vector<parameters::Description> descriptions_;
    Runner& runner_;
    mutable std::mutex mutex_;
    std::map<std::string, parameters::Value, std::less<>> values_;  ///< of the simulation
    std::deque<Sent> on_their_way_;
    std::uint64_t sent_ = 0, epoch_ = 0;
  };

 private:
  using Activity = RunnerStatus::Activity;

  void run();
  /// Does a part of the pending work; false if there is none.
  bool work();
  bool work_on(const Task& task);
  bool show(std::int64_t step);
  bool extend();
  bool read_ahead(std::int64_t step);
  bool move_towards(std::int64_t step);
  void put_frame();
  void fault(const std::exception_ptr& exception);
  bool still_first(const Task& task, bool take);
  void note(Activity activity);
  void note_record();
  jobs::Progress progress();

  mutable std::mutex mutex_;  ///< guards the following members, and is never held for long
  std::deque<std::shared_ptr<Task>> tasks_;
  std::stop_source stop_;
  RunnerStatus status_;
  std::function<void()> observer_;

  // For the worker only.
  Record record_;
  bool stopped_ = false;
  std::int64_t unreachable_ = nowhere;  ///< a step that cannot be shown because of an error
  std::optional<std::int64_t> faulted_at_ = {};
  double seconds_a_step_ = 0;

  std::atomic<std::int64_t> reported_at_ = 0;  ///< milliseconds of the steady clock
  std::atomic<bool> quit_ = false;
  std::atomic<std::uint64_t> signal_ = 0;

 public:
  LiveParameters live_parameters;

 private:
  std::thread thread_;  ///< last, since it uses all members above
};

Runner::Worker::Worker(std::unique_ptr<Simulation> simulation, const RunnerOptions& given,
                       const Course& course, Runner& runner)
    : options(ending_with(*simulation, given)),
      reversible(simulation->reversible()),
      ring(options.frame_slots, options.frame_bytes),
      first(simulation->step()),
      last(simulation->recorded_until().value_or(simulation->step())),
      record_(std::move(simulation), options.checkpoint_bytes, options.checkpoint_spacing, course),
      live_parameters(record_.simulation().parameters(), runner) {
  for (const Change& change : course.changes) {
    for (const auto& [key, value] : change.values) live_parameters.note(key, value);
  }
  thread_ = std::thread([this] { run(); });
}

Runner::Worker::~Worker() {
  quit_ = true;
  cancel();
  thread_.join();
  cancel();  // requests that arrived meanwhile
}

void Runner::Worker::add(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::make_shared<Task>(std::move(task)));
  }
  wake();
}

void Runner::Worker::cancel() {
  std::deque<std::shared_ptr<Task>> given_up;
  {
    const std::lock_guard lock(mutex_);
    given_up.swap(tasks_);
    shown = ahead = nowhere;
    std::exchange(stop_, std::stop_source()).request_stop();
  }
  for (const auto& task : given_up) task->fail(std::make_exception_ptr(Cancelled()));
  wake();
}

/// Whether it has not been cancelled.
bool Runner::Worker::still_first(const Task& task, bool take) {
  const std::lock_guard lock(mutex_);
  if (tasks_.empty() || tasks_.front().get() != &task) return false;
  if (take) tasks_.pop_front();
  return true;
}

void Runner::Worker::run() {
  while (!quit_) {
    const std::uint64_t seen = signal_;
    bool worked = true;
    std::exception_ptr thrown;
    try {
      worked = work();
    } catch (const Cancelled&) {
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown) fault(thrown);
    if (worked) continue;
    note(stopped_ ? Activity::stopped : Activity::waiting);
    signal_.wait(seen);
  }
}

bool Runner::Worker::work() {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    if (!tasks_.empty()) task = tasks_.front();
  }
  if (task) return work_on(*task);
  const std::int64_t wanted = shown;
  if (wanted != unreachable_) unreachable_ = nowhere;
  if (wanted != nowhere && wanted != unreachable_ && wanted >= first && wanted <= last && !ring.has(wanted)) {
    return show(wanted);
  }
  return !stopped_ && (record_.is_recording() ? wanted != nowhere && read_ahead(wanted) : extend());
}

bool Runner::Worker::work_on(const Task& task) {
  const auto refuse = [&](const std::string& why) {
    if (still_first(task, true)) task.fail(std::make_exception_ptr(Error(why)));
    return true;
  };
  const std::int64_t step = task.place.step.value_or(record_.live_end());
  if (task.place.recorded_only && (step < first || step > last)) {
    return refuse(
        fmt::format("Step {} is not recorded. Give one from {} to {}.", step, first.load(), last.load()));
  }
  if (!reversible && step < record_.origin()) {
    return refuse(fmt::format(
        "Step {} is before the start, and this simulation does not run backwards. Give one from {} on.", step,
        record_.origin()));
  }
  if (options.last_step && step > *options.last_step) {
    return refuse(fmt::format("Step {} is after the last one. Give one up to {}.", step, *options.last_step));
  }
  if ((!task.place.anywhere && !move_towards(step)) || !still_first(task, true)) return true;
  std::exception_ptr thrown;
  try {
    task.arrive();
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) task.fail(thrown);
  return true;
}

bool Runner::Worker::show(std::int64_t step) {
  note(Activity::recomputing);
  if (move_towards(step)) put_frame();
  return true;
}

bool Runner::Worker::extend() {
  const std::int64_t goal = ahead;
  if (goal == nowhere) return false;
  std::int64_t to = 0;
  if (goal > last && (!options.last_step || last < *options.last_step)) {
    to = last + options.steps_per_frame;
    if (options.last_step) to = std::min(to, *options.last_step);
  } else if (goal < first && reversible) {
    to = first - options.steps_per_frame;
  } else {
    return false;
  }
  move_towards(to);
  return true;
}

/// For a recording: reads the steps after the shown one, as far as they fit together with it.
bool Runner::Worker::read_ahead(std::int64_t step) {
  const std::int64_t goal = ahead;
  if (step != shown) return true;  // the goal may be that of the step that is looked at now
  if (goal == nowhere || ring.size() == 0) return false;
  const auto most = static_cast<std::int64_t>(ring.room(ring.bytes() / ring.size())) - 1;
  const std::int64_t to = std::clamp(std::clamp(goal, first.load(), last.load()), step - most, step + most);
  for (;; step += to < step ? -1 : 1) {
    if (!ring.has(step)) return show(step);
    if (step == to) return false;
  }
}

/// Puts frames on the way into the ring: all new ones, and those shortly before a step to which the
/// simulation returns, which are needed next when time runs backwards.
bool Runner::Worker::move_towards(std::int64_t step) {
  if (record_.at() == step) return true;
  const auto start = std::chrono::steady_clock::now();
  const auto from = record_.at();
  const Recorded before{first, last};
  const auto has_frame = [&](std::int64_t at) {
    return !record_.is_recording() && (at % options.steps_per_frame == 0 || at == options.last_step);
  };
  // Where a run begins is what later frames are compared with.
  if (from && ring.size() == 0 && has_frame(*from)) put_frame();
  note(step > before.last || step < before.first ? Activity::advancing : Activity::recomputing);
  const bool there = record_.move_towards(step, options.steps_per_frame, progress());
  const std::int64_t now = *record_.at();
  note_record();
  if (from && std::abs(now - *from) <= options.steps_per_frame && now != *from) {
    const double each = seconds_since(start) / static_cast<double>(std::abs(now - *from));
    seconds_a_step_ = seconds_a_step_ > 0 ? 0.8 * seconds_a_step_ + 0.2 * each : each;
  }
  if (faulted_at_ && (now > before.last || now < before.first)) faulted_at_.reset();
  const bool is_new = now > before.last || now < before.first;
  const auto half =
      static_cast<std::int64_t>(ring.size() == 0 ? 1 : ring.room(ring.bytes() / ring.size()) / 2);
  const bool near = std::abs(step - now) < std::max<std::int64_t>(half, 1) * options.steps_per_frame;
  if (has_frame(now) && (is_new || near) && !ring.has(now)) put_frame();
  return there;
}

void Runner::Worker::put_frame() {
  ring.put(record_.simulation().snapshot(options.wanted, progress()));
  const std::lock_guard lock(mutex_);
  if (observer_) observer_();
}

void Runner::Worker::note_record() {
  first = record_.first();
  last = record_.last();
}

void Runner::Worker::fault(const std::exception_ptr& exception) {
  const std::int64_t where = record_.live_end();
  if (faulted_at_ != where) {
    faulted_at_ = where;
    record_.leave();
    const std::lock_guard lock(mutex_);
    ++status_.faults;
    return;
  }
  faulted_at_.reset();
  stopped_ = true;
  unreachable_ = shown;
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    status_.error = text_of(exception);
    // A task for any step does not depend on the simulation's position.
    if (!tasks_.empty() && !tasks_.front()->place.anywhere) task = std::move(tasks_.front());
    if (task) tasks_.pop_front();
  }
  record_.leave();
  if (task) task->fail(exception);
}

void Runner::Worker::resume() {
  stopped_ = false;
  unreachable_ = nowhere;
  faulted_at_.reset();
  const std::lock_guard lock(mutex_);
  status_.error.clear();
  status_.refusal.clear();
}

void Runner::Worker::cut(const std::string& without) {
  const auto withdrawn = record_.cut_here(without);
  ring.keep(record_.first(), record_.last() - (withdrawn ? 1 : 0));
  note_record();
  ++epoch;
  live_parameters.take(record_.simulation().parameters());
  if (withdrawn) live_parameters.note(without, *withdrawn);
  resume();
}

void Runner::Worker::set_parameter(const std::string& key, const parameters::Value& value) {
  const Recorded before{first, last};
  const bool acts_on_all = record_.is_recording();
  try {
    record_.set_parameter(key, value);
  } catch (...) {
    live_parameters.take(record_.simulation().parameters());
    const std::lock_guard lock(mutex_);
    status_.refusal = text_of(std::current_exception());
    throw;
  }
  live_parameters.note(key, value);
  note_record();
  ring.keep(first, acts_on_all ? first - 1 : last.load());
  if (before.first != first || before.last != last || acts_on_all) ++epoch;
  resume();
  if (ring.has(*record_.at())) put_frame();
}

FramePointer Runner::Worker::frame() {
  const std::int64_t step = *record_.at();
  if (!ring.has(step)) put_frame();
  FramePointer found = ring.at(step);
  return found ? found : record_.simulation().snapshot(options.wanted, progress());
}

jobs::Progress Runner::Worker::progress() {
  const std::lock_guard lock(mutex_);
  std::stop_token token = stop_.get_token();
  if (quit_) stop_.request_stop();
  return {std::move(token), [this](double fraction, std::string_view stage) {
            const std::int64_t now = std::chrono::duration_cast<std::chrono::milliseconds>(
                                         std::chrono::steady_clock::now().time_since_epoch())
                                         .count();
            std::int64_t before = reported_at_;
            if (now - before < 50 || !reported_at_.compare_exchange_strong(before, now)) return;
            const std::lock_guard at_work(mutex_);
            status_.fraction = fraction;
            status_.stage = stage;
            if (observer_) observer_();
          }};
}

void Runner::Worker::note(Activity activity) {
  const std::lock_guard lock(mutex_);
  const bool changed = status_.activity != activity;
  status_.activity = activity;
  status_.frames = ring.size();
  status_.frame_bytes = ring.bytes();
  status_.checkpoints = record_.checkpoints();
  status_.checkpoint_bytes = record_.checkpoint_bytes();
  status_.checkpoint_spacing = record_.spacing();
  status_.steps_per_second = seconds_a_step_ > 0 ? 1 / seconds_a_step_ : 0;
  if (activity == Activity::waiting || activity == Activity::stopped) {
    status_.fraction = 0;
    status_.stage.clear();
  }
  if (changed && observer_) observer_();
}

RunnerStatus Runner::Worker::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void Runner::Worker::observe(std::function<void()> observer) {
  const std::lock_guard lock(mutex_);
  observer_ = std::move(observer);
}

Runner::Runner(std::unique_ptr<Simulation> simulation, const RunnerOptions& options, const Course& course) {
  if (options.steps_per_frame < 1 || options.checkpoint_spacing < 1) {
    throw Error(
        fmt::format("A frame every {} steps and a checkpoint every {} are not possible. Give 1 or more.",
                    options.steps_per_frame, options.checkpoint_spacing));
  }
  worker_ = std::make_unique<Worker>(std::move(simulation), options, course, *this);
}

Runner::~Runner() = default;

const RunnerOptions& Runner::options() const {
  return worker_->options;
}

bool Runner::reversible() const {
  return worker_->reversible;
}

Recorded Runner::recorded() const {
  return {worker_->first, worker_->last, worker_->epoch};
}

FramePointer Runner::frame(std::int64_t step) const {
  return worker_->ring.at(step);
}

void Runner::look(std::optional<std::int64_t> shown, std::optional<std::int64_t> ahead) {
  const bool another = worker_->shown.exchange(shown.value_or(nowhere)) != shown.value_or(nowhere);
  if (worker_->ahead.exchange(ahead.value_or(nowhere)) != ahead.value_or(nowhere) || another) worker_->wake();
}

namespace {

/// A task whose outcome is that of a future.
template <class Result, class Arrive>
std::pair<Task, std::future<Result>> task_for(const Place& place, Arrive arrive) {
  auto promise = std::make_shared<std::promise<Result>>();
  auto future = promise->get_future();
  const auto done = [promise, arrive = std::move(arrive)] {
    if constexpr (std::is_void_v<Result>) {
      arrive();
      promise->set_value();
    } else {
      promise->set_value(arrive());
    }
  };
  const auto fail = [promise](const std::exception_ptr& exception) { promise->set_exception(exception); };
  return {Task{place, done, fail}, std::move(future)};
}

}  // namespace

std::future<FramePointer> Runner::go_to(std::int64_t step) {
  auto [task, future] = task_for<FramePointer>({step}, [this] { return worker_->frame(); });
  worker_->add(std::move(task));
  return std::move(future);
}

std::future<std::unique_ptr<Simulation>> Runner::branch(std::int64_t step) {
  auto [task, future] = task_for<std::unique_ptr<Simulation>>({step}, [this] { return worker_->branch(); });
  worker_->add(std::move(task));
  return std::move(future);
}

std::future<void> Runner::rewind_to(std::int64_t step, const std::string& without) {
  auto [task, future] =
      task_for<void>({.step = step, .recorded_only = true}, [this, without] { worker_->cut(without); });
  worker_->add(std::move(task));
  return std::move(future);
}

std::future<void> Runner::set_parameter(std::string_view key, const parameters::Value& value) {
  auto& live = worker_->live_parameters;
  const parameters::Value allowed = validated(live.description(key), value);
  auto [task, future] =
      task_for<void>({}, [this, key = std::string(key), allowed] { worker_->set_parameter(key, allowed); });
  // Until it has arrived, it is shown all the same: a return to an earlier step must not hide it.
  const std::uint64_t number = live.send(key, allowed);
  task.arrive = [&live, number, arrive = std::move(task.arrive)] {
    arrive();
    live.end(number);
  };
  task.fail = [&live, number, fail = std::move(task.fail)](const std::exception_ptr& exception) {
    live.end(number);
    fail(exception);
  };
  worker_->add(std::move(task));
  return std::move(future);
}

parameters::ParameterSet& Runner::parameters() {
  return worker_->live_parameters;
}

std::uint64_t Runner::parameters_epoch() const {
  return worker_->live_parameters.epoch();
}

std::future<Course> Runner::course(std::optional<std::int64_t> to) {
  auto [task, future] = task_for<Course>({.anywhere = true}, [this, to] { return worker_->course(to); });
  worker_->add(std::move(task));
  return std::move(future);
}

void Runner::resume() {
  worker_->add({{}, [this] { worker_->resume(); }, [](const std::exception_ptr&) {}});
}

void Runner::cancel() {
  worker_->cancel();
}

RunnerStatus Runner::status() const {
  return worker_->status();
}

void Runner::observe(std::function<void()> observer) {
  worker_->observe(std::move(observer));
}

}  // namespace isolume::simulation
