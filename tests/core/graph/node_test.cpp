#include "core/graph/node.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace isolume::graph {
namespace {

template <class Value>
std::shared_ptr<const Value> value_of(Value value) {
  return std::make_shared<const Value>(std::move(value));
}

/// The owner's thread: actions wait until the test does them.
class Owner {
 public:
  Graph::Post post() {
    return [this](std::function<void()> action) {
      const std::lock_guard lock(mutex_);
      actions_.push_back(std::move(action));
    };
  }
  void do_all() {
    for (;;) {
      std::function<void()> next;
      {
        const std::lock_guard lock(mutex_);
        if (actions_.empty()) return;
        next = std::move(actions_.front());
        actions_.pop_front();
      }
      next();
    }
  }

 private:
  std::mutex mutex_;
  std::deque<std::function<void()>> actions_;
};

class NodeTest : public testing::Test {
 protected:
  /// Until nothing is computed any more, and everything is delivered.
  void settle() {
    for (int quiet = 0; quiet < 3; ++quiet) {
      jobs.wait_idle();
      owner.do_all();
    }
  }

  jobs::JobRunner jobs;
  Owner owner;
  Graph graph{jobs, owner.post()};
  int number = 3;
  std::atomic<int> computed = 0;
};

TEST_F(NodeTest, ThatIsApproachedShowsWhatIsFoundSoFar) {
  std::vector<int> taken;
  std::vector<int> doubled;
  Node<int, int> count(graph, {.name = "Count",
                               .channel = "count",
                               .inputs = [&] { return std::optional(number); },
                               .approach =
                                   [](int to, const auto& show, const auto& progress) {
                                     for (int i = 1; i < to; ++i) {
                                       progress.check();
                                       show(value_of(i));
                                     }
                                     return value_of(to);
                                   },
                               .taken = [&](const auto& value) { taken.push_back(*value); }});
  Node<int, int> twice(graph, {.name = "Twice",
                               .channel = "twice",
                               .inputs = [&]() -> std::optional<int> {
                                 if (!count.value()) return std::nullopt;
                                 return *count.value();
                               },
                               .compute = [](int of, const auto&) { return value_of(2 * of); },
                               .taken = [&](const auto& value) { doubled.push_back(*value); }});
  graph.update();
  EXPECT_FALSE(count.settled());
  std::optional<int> end;
  count.when_settled([&](const auto& value) { end = *value; });
  settle();
  EXPECT_EQ(taken, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(doubled.back(), 6);
  EXPECT_EQ(end, 3) << "who waits gets the final value alone";
  EXPECT_TRUE(count.settled());
  // What is still on its way when newer inputs come is of no use.
  number = 4;
  graph.update();
  number = 2;
  graph.update();
  settle();
  EXPECT_EQ(taken.back(), 2);
  EXPECT_EQ(*count.value(), 2);
  EXPECT_EQ(std::ranges::count(taken, 4), 0);
}

TEST_F(NodeTest, ThatFailsKeepsNothingOfItsApproach) {
  Node<int, int> broken(graph,
                        {.name = "Broken",
                         .channel = "broken",
                         .inputs = [&] { return std::optional(number); },
                         .approach = [](int, const auto& show, const auto&) -> std::shared_ptr<const int> {
                           show(value_of(1));
                           throw Error("broken");
                         }});
  graph.update();
  settle();
  EXPECT_EQ(broken.value(), nullptr);
  EXPECT_TRUE(broken.settled());
}

TEST_F(NodeTest, IsComputedOnceForEachOfItsInputs) {
  std::vector<int> taken;
  Node<int, int> square(graph, {.name = "Square",
                                .channel = "square",
                                .inputs = [&] { return std::optional(number); },
                                .compute =
                                    [&](int of, const auto&) {
                                      ++computed;
                                      return value_of(of * of);
                                    },
                                .taken = [&](const auto& value) { taken.push_back(*value); }});
  EXPECT_EQ(square.value(), nullptr);
  graph.update();
  EXPECT_FALSE(square.settled());
  settle();
  graph.update();
  graph.update();
  settle();
  EXPECT_EQ(computed, 1);
  number = 4;
  graph.update();
  settle();
  EXPECT_EQ(taken, (std::vector{9, 16}));
  EXPECT_EQ(*square.value(), 16);
  EXPECT_TRUE(square.settled());
}

TEST_F(NodeTest, FollowsTheNodesThatItReads) {
  Node<int, int> square(graph, {.name = "Square",
                                .channel = "square",
                                .inputs = [&] { return std::optional(number); },
                                .compute = [](int of, const auto&) { return value_of(of * of); }});
  using Squared = std::shared_ptr<const int>;
  Node<Squared, std::string> text(
      graph, {.name = "Text",
              .channel = "text",
              .inputs = [&] { return square.value() ? std::optional(square.value()) : std::nullopt; },
              .compute = [](const Squared& of, const auto&) { return value_of(std::to_string(*of)); }});
  graph.update();
  settle();
  EXPECT_EQ(*text.value(), "9");
  number = 5;
  graph.update();
  settle();
  EXPECT_EQ(*text.value(), "25");
}

TEST_F(NodeTest, StaysAsItIsWhileItIsOfNoUse) {
  bool seen = true;
  Node<int, int> node(graph, {.name = "Copy",
                              .channel = "copy",
                              .inputs = [&] { return seen ? std::optional(number) : std::nullopt; },
                              .compute =
                                  [&](int of, const auto&) {
                                    ++computed;
                                    return value_of(of);
                                  }});
  graph.update();
  settle();
  seen = false;
  number = 7;
  graph.update();
  settle();
  EXPECT_EQ(*node.value(), 3);
  EXPECT_EQ(computed, 1);
  seen = true;
  graph.update();
  settle();
  EXPECT_EQ(*node.value(), 7);
}

TEST_F(NodeTest, NewerInputsSupersedeEarlierOnes) {
  std::promise<void> begun;
  std::vector<int> taken;
  Node<int, int> node(graph, {.name = "Slow",
                              .channel = "slow",
                              .inputs = [&] { return std::optional(number); },
                              .compute =
                                  [&](int of, const jobs::Progress& progress) {
                                    if (of == 3) {
                                      begun.set_value();
                                      while (!progress.cancelled()) std::this_thread::yield();
                                      progress.check();
                                    }
                                    return value_of(of);
                                  },
                              .taken = [&](const auto& value) { taken.push_back(*value); }});
  graph.update();
  begun.get_future().wait();
  for (const int next : {4, 5, 6}) {
    number = next;
    graph.update();
  }
  settle();
  EXPECT_EQ(taken.back(), 6);
  EXPECT_EQ(std::count(taken.begin(), taken.end(), 3), 0);
}

TEST_F(NodeTest, KeepsNoValueOfOtherInputsAfterAFailure) {
  Node<int, int> node(graph, {.name = "Fails",
                              .channel = "fails",
                              .inputs = [&] { return std::optional(number); },
                              .compute =
                                  [](int of, const auto&) {
                                    if (of == 4) throw Error("There is no value of 4.");
                                    return value_of(of);
                                  }});
  graph.update();
  settle();
  ASSERT_NE(node.value(), nullptr);
  number = 4;
  graph.update();
  settle();
  EXPECT_EQ(node.value(), nullptr);
  EXPECT_TRUE(node.settled());
  number = 3;
  graph.update();
  settle();
  EXPECT_EQ(*node.value(), 3);
}

/// Else nothing would compute it again until its inputs change.
TEST_F(NodeTest, IsAskedForAgainAfterItWasCancelled) {
  std::promise<void> begun;
  std::atomic<bool> waits = true;
  Node<int, int> node(graph, {.name = "Cancelled",
                              .channel = "cancelled",
                              .inputs = [&] { return std::optional(number); },
                              .compute =
                                  [&](int of, const jobs::Progress& progress) {
                                    if (waits) begun.set_value();
                                    while (waits) progress.check();
                                    return value_of(of);
                                  }});
  graph.update();
  begun.get_future().wait();
  jobs.cancel_channel("cancelled");
  waits = false;
  settle();
  graph.update();
  settle();
  ASSERT_NE(node.value(), nullptr);
  EXPECT_EQ(*node.value(), 3);
}

/// A job that waits for another one of its channel is dropped without being called.
TEST_F(NodeTest, IsAskedForAgainAfterItWasCancelledBeforeItBegan) {
  std::atomic<bool> waits = true;
  jobs.submit("First", "shared", [&](const auto&) {
    while (waits) std::this_thread::yield();
  });
  Node<int, int> node(graph, {.name = "Second",
                              .channel = "shared",
                              .inputs = [&] { return std::optional(number); },
                              .compute = [](int of, const auto&) { return value_of(of); }});
  graph.update();
  jobs.cancel_channel("shared");
  waits = false;
  settle();
  EXPECT_EQ(node.value(), nullptr);
  EXPECT_TRUE(node.settled());
  graph.update();
  settle();
  ASSERT_NE(node.value(), nullptr);
}

TEST_F(NodeTest, DeliversNothingAfterItWasForgottenOrHasEnded) {
  int taken = 0;
  const auto declaration = [&](const char* channel) {
    return Node<int, int>::Declaration{.name = "Late",
                                       .channel = channel,
                                       .inputs = [&] { return std::optional(number); },
                                       .compute = [](int of, const auto&) { return value_of(of); },
                                       .taken = [&](const auto&) { ++taken; }};
  };
  Node<int, int> forgotten(graph, declaration("forgotten"));
  auto ended = std::make_unique<Node<int, int>>(graph, declaration("ended"));
  graph.update();
  jobs.wait_idle();
  graph.forget();
  ended.reset();
  owner.do_all();
  EXPECT_EQ(taken, 0);
  EXPECT_EQ(forgotten.value(), nullptr);
}

/// Waits for a node on behalf of an activity.
class NodeAwaitedTest : public NodeTest {
 protected:
  /// A command that reports the node's value.
  void wait() {
    const jobs::Activity::Scope scope(std::make_shared<jobs::Activity>([this](jobs::Outcome outcome) {
      const std::lock_guard lock(mutex);
      outcomes.push_back(std::move(outcome));
    }));
    node.when_settled([](const auto& value) { jobs::Activity::current()->set_result(*value); });
  }
  std::size_t ends() {
    const std::lock_guard lock(mutex);
    return outcomes.size();
  }

  std::mutex mutex;
  std::vector<jobs::Outcome> outcomes;
  std::atomic<bool> held = true;
  Node<int, int> node{graph,
                      {.name = "Awaited",
                       .channel = "awaited",
                       .inputs = [&] { return std::optional(number); },
                       .compute =
                           [&](int of, const jobs::Progress& progress) {
                             ++computed;
                             while (held) progress.check();
                             if (of < 0) throw Error("It is negative.");
                             return value_of(of * of);
                           },
                       .waited = jobs::Waited::by_nobody}};
};

TEST_F(NodeAwaitedTest, TheActivityEndsWithTheValue) {
  graph.update();
  wait();
  EXPECT_EQ(jobs.active().at(0).waited, jobs::Waited::by_a_person) << "somebody waits now";
  EXPECT_EQ(ends(), 0U);
  held = false;
  settle();
  wait();
  ASSERT_EQ(ends(), 2U) << "the second one at once";
  for (const auto& each : outcomes) EXPECT_EQ(each.result, 9);
  EXPECT_EQ(computed, 1);
}

TEST_F(NodeAwaitedTest, TheActivityFailsWithIt) {
  number = -1;
  wait();
  held = false;
  settle();
  ASSERT_EQ(ends(), 1U);
  EXPECT_EQ(outcomes[0].error, "It is negative.");
  wait();
  settle();
  EXPECT_EQ(ends(), 2U);
  EXPECT_EQ(computed, 2) << "it may not fail again";
}

TEST_F(NodeAwaitedTest, TheActivityEndsWithoutAResultWhenNewerInputsSupersedeIt) {
  wait();
  number = 5;
  graph.update();
  held = false;
  settle();
  ASSERT_EQ(ends(), 1U);
  EXPECT_TRUE(outcomes[0].result.is_null());
  EXPECT_EQ(*node.value(), 25);
}

TEST_F(NodeAwaitedTest, CancellingKeepsASettledValue) {
  held = false;
  graph.update();
  settle();
  node.cancel();
  EXPECT_EQ(*node.value(), 9);
  held = true;
  number = 4;
  graph.update();
  wait();
  node.cancel();
  settle();
  EXPECT_EQ(node.value(), nullptr);
  ASSERT_EQ(ends(), 1U);
  EXPECT_TRUE(outcomes[0].result.is_null());
}

}  // namespace
}  // namespace isolume::graph
