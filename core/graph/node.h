#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/graph/graph.h"
#include "core/jobs/activity.h"
#include "core/jobs/exclusive.h"
#include "core/jobs/progress.h"

namespace isolume::graph {

/// A value that a job computes of its inputs and of nothing else: they are its key. It is computed once for each; newer
/// inputs supersede earlier ones. Its value is null until the first has been delivered, and after a failure: a value of
/// other inputs is not kept in its place.
template <std::equality_comparable Inputs, class Value>
class Node final : public AnyNode {
 public:
  using Pointer = std::shared_ptr<const Value>;

  struct Declaration {
    std::string name;  ///< of the job, for people: "Field lines"
    std::string channel;
    /// The present inputs; empty where the value is of no use now, which leaves it as it is.
    std::function<std::optional<Inputs>()> inputs;
    /// Called in a job. May throw Error, ResourceError, Cancelled.
    std::function<Pointer(const Inputs& inputs, const jobs::Progress& progress)> compute = nullptr;
    /// In place of `compute`, for a value that is approached: `show` delivers what is found so far.
    std::function<Pointer(const Inputs& inputs, const std::function<void(Pointer)>& show,
                          const jobs::Progress& progress)>
        approach = nullptr;
    /// Called on the owner's thread with each new value, before the nodes that read it are updated; may be null.
    std::function<void(const Pointer& value)> taken = nullptr;
    jobs::Waited waited = jobs::Waited::by_a_person;
    /// Held while it computes, by all that should not be computed at the same time; null: nothing is.
    std::timed_mutex* alone = nullptr;
  };

  Node(Graph& graph, Declaration declaration) : graph_(graph), declaration_(std::move(declaration)) {
    graph_.add(*this);
  }
  /// What is still computed is not delivered any more.
  ~Node() override { graph_.remove(*this); }

  const Pointer& value() const { return value_; }
  /// Whether the value is that of the inputs that were asked for last, and the final one.
  bool settled() const { return !pending_; }
  const std::optional<Inputs>& asked() const { return asked_; }

  /// Calls `then` on the owner's thread with the value of the present inputs, as soon as it is settled. The present
  /// activity waits for that, and fails if the value cannot be computed; then, and where newer inputs supersede these,
  /// it is not called.
  void when_settled(std::function<void(const Pointer& value)> then) {
    if (!pending_ && !value_) asked_.reset();  // a failure may not happen again
    update();
    if (!pending_) return then(value_);
    graph_.jobs().join(job_);
    waiting_.push_back([then = std::move(then), activity = jobs::Activity::current()](const Pointer& value) {
      const jobs::Activity::Scope scope(activity);
      then(value);
    });
  }

  void update() override {
    auto inputs = declaration_.inputs();
    if (!inputs || inputs == asked_) return;
    asked_ = std::move(inputs);
    pending_ = true;
    waiting_.clear();
    auto delivery = std::make_shared<Delivery>(*this, ++number_);
    job_ = graph_.jobs().submit(
        declaration_.name, declaration_.channel,
        [delivery, inputs = *asked_, compute = declaration_.compute, approach = declaration_.approach,
         alone = declaration_.alone](const jobs::Progress& progress) {
          try {
            const auto turn =
                alone ? jobs::exclusive(*alone, progress) : std::unique_lock<std::timed_mutex>();
            const auto show = [&delivery](Pointer value) { delivery->show(std::move(value)); };
            Pointer value = approach ? approach(inputs, show, progress) : compute(inputs, progress);
            progress.check();
            delivery->end(Outcome::computed, std::move(value));
          } catch (const Cancelled&) {
            throw;
          } catch (...) {
            delivery->end(Outcome::failed);
            throw;
          }
        },
        declaration_.waited);
  }

  /// Forgets what is still computed; a value that is settled stays.
  void cancel() {
    if (pending_) forget();
  }

  void forget() override {
    graph_.jobs().cancel_channel(declaration_.channel);
    ++number_;
    asked_.reset();
    value_.reset();
    waiting_.clear();
    pending_ = false;
  }

 private:
  enum class Outcome { computed, failed, cancelled };

  /// Of one job, whatever becomes of it: a job that is cancelled before it begins is never called.
  class Delivery {
   public:
    Delivery(Node& node, std::uint64_t number)
        : node_(node), alive_(node.alive_), post_(node.graph_.post()), number_(number) {}
    ~Delivery() { end(Outcome::cancelled); }
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;

    void show(Pointer value) const {
      post_([&node = node_, alive = alive_, number = number_, value = std::move(value)] {
        if (!alive.expired()) node.take_so_far(number, value);
      });
    }
    void end(Outcome outcome, Pointer value = nullptr) {
      if (std::exchange(ended_, true)) return;
      post_([&node = node_, alive = alive_, number = number_, outcome, value = std::move(value)] {
        if (!alive.expired()) node.take(number, outcome, value);
      });
    }

   private:
    Node& node_;
    std::weak_ptr<void> alive_;
    Graph::Post post_;
    std::uint64_t number_;
    bool ended_ = false;
  };

  void take_so_far(std::uint64_t number, const Pointer& value) {
    if (number != number_) return;
    value_ = value;
    if (declaration_.taken) declaration_.taken(value_);
    graph_.update();
  }
  void take(std::uint64_t number, Outcome outcome, const Pointer& value) {
    if (number != number_) return;
    pending_ = false;
    const auto waiting = std::exchange(waiting_, {});
    if (outcome == Outcome::cancelled) return asked_.reset();  // the next update asks again
    value_ = value;
    if (declaration_.taken) declaration_.taken(value_);
    if (outcome == Outcome::computed) {
      for (const auto& then : waiting) then(value);
    }
    graph_.update();
  }

  Graph& graph_;
  const Declaration declaration_;
  std::optional<Inputs> asked_;
  Pointer value_;
  bool pending_ = false;
  std::uint64_t number_ = 0, job_ = 0;  ///< of the newest job: counted, and its id
  std::vector<std::function<void(const Pointer&)>> waiting_;
  std::shared_ptr<void> alive_ = std::make_shared<char>();  ///< expires with this
};

}  // namespace isolume::graph
