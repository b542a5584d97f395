// GROMACS's GRO: https://manual.gromacs.org/current/reference-manual/file-formats.html#gro
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/molecules/atom_rows.h"
#include "core/molecules/element.h"
#include "core/structures/charge_readers.h"
#include "core/structures/molecule_of.h"
#include "core/structures/residue_numbering.h"
#include "core/structures/topology.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;

constexpr double angstrom_per_nm = 10;
constexpr std::string_view gro_wanted = "Give a GRO file as GROMACS writes it.";

/// The field width follows from the distance between decimal points: 8 characters with 3 decimals, more with more.
std::size_t gro_width(std::string_view line, const LineReader& file) {
  const std::size_t first = line.find('.', 20), second = line.find('.', first + 1);
  if (second == std::string_view::npos || second - first > 30)
    file.fail("expected three numbers in nm from column 21 on", gro_wanted);
  return second - first;
}

void take_gro_atom(const LineReader& file, ResidueNumbering& numbers, Charges& charges) {
  const auto line = file.line();
  if (line.size() < 20)
    file.fail("expected an atom: residue, atom and their numbers in 20 columns", gro_wanted);
  const std::size_t width = gro_width(line, file);
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  Eigen::Vector3d place;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t from = std::min(20 + axis * width, line.size());
    place[static_cast<Eigen::Index>(axis)] =
        angstrom_per_nm * molecules::coordinate(trimmed(line.substr(from, width)), axes[axis], file);
    if (std::abs(place[static_cast<Eigen::Index>(axis)]) > most_magnitude)
      file.fail(fmt::format("{} is too far away", axes[axis]), gro_wanted);
  }
  AtomLabel label;
  label.atom = trimmed(line.substr(10, 5));
  label.residue = trimmed(line.substr(5, 5));
  const auto number = trimmed(line.substr(0, 5));
  if (!numbers.number(label, number))
    file.fail(fmt::format("expected a whole number (the number of the residue), found {}", quoted(number)),
              gro_wanted);
  add_atom(charges, place, 0, 0, std::move(label));
}

/// Numbers of a line that may touch each other, all with the same number of decimals as the last one.
std::vector<std::string_view> numbers_of_box(std::string_view line) {
  line = trimmed(line);
  const std::size_t decimals = line.size() - std::min(line.size(), line.rfind('.') + 1);
  std::vector<std::string_view> numbers;
  while (!line.empty()) {
    const std::size_t point = line.find('.');
    if (point == line.npos) break;
    const std::size_t end = std::min(line.size(), point + 1 + decimals);
    numbers.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(end);
  }
  return numbers;
}

/// v1x v2y v3z, and for boxes not along the axes also v1y v1z v2x v2z v3x v3y.
std::optional<Eigen::Matrix3d> gro_cell(LineReader& file) {
  auto words = file.words();
  const auto is_box = [](const auto& numbers) { return numbers.size() == 3 || numbers.size() == 9; };
  if (const auto touching = numbers_of_box(file.line()); !is_box(words) && is_box(touching)) words = touching;
  if (!is_box(words))
    file.fail(fmt::format("expected three or nine numbers of the box, found {}", words.size()), gro_wanted);
  constexpr std::array<std::pair<int, int>, 9> at{
      {{0, 0}, {1, 1}, {2, 2}, {1, 0}, {2, 0}, {0, 1}, {2, 1}, {0, 2}, {1, 2}}};
  Eigen::Matrix3d cell = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < words.size(); ++i)
    cell(at[i].first, at[i].second) = angstrom_per_nm * molecules::coordinate(words[i], "the box", file);
  return std::abs(cell.determinant()) > 1e-6 ? std::optional(cell) : std::nullopt;
}

/// Assigns charges from the topology to consecutive atoms.
class GroCharges {
 public:
  GroCharges(Charges& charges, const std::filesystem::path& gro, const std::filesystem::path& topology)
      : charges_(charges), gro_(gro), topology_(topology) {}

  void give(const Topology& topology) {
    for (const auto& [name, count] : topology.molecules) {
      const auto& molecule = *topology.find(name);
      for (std::size_t i = 0; i < count && !molecule.empty(); ++i) take(molecule);
    }
    // An ITP file has one kind of molecule.
    if (topology.molecules.empty()) {
      if (topology.kinds.size() > 1 || topology.kinds.front().second.empty())
        throw InputError(topology_, 0, "it has no [ molecules ] and not one kind of molecule with atoms",
                         "Give the TOP file, which says how many there are.");
      while (next_ < charges_.size()) take(topology.kinds.front().second);
    }
    if (next_ < charges_.size())
      throw InputError(gro_, 0,
                       fmt::format("it has {} atoms, but {} describes {}", charges_.size(),
                                   topology_.filename().string(), next_),
                       "Give the topology of this file.");
  }

 private:
  void take(const TopologyMolecule& molecule) {
    for (const auto& atom : molecule) {
      if (next_ == charges_.size())
        throw InputError(
            gro_, 0, fmt::format("{} describes more than its {} atoms", topology_.filename().string(), next_),
            "Give the topology of this file.");
      auto& label = charges_.labels[next_];
      if (label.atom != atom.name.substr(0, 5))
        throw InputError(gro_, next_ + 3,
                         fmt::format("atom {} of {} is {} of {} in {}", isolume::quoted(label.atom),
                                     isolume::quoted(label.residue), isolume::quoted(atom.name),
                                     isolume::quoted(atom.residue), topology_.filename().string()),
                         "Give the topology of this file, with molecules in the same order.");
      charges_.charge[next_] = atom.charge;
      label.atomic_number = atom.is_massless ? 0 : element_of(label);
      if (label.atomic_number > 0)
        charges_.radius[next_] = molecules::element(label.atomic_number).van_der_waals_radius_angstrom;
      ++next_;
    }
  }

  Charges& charges_;
  const std::filesystem::path &gro_, &topology_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<Charges> next_gro_frame(LineReader& file) {
  if (!file.next()) return std::nullopt;
  // The first line is a title, whatever it contains.
  if (trimmed(file.line()).empty() && file.remaining() == 0) return std::nullopt;
  file.require("the number of atoms");
  if (file.words().size() != 1)
    file.fail("expected the number of atoms alone in the second line", gro_wanted);
  constexpr std::size_t least_line = 36;
  const std::size_t count = file.count(file.words().front(), "number of atoms", least_line);
  if (count == 0) file.fail("the number of atoms is zero", gro_wanted);
  Charges charges;
  ResidueNumbering numbers;
  for (std::size_t i = 0; i < count; ++i) {
    file.require(fmt::format("atom {} of {}", i + 1, count));
    take_gro_atom(file, numbers, charges);
  }
  numbers.remark(charges.remarks);
  file.require("the box");
  charges.cell = gro_cell(file);
  return charges;
}

Charges read_gro(const std::filesystem::path& path, const std::filesystem::path& topology,
                 const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  auto charges = next_gro_frame(file);
  if (!charges) file.fail_at(0, "there are no atoms in it", gro_wanted);
  while (file.next()) {
    if (!trimmed(file.line()).empty()) charges->remarks.dropped(std::string(first_frame_only));
  }
  auto read = read_topology(topology, progress);
  GroCharges(*charges, path, topology).give(read);
  charges->files = std::move(read.files);
  charges->remarks.add(read.remarks);
  remark_on_uncharged_residues(*charges);
  remark_on_overlaps(*charges);
  return std::move(*charges);
}

}  // namespace isolume::structures
