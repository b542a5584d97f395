#include "core/regions/grid_flow.h"

#include <map>
#include <random>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <gtest/gtest.h>

namespace isolume::regions {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using VertexProperties = boost::property<
    boost::vertex_index_t, long,
    boost::property<boost::vertex_color_t, boost::default_color_type,
                    boost::property<boost::vertex_distance_t, long,
                                    boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor>>>>;
using EdgeProperties =
    boost::property<boost::edge_capacity_t, long,
                    boost::property<boost::edge_residual_capacity_t, long,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using Graph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, VertexProperties, EdgeProperties>;

/// A network on a grid, as numbers of its own.
struct Network {
  struct Link {
    std::size_t from, to;
    std::size_t axis;
    std::uint16_t forth, back;
  };
  volumes::Counts counts;
  std::vector<Link> links;
  std::vector<int> excess;

  std::size_t size() const { return volumes::point_count(counts); }
};

Network random_network(std::mt19937& random, const volumes::Counts& counts) {
  Network network{counts, {}, {}};
  const int greatest = 1 + static_cast<int>(random() % 20);
  const unsigned sparsity = 1 + static_cast<unsigned>(random() % 20);
  const auto capacity = [&] {
    return static_cast<std::uint16_t>(random() % 3 == 0 ? 0
                                                        : static_cast<int>(random()) % greatest + greatest);
  };
  std::size_t i = 0;
  const std::array<std::size_t, 3> strides{1, static_cast<std::size_t>(counts[0]),
                                           static_cast<std::size_t>(counts[0] * counts[1])};
  for (int z = 0; z < counts[2]; ++z) {
    for (int y = 0; y < counts[1]; ++y) {
      for (int x = 0; x < counts[0]; ++x, ++i) {
        const std::array<int, 3> at{x, y, z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (at[axis] + 1 < counts[axis])
            network.links.push_back({i, i + strides[axis], axis, capacity(), capacity()});
        }
        const int wide = static_cast<int>(random() % static_cast<unsigned>(8 * greatest)) - 4 * greatest;
        network.excess.push_back(random() % sparsity == 0 ? wide : 0);
      }
    }
  }
  return network;
}

std::size_t node_of(const GridFlow& flow, std::size_t voxel) {
  const auto width = static_cast<std::size_t>(flow.counts()[0]),
             height = static_cast<std::size_t>(flow.counts()[1]);
  return flow.row(static_cast<int>(voxel / width % height), static_cast<int>(voxel / width / height)) +
         voxel % width;
}

GridFlow flow_of(const Network& network) {
  GridFlow flow(network.counts);
  for (const auto& each : network.links)
    flow.link(node_of(flow, each.from), each.axis, each.forth, each.back);
  for (std::size_t i = 0; i < network.size(); ++i) flow[node_of(flow, i)].excess = network.excess[i];
  return flow;
}

struct Cut {
  long flow = 0;
  std::vector<bool>
      is_source_side;  ///< what the source reaches in the residual graph: the closest minimum cut
  bool operator==(const Cut&) const = default;
};

/// By Boost's Boykov-Kolmogorov.
Cut expected_cut(const Network& network) {
  const std::size_t source = network.size(), sink = source + 1;
  Graph graph(network.size() + 2);
  const auto add = [&](std::size_t a, std::size_t b, long forth, long back) {
    const auto first = boost::add_edge(a, b, graph).first, second = boost::add_edge(b, a, graph).first;
    put(boost::edge_capacity, graph, first, forth);
    put(boost::edge_capacity, graph, second, back);
    put(boost::edge_reverse, graph, first, second);
    put(boost::edge_reverse, graph, second, first);
  };
  for (const auto& each : network.links) add(each.from, each.to, each.forth, each.back);
  for (std::size_t i = 0; i < network.size(); ++i) {
    if (network.excess[i] > 0) add(source, i, network.excess[i], 0);
    if (network.excess[i] < 0) add(i, sink, -network.excess[i], 0);
  }
  Cut cut{boost::boykov_kolmogorov_max_flow(graph, source, sink), std::vector<bool>(network.size() + 2)};
  std::vector<std::size_t> open{source};
  cut.is_source_side[source] = true;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (auto [edge, end] = boost::out_edges(at, graph); edge != end; ++edge) {
      const std::size_t to = boost::target(*edge, graph);
      if (get(boost::edge_residual_capacity, graph, *edge) == 0 || cut.is_source_side[to]) continue;
      cut.is_source_side[to] = true;
      open.push_back(to);
    }
  }
  cut.is_source_side.resize(network.size());
  return cut;
}

std::vector<bool> sides_of(const GridFlow& flow) {
  std::vector<bool> sides(volumes::point_count(flow.counts()));
  for (std::size_t i = 0; i < sides.size(); ++i) sides[i] = flow.is_source_side(node_of(flow, i));
  return sides;
}

/// Capacity of the links and terminals from the source's side to the sink's.
long value_of(const Network& network, const std::vector<bool>& is_source_side) {
  long value = 0;
  for (const auto& each : network.links) {
    if (is_source_side[each.from] && !is_source_side[each.to]) value += each.forth;
    if (is_source_side[each.to] && !is_source_side[each.from]) value += each.back;
  }
  for (std::size_t i = 0; i < network.size(); ++i) {
    if (network.excess[i] > 0 && !is_source_side[i]) value += network.excess[i];
    if (network.excess[i] < 0 && is_source_side[i]) value -= network.excess[i];
  }
  return value;
}

TEST(GridFlow, FlowAndCutAreThoseOfBoost) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 250; ++trial) {
    const auto side = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
    volumes::Counts counts{side(9), side(9), trial % 3 == 0 ? 1 : side(6)};
    // Larger ones, too.
    if (trial % 100 == 0) counts = {150, 40, 1};
    if (trial % 100 == 50) counts = {61, 9, 52};
    const Network network = random_network(random, counts);
    const Cut expected = expected_cut(network);
    GridFlow flow = flow_of(network);
    ASSERT_EQ(flow.solve(), expected.flow) << trial;
    const std::vector<bool> sides = sides_of(flow);
    ASSERT_EQ(sides, expected.is_source_side) << trial;
    ASSERT_EQ(value_of(network, sides), expected.flow) << trial;
  }
}

TEST(GridFlow, ContinuesAfterTerminalsHaveChanged) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 100; ++trial) {
    Network network = random_network(random, {6, 7, 1 + trial % 4});
    GridFlow flow = flow_of(network);
    for (int change = 0; change < 3; ++change) {
      flow.solve();
      for (std::size_t i = 0; i < network.size(); ++i) {
        if (random() % 5 > 0) continue;
        const int by = static_cast<int>(random() % 41) - 20;
        network.excess[i] += by;
        flow[node_of(flow, i)].excess += by;
      }
    }
    flow.solve();
    ASSERT_EQ(sides_of(flow), expected_cut(network).is_source_side) << trial;
  }
}

TEST(GridFlow, SomeVoxelsHaveAFlowOfTheirOwn) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 100; ++trial) {
    Network network = random_network(random, {9, 8, 1 + trial % 5});
    GridFlow flow = flow_of(network);
    flow.solve();
    // A flow anew through a part of the voxels; the others have trees of the first one until they are closed.
    std::vector<std::uint32_t> voxels;
    std::vector<bool> is_in(network.size());
    for (std::size_t i = 0; i < network.size(); ++i) {
      is_in[i] = random() % 4 > 0;
      if (is_in[i]) {
        voxels.push_back(static_cast<std::uint32_t>(i));
      } else {
        flow.close(flow.node(i));
        network.excess[i] = 0;
      }
    }
    for (auto& each : network.links) {
      if (!is_in[each.from] || !is_in[each.to]) each.forth = each.back = 0;
      flow.link(flow.node(each.from), each.axis, each.forth, each.back);
    }
    for (const std::uint32_t each : voxels) flow[flow.node(each)].excess = network.excess[each];
    const Cut expected = expected_cut(network);
    ASSERT_EQ(flow.solve(voxels), expected.flow) << trial;
    ASSERT_EQ(sides_of(flow), expected.is_source_side) << trial;
  }
}

TEST(GridFlow, IsCancelledAndContinued) {
  std::mt19937 random(9);
  const Network network = random_network(random, {20, 20, 20});
  GridFlow flow = flow_of(network);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(flow.solve(jobs::Progress(stop.get_token(), {})), Cancelled);
  flow.solve();
  EXPECT_EQ(sides_of(flow), expected_cut(network).is_source_side);
}

}  // namespace
}  // namespace isolume::regions
