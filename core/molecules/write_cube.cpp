#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/molecules/writers.h"

namespace isolume::molecules {
namespace {

std::string one_line(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return result;
}

void check(std::span<const grid::ScalarField* const> fields, std::span<const int> orbital_numbers) {
  if (fields.empty()) throw Error("There is no field to write.");
  if (!orbital_numbers.empty() && orbital_numbers.size() != fields.size()) {
    throw Error(fmt::format("{} fields, but {} orbital numbers.", fields.size(), orbital_numbers.size()));
  }
  if (fields.front()->grid.unit != grid::LengthUnit::bohr) throw Error("A cube file holds grids in bohr.");
  for (const grid::ScalarField* field : fields) {
    if (!(field->grid == fields.front()->grid)) {
      throw Error("Fields on different grids cannot go into one cube file. Compute them on the same grid.");
    }
    if (field->values.size() != field->grid.point_count())
      throw Error("A field without values cannot be written.");
  }
}

void write_header(fmt::memory_buffer& out, const Molecule& molecule, const grid::Grid& grid,
                  std::span<const int> orbital_numbers, std::size_t field_count, std::string_view comment) {
  const auto to = std::back_inserter(out);
  const auto line = [&](long first, const Eigen::Vector3d& v) {
    fmt::format_to(to, "{:5d} {:15.10f} {:15.10f} {:15.10f}", first, v.x(), v.y(), v.z());
  };
  const auto atoms = static_cast<long>(molecule.atoms.size());
  // Who made the file comes first: the title may name the program that made the wavefunction.
  std::string title = one_line(molecule.title);
  if (!title.starts_with("Isolume")) title = fmt::format("Isolume{}{}", title.empty() ? "" : ": ", title);
  fmt::format_to(to, "{}\n{}\n", title, one_line(comment));
  line(orbital_numbers.empty() ? atoms : -atoms, grid.origin);
  if (orbital_numbers.empty() && field_count > 1) fmt::format_to(to, " {:5d}", field_count);
  for (int axis = 0; axis < 3; ++axis) {
    fmt::format_to(to, "\n");
    line(grid.dimensions[static_cast<std::size_t>(axis)], grid.step.col(axis));
  }
  for (const Atom& atom : molecule.atoms) {
    const Eigen::Vector3d& p = atom.position_bohr;
    fmt::format_to(to, "\n{:5d} {:15.10f} {:15.10f} {:15.10f} {:15.10f}", atom.atomic_number,
                   atom.nuclear_charge, p.x(), p.y(), p.z());
  }
  fmt::format_to(to, "\n");
  if (orbital_numbers.empty()) return;
  fmt::format_to(to, "{:5d}", orbital_numbers.size());
  for (std::size_t i = 0; i < orbital_numbers.size(); ++i) {
    fmt::format_to(to, "{}{:5d}", (i + 1) % 10 == 0 ? "\n" : " ", orbital_numbers[i]);
  }
  fmt::format_to(to, "\n");
}

/// Writes all planes across the first axis, consecutively.
void write_planes(std::ostream& file, std::span<const grid::ScalarField* const> fields,
                  const jobs::Progress& progress) {
  fmt::memory_buffer out;
  const auto& n = fields.front()->grid.dimensions;
  for (int i = 0; i < n[0]; ++i) {
    progress.report(static_cast<double>(i) / n[0], "writing the cube file");
    for (int j = 0; j < n[1]; ++j) {
      progress.check();
      std::size_t column = 0;
      for (int k = 0; k < n[2]; ++k) {
        for (const grid::ScalarField* field : fields) {
          // Nine digits preserve a float exactly; six blank-separated numbers per line are expected by programs that
          // split at blanks. (Gaussian's own five decimals lose half of the digits.)
          fmt::format_to(std::back_inserter(out), "{}{:15.8E}",
                         column % 6 == 0 ? (column == 0 ? "" : "\n") : " ", field->at(i, j, k));
          ++column;
        }
      }
      out.push_back('\n');
    }
    file.write(out.data(), static_cast<std::streamsize>(out.size()));
    out.clear();
  }
}

void start(std::ostream& file, const Molecule& molecule, const grid::Grid& grid,
           std::span<const int> orbital_numbers, std::size_t field_count, std::string_view comment) {
  fmt::memory_buffer out;
  write_header(out, molecule, grid, orbital_numbers, field_count, comment);
  file.write(out.data(), static_cast<std::streamsize>(out.size()));
}

}  // namespace

void write_cube(const Molecule& molecule, std::span<const grid::ScalarField* const> fields,
                std::span<const int> orbital_numbers, std::string_view comment,
                const std::filesystem::path& path, const jobs::Progress& progress) {
  check(fields, orbital_numbers);
  // An orbital cube is marked by a negative number of atoms, so it needs an atom.
  if (molecule.atoms.empty()) orbital_numbers = {};
  AtomicFile file(path);
  start(file.stream(), molecule, fields.front()->grid, orbital_numbers, fields.size(), comment);
  write_planes(file.stream(), fields, progress);
  file.commit();
}

struct CubeWriter::State {
  AtomicFile file;
  std::size_t left;  ///< numbers still to be written

  State(const std::filesystem::path& path, std::size_t count) : file(path), left(count) {}
};

CubeWriter::~CubeWriter() = default;

CubeWriter::CubeWriter(const Molecule& molecule, const grid::Grid& grid, std::string_view comment,
                       const std::filesystem::path& path)
    : state_(std::make_unique<State>(path, grid.point_count())) {
  if (grid.unit != grid::LengthUnit::bohr) throw Error("A cube file holds grids in bohr.");
  start(state_->file.stream(), molecule, grid, {}, 1, comment);
}

void CubeWriter::put(const grid::ScalarField& planes, const jobs::Progress& progress) {
  if (planes.grid.point_count() > state_->left)
    throw Error("There are more numbers than the cube file has points.");
  const std::array<const grid::ScalarField*, 1> fields{&planes};
  write_planes(state_->file.stream(), fields, progress);
  state_->left -= planes.grid.point_count();
  if (!state_->file.stream()) state_->file.commit();  // reports the reason before more is computed
}

void CubeWriter::commit() {
  if (state_->left > 0) throw Error(fmt::format("{} numbers of the cube file are missing.", state_->left));
  state_->file.commit();
}

}  // namespace isolume::molecules
