#pragma once

#include <cstdint>
#include <vector>

#include "core/jobs/progress.h"
#include "core/multipoles/moments.h"

namespace isolume::multipoles {

/// Multipole acceptance criterion: which cells interact as wholes. Lengths and charges are in units of the
/// frame.
struct Opening {
  /// Opening angle: the sum of the radii must be less than this times the distance of the centres.
  double widest;
  /// The error of the interaction must be at most 2^log_share times the gradient at the target. These are the
  /// logarithms to base 2 of that gradient, one for each target cell. If empty, only the error of the
  /// softening series is limited, as a part of the force of the source.
  std::vector<float> log_gradients = {};
  float log_share = 0;
  double softening = 0;
  /// moments of the sources' softening series, if softened
  const Paged<double>* softening_moments = nullptr;
};

/// A source cell that acts on a target cell as a whole.
struct FarCell {
  std::uint32_t cell;
  bool softened;  ///< its softening series acts, too,
  bool alone;     ///< and represents all of its potential: the harmonic expansion does not act
};

/// The sources that act on one target cell, in a fixed order.
struct FoundSources {
  std::vector<FarCell> far;
  std::vector<std::uint32_t> near_leaves;  ///< for a leaf: the source leaves whose points act one by one
};

/// Finds the sources of target cells. The trees may be the same one; all must outlive it.
class SourceFinder {
 public:
  /// Source cells in the numbering of `find`; the first one holds all points.
  using Candidates = std::vector<std::uint32_t>;

  /// Cells with at most `leaf_size` points are leaves, like those of the trees.
  SourceFinder(const PointTree& targets, const CellMoments& moments, const Opening& opening,
               std::uint32_t leaf_size);

  bool is_leaf(const PointCell& cell) const { return cell.leaf || cell.count() <= leaf_size_; }
  /// Divides candidates, which have not acted on the target's ancestors, into those that act on the target
  /// and those that remain for its parts.
  void find(std::uint32_t target, const Candidates& candidates, Candidates& remaining,
            FoundSources& found) const;

 private:
  /// The data of a source cell that the acceptance criterion reads.
  struct alignas(64) Source {
    Eigen::Vector3d centre;
    double radius;
    float log_radius, log_magnitude, log_power;  ///< logarithms to base 2
    std::uint32_t first, parts;                  ///< children, which are consecutive; none for a leaf
    std::uint32_t cell, count;

    bool leaf() const { return parts == 0; }
  };
  /// Truncation errors, as logarithms to base 2.
  struct LeftOut {
    float of_source, of_field;
  };

  static Paged<Source> sources_of(const CellMoments& moments, std::uint32_t leaf_size);
  bool acts_as_a_whole(const Source& source, const PointCell& target, float log_radius, float gradient) const;
  float left_out_on_target(const Source& source, float own, float log_radius, float gradient) const;
  bool is_softened_alone(double squared) const;
  bool acts_softened(const Source& source, double radii, double squared, float log_radius,
                     float gradient) const;
  LeftOut expansions_left_out(const Source& source, const PointCell& target, float log_radius,
                              double distance) const;
  float log_own(const Source& source, double squared) const;
  float softening_change(double squared) const;
  float softening_left_out(double radii, double squared) const;
  bool is_softened(const Source& source, const PointCell& target, float gradient) const;
  float mixed(float gradient, float own, float part) const;

  const PointTree& targets_;
  const Opening& opening_;
  std::uint32_t leaf_size_;
  int order_;
  std::uint64_t few_pairs_;  ///< as many direct pairs as cost no more than expansions
  const Paged<Source> sources_;
};

/// The sources of all target cells, list after list in the order of the tree's cells.
struct InteractionLists {
  /// Source cells of target cell i: from starts[i] to starts[i + 1].
  struct Lists {
    std::vector<std::uint64_t> starts = {0};
    Paged<std::uint32_t> cells = {};
  };
  Lists far;       ///< act by their harmonic expansions
  Lists softened;  ///< by their softening series; with `alone` added, by nothing else
  Lists near;      ///< by their points
  std::uint64_t cell_pairs = 0;

  static constexpr std::uint32_t alone = std::uint32_t{1} << 31;
};

/// For processors that take all lists at once; the same on any number of threads. Throws Cancelled.
InteractionLists interaction_lists(const PointTree& targets, const CellMoments& sources,
                                   const Opening& opening, const jobs::Progress& progress);

}  // namespace isolume::multipoles
