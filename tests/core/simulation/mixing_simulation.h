#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/simulation/simulation.h"

namespace isolume::simulation::testing {

/// Two numbers that mix in a way that can be undone, and of which each step changes every bit.
struct Numbers {
  std::uint64_t a = 1, b = 2;

  static std::uint64_t mixed(std::uint64_t value, std::int64_t salt) {
    value = (value ^ (value >> 31) ^ static_cast<std::uint64_t>(salt)) * 0x9e3779b97f4a7c15ull;
    return value ^ (value >> 29);
  }
  void forth(std::int64_t salt) {
    a += mixed(b, salt);
    std::swap(a, b);
  }
  void back(std::int64_t salt) {
    std::swap(a, b);
    a -= mixed(b, salt);
  }
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

struct MixingFrame final : Frame {
  Numbers numbers;
  std::vector<char> ballast;
  std::size_t bytes() const override { return sizeof *this + ballast.size(); }
};

struct MixingParameters {
  int salt = 0;
};

/// What tests see and decide of the simulations of one test, whichever branch they are.
struct Watch {
  std::function<void(std::int64_t to, const jobs::Progress&)> before_step = nullptr;
  std::function<void()> before_change = nullptr;  ///< of a parameter
  std::atomic<int> steps = 0;
  std::atomic<int> alive = 0;
};

class Mixing final : public Simulation {
 public:
  explicit Mixing(std::shared_ptr<Watch> watch = std::make_shared<Watch>(), bool reversible = true,
                  std::size_t ballast = 0)
      : watch_(std::move(watch)), reversible_(reversible), ballast_(ballast) {
    ++watch_->alive;
  }
  Mixing(const Mixing& other)
      : Simulation(other),
        watch_(other.watch_),
        reversible_(other.reversible_),
        ballast_(other.ballast_),
        state_(other.state_) {
    ++watch_->alive;
  }
  ~Mixing() override { --watch_->alive; }

  std::int64_t step() const override { return state_.step; }
  double time() const override { return 0.5 * static_cast<double>(state_.step); }
  bool reversible() const override { return reversible_; }
  void advance(std::int64_t steps, const jobs::Progress& progress) override {
    const int direction = steps < 0 ? -1 : 1;
    for (; steps != 0; steps -= direction) {
      progress.check();
      if (watch_->before_step) watch_->before_step(state_.step + direction, progress);
      if (direction > 0) {
        state_.numbers.forth(state_.parameters.salt);
      } else {
        state_.numbers.back(state_.parameters.salt);
      }
      state_.step += direction;
      ++watch_->steps;
    }
  }
  FramePointer snapshot(Wanted, const jobs::Progress&) override {
    auto frame = std::make_shared<MixingFrame>();
    frame->step = step();
    frame->time = time();
    frame->numbers = state_.numbers;
    frame->ballast.resize(ballast_);
    return frame;
  }
  CheckpointPointer checkpoint() const override {
    auto made = std::make_shared<Saved>();
    made->state = state_;
    made->ballast = ballast_;
    return made;
  }
  void restore(const Checkpoint& checkpoint) override {
    state_ = dynamic_cast<const Saved&>(checkpoint).state;
  }
  std::unique_ptr<Simulation> branch() const override { return std::make_unique<Mixing>(*this); }
  const parameters::ParameterSet& parameters() const override { return set_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override {
    if (watch_->before_change) watch_->before_change();
    if (std::get<std::int64_t>(value) == 13) throw Error("A salt of 13 is not possible here.");
    set_.set(key, value);
  }

 private:
  struct State {
    std::int64_t step = 0;
    Numbers numbers;
    MixingParameters parameters;
  };
  struct Saved final : Checkpoint {
    State state;
    std::size_t ballast = 0;
    std::size_t bytes() const override { return sizeof *this + ballast; }
  };
  static const parameters::Schema<MixingParameters>& schema() {
    static const parameters::Schema<MixingParameters> schema(
        {parameters::field("salt", &MixingParameters::salt, "Salt").range(0, 1000)});
    return schema;
  }

  std::shared_ptr<Watch> watch_;
  bool reversible_;
  std::size_t ballast_;
  State state_;
  parameters::StructParameters<MixingParameters> set_{schema(), state_.parameters};
};

/// What the numbers must be at a step, from the start; salts change at the steps given.
inline Numbers expected(std::int64_t step, const std::map<std::int64_t, int>& salts = {}) {
  Numbers numbers;
  int salt = 0;
  for (std::int64_t at = 0;; ++at) {
    if (const auto change = salts.find(at); change != salts.end()) salt = change->second;
    if (at == step) return numbers;
    numbers.forth(salt);
  }
}
inline Numbers expected_before_start(std::int64_t step) {
  Numbers numbers;
  for (; step < 0; ++step) numbers.back(0);
  return numbers;
}

inline Numbers numbers_of(const FramePointer& frame) {
  return dynamic_cast<const MixingFrame&>(*frame).numbers;
}

/// Holds up whoever comes to it until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_for_somebody() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

}  // namespace isolume::simulation::testing
