#include "core/multipoles/point_tree.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::multipoles {

namespace {

using Box = Eigen::AlignedBox3d;
using Eigen::Vector3d;
using Range = tbb::blocked_range<std::size_t>;

struct TreePoint {
  Vector3d place;
  double charge;
  std::uint32_t original;
};

constexpr std::size_t octants = 8;
using Counts = std::array<std::uint32_t, octants>;

/// The planes that cut a cell; an axis that is not cut has a plane beyond all points.
struct Cut {
  Vector3d at;

  explicit Cut(const Box& box) {
    const Vector3d sizes = box.sizes();
    for (int axis = 0; axis < 3; ++axis) {
      const double middle = box.center()[axis];
      // Adjacent floating-point numbers have no middle between them: the lower one goes below.
      at[axis] = 2 * sizes[axis] < sizes.maxCoeff() ? box.max()[axis]
                 : middle < box.max()[axis]         ? middle
                                                    : box.min()[axis];
    }
  }
  std::size_t octant(const Vector3d& place) const {
    return static_cast<std::size_t>(place.x() > at.x()) << 2 |
           static_cast<std::size_t>(place.y() > at.y()) << 1 | static_cast<std::size_t>(place.z() > at.z());
  }
};

class TreeBuilder {
 public:
  TreeBuilder(const Points& points, const Frame& frame, std::uint32_t leaf_size,
              const jobs::Progress& progress, PointTree& tree)
      : leaf_size_(leaf_size), progress_(progress), tree_(tree), one_(points.size()), other_(points.size()) {
    handover::parallel_for(Range(0, points.size(), block), [&](const Range& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) {
        const Vector3d place(points.x[i], points.y[i], points.z[i]);
        one_[i] = {(place - frame.centre) / frame.length,
                   points.charge.empty() ? 0 : points.charge[i] / frame.charge,
                   static_cast<std::uint32_t>(i)};
      }
    });
  }
  void build() {
    const std::size_t count = one_.size();
    for (auto* values : {&tree_.x, &tree_.y, &tree_.z, &tree_.charge}) values->resize(count);
    tree_.original.resize(count);
    add(one_.data(), other_.data(), 0, static_cast<std::uint32_t>(count), tree_.cells);
  }

 private:
  /// Number of points that one thread processes at a time.
  static constexpr std::size_t block = 1 << 14;
  static constexpr std::uint32_t worth_a_thread = 1 << 13;

  static Box box_of(const TreePoint* points, std::uint32_t begin, std::uint32_t end) {
    return handover::parallel_reduce(
        Range(begin, end, block), Box(),
        [&](const Range& part, Box box) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) box.extend(points[i].place);
          return box;
        },
        [](const Box& a, const Box& b) { return a.merged(b); });
  }
  static double radius_of(const TreePoint* points, std::uint32_t begin, std::uint32_t end,
                          const Vector3d& centre) {
    return std::sqrt(handover::parallel_reduce(
        Range(begin, end, block), 0.0,
        [&](const Range& part, double squared) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) {
            squared = std::max(squared, (points[i].place - centre).squaredNorm());
          }
          return squared;
        },
        [](double a, double b) { return std::max(a, b); }));
  }

  /// The points are in `from`; `to` has the same size.
  void add(TreePoint* from, TreePoint* to, std::uint32_t begin, std::uint32_t end, Paged<PointCell>& cells) {
    const std::size_t self = cells.size();
    const Box box = box_of(from, begin, end);
    PointCell cell{.begin = begin, .end = end, .centre = box.center()};
    cell.radius = radius_of(from, begin, end, cell.centre);
    cell.leaf = cell.count() <= leaf_size_ || box.sizes().maxCoeff() == 0;
    cells.push_back(cell);
    if (cell.leaf) {
      store(from, begin, end);
    } else {
      add_parts(from, to, cut(from, to, begin, end, Cut(box)), cells);
    }
    cells[self].next = static_cast<std::uint32_t>(cells.size());
  }
  void store(const TreePoint* from, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      tree_.x[i] = from[i].place.x();
      tree_.y[i] = from[i].place.y();
      tree_.z[i] = from[i].place.z();
      tree_.charge[i] = from[i].charge;
      tree_.original[i] = from[i].original;
    }
  }
  /// Moves points to their octants and keeps their order. Returns the beginnings of the octants that have
  /// points, and the end.
  static std::vector<std::uint32_t> cut(const TreePoint* from, TreePoint* to, std::uint32_t begin,
                                        std::uint32_t end, const Cut& at) {
    const std::size_t blocks = (end - begin + block - 1) / block;
    std::vector<Counts> places(blocks, Counts{});
    const auto for_each_block = [&](const auto& act) {
      handover::parallel_for(Range(0, blocks, 1), [&](const Range& part) {
        for (std::size_t number = part.begin(); number != part.end(); ++number) {
          const std::size_t first = begin + number * block;
          for (std::size_t i = first; i < std::min<std::size_t>(first + block, end); ++i) {
            act(from[i], places[number]);
          }
        }
      });
    };
    for_each_block([&](const TreePoint& point, Counts& counts) { ++counts[at.octant(point.place)]; });
    std::vector<std::uint32_t> bounds;
    std::uint32_t next = begin;
    for (std::size_t octant = 0; octant < octants; ++octant) {
      const std::uint32_t first = next;
      for (Counts& counts : places) {
        next += counts[octant];
        counts[octant] = next - counts[octant];
      }
      if (next != first) bounds.push_back(first);
    }
    bounds.push_back(end);
    for_each_block(
        [&](const TreePoint& point, Counts& place) { to[place[at.octant(point.place)]++] = point; });
    return bounds;
  }
  void add_parts(TreePoint* from, TreePoint* to, const std::vector<std::uint32_t>& bounds,
                 Paged<PointCell>& cells) {
    const std::size_t count = bounds.size() - 1;
    if (bounds.back() - bounds.front() < worth_a_thread) {
      for (std::size_t part = 0; part < count; ++part) add(to, from, bounds[part], bounds[part + 1], cells);
      return;
    }
    progress_.check();
    std::vector<Paged<PointCell>> parts(count);
    handover::parallel_for(Range(0, count, 1), [&](const Range& range) {
      for (std::size_t part = range.begin(); part != range.end(); ++part) {
        add(to, from, bounds[part], bounds[part + 1], parts[part]);
      }
    });
    for (auto& part : parts) {
      const auto before = static_cast<std::uint32_t>(cells.size());
      for (PointCell& cell : part) cell.next += before;
      cells.insert(cells.end(), part.begin(), part.end());
    }
  }

  std::uint32_t leaf_size_;
  jobs::Progress progress_;
  PointTree& tree_;
  Paged<TreePoint> one_, other_;
};

}  // namespace

Frame frame_around(const Points& sources, const Points& targets) {
  Box box;
  for (const Points* points : {&sources, &targets}) {
    for (std::size_t i = 0; i < points->size(); ++i) {
      box.extend(Vector3d(points->x[i], points->y[i], points->z[i]));
    }
  }
  Frame frame;
  double magnitudes = 0;
  for (const double charge : sources.charge) magnitudes += std::abs(charge);
  if (magnitudes > 0) frame.charge = magnitudes;
  if (box.isEmpty()) return frame;
  const double extent = box.sizes().maxCoeff() / 2;
  frame.centre = box.center();
  if (!(extent > 0)) return frame;
  frame.length = std::exp2(std::ceil(std::log2(extent)));
  // The centre is rounded to whole units, and is 0 if the origin is about as near: this keeps the digits in
  // which positions differ.
  for (double& value : frame.centre) {
    value = std::abs(value) <= frame.length ? 0 : std::round(value / frame.length) * frame.length;
  }
  return frame;
}

PointTree build_point_tree(const Points& points, const Frame& frame, std::uint32_t leaf_size,
                           const jobs::Progress& progress) {
  PointTree tree;
  TreeBuilder(points, frame, leaf_size, progress, tree).build();
  return tree;
}

}  // namespace isolume::multipoles
