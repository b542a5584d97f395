#include "core/electrostatics/potential.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/multipoles/charge_sums.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;
using Range = tbb::blocked_range<std::size_t>;

/// Charges in angstrom by which potentials are summed, those of 0 left out.
struct Sources {
  std::vector<double> x, y, z, charge;

  std::size_t size() const { return x.size(); }
  void add(const Vector3d& place, double q) {
    x.push_back(place.x());
    y.push_back(place.y());
    z.push_back(place.z());
    charge.push_back(q);
  }
};

/// Screening by atoms of more radius than this many Debye lengths is beyond the numbers of single precision.
constexpr double most_screened = 60;

Sources sources_of(const structures::Charges& charges, const PairTerms& terms) {
  Sources sources;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    // exp(-kappa (r - s)) / (1 + kappa s), but for what depends on r.
    const double inside = terms.kappa * charges.radius[i];
    if (inside > most_screened) {
      throw Error(fmt::format(
          "Atom {}: its radius of {} angstrom is {:.0f} Debye lengths. Give a smaller radius or less salt.",
          i + 1, charges.radius[i], inside));
    }
    const double q = charges.charge[i] * std::exp(inside) / (1 + inside);
    if (q != 0) sources.add(charges.place(i), q);
  }
  return sources;
}

/// Sources by cubes, so that those near a box are found. Without a cut-off there is one cube for all.
class Bins {
 public:
  Bins(const Sources& sources, double cutoff) {
    Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Vector3d place(sources.x[i], sources.y[i], sources.z[i]);
      low = i == 0 ? place : low.cwiseMin(place).eval();
      high = i == 0 ? place : high.cwiseMax(place).eval();
    }
    low_ = low;
    const Vector3d extent = high - low;
    if (cutoff > 0) {
      side_ = cutoff / 3;
      // No more bins than charges, wherever they lie.
      const auto bins = [&] { return ((extent / side_).array().floor() + 1).prod(); };
      while (bins() > 4.0 * static_cast<double>(sources.size()) + 64) side_ *= 1.26;
      for (int axis = 0; axis < 3; ++axis)
        counts_[static_cast<std::size_t>(axis)] = static_cast<int>(extent[axis] / side_) + 1;
    }
    sort(sources);
  }

  const Sources& sorted() const { return sorted_; }

  /// Calls `use(first, end)` with runs of sorted() that hold all sources within `reach` of the box, and others.
  template <class Use>
  void near(const Vector3d& low, const Vector3d& high, double reach, const Use& use) const {
    std::array<int, 3> from{}, to{};
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const double most = counts_[a] - 1;
      const double first = std::floor((low[axis] - reach - low_[axis]) / side_);
      const double last = std::floor((high[axis] + reach - low_[axis]) / side_);
      if (last < 0 || first > most) return;
      from[a] = static_cast<int>(std::max(first, 0.0));
      to[a] = static_cast<int>(std::min(last, most));
    }
    for (int k = from[2]; k <= to[2]; ++k) {
      for (int j = from[1]; j <= to[1]; ++j) {
        const std::size_t row =
            static_cast<std::size_t>(counts_[0]) * (static_cast<std::size_t>(k) * counts_[1] + j);
        use(starts_[row + from[0]], starts_[row + to[0] + 1]);
      }
    }
  }

 private:
  std::size_t bin_of(double x, double y, double z) const {
    const std::array<double, 3> offset{x - low_.x(), y - low_.y(), z - low_.z()};
    std::size_t bin = 0;
    for (std::size_t axis = 3; axis-- > 0;) {
      const int at = std::clamp(static_cast<int>(offset[axis] / side_), 0, counts_[axis] - 1);
      bin = bin * static_cast<std::size_t>(counts_[axis]) + static_cast<std::size_t>(at);
    }
    return bin;
  }
  void sort(const Sources& sources) {
    starts_.assign(static_cast<std::size_t>(counts_[0]) * counts_[1] * counts_[2] + 1, 0);
    std::vector<std::size_t> bins(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      bins[i] = bin_of(sources.x[i], sources.y[i], sources.z[i]);
      ++starts_[bins[i] + 1];
    }
    for (std::size_t bin = 1; bin < starts_.size(); ++bin) starts_[bin] += starts_[bin - 1];
    std::vector<std::size_t> at(starts_.begin(), starts_.end() - 1);
    for (auto* values : {&sorted_.x, &sorted_.y, &sorted_.z, &sorted_.charge}) values->resize(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::size_t to = at[bins[i]]++;
      sorted_.x[to] = sources.x[i];
      sorted_.y[to] = sources.y[i];
      sorted_.z[to] = sources.z[i];
      sorted_.charge[to] = sources.charge[i];
    }
  }

  Vector3d low_;
  double side_ = 1e300;
  std::array<int, 3> counts_{1, 1, 1};
  std::vector<std::size_t> starts_;
  Sources sorted_;
};

/// Rows along x that are summed for together: charges are brought near all of them at once.
struct TileShape {
  static constexpr int across = 4;  ///< rows along y, and along z
  int along;                        ///< points of a row

  explicit TileShape(const PairTerms& terms)
      // Short rows keep to the sphere of the cut-off.
      : along(terms.law == PairLaw::cutoff ? TileRow::capacity / 2 : TileRow::capacity) {}
};

class LatticeSum {
 public:
  LatticeSum(const lattice::Lattice& lattice, const Bins& bins, const PairTerms& terms, double scale,
             float* values)
      : lattice_(lattice),
        bins_(bins),
        terms_(terms),
        shape_(terms),
        scale_(scale),
        values_(values),
        angstrom_(lattice::shown_per_unit(lattice.unit)) {
    const std::array<int, 3> sides{shape_.along, TileShape::across, TileShape::across};
    for (std::size_t axis = 0; axis < 3; ++axis)
      tiles_[axis] = (lattice.dimensions[axis] + sides[axis] - 1) / sides[axis];
  }

  std::size_t tiles() const { return static_cast<std::size_t>(tiles_[0]) * tiles_[1] * tiles_[2]; }

  void sum_tile(std::size_t tile, const jobs::Progress& progress) const {
    const int i = static_cast<int>(tile % tiles_[0]) * shape_.along;
    const int j = static_cast<int>(tile / tiles_[0] % tiles_[1]) * TileShape::across;
    const int k = static_cast<int>(tile / tiles_[0] / tiles_[1]) * TileShape::across;
    const int last_i = std::min(i + shape_.along, lattice_.dimensions[0]) - 1;
    const int last_j = std::min(j + TileShape::across, lattice_.dimensions[1]) - 1;
    const int last_k = std::min(k + TileShape::across, lattice_.dimensions[2]) - 1;
    const Vector3d low = lattice_.point(i, j, k) * angstrom_,
                   high = lattice_.point(last_i, last_j, last_k) * angstrom_;
    const Vector3d middle = (low + high) / 2;
    std::vector<TileRow> rows;
    for (int at_k = k; at_k <= last_k; ++at_k) {
      for (int at_j = j; at_j <= last_j; ++at_j) rows.push_back(row_at(i, last_i, at_j, at_k, middle));
    }
    add_charges(low, high, middle, rows, progress);
    const TileRow* row = rows.data();
    for (int at_k = k; at_k <= last_k; ++at_k) {
      for (int at_j = j; at_j <= last_j; ++at_j, ++row) store(*row, i, at_j, at_k);
    }
  }

 private:
  TileRow row_at(int i, int last_i, int j, int k, const Vector3d& middle) const {
    TileRow row;
    row.count = last_i - i + 1;
    for (int at = i; at <= last_i; ++at)
      row.x[at - i] = static_cast<float>(lattice_.point(at, j, k).x() * angstrom_ - middle.x());
    const Vector3d place = lattice_.point(i, j, k) * angstrom_ - middle;
    row.y = static_cast<float>(place.y());
    row.z = static_cast<float>(place.z());
    return row;
  }
  void add_charges(const Vector3d& low, const Vector3d& high, const Vector3d& middle,
                   std::vector<TileRow>& rows, const jobs::Progress& progress) const {
    const bool cut = terms_.law == PairLaw::cutoff;
    const double reach = cut ? terms_.cutoff : 0;
    const Sources& sources = bins_.sorted();
    TileCharges some{};
    const auto flush = [&] {
      progress.check();
      for (TileRow& row : rows) add_to_row(row, some, terms_);
      some.count = 0;
    };
    bins_.near(low, high, cut ? reach : 1e300, [&](std::size_t first, std::size_t end) {
      for (std::size_t n = first; n < end; ++n) {
        const Vector3d place(sources.x[n], sources.y[n], sources.z[n]);
        if (cut) {
          const Vector3d beyond = (low - place).cwiseMax(place - high).cwiseMax(0);
          if (beyond.squaredNorm() >= reach * reach) continue;
        }
        const Vector3d relative = place - middle;
        some.x[some.count] = static_cast<float>(relative.x());
        some.y[some.count] = static_cast<float>(relative.y());
        some.z[some.count] = static_cast<float>(relative.z());
        some.charge[some.count] = static_cast<float>(sources.charge[n]);
        if (++some.count == TileCharges::capacity) flush();
      }
    });
    flush();
  }
  void store(const TileRow& row, int i, int j, int k) const {
    float* to = values_ + static_cast<std::size_t>(i) +
                static_cast<std::size_t>(lattice_.dimensions[0]) *
                    (static_cast<std::size_t>(j) + static_cast<std::size_t>(lattice_.dimensions[1]) * k);
    for (int at = 0; at < row.count; ++at) to[at] = static_cast<float>(scale_ * row.potential[at]);
  }

  const lattice::Lattice& lattice_;
  const Bins& bins_;
  const PairTerms& terms_;
  TileShape shape_;
  double scale_;
  float* values_;
  double angstrom_;
  std::array<int, 3> tiles_{};
};

/// Calls `work(i)` for all i below `count` on all threads of the arena.
void for_each(std::size_t count, const jobs::Progress& progress,
              const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> done = 0;
  handover::parallel_for(Range(0, count), [&](const Range& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      progress.check();
      work(i);
      progress.report(static_cast<double>(++done) / static_cast<double>(count), "potential");
    }
  });
}

/// Some points, of which `place` tells each.
void sum_at(std::size_t count, const std::function<Vector3d(std::size_t)>& place, const Bins& bins,
            const PairTerms& terms, double scale, const std::function<void(std::size_t, double)>& store,
            const jobs::Progress& progress) {
  constexpr std::size_t at_once = 64;
  const Sources& sources = bins.sorted();
  for_each((count + at_once - 1) / at_once, progress, [&](std::size_t part) {
    for (std::size_t i = part * at_once; i < std::min((part + 1) * at_once, count); ++i) {
      progress.check();
      const Vector3d at = place(i);
      double sum = 0;
      bins.near(at, at, terms.law == PairLaw::cutoff ? terms.cutoff : 1e300,
                [&](std::size_t first, std::size_t end) {
                  sum += sum_at_point(at.x(), at.y(), at.z(), sources.x.data() + first,
                                      sources.y.data() + first, sources.z.data() + first,
                                      sources.charge.data() + first, end - first, terms);
                });
      store(i, scale * sum);
    }
  });
}

/// By the fast multipole method.
void sum_far(const Places& places, const Sources& sources, const PotentialOptions& options, double scale,
             const std::function<void(std::size_t, double)>& store, const jobs::Progress& progress) {
  const auto sums = multipoles::charge_sums({places.x, places.y, places.z},
                                            {sources.x, sources.y, sources.z, sources.charge},
                                            {.error = options.error}, progress);
  for (std::size_t i = 0; i < places.size(); ++i) store(i, scale * sums.potential[i]);
}

std::string title_of(Method method) {
  return potential_schema().at("method").description.choices.at(static_cast<std::size_t>(method)).label;
}

/// Checks, puts charges in order and calls `sum(sources, bins, terms, scale)` in an arena.
template <class Values, class Sum>
Potential<Values> summed(Values values, const structures::Charges& charges, const PotentialOptions& options,
                         const Sum& sum) {
  check(charges);
  check(options);
  Potential<Values> found{std::move(values)};
  const int threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
  found.report.who =
      fmt::format("CPU, {}, {} thread{}", title_of(options.method), threads, threads == 1 ? "" : "s");
  const auto start = std::chrono::steady_clock::now();
  const PairTerms terms = terms_of(options);
  const Sources sources = sources_of(charges, terms);
  const Bins bins(sources, terms.cutoff);
  found.seconds_order = seconds_since(start);
  const auto ordered = std::chrono::steady_clock::now();
  tbb::task_arena arena(threads);
  arena.execute([&] { sum(found.values, sources, bins, terms, scale_of(options)); });
  found.seconds_sums = seconds_since(ordered);
  return found;
}

Places places_of(const lattice::Lattice& lattice) {
  const double angstrom = lattice::shown_per_unit(lattice.unit);
  Places places;
  for (auto* values : {&places.x, &places.y, &places.z}) values->reserve(lattice.point_count());
  for (int k = 0; k < lattice.dimensions[2]; ++k) {
    for (int j = 0; j < lattice.dimensions[1]; ++j) {
      for (int i = 0; i < lattice.dimensions[0]; ++i) {
        const Vector3d place = lattice.point(i, j, k) * angstrom;
        places.x.push_back(place.x());
        places.y.push_back(place.y());
        places.z.push_back(place.z());
      }
    }
  }
  return places;
}

/// Throws Error where a place is not finite or too far for charges that are within most_magnitude.
void check_place(const Vector3d& place, std::size_t number) {
  constexpr double most = 1e3 * structures::most_magnitude;
  if (!(place.cwiseAbs().maxCoeff() <= most)) {
    throw Error(
        fmt::format("Place {}: {}, {}, {} is too far away. Give finite numbers within {:.0e} angstrom.",
                    number, place.x(), place.y(), place.z(), most));
  }
}

}  // namespace

Potential<lattice::ScalarField> potential_on(const lattice::Lattice& lattice,
                                             const structures::Charges& charges,
                                             const PotentialOptions& options,
                                             const jobs::Progress& progress) {
  if (lattice.unit == lattice::LengthUnit::millimetre)
    throw Error("A lattice in millimetres holds no molecule. Give one in bohr or angstrom.");
  if (is_poisson_boltzmann(options.method)) {
    auto solved = PoissonBoltzmann(charges, lattice).solve(options, {.estimate_error = false}, progress);
    Potential<lattice::ScalarField> found{std::move(solved.potential)};
    found.seconds_order = solved.seconds.surface + solved.seconds.medium + solved.seconds.faces;
    found.seconds_sums = solved.seconds.solution + solved.seconds.reference;
    found.report.who = solved.who;
    return found;
  }
  const std::size_t count = lattice.point_count();
  for (const double end : {0.0, 1.0}) {
    check_place(
        lattice.point(end * lattice.dimensions[0], end * lattice.dimensions[1], end * lattice.dimensions[2]),
        1);
  }
  const bool by_fmm = options.method == Method::fmm;
  const std::size_t bytes_each = by_fmm ? sizeof(float) + 15 * sizeof(double) : sizeof(float);
  dispatch::require_memory(fmt::format("A potential at {} points", count),
                           count > SIZE_MAX / bytes_each ? SIZE_MAX : count * bytes_each,
                           "Take a larger spacing.");
  lattice::ScalarField field{.lattice = lattice,
                             .values = FieldValues(count),
                             .name = "electrostatic potential",
                             .unit = std::string(to_text(options.unit))};
  return summed(std::move(field), charges, options,
                [&](lattice::ScalarField& into, const Sources& sources, const Bins& bins,
                    const PairTerms& terms, double scale) {
                  float* values = into.values.data();
                  const auto store = [&](std::size_t i, double value) {
                    values[i] = static_cast<float>(value);
                  };
                  if (by_fmm) {
                    sum_far(places_of(lattice), sources, options, scale, store, progress);
                  } else if (lattice.axis_aligned()) {
                    const LatticeSum sum(lattice, bins, terms, scale, values);
                    for_each(sum.tiles(), progress, [&](std::size_t tile) { sum.sum_tile(tile, progress); });
                  } else {
                    const double angstrom = lattice::shown_per_unit(lattice.unit);
                    const auto place = [&](std::size_t i) -> Vector3d {
                      const auto nx = static_cast<std::size_t>(lattice.dimensions[0]);
                      const auto ny = static_cast<std::size_t>(lattice.dimensions[1]);
                      return lattice.point(static_cast<double>(i % nx), static_cast<double>(i / nx % ny),
                                           static_cast<double>(i / nx / ny)) *
                             angstrom;
                    };
                    sum_at(count, place, bins, terms, scale, store, progress);
                  }
                });
}

Potential<std::vector<double>> potential_at(const Places& places, const structures::Charges& charges,
                                            const PotentialOptions& options, const jobs::Progress& progress) {
  if (is_poisson_boltzmann(options.method)) {
    throw Error(
        "The Poisson-Boltzmann equation is solved on a lattice. Compute the potential there, and "
        "interpolate.");
  }
  for (std::size_t i = 0; i < places.size(); ++i) check_place({places.x[i], places.y[i], places.z[i]}, i + 1);
  return summed(std::vector<double>(places.size()), charges, options,
                [&](std::vector<double>& into, const Sources& sources, const Bins& bins,
                    const PairTerms& terms, double scale) {
                  const auto store = [&](std::size_t i, double value) { into[i] = value; };
                  if (options.method == Method::fmm)
                    return sum_far(places, sources, options, scale, store, progress);
                  const auto place = [&](std::size_t i) {
                    return Vector3d(places.x[i], places.y[i], places.z[i]);
                  };
                  sum_at(places.size(), place, bins, terms, scale, store, progress);
                });
}

}  // namespace isolume::electrostatics
