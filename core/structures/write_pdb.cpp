#include <cmath>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/molecules/element.h"
#include "core/structures/molecule_of.h"
#include "core/structures/pdb.h"

namespace isolume::structures {
namespace {

/// 9999 is followed by A000 to ZZZZ, then a000 to zzzz; with five columns likewise. Grosse-Kunstleve et al., IUCr
/// Computing Commission Newsletter 8 (2007).
std::string hybrid36_of(long number, int columns) {
  long decimals = 1, letters = 26;
  for (int i = 0; i < columns; ++i) decimals *= 10;
  for (int i = 1; i < columns; ++i) letters *= 36;
  if (number < decimals && -10 * number < decimals) return fmt::format("{:>{}}", number, columns);
  const long beyond = number - decimals;
  if (number < 0 || beyond >= 2 * letters)
    throw Error(fmt::format("The number {} does not fit into the PDB format. Write fewer atoms.", number));
  const char first = beyond < letters ? 'A' : 'a';
  long rest = beyond % letters;
  std::string text(static_cast<std::size_t>(columns), '0');
  for (int i = columns; i-- > 0;) {
    const long base = i == 0 ? 26 : 36, digit = rest % base;
    rest /= base;
    text[static_cast<std::size_t>(i)] = static_cast<char>(i == 0       ? first + digit
                                                          : digit < 10 ? '0' + digit
                                                                       : first + digit - 10);
  }
  return text;
}

/// The element's symbol ends in the second of the four columns.
std::string name_columns(const std::string& name, std::string_view symbol) {
  const bool moved = name.size() < 4 && symbol.size() < 2;
  return fmt::format("{:<4}", (moved ? " " : "") + name);
}

void check_columns(const AtomLabel& label, const Eigen::Vector3d& place, std::size_t number) {
  const auto refuse = [&](const std::string& what, const char* remedy) {
    throw Error(
        fmt::format("Atom {}: {} does not fit into the columns of the PDB format. {}", number, what, remedy));
  };
  if (label.atom.size() > 4) refuse("the name " + isolume::quoted(label.atom), "Leave it out.");
  if (label.residue.size() > 3)
    refuse("the residue's name " + isolume::quoted(label.residue), "Leave it out.");
  if (label.chain.size() > 1) refuse("the chain's name " + isolume::quoted(label.chain), "Leave it out.");
  if (!(place.minCoeff() > -999.9994 && place.maxCoeff() < 9999.9994))
    refuse(fmt::format("the place {}, {}, {}", place.x(), place.y(), place.z()),
           "Move all towards the origin.");
}

/// "2+", or nothing where the charge is not a whole number up to 9.
std::string charge_columns(double charge) {
  const double whole = std::round(charge);
  if (whole == 0 || std::abs(whole) > 9 || std::abs(charge - whole) > 1e-6) return "  ";
  return fmt::format("{:.0f}{}", std::abs(whole), whole > 0 ? '+' : '-');
}

}  // namespace

void write_pdb(const Charges& charges, const std::vector<std::string>& remarks,
               const std::filesystem::path& path, const jobs::Progress& progress) {
  const auto molecule = molecule_of(charges, {});
  AtomicFile file(path);
  fmt::memory_buffer lines;
  const auto flush = [&] {
    progress.check();
    file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
    lines.clear();
  };
  for (const auto& remark : remarks) fmt::format_to(std::back_inserter(lines), "REMARK   5 {}\n", remark);
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const AtomLabel label =
        i < charges.labels.size() ? charges.labels[i] : AtomLabel{.atom = "X", .residue = "UNK", .chain = ""};
    check_columns(label, charges.place(i), i + 1);
    const std::string symbol = upper_case(molecules::element(molecule.atoms[i].atomic_number).symbol);
    fmt::format_to(std::back_inserter(lines),
                   "{:<6}{} {} {:>3} {}{}{}   {:8.3f}{:8.3f}{:8.3f}  1.00  0.00          {:>2}{}\n",
                   label.is_hetero ? "HETATM" : "ATOM", hybrid36_of(static_cast<long>(i + 1), 5),
                   name_columns(label.atom, symbol), label.residue, label.chain.empty() ? " " : label.chain,
                   hybrid36_of(label.number, 4), label.insertion, charges.x[i], charges.y[i], charges.z[i],
                   symbol, charge_columns(charges.charge[i]));
    if (lines.size() > std::size_t{1} << 20U) flush();
  }
  fmt::format_to(std::back_inserter(lines), "END\n");
  flush();
  file.commit();
}

}  // namespace isolume::structures
