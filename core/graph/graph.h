#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/jobs/job_runner.h"

namespace isolume::graph {

/// A value of a graph.
class AnyNode {
 public:
  AnyNode() = default;
  virtual ~AnyNode() = default;
  AnyNode(const AnyNode&) = delete;
  AnyNode& operator=(const AnyNode&) = delete;
  /// Computes the value anew if its inputs differ from those that it was last computed of.
  virtual void update() = 0;
  /// Drops the value and cancels its computation.
  virtual void forget() = 0;
};

/// Values that follow from parameters and from each other, of one document. Its owner calls update() after each change
/// of anything, and does not need to know what depends on it: each node compares its own inputs. To be used on one thread
/// (a window's), on which values are delivered as well.
class Graph {
 public:
  /// Posts an action to the owner's thread; callable from jobs.
  using Post = std::function<void(std::function<void()> action)>;

  Graph(jobs::JobRunner& jobs, Post post) : jobs_(jobs), post_(std::move(post)) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Updates all nodes in the order in which they were made. A call from a node's own inputs or delivery is done
  /// afterwards.
  void update();
  /// Forgets all values, as for another document.
  void forget();

  jobs::JobRunner& jobs() const { return jobs_; }
  const Post& post() const { return post_; }
  /// Called by nodes, which must not outlive the graph.
  void add(AnyNode& node) { nodes_.push_back(&node); }
  void remove(AnyNode& node) { std::erase(nodes_, &node); }

 private:
  jobs::JobRunner& jobs_;
  Post post_;
  std::vector<AnyNode*> nodes_;
  bool updating_ = false, again_ = false;
};

}  // namespace isolume::graph
