#include "core/nbody/distributed/own_bodies.h"

#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include <tbb/blocked_range.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include "core/base/handover.h"
#include "core/nbody/forces/hilbert.h"

namespace isolume::nbody {

namespace {

using Eigen::Vector3d;
using Range = tbb::blocked_range<std::size_t>;

/// Number of bodies sent to or from the first rank at once.
constexpr std::size_t block = 1 << 16;

/// A body that moves from one rank to another.
struct Traveller {
  std::uint64_t number = 0;
  std::array<double, 7> values = {};  ///< mass, position, velocity
  float work = 0;
};

std::array<std::vector<double>*, 7> columns(Bodies& bodies) {
  return {&bodies.mass, &bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz};
}
std::array<const std::vector<double>*, 7> columns(const Bodies& bodies) {
  return {&bodies.mass, &bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz};
}

OwnBodies arrived(std::span<const Traveller> travellers) {
  OwnBodies own;
  own.number.resize(travellers.size());
  own.work.resize(travellers.size());
  const auto to = columns(own.bodies);
  for (auto* values : to) values->resize(travellers.size());
  for (std::size_t i = 0; i < travellers.size(); ++i) {
    own.number[i] = travellers[i].number;
    own.work[i] = travellers[i].work;
    for (std::size_t column = 0; column < to.size(); ++column)
      (*to[column])[i] = travellers[i].values[column];
  }
  return own;
}

Traveller traveller(const Bodies& bodies, std::size_t i, std::uint64_t number, float work) {
  Traveller one{.number = number, .values = {}, .work = work};
  const auto from = columns(bodies);
  for (std::size_t column = 0; column < from.size(); ++column) {
    if (!from[column]->empty()) one.values[column] = (*from[column])[i];
  }
  return one;
}

/// Position along the Hilbert curve: twice as many bits as one Hilbert number, and the body's number.
struct Turn {
  std::uint64_t coarse = 0, fine = 0, number = 0;
  auto operator<=>(const Turn&) const = default;
};

Turn turn_of(const Vector3d& place, const Eigen::AlignedBox3d& box, std::uint64_t number) {
  constexpr double places = 1u << hilbert_levels;
  const double side = box.sizes().maxCoeff();
  if (!(side > 1e-280)) return {0, 0, number};
  const Vector3d at = ((place - box.min()) * (places / side)).cwiseMin(places * (1 - 0x1p-50));
  std::array<std::uint32_t, 3> coarse = {}, fine = {};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double value = at[static_cast<Eigen::Index>(axis)];
    coarse[axis] = static_cast<std::uint32_t>(value);
    fine[axis] = static_cast<std::uint32_t>((value - coarse[axis]) * places);
  }
  return {hilbert_number(coarse), hilbert_number(fine), number};
}

/// A body that represents all bodies after the previous sample.
struct Sample {
  Turn turn;
  double work = 0;
};

/// Bodies in the order of the curve, with their weights.
class Queue {
 public:
  Queue(const OwnBodies& own, const Eigen::AlignedBox3d& box) : own_(own), waiting_(own.size()) {
    handover::parallel_for(Range(0, own.size(), 1 << 12), [&](const Range& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) {
        const Vector3d place(own.bodies.x[i], own.bodies.y[i], own.bodies.z[i]);
        waiting_[i] = {turn_of(place, box, own.number[i]), i};
      }
    });
    const handover::Caller here(waiting_);
    tbb::parallel_sort(waiting_.begin(), waiting_.end(),
                       [](const Waiting& one, const Waiting& other) { return one.turn < other.turn; });
  }

  /// At most this many samples, each for the same amount of work.
  std::vector<Sample> samples(std::size_t most) const {
    double all = 0;
    for (const Waiting& each : waiting_) all += weight(each);
    std::vector<Sample> samples;
    double work = 0, taken = 0;
    for (const Waiting& each : waiting_) {
      work += weight(each);
      const double wanted = all * static_cast<double>(samples.size() + 1) / static_cast<double>(most);
      if (work < wanted && &each != &waiting_.back()) continue;
      samples.push_back({each.turn, work - taken});
      taken = work;
    }
    return samples;
  }

  /// Divides the bodies among ranks: rank i receives those at or before bounds[i] and after the previous bound.
  PerRank<Traveller> divided(const std::vector<Turn>& bounds) const {
    PerRank<Traveller> parts;
    parts.values.reserve(waiting_.size());
    parts.begin = {0};
    for (const Waiting& each : waiting_) {
      while (parts.begin.size() <= bounds.size() && bounds[parts.begin.size() - 1] < each.turn)
        parts.begin.push_back(parts.values.size());
      parts.values.push_back(traveller(own_.bodies, each.body, own_.number[each.body], own_.work[each.body]));
    }
    while (parts.begin.size() <= bounds.size() + 1) parts.begin.push_back(parts.values.size());
    return parts;
  }

 private:
  struct Waiting {
    Turn turn;
    std::size_t body = 0;  ///< index on this rank
  };

  /// Bodies whose work is not known have the same weight.
  double weight(const Waiting& each) const { return std::max(own_.work[each.body], 1.0f); }

  const OwnBodies& own_;
  std::vector<Waiting> waiting_;
};

/// The upper bounds of all ranks but the last one.
std::vector<Turn> bounds_between(std::vector<Sample> samples, int ranks) {
  std::ranges::sort(samples, {}, &Sample::turn);
  double all = 0, work = 0;
  for (const Sample& sample : samples) all += sample.work;
  std::vector<Turn> bounds;
  for (const Sample& sample : samples) {
    work += sample.work;
    // Half a sample of tolerance: a sample goes to the rank to which most of it belongs.
    while (static_cast<int>(bounds.size()) < ranks - 1 &&
           work + 0.5 * sample.work >= all * static_cast<double>(bounds.size() + 1) / ranks)
      bounds.push_back(sample.turn);
  }
  return bounds;
}

/// Order of this rank's bodies by number.
std::vector<std::size_t> order_of(const std::vector<std::uint64_t>& number) {
  std::vector<std::size_t> order(number.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return number[i]; });
  return order;
}

/// Collects columns of all ranks on the first one, in the order of the bodies selected by `which`, whose numbers on
/// all ranks together begin at `first` and have no gaps.
template <std::size_t Columns>
void collect(const Ranks& ranks, const std::vector<std::uint64_t>& number, std::span<const std::size_t> which,
             std::uint64_t first, const std::array<const std::vector<double>*, Columns>& from,
             const std::array<std::vector<double>*, Columns>& to) {
  struct Row {
    std::uint64_t number;
    std::array<double, Columns> values;
  };
  const auto counts = ranks.gather<std::uint64_t>(std::array{static_cast<std::uint64_t>(which.size())});
  const std::uint64_t all = std::accumulate(counts.values.begin(), counts.values.end(), std::uint64_t{0});
  std::vector<Row> rows;
  if (ranks.is_first()) {
    for (auto* values : to) values->resize(all);
  }
  for (int rank = 0; rank < ranks.count(); ++rank) {
    const std::size_t count = counts.values[static_cast<std::size_t>(rank)];
    for (std::size_t begin = 0; begin < count; begin += block) {
      rows.resize(std::min(block, count - begin));
      if (rank == ranks.rank()) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const std::size_t body = which[begin + i];
          rows[i].number = number[body];
          for (std::size_t column = 0; column < Columns; ++column)
            rows[i].values[column] = (*from[column])[body];
        }
        if (!ranks.is_first()) ranks.send<Row>(rows, 0);
      } else if (ranks.is_first()) {
        ranks.receive<Row>(rows, rank);
      }
      if (!ranks.is_first()) continue;
      for (const Row& row : rows) {
        for (std::size_t column = 0; column < Columns; ++column)
          (*to[column])[row.number - first] = row.values[column];
      }
    }
  }
}

}  // namespace

OwnBodies dealt(const Ranks& ranks, const Bodies& all) {
  const auto counts = ranks.gather<std::uint64_t>(std::array{static_cast<std::uint64_t>(all.size())});
  const std::size_t count = counts.values.front(), parts = static_cast<std::size_t>(ranks.count());
  const auto begin = [&](int rank) {
    const auto before = static_cast<std::size_t>(rank);
    return before * (count / parts) + std::min(before, count % parts);
  };
  std::vector<Traveller> mine(begin(ranks.rank() + 1) - begin(ranks.rank())), sent;
  const auto for_each_block = [](std::vector<Traveller>& all_of_them, const auto& act) {
    for (std::size_t first = 0; first < all_of_them.size(); first += block)
      act(std::span(all_of_them).subspan(first, std::min(block, all_of_them.size() - first)));
  };
  if (!ranks.is_first()) {
    for_each_block(mine, [&](std::span<Traveller> some) { ranks.receive(some, 0); });
    return arrived(mine);
  }
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = traveller(all, i, i, 0);
  for (int rank = 1; rank < ranks.count(); ++rank) {
    for (std::size_t first = begin(rank); first < begin(rank + 1); first += block) {
      sent.clear();
      for (std::size_t i = first; i < std::min(first + block, begin(rank + 1)); ++i)
        sent.push_back(traveller(all, i, i, 0));
      ranks.send<Traveller>(sent, rank);
    }
  }
  return arrived(mine);
}

Extent extent_of(const Ranks& ranks, const OwnBodies& own) {
  const Extent of_own = extent_of(own.bodies);
  std::array<double, 3> low = {of_own.box.min().x(), of_own.box.min().y(), of_own.box.min().z()};
  std::array<double, 3> high = {of_own.box.max().x(), of_own.box.max().y(), of_own.box.max().z()};
  std::array<double, 1> mass = {of_own.mass_sum};
  ranks.least(low);
  ranks.greatest(high);
  ranks.sum(mass);
  return {{Vector3d(low.data()), Vector3d(high.data())}, mass[0]};
}

OwnBodies divided(const Ranks& ranks, const OwnBodies& own, const jobs::Progress& progress) {
  // Enough samples for bounds to be accurate to a hundredth of a rank's work.
  const std::size_t most = 64 * static_cast<std::size_t>(ranks.count());
  const Extent extent = extent_of(ranks, own);
  tbb::task_arena arena(ranks.threads());
  PerRank<Traveller> parts;
  std::unique_ptr<Queue> queue;
  std::vector<Sample> samples;
  ranks.together([&] {
    progress.check();
    arena.execute([&] { queue = std::make_unique<Queue>(own, extent.box); });
    samples = queue->samples(most);
  });
  const auto samples_of_all = ranks.gather<Sample>(samples);
  ranks.together([&] { parts = queue->divided(bounds_between(samples_of_all.values, ranks.count())); });
  queue.reset();
  const auto mine = ranks.exchange(parts);
  return arrived(mine.values);
}

BodiesInOrder::BodiesInOrder(const Ranks& ranks, const OwnBodies& own)
    : ranks_(ranks), own_(own), order_(order_of(own.number)) {}

Bodies BodiesInOrder::part(std::uint64_t first, std::uint64_t end) const {
  const auto number = [&](std::size_t i) { return own_.number[i]; };
  const auto begin = std::ranges::lower_bound(order_, first, {}, number),
             stop = std::ranges::lower_bound(order_, end, {}, number);
  Bodies bodies;
  collect(ranks_, own_.number, {begin, stop}, first, columns(own_.bodies), columns(bodies));
  return bodies;
}

Bodies collected(const Ranks& ranks, const OwnBodies& own) {
  return BodiesInOrder(ranks, own).part(0, std::numeric_limits<std::uint64_t>::max());
}

Forces collected(const Ranks& ranks, const OwnBodies& own, const Forces& forces) {
  Forces all;
  collect<4>(ranks, own.number, order_of(own.number), 0,
             {&forces.ax, &forces.ay, &forces.az, &forces.potential},
             {&all.ax, &all.ay, &all.az, &all.potential});
  return all;
}

}  // namespace isolume::nbody
