#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/fields/summary.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::fields {

/// From this number of points on, surfaces are extracted on a GPU if there is one, and fields stay where they were
/// computed: below, a CPU takes a few milliseconds, as much as launches, copies and waiting.
inline constexpr std::size_t surface_points_worth_a_gpu = 250'000;

/// Parts of a surface where the colour would not be meaningful.
struct Blanks {
  /// Tests positions, three floats each, in the unit that scenes show.
  std::function<std::vector<bool>(std::span<const float> places)> at;
  std::string why;  ///< the reason, a sentence for users
};

/// Values at places in the unit that scenes show, three floats each. Throws Error, ResourceError, Cancelled.
using ValuesAtPlaces =
    std::function<std::vector<float>(std::span<const float> places, const jobs::Progress& progress)>;

/// A field with what is known of its making.
struct MadeField {
  std::shared_ptr<const grid::ScalarField> field;
  std::string maker;        ///< "CPU, AVX-512, 2 threads"; empty for one that was read
  std::string method = {};  ///< for the picture's key, so that it can be made again: "Direct sum, ε 4, 0.5 Å"
  double milliseconds = 0;  ///< time of the computation
  /// whether it has positive and negative parts; empty: derived from its values
  std::optional<bool> both_signs;
  bool amplitude = false;                   ///< whether the density is its square
  std::shared_ptr<const MadeField> second;  ///< the field that colours its surfaces; null: none
  /// If set, the second field only defines a surface, at this value; the first field colours that surface and
  /// has no surface of its own.
  std::optional<double> surface_at = std::nullopt;
  std::shared_ptr<const Blanks> blanks = nullptr;  ///< of that surface; null: it has none
  /// Computes a second field at the vertices of a surface, where a whole grid would take too long: `field` then has
  /// its name and unit, but no values, and `both_signs` is given. Null: the values are those of `field`.
  ValuesAtPlaces at_places = nullptr;
  /// Found when it is first asked for, for all copies; touched by whoever draws.
  std::shared_ptr<std::optional<FieldSummary>> summary = std::make_shared<std::optional<FieldSummary>>();
};
const FieldSummary& summary_of(const MadeField& made);

/// A field that can be shown, with everything that its values depend on: it computes or has read them.
/// Immutable; several threads may use it.
class FieldSource {
 public:
  virtual ~FieldSource() = default;
  /// Name for users, such as "HOMO (20)".
  virtual std::string name() const = 0;
  /// What the field describes: the cache drops fields of another subject. Lives as long as the source.
  virtual const void* subject() const = 0;
  /// Identifies everything that changes the values, and nothing else, among the sources of one subject.
  virtual std::string key() const = 0;
  /// For a field that changes with time: the part of the key that is the same at all times. The cache keeps
  /// one time of a series.
  virtual std::string series() const { return {}; }
  /// The field, if it is available without computing.
  virtual std::optional<MadeField> at_hand() const { return std::nullopt; }
  /// The grid at full resolution. Like `compute`, it is not called if the field is available.
  virtual grid::Grid grid() const = 0;
  /// About how many points `compute` finds within this time, which limits a preview. Infinite: no limit, or
  /// not known.
  virtual double points_within(double /*seconds*/) const { return std::numeric_limits<double>::infinity(); }
  /// Throws Error, ResourceError, Cancelled.
  virtual MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const = 0;
  /// Whether `compute` takes any grid, one of a line too, with the same values at the same places.
  virtual bool takes_lines() const { return false; }
  /// Like compute, on a coarser grid for a preview: slow parts may be replaced by an approximation.
  virtual MadeField preview(const grid::Grid& grid, const jobs::Progress& progress) const {
    return compute(grid, progress);
  }
};

/// The value at a place in the unit that scenes show, not interpolated. For a source that takes lines; `unit`: of its
/// grid. Throws as `compute`.
double computed_at(const FieldSource& source, const Eigen::Vector3d& place, grid::LengthUnit unit,
                   const jobs::Progress& progress);

}  // namespace isolume::fields
