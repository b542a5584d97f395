#include "core/graph/graph.h"

namespace isolume::graph {

void Graph::update() {
  again_ = true;
  if (updating_) return;
  updating_ = true;
  try {
    while (std::exchange(again_, false)) {
      for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->update();
    }
  } catch (...) {
    updating_ = false;
    throw;
  }
  updating_ = false;
}

void Graph::forget() {
  for (AnyNode* node : nodes_) node->forget();
}

}  // namespace isolume::graph
