#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/fields/summary.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::fields {

/// Parts of a surface on which a field's colours would tell something that nobody knows.
struct Blanks {
  /// Of places in the unit that scenes show, three floats each.
  std::function<std::vector<bool>(std::span<const float> places)> at;
  std::string why;  ///< a sentence for people
};

/// Values at places in the unit that scenes show, three floats each. Throws Error, ResourceError, Cancelled.
using ValuesAtPlaces =
    std::function<std::vector<float>(std::span<const float> places, const jobs::Progress& progress)>;

/// A field with what is known of its making.
struct MadeField {
  std::shared_ptr<const lattice::ScalarField> field;
  std::string maker;        ///< "CPU, AVX-512, 2 threads"; empty for one that was read
  std::string method = {};  ///< for the picture's key, so that it can be made again: "Direct sum, ε 4, 0.5 Å"
  double milliseconds = 0;         ///< that it took to compute
  std::optional<bool> both_signs;  ///< whether it has positive and negative parts; nothing: its values tell
  bool amplitude = false;          ///< the density is its square, not the field itself
  std::shared_ptr<const MadeField> second;  ///< what colours its surfaces; null: nothing
  /// Of a second field that is but the form of a surface, where it has this value: the first one colours that surface,
  /// and has none of its own.
  std::optional<double> surface_at = std::nullopt;
  std::shared_ptr<const Blanks> blanks = nullptr;  ///< of that surface; null: it has none
  /// Computes a second field at the vertices of a surface, where a whole lattice would take too long: `field` then has
  /// its name and unit, but no values, and `both_signs` is given. Null: the values are those of `field`.
  ValuesAtPlaces at_places = nullptr;
  /// Found when it is first asked for, for all copies; touched by whoever draws.
  std::shared_ptr<std::optional<FieldSummary>> summary = std::make_shared<std::optional<FieldSummary>>();
};
const FieldSummary& summary_of(const MadeField& made);

/// One field that can be shown, with all that its numbers depend on: what computes it, or has read it. Never
/// changes; several threads may use it.
class FieldSource {
 public:
  virtual ~FieldSource() = default;
  /// For people: "HOMO (20)".
  virtual std::string name() const = 0;
  /// What it is a field of: fields of another subject are not kept beside it. Stays alive with the source.
  virtual const void* subject() const = 0;
  /// Tells apart everything that changes the numbers, and nothing else, among the sources of one subject.
  virtual std::string key() const = 0;
  /// For a field that changes with time: what its keys have in common at all times; only one of them is kept.
  virtual std::string series() const { return {}; }
  /// The field, where nothing need be computed.
  virtual std::optional<MadeField> at_hand() const { return std::nullopt; }
  /// At full resolution. Not called, as `compute`, where the field is at hand.
  virtual lattice::Lattice lattice() const = 0;
  /// About how many points `compute` finds within this time; infinite: as many as a preview may have, or it is not known. A
  /// preview has no more of them.
  virtual double points_within(double /*seconds*/) const { return std::numeric_limits<double>::infinity(); }
  /// Throws Error, ResourceError, Cancelled.
  virtual MadeField compute(const lattice::Lattice& lattice, const jobs::Progress& progress) const = 0;
  /// As compute, on a coarser lattice for a picture in passing: what takes long may be replaced by something like it.
  virtual MadeField preview(const lattice::Lattice& lattice, const jobs::Progress& progress) const {
    return compute(lattice, progress);
  }
};

}  // namespace isolume::fields
