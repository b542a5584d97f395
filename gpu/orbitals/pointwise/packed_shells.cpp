#include "gpu/orbitals/pointwise/packed_shells.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/orbitals/primitive_groups.h"
#include "gpu/orbitals/centre_place.h"
#include "gpu/orbitals/monomial_coefficients.h"

namespace isolume::gpu {
namespace {

using molecules::Shell;

/// Positions of a shell's primitives by increasing exponent: the most diffuse ones first.
std::vector<std::size_t> diffuse_first(const Shell& shell) {
  std::vector<std::size_t> order(shell.exponents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t p) { return shell.exponents[p]; });
  return order;
}

/// Up to three shells of one atom with equal exponents.
struct Group {
  std::vector<double> exponents;
  std::vector<std::size_t> shells;              ///< positions in the basis set
  std::vector<std::vector<double>> contracted;  ///< for each shell: coefficient times norm, as the exponents
};

Group as_group(const Shell& shell, std::size_t position) {
  Group made;
  made.shells = {position};
  made.contracted.emplace_back();
  for (const std::size_t p : diffuse_first(shell)) {
    made.exponents.push_back(shell.exponents[p]);
    made.contracted.front().push_back(
        shell.coefficients[p] *
        molecules::primitive_norm(shell.exponents[p], {shell.angular_momentum, 0, 0}));
  }
  return made;
}

/// The groups of every atom, in the order of the basis set.
std::vector<std::vector<Group>> group_shells(const molecules::BasisSet& basis, std::size_t atoms) {
  std::vector<std::vector<Group>> of_atom(atoms);
  for (std::size_t s = 0; s < basis.shells.size(); ++s) {
    if (basis.shells[s].exponents.empty()) continue;
    Group alone = as_group(basis.shells[s], s);
    auto& groups = of_atom[basis.shells[s].atom];
    const auto same = std::ranges::find_if(groups, [&](const Group& group) {
      return group.shells.size() < most_shells_per_group && group.exponents == alone.exponents;
    });
    if (same == groups.end()) {
      groups.push_back(std::move(alone));
    } else {
      same->shells.push_back(s);
      same->contracted.push_back(std::move(alone.contracted.front()));
    }
  }
  return of_atom;
}

Word integers(int x, int y, int z, int w) {
  return {std::bit_cast<float>(x), std::bit_cast<float>(y), std::bit_cast<float>(z), std::bit_cast<float>(w)};
}

float rounded_up(double value) {
  return std::nextafter(static_cast<float>(value), std::numeric_limits<float>::infinity());
}

double volume_share(double exponent) {
  return 1 / (exponent * std::sqrt(exponent));
}

/// Fills the sections one after the other; the layout follows from their sizes.
class Packer {
 public:
  Packer(const FieldProblem& problem, int columns, std::optional<double> tolerance)
      : problem_(problem),
        columns_(columns),
        monomials_(monomial_coefficients(problem.basis, problem.coefficients)),
        norms_(orbitals::row_norms(monomials_.rows, problem.weights)) {
    if (tolerance) {
      double shares = 0;
      for (const auto& shell : problem.basis.shells) {
        for (const double exponent : shell.exponents) shares += volume_share(exponent);
      }
      tolerance_share_ = *tolerance / shares;
    }
  }

  PackedShells pack() {
    const auto of_atom = group_shells(problem_.basis, problem_.molecule.atoms.size());
    for (std::size_t atom = 0; atom < of_atom.size(); ++atom) {
      const auto place = place_centre(problem_.molecule.atoms[atom].position_bohr, problem_.grid);
      const auto& groups = of_atom[atom];
      for (std::size_t first = 0; first < groups.size(); first += most_groups_per_centre) {
        add_centre(place, std::span(groups).subspan(
                              first, std::min<std::size_t>(most_groups_per_centre, groups.size() - first)));
      }
    }
    made_.shell_count = problem_.basis.shells.size();
    made_.monomial_count = static_cast<std::size_t>(monomials_.rows.rows());
    put_together();
    return std::move(made_);
  }

 private:
  void add_centre(const CentrePlace& place, std::span<const Group> groups) {
    const int first = static_cast<int>(groups_.size());
    float radius_squared = -1;
    for (const auto& group : groups) {
      const std::size_t first_radius = radii_.size();
      add_group(group);
      if (tolerance_share_ && radii_.size() > first_radius) {
        radius_squared = std::max(radius_squared, radii_[first_radius]);
      }
    }
    centres_.push_back({place.n.x(), place.n.y(), place.n.z(), radius_squared});
    centres_.push_back({place.r.x(), place.r.y(), place.r.z(),
                        std::bit_cast<float>(first * 16 + static_cast<int>(groups.size()))});
  }

  void add_group(const Group& group) {
    int shells = 0;
    int shift = 0;
    const int first_coefficient = words_per_pass_;
    for (const std::size_t s : group.shells) {
      const int l = problem_.basis.shells[s].angular_momentum;
      shells |= (l + 1) << shift;
      shift += 4;
      words_per_pass_ += coefficient_words(l, columns_);
      shell_order_.push_back(s);
    }
    const int count = static_cast<int>(group.exponents.size());
    groups_.push_back(integers(add_primitives(group), count << 12 | shells, first_coefficient,
                               static_cast<int>(radii_.size())));
    if (tolerance_share_) add_radii(group);
    made_.exponential_count += group.exponents.size();
  }

  /// Position of the group's primitives: an equal contraction may exist already.
  int add_primitives(const Group& group) {
    std::vector<float> records;
    for (std::size_t p = 0; p < group.exponents.size(); ++p) {
      records.push_back(static_cast<float>(-group.exponents[p] * std::numbers::log2e));
      for (std::size_t s = 0; s < most_shells_per_group; ++s) {
        records.push_back(s < group.shells.size() ? static_cast<float>(group.contracted[s][p]) : 0.0F);
      }
    }
    const auto [known, is_new] = contractions_.try_emplace(records, static_cast<int>(primitives_.size()));
    if (is_new) {
      for (std::size_t at = 0; at < records.size(); at += 4) {
        primitives_.push_back({records[at], records[at + 1], records[at + 2], records[at + 3]});
      }
      made_.primitive_count += group.exponents.size() * group.shells.size();
    }
    return known->second;
  }

  void add_radii(const Group& group) {
    const std::size_t first = radii_.size();
    for (std::size_t p = 0; p < group.exponents.size(); ++p) {
      const double exponent = group.exponents[p];
      const double share = *tolerance_share_ * volume_share(exponent);
      const double radius = bound(group, p).radius(share);
      radii_.push_back(radius < 0 ? -1.0F : rounded_up(radius * radius));
    }
    // A kernel stops at the first primitive that it leaves out.
    for (std::size_t at = radii_.size() - 1; at-- > first;) radii_[at] = std::max(radii_[at], radii_[at + 1]);
  }

  orbitals::RadialBound bound(const Group& group, std::size_t primitive) const {
    orbitals::RadialBound made;
    made.exponent = group.exponents[primitive];
    for (std::size_t s = 0; s < group.shells.size(); ++s) {
      const auto& powers =
          molecules::cartesian_powers(problem_.basis.shells[group.shells[s]].angular_momentum);
      const Eigen::Index row = monomials_.first_row[group.shells[s]];
      for (std::size_t m = 0; m < powers.size(); ++m) {
        made.add(group.contracted[s][primitive] * norms_[row + static_cast<Eigen::Index>(m)], powers[m].x,
                 powers[m].y, powers[m].z);
      }
    }
    return made;
  }

  void put_together() {
    auto& words = made_.words;
    auto& layout = made_.layout;
    const Eigen::Index fields = problem_.coefficients.cols();
    words_per_pass_ += (columns_ + 3) / 4;  // the weights
    layout.columns_per_pass = columns_;
    layout.words_per_pass = words_per_pass_;
    layout.pass_count = static_cast<int>((fields + columns_ - 1) / columns_);
    layout.centre_count = static_cast<int>(centres_.size() / 2);
    const std::size_t total = centres_.size() + groups_.size() + primitives_.size() +
                              static_cast<std::size_t>(words_per_pass_) * layout.pass_count +
                              (radii_.size() + 3) / 4;
    if (total > std::numeric_limits<int>::max() / 4) {
      throw ResourceError("The orbital coefficients on the GPU", total * sizeof(Word),
                          static_cast<std::size_t>(std::numeric_limits<int>::max()) * 4,
                          "Ask for fewer orbitals at once.");
    }
    words.reserve(total);
    words.insert(words.end(), centres_.begin(), centres_.end());
    layout.first_group = static_cast<int>(words.size());
    words.insert(words.end(), groups_.begin(), groups_.end());
    layout.first_primitive = static_cast<int>(words.size());
    words.insert(words.end(), primitives_.begin(), primitives_.end());
    layout.first_coefficient = static_cast<int>(words.size());
    for (int pass = 0; pass < layout.pass_count; ++pass) append_pass(pass);
    layout.first_radius = static_cast<int>(words.size());
    append(radii_);
  }

  void append_pass(int pass) {
    const Eigen::Index first = static_cast<Eigen::Index>(pass) * columns_;
    const Eigen::Index count = std::min<Eigen::Index>(columns_, problem_.coefficients.cols() - first);
    std::vector<float> values;
    for (const std::size_t s : shell_order_) {
      const int rows = gpu::monomial_count(problem_.basis.shells[s].angular_momentum);
      values.assign(static_cast<std::size_t>(rows) * columns_, 0.0F);
      for (int m = 0; m < rows; ++m) {
        for (Eigen::Index k = 0; k < count; ++k) {
          values[static_cast<std::size_t>(m) * columns_ + k] =
              static_cast<float>(monomials_.rows(monomials_.first_row[s] + m, first + k));
        }
      }
      append(values);
    }
    values.assign(columns_, 0.0F);
    for (Eigen::Index k = 0; k < count && problem_.weights != nullptr; ++k) {
      values[k] = static_cast<float>((*problem_.weights)[first + k]);
    }
    append(values);
  }

  /// Fills up to whole words.
  void append(const std::vector<float>& values) {
    for (std::size_t at = 0; at < values.size(); at += 4) {
      std::array<float, 4> four{};
      for (std::size_t i = at; i < std::min(at + 4, values.size()); ++i) four[i - at] = values[i];
      made_.words.push_back({four[0], four[1], four[2], four[3]});
    }
  }

  const FieldProblem& problem_;
  int columns_;
  MonomialCoefficients monomials_;
  Eigen::VectorXd norms_;
  std::optional<double> tolerance_share_;

  PackedShells made_;
  std::vector<Word> centres_;
  std::vector<Word> groups_;
  std::vector<Word> primitives_;
  std::vector<float> radii_;
  std::map<std::vector<float>, int> contractions_;
  std::vector<std::size_t> shell_order_;
  int words_per_pass_ = 0;
};

}  // namespace

PackedShells pack_shells(const FieldProblem& problem, int columns_per_pass, std::optional<double> tolerance) {
  check_problem(problem);
  return Packer(problem, columns_per_pass, tolerance).pack();
}

int choose_columns_per_pass(Eigen::Index columns) {
  // Cost of a pass besides its columns, in units of one column's multiply-adds, approximately (exponentials,
  // monomials).
  constexpr Eigen::Index pass_cost = 6;
  const auto cost = [&](int each) { return (columns + each - 1) / each * (pass_cost + each); };
  return std::ranges::min({1, 2, 4, 8, 16}, {}, cost);
}

}  // namespace isolume::gpu
