#include "core/molecules/shell_arrays.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace isolume::molecules {
namespace {

/// One shell, or s and p of an SP shell.
void add_shells(const ShellArrays& arrays, std::size_t shell_number, std::size_t first, BasisSet& basis) {
  const auto count = static_cast<std::size_t>(arrays.counts[shell_number]);
  const auto slice = [first, count](const std::vector<double>& all) {
    return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(first),
                               all.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  const long type = arrays.types[shell_number];
  Shell shell;
  shell.atom = static_cast<int>(arrays.atoms[shell_number] - 1);
  shell.exponents = slice(arrays.exponents);
  shell.coefficients = slice(arrays.coefficients);
  shell.angular_momentum = type == -1 ? 0 : static_cast<int>(std::labs(type));
  shell.spherical = type < -1;
  basis.shells.push_back(shell);
  if (type != -1) return;
  shell.angular_momentum = 1;
  shell.coefficients = slice(arrays.p_coefficients);
  basis.shells.push_back(std::move(shell));
}

void check_counts(const ShellArrays& arrays, const LineReader& reader) {
  const std::size_t shells = arrays.types.size();
  const auto check = [&](const std::vector<long>& other, std::size_t line) {
    if (other.size() == shells) return;
    reader.fail_at(
        line, fmt::format("expected one number for each of the {} shells, found {}", shells, other.size()));
  };
  check(arrays.counts, arrays.counts_line);
  check(arrays.atoms, arrays.atoms_line);
  std::size_t primitives = 0;
  for (const long count : arrays.counts) {
    if (count < 1 || count > 10000)
      reader.fail_at(arrays.counts_line, fmt::format("a shell cannot have {} primitives", count));
    primitives += static_cast<std::size_t>(count);
  }
  const bool both = std::find(arrays.types.begin(), arrays.types.end(), -1) != arrays.types.end();
  const auto check_primitives = [&](const std::vector<double>& numbers, std::string_view what) {
    if (numbers.size() == primitives) return;
    reader.fail_at(arrays.exponents_line,
                   fmt::format("expected {} {}, found {}", primitives, what, numbers.size()));
  };
  check_primitives(arrays.exponents, "exponents");
  check_primitives(arrays.coefficients, "contraction coefficients");
  if (both) check_primitives(arrays.p_coefficients, "contraction coefficients of p functions");
}

}  // namespace

BasisSet make_basis(const ShellArrays& arrays, std::size_t atom_count, const LineReader& reader) {
  check_counts(arrays, reader);
  for (const double exponent : arrays.exponents) {
    if (!(exponent > 0))
      reader.fail_at(arrays.exponents_line, fmt::format("the exponent {} is not positive", exponent));
  }
  BasisSet basis;
  std::size_t first = 0;
  for (std::size_t i = 0; i < arrays.types.size(); ++i) {
    if (arrays.types[i] > max_angular_momentum || arrays.types[i] < -max_angular_momentum) {
      reader.fail_at(arrays.types_line,
                     fmt::format("shell type {} has an angular momentum above h, which is not supported",
                                 arrays.types[i]),
                     "Use a basis set with functions up to h.");
    }
    if (arrays.atoms[i] < 1 || arrays.atoms[i] > static_cast<long>(atom_count)) {
      reader.fail_at(arrays.atoms_line, fmt::format("a shell belongs to atom {}, but there are {} atoms",
                                                    arrays.atoms[i], atom_count));
    }
    add_shells(arrays, i, first, basis);
    first += static_cast<std::size_t>(arrays.counts[i]);
  }
  return basis;
}

}  // namespace isolume::molecules
