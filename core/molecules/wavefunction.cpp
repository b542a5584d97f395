#include "core/molecules/wavefunction.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/number.h"

namespace isolume::molecules {
namespace {

constexpr double printed_occupation =
    1e-4;  ///< tolerance from one for the printed occupation of a single electron

const Orbital& orbital_at(const OrbitalSet& set, int index) {
  return set.orbitals[static_cast<std::size_t>(index)];
}

/// The orbitals of one spin from the lowest to the highest: by energy if the file has meaningful energies, by
/// decreasing occupation if it has only those (natural orbitals), otherwise by the file's order.
std::vector<int> ladder(const OrbitalSet& set, Spin spin) {
  std::vector<int> order = set.of_spin(spin);
  const bool known = std::all_of(order.begin(), order.end(),
                                 [&](int i) { return std::isfinite(orbital_at(set, i).energy_hartree); });
  const bool telling =
      known && std::any_of(order.begin(), order.end(), [&](int i) {
        return orbital_at(set, i).energy_hartree != orbital_at(set, order.front()).energy_hartree;
      });
  const auto below = [&](int a, int b) {
    return telling ? orbital_at(set, a).energy_hartree < orbital_at(set, b).energy_hartree
                   : orbital_at(set, a).occupation > orbital_at(set, b).occupation;
  };
  // Most files are sorted, and tables request every orbital of large sets.
  if (!std::is_sorted(order.begin(), order.end(), below)) std::stable_sort(order.begin(), order.end(), below);
  return order;
}

/// Position of the HOMO in the ladder of one spin; -1 if nothing is occupied. Half-occupied natural orbitals, such as
/// the two of a singlet diradical, count as occupied up to the number of electron pairs.
int homo_rung(const OrbitalSet& set, const std::vector<int>& rungs, Spin spin) {
  const bool unrestricted = set.unrestricted();
  constexpr double half = 0.5, same = 1e-9;
  double electrons_of_spin = 0;
  int full = -1, half_full = -1;
  for (int rung = 0; rung < static_cast<int>(rungs.size()); ++rung) {
    const auto electrons =
        electrons_in(orbital_at(set, rungs[static_cast<std::size_t>(rung)]), unrestricted, set.open_shells);
    const double own = spin == Spin::alpha ? electrons.alpha : electrons.beta;
    electrons_of_spin += own;
    if (own > half + same) full = rung;
    if (own > half - same) half_full = rung;
  }
  if (half_full <= full) return full;
  return std::clamp(static_cast<int>(std::lround(electrons_of_spin)) - 1, full, half_full);
}

std::string plain_lower(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '_') continue;
    result += lower_case(c);
  }
  return result;
}

/// "+3", "-1" or nothing.
std::optional<int> parse_offset(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  if (text.size() > 7) return std::nullopt;  // no molecule has that many orbitals
  return parse_number<int>(text);
}

[[noreturn]] void refuse(std::string_view text, const std::vector<int>& rungs, int homo) {
  if (rungs.empty()) throw Error("There are no orbitals of this spin. Choose the other spin.");
  const std::string frontier = homo < 0 ? ""
                                        : fmt::format(", homo, homo-1 ... homo-{}, lumo ... lumo+{}", homo,
                                                      std::max(0, static_cast<int>(rungs.size()) - homo - 2));
  throw Error(
      fmt::format("No orbital {}. Give a number from 1 to {}{}.", quoted(text), rungs.size(), frontier));
}

}  // namespace

bool OrbitalSet::unrestricted() const {
  return std::any_of(orbitals.begin(), orbitals.end(), [](const Orbital& o) { return o.spin == Spin::beta; });
}

std::vector<int> OrbitalSet::of_spin(Spin spin) const {
  std::vector<int> found;
  for (std::size_t i = 0; i < orbitals.size(); ++i) {
    if (orbitals[i].spin == spin) found.push_back(static_cast<int>(i));
  }
  return found;
}

int find_orbital(const OrbitalSet& set, std::string_view text, Spin spin) {
  // A restricted set has one list for both spins; for beta only the occupied orbitals differ.
  const Spin listed = set.unrestricted() ? spin : Spin::alpha;
  const std::vector<int> rungs = ladder(set, listed);
  const int homo = homo_rung(set, rungs, spin);
  const std::string wanted = plain_lower(text);

  if (const auto number = parse_number<int>(wanted); number && !wanted.starts_with('+')) {
    const std::vector<int> in_file_order = set.of_spin(listed);
    if (*number < 1 || *number > static_cast<int>(in_file_order.size())) refuse(text, rungs, homo);
    return in_file_order[static_cast<std::size_t>(*number - 1)];
  }
  if (wanted.size() < 4) refuse(text, rungs, homo);
  const std::string word = wanted.substr(0, 4);
  const auto offset = parse_offset(std::string_view(wanted).substr(4));
  if (!offset || (word != "homo" && word != "lumo" && word != "somo")) refuse(text, rungs, homo);

  int rung = homo + (word == "lumo" ? 1 : 0) + *offset;
  if (word == "somo") {
    // The singly occupied orbitals: in the alpha list those above the beta HOMO.
    const int alpha = homo_rung(set, ladder(set, Spin::alpha), Spin::alpha);
    const int beta = homo_rung(set, ladder(set, set.unrestricted() ? Spin::beta : Spin::alpha), Spin::beta);
    if (alpha <= beta) throw Error("There is no singly occupied orbital here. Use homo or lumo.");
    rung = alpha + *offset;
  }
  if (!set.occupations_known) {
    throw Error(fmt::format(
        "The file gives no occupations of the orbital set \"{}\", and so no {}. Give a number from 1 to {}.",
        set.name, word, rungs.size()));
  }
  if (homo < 0 && word != "lumo") throw Error("No orbital of this spin is occupied. Use lumo or a number.");
  if (rung < 0 || rung >= static_cast<int>(rungs.size())) refuse(text, rungs, homo);
  return rungs[static_cast<std::size_t>(rung)];
}

std::string frontier_label(const OrbitalSet& set, int orbital) {
  if (orbital < 0 || orbital >= static_cast<int>(set.orbitals.size())) return {};
  return frontier_labels(set)[static_cast<std::size_t>(orbital)];
}

std::vector<std::string> frontier_labels(const OrbitalSet& set) {
  std::vector<std::string> labels(set.orbitals.size());
  if (!set.occupations_known) return labels;
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const std::vector<int> rungs = ladder(set, spin);
    const int homo = homo_rung(set, rungs, spin);
    for (int rung = 0; rung < static_cast<int>(rungs.size()); ++rung) {
      auto& label = labels[static_cast<std::size_t>(rungs[static_cast<std::size_t>(rung)])];
      if (rung == homo) {
        label = "HOMO";
      } else if (rung == homo + 1) {
        label = "LUMO";
      } else {
        label = rung < homo ? fmt::format("HOMO-{}", homo - rung) : fmt::format("LUMO+{}", rung - homo - 1);
      }
    }
  }
  return labels;
}

ElectronCount electrons_in(const Orbital& orbital, bool unrestricted, OpenShells open_shells) {
  const double occupation = orbital.occupation;
  if (unrestricted)
    return orbital.spin == Spin::alpha ? ElectronCount{occupation, 0} : ElectronCount{0, occupation};
  if (open_shells == OpenShells::high_spin && std::abs(occupation - 1) < printed_occupation)
    return {occupation, 0};
  return {occupation / 2, occupation / 2};
}

ElectronCount electrons_from_occupations(const OrbitalSet& set) {
  const bool unrestricted = set.unrestricted();
  ElectronCount count;
  for (const Orbital& orbital : set.orbitals) {
    const ElectronCount electrons = electrons_in(orbital, unrestricted, set.open_shells);
    count.alpha += electrons.alpha;
    count.beta += electrons.beta;
  }
  return count;
}

void require_occupations(const OrbitalSet& set) {
  if (set.occupations_known) return;
  throw Error(fmt::format(
      "The file gives no usable occupations of the orbital set \"{}\", so that there is no density of its "
      "electrons. Show single orbitals, or choose another set.",
      set.name));
}

}  // namespace isolume::molecules
