#include "core/molecules/document.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/dispatch/dispatch.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"
#include "core/molecules/verdict.h"

namespace isolume::molecules {
namespace {

constexpr std::array<FormatReader, 5> readers{{
    {"molden", looks_like_molden, read_molden},
    {"fchk", looks_like_fchk, read_fchk},
    {"gamess", looks_like_gamess, read_gamess},
    {"cube", looks_like_cube, read_cube},
    {"xyz", looks_like_xyz, read_xyz},
}};

/// Files that people try and that cannot be read, with the way out.
struct Stranger {
  std::string_view sign;  ///< occurs in the first lines
  std::string_view remedy;
};
constexpr std::array<Stranger, 13> strangers{{
    {"Entering Gaussian System",
     "This is a Gaussian log: convert the checkpoint with formchk and open the .fchk file."},
    {"* O   R   C   A *", "This is an ORCA output: run orca_2mkl NAME -molden and open the Molden file."},
    {"$MKL", "This is a Molekel file: run orca_2mkl NAME -molden and open the Molden file."},
    {"Q-Chem, Inc.",
     "This is a Q-Chem output: ask Q-Chem for a checkpoint (GUI = 2) and open the .fchk file."},
    {"Northwest Computational Chemistry",
     "This is an NWChem output: use the moldenfile keyword and open the Molden file."},
    {"\x89HDF", "This is an HDF5 file: export a Molden or FCHK file."},
    {"\x89PNG", "This is a picture."},
    {"PK\x03\x04", "This is a zip archive: unpack it and open a file in it."},
    {"BZh", "This file is compressed with bzip2: unpack it first."},
    {"\xfd"
     "7zXZ",
     "This file is compressed with xz: unpack it first."},
    {"\xff\xfe", "This text is stored as UTF-16: save it as plain text (UTF-8)."},
    {"\xfe\xff", "This text is stored as UTF-16: save it as plain text (UTF-8)."},
    {"HEADER    ", "Structures in PDB format are not read: convert to XYZ."},
}};

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view text) {
  const std::string_view beginning = text.substr(0, 20000);
  for (const Stranger& stranger : strangers) {
    if (beginning.find(stranger.sign) != std::string_view::npos) {
      throw InputError(path, 0, "this format is not read", stranger.remedy);
    }
  }
  throw InputError(path, 1,
                   fmt::format("expected a Molden, FCHK, GAMESS log, cube or XYZ file, found {}",
                               quoted(trimmed(beginning.substr(0, beginning.find_first_of("\r\n"))))),
                   "Export the calculation in one of these formats.");
}

/// Copies that were broken off often keep their full size, with zeros where nothing was written. Single zero
/// bytes are let through: some programs print them.
void refuse_hole(const std::filesystem::path& path, std::string_view text) {
  static constexpr std::array<char, 512> zeros{};
  const std::size_t at = text.find(std::string_view(zeros.data(), zeros.size()));
  if (at == std::string_view::npos) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  throw InputError(path, static_cast<std::size_t>(line), "expected text, found a hole of zero bytes",
                   "The file was not copied to its end: copy it again.");
}

std::string list_of_counts(const ElectronCount& count) {
  return fmt::format("{:.4g} alpha and {:.4g} beta", count.alpha, count.beta);
}

/// Compares occupations, the integral with S, and what the file says about charge and multiplicity.
void compare_electrons(Document& document, const Wavefunction& wavefunction) {
  const ElectronCount occupied = electrons_from_occupations(wavefunction.sets.front());
  const ElectronCount& found = document.electrons_from_overlap;
  const double total = occupied.alpha + occupied.beta;
  if (std::abs(found.alpha - occupied.alpha) > 0.01 || std::abs(found.beta - occupied.beta) > 0.01) {
    document.warnings.push_back(fmt::format("The occupations count {} electrons, the overlap integrals {}.",
                                            list_of_counts(occupied), list_of_counts(found)));
  }
  double nuclear = 0;
  for (const Atom& atom : wavefunction.molecule.atoms) nuclear += atom.nuclear_charge;
  if (document.molecule.charge && std::abs(nuclear - *document.molecule.charge - total) > 0.01) {
    document.warnings.push_back(fmt::format(
        "The nuclei and the charge {} ask for {:.6g} electrons, but the occupations count {:.6g}.",
        *document.molecule.charge, nuclear - *document.molecule.charge, total));
  }
  if (total == 0) document.warnings.push_back("The file gives no occupations: densities are zero.");
}

/// Numbers that no calculation gives, but a damaged file may: with them every field would overflow.
void check_ranges(const std::filesystem::path& path, const Document& document,
                  const Wavefunction* wavefunction) {
  constexpr std::string_view remedy = "The file is damaged: export it again.";
  const auto check_places = [&](const Molecule& molecule) {
    for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
      const double farthest = molecule.atoms[i].position_bohr.cwiseAbs().maxCoeff();
      if (!(farthest < 1e7))
        throw InputError(path, 0, fmt::format("atom {} lies {:.3g} bohr away", i + 1, farthest), remedy);
    }
  };
  check_places(document.molecule);
  for (const Molecule& frame : document.frames) check_places(frame);
  if (wavefunction == nullptr) return;
  for (const Shell& shell : wavefunction->basis.shells) {
    for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
      if (!(shell.exponents[p] > 1e-12 && shell.exponents[p] < 1e14)) {
        throw InputError(
            path, 0, fmt::format("the exponent {:.3g} is out of range (1e-12 to 1e14)", shell.exponents[p]),
            remedy);
      }
      if (!(std::abs(shell.coefficients[p]) < 1e30)) {
        throw InputError(
            path, 0, fmt::format("the contraction coefficient {:.3g} is out of range", shell.coefficients[p]),
            remedy);
      }
    }
  }
  for (const OrbitalSet& set : wavefunction->sets) {
    const double largest = set.coefficients.size() == 0 ? 0 : set.coefficients.cwiseAbs().maxCoeff();
    if (!(largest < 1e12))
      throw InputError(path, 0, fmt::format("the orbital coefficient {:.3g} is out of range", largest),
                       remedy);
  }
}

/// What a matrix may take that comes from a file of this size: a dense table needs at least two characters a
/// number, sparse ones leave out most, but not nearly all.
std::size_t matrix_limit(std::size_t file_bytes) {
  return (std::size_t{256} << 20) + 64 * file_bytes;
}

/// The check needs S in memory; hostile files can ask for any size of it.
bool checkable(std::size_t functions, std::size_t file_bytes) {
  constexpr std::size_t most = 12000;  // minutes
  const std::size_t bytes = functions * functions * sizeof(double);
  return functions <= most && bytes <= std::min(matrix_limit(file_bytes), dispatch::available_memory_bytes());
}

void prove_wavefunction(FileContents& contents, std::size_t file_bytes, const jobs::Progress& progress) {
  Wavefunction& wavefunction = *contents.wavefunction;
  Document& document = contents.document;
  const std::size_t functions = wavefunction.basis.function_count();
  if (!checkable(functions, file_bytes)) {
    document.verdict.explanation = fmt::format(
        "The orbitals were not checked: {} functions are more than the check of orthonormality takes.",
        functions);
    document.verdict.worst_deviation = std::numeric_limits<double>::quiet_NaN();
    document.verdict.deviation_as_written = document.verdict.worst_deviation;
    document.warnings.push_back(document.verdict.explanation);
    return;
  }
  const AsRead as_read{contents.order, document.program, contents.rounding};
  document.verdict = prove(wavefunction, as_read, document.electrons_from_overlap, progress);
  if (document.verdict.name != "as written") document.warnings.push_back(document.verdict.explanation);
  compare_electrons(document, wavefunction);
}

}  // namespace

void check_matrix_size(std::size_t rows, std::size_t columns, std::size_t file_bytes) {
  const std::size_t limit = matrix_limit(file_bytes);
  if (rows != 0 && columns > limit / sizeof(double) / rows) {
    const std::size_t wanted = columns > std::numeric_limits<std::size_t>::max() / sizeof(double) / rows
                                   ? std::numeric_limits<std::size_t>::max()
                                   : rows * columns * sizeof(double);
    throw ResourceError("The table of orbital coefficients", wanted, limit,
                        "It is out of proportion to the file: export the file again.");
  }
}

void fill_occupations(OrbitalSet& set, double alpha_electrons, double beta_electrons) {
  const bool unrestricted = set.unrestricted();
  double alpha = alpha_electrons, beta = beta_electrons;
  const auto take = [](double& left) {
    const double taken = std::clamp(left, 0.0, 1.0);
    left -= taken;
    return taken;
  };
  for (Orbital& orbital : set.orbitals) {
    if (!unrestricted) {
      orbital.occupation = take(alpha);
      orbital.occupation += take(beta);
    } else {
      orbital.occupation = take(orbital.spin == Spin::alpha ? alpha : beta);
    }
  }
}

Document read_document_text(const std::filesystem::path& path, std::string_view text,
                            const jobs::Progress& progress) {
  const auto reader = std::find_if(readers.begin(), readers.end(),
                                   [text](const FormatReader& one) { return one.looks_like(text); });
  if (reader == readers.end()) refuse(path, text);
  refuse_hole(path, text);
  const jobs::Progress reading = progress.part(0.05, 0.4);
  FileContents contents = reader->read({path, text, reading});
  contents.document.path = path;
  contents.document.format = reader->name;
  check_ranges(path, contents.document, contents.wavefunction.get());
  if (contents.wavefunction) {
    contents.wavefunction->molecule = contents.document.molecule;
    prove_wavefunction(contents, text.size(), progress.part(0.4, 1));
    contents.document.molecule = contents.wavefunction->molecule;
    contents.document.wavefunction = std::move(contents.wavefunction);
  }
  progress.report(1, "read");
  return std::move(contents.document);
}

Document read_document(const std::filesystem::path& path, const jobs::Progress& progress) {
  try {
    progress.report(0, "reading");
    return read_document_text(path, read_text_file(path), progress);
  } catch (const std::bad_alloc&) {
    throw InputError(path, 0, "there is not enough memory for what it holds",
                     "Use a machine with more memory.");
  } catch (const std::length_error&) {
    throw InputError(path, 0, "there is not enough memory for what it holds",
                     "Use a machine with more memory.");
  }
}

}  // namespace isolume::molecules
