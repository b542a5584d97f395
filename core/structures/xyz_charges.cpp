// XYZ with charges: https://github.com/libAtoms/extxyz
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/text_file.h"
#include "core/molecules/element.h"
#include "core/molecules/xyz_frames.h"
#include "core/structures/charge_readers.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;

constexpr std::string_view xyz_wanted =
    "Give extended XYZ with a column of charges (Properties=species:S:1:pos:R:3:charge:R:1), or the charge "
    "as the fifth word of each line.";
const molecules::XyzColumn& species_column(const molecules::XyzFrames& frames) {
  return *frames.find({"species", "element", "z"});
}

/// The column of charges; the one after the position if the comment line does not name it. Adds a remark on columns
/// that are not used.
std::size_t column_of_charges(const molecules::XyzFrames& frames, const LineReader& file, Remarks& remarks) {
  if (!frames.has_properties()) return frames.width();
  const auto* charge = frames.find({"charge", "charges", "initial_charges", "partial_charges", "q"});
  if (charge == nullptr) file.fail("Properties= has no column of charges", xyz_wanted);
  std::vector<std::string> unused;
  for (const auto& column : frames.columns()) {
    if (column.first != charge->first && column.first != species_column(frames).first &&
        column.first != frames.find({"pos", "positions"})->first)
      unused.push_back(isolume::quoted(column.name));
  }
  if (!unused.empty()) {
    remarks.dropped(fmt::format("Charges are those of the column \"{}\". Columns that are not used: {}.",
                                charge->name, first_names(unused)),
                    unused.size());
  }
  return charge->first;
}

void remark_on_radii(const std::vector<std::string>& without, Remarks& remarks) {
  if (without.empty()) return;
  remarks.assumed(fmt::format("Atoms of unknown element have no radius: {}.", first_names(without)),
                  without.size());
}

void take_xyz_atom(molecules::XyzFrames& frames, std::size_t column, LineReader& file, Charges& charges,
                   std::vector<std::string>& without_radius) {
  const auto& words = frames.next_atom();
  const std::size_t expected = frames.width() + (frames.has_properties() ? 0 : 1);
  if (!frames.has_properties() && words.size() + 1 == expected)
    file.fail("there is no charge after the coordinates", xyz_wanted);
  if (words.size() != expected)
    file.fail(fmt::format("expected {} words for an atom, found {}", expected, words.size()), xyz_wanted);
  const double charge = file.real(words[column], "the charge");
  if (std::abs(charge) > most_magnitude)
    file.fail(fmt::format("{} e is too large for a charge", charge), xyz_wanted);
  const int element = frames.element();
  const double radius = element > 0 ? molecules::element(element).van_der_waals_radius_angstrom : 0;
  if (radius == 0) {
    without_radius.push_back(fmt::format("{} {}", words[species_column(frames).first], charges.size() + 1));
  }
  add_atom(charges, frames.place(), charge, radius,
           {.atom = std::string(molecules::element(element).symbol),
            .residue = "MOL",
            .chain = {},
            .number = 1,
            .is_hetero = true,
            .atomic_number = element});
}

}  // namespace

std::optional<Charges> next_xyz_frame(LineReader& file) {
  molecules::XyzFrames frames(file);
  if (!frames.next()) return std::nullopt;
  Charges charges;
  const std::size_t column = column_of_charges(frames, file, charges.remarks);
  charges.cell = frames.cell();
  std::vector<std::string> without_radius;
  for (std::size_t i = 0; i < frames.count(); ++i)
    take_xyz_atom(frames, column, file, charges, without_radius);
  remark_on_radii(without_radius, charges.remarks);
  return charges;
}

Charges read_xyz_charges(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  auto charges = next_xyz_frame(file);
  if (!charges) file.fail_at(1, "expected the number of atoms, found none", xyz_wanted);
  remark_on_uncharged_residues(*charges);
  remark_on_overlaps(*charges);
  // Also detects more atoms than announced.
  if (next_xyz_frame(file)) charges->remarks.dropped(std::string(first_frame_only));
  return std::move(*charges);
}

bool xyz_has_charges(const std::filesystem::path& path) {
  std::istringstream file(start_of_file(path, std::size_t{1} << 16));
  std::string count, comment, atom;
  if (!std::getline(file, count) || !std::getline(file, comment) || !std::getline(file, atom)) return false;
  const std::string text = "1\n" + comment + "\n" + atom + "\n";
  try {
    LineReader reader(path, text, {});
    return next_xyz_frame(reader).has_value();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace isolume::structures
