#include "core/molecules/document.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/dispatch/dispatch.h"
#include "core/molecules/effective_cores.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/orthonormality.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

constexpr std::array<FormatReader, 24> readers{{
    {"sdf", looks_like_sdf, read_sdf},
    {"cif", looks_like_cif, read_cif},
    {"aomix", looks_like_aomix, read_molden},
    {"molden", looks_like_molden, read_molden},
    {"fchk", looks_like_fchk, read_fchk},
    {"wfn", looks_like_wfn, read_wfn},
    {"wfx", looks_like_wfx, read_wfx},
    {"mwfn", looks_like_mwfn, read_mwfn},
    {"mkl", looks_like_mkl, read_mkl},
    {"orca-json", looks_like_orca_json, read_orca_json},
    {"qcschema", looks_like_qcschema, read_qcschema},
    {"cjson", looks_like_cjson, read_cjson},
    {"nbo", looks_like_nbo, read_nbo},
    {"molpro", looks_like_molpro, read_molpro},
    {"gamess", looks_like_gamess, read_gamess},
    {"gaussian-log", looks_like_gaussian_log, read_gaussian_log},
    {"orca-output", looks_like_orca_output, read_orca_output},
    {"qchem-output", looks_like_qchem_output, read_qchem_output},
    {"nwchem-output", looks_like_nwchem, read_nwchem},
    {"psi4-output", looks_like_psi4, read_psi4},
    {"gamess-punch", looks_like_punch, read_punch},
    {"cube", looks_like_cube, read_cube},
    {"xyz", looks_like_xyz, read_xyz},
    {"pdb", looks_like_pdb, read_pdb},
}};

/// Position of a format's signature.
enum class Place { start, line_start, anywhere };

/// Known file types that cannot be read, with advice.
struct Stranger {
  Place place;
  std::string_view sign;
  std::string_view remedy;
};
constexpr std::string_view utf16 = "This text is stored as UTF-16: save it as plain text (UTF-8).";
constexpr std::string_view picture = "This is a picture.";
constexpr std::string_view for_livewire = "This is an image: open it in the Livewire lab.";
constexpr std::array<Stranger, 21> binaries{{
    {Place::start, "\x89HDF",
     "This is an HDF5 file. Snapshots and runs of bodies open in the N-body lab; from a quantum-chemistry "
     "program, export a Molden or FCHK file."},
    {Place::start, "\x89PNG", picture},
    {Place::start, "\xff\xd8\xff", picture},
    {Place::start, "GIF8", picture},
    {Place::start, "II*", picture},
    {Place::start, {"MM\0*", 4}, picture},
    {Place::start, "PK\x03\x04", "This is a zip archive: unpack it and open a file in it."},
    {Place::start, "7z\xbc\xaf", "This is a 7z archive: unpack it and open a file in it."},
    {Place::start, "Rar!", "This is a rar archive: unpack it and open a file in it."},
    {Place::start, "BZh", "This file is compressed with bzip2: unpack it first."},
    {Place::start, "\x28\xb5\x2f\xfd", "This file is compressed with zstd: unpack it first."},
    {Place::start, "\x1f\x9d", "This file is compressed with compress: unpack it first."},
    {Place::start, "\3757zXZ", "This file is compressed with xz: unpack it first."},
    {Place::start, "\xff\xfe", utf16},
    {Place::start, "\xfe\xff", utf16},
    {Place::start, "\177ELF", "This is a program."},
    {Place::start, "MZ", "This is a program."},
    {Place::start, "\x93NUMPY", "This is a NumPy array: export a cube file."},
    {Place::start, "SQLite format 3", "This is a database."},
    {Place::start, "CDF\x01", "This is a NetCDF file: export a Molden, FCHK or XYZ file."},
    {Place::start, "CDF\x02", "This is a NetCDF file: export a Molden, FCHK or XYZ file."},
}};
constexpr std::array<Stranger, 9> texts{{
    {Place::line_start, "@<TRIPOS>", "Structures in MOL2 format are not read: convert to XYZ."},
    {Place::anywhere, "PROGRAM SYSTEM MOLPRO",
     "This is a Molpro output: use put,molden and open the Molden file."},
    {Place::start, "%PDF-", "This is a PDF document."},
    {Place::start, "NRRD00", for_livewire},
    {Place::start, "ObjectType = Image", for_livewire},
    {Place::start, "<?xml", "This is an XML file. Export a Molden or FCHK file of the same calculation."},
    {Place::start, "<!DOCTYPE html", "This is a web page: download the file itself."},
    {Place::start, "<html", "This is a web page: download the file itself."},
    {Place::start, "{", "This is a JSON file. Export a Molden or FCHK file of the same calculation."},
}};

bool stands(const Stranger& stranger, std::string_view head) {
  if (head.starts_with(stranger.sign)) return true;
  if (stranger.place == Place::start) return false;
  if (stranger.place == Place::anywhere) return head.find(stranger.sign) != std::string_view::npos;
  for (const char line_end : {'\n', '\r'}) {
    if (head.find(line_end + std::string(stranger.sign)) != std::string_view::npos) return true;
  }
  return false;
}

[[noreturn]] void refuse_format(const std::filesystem::path& path, std::string_view remedy) {
  throw InputError(path, 0, "this format is not read", remedy);
}

/// Titles may begin with any letters, but contain no control characters.
bool is_binary(std::string_view head) {
  head = head.substr(0, 4096);
  return std::any_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' && !(byte >= '\t' && byte <= '\r');
  });
}

/// Rejects formats with a signature at a position where no readable file has one.
void refuse_signatures(const std::filesystem::path& path, std::string_view head) {
  for (const Stranger& stranger : binaries) {
    if (is_binary(head) && stands(stranger, head)) refuse_format(path, stranger.remedy);
  }
  if (head.size() > 132 && head.substr(128, 4) == "DICM") refuse_format(path, for_livewire);
}

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view head) {
  const bool binary = head.find('\0') != std::string_view::npos;
  for (const Stranger& stranger : texts) {
    if ((!binary || stranger.place == Place::start) && stands(stranger, head))
      refuse_format(path, stranger.remedy);
  }
  if (binary) {
    throw InputError(path, 0, "expected text, found a binary file",
                     "Export the calculation as a Molden, FCHK, cube or XYZ file.");
  }
  throw InputError(
      path, 1,
      fmt::format("expected a file of a quantum-chemistry program, a cube or a structure, found {}",
                  quoted(trimmed(head.substr(0, head.find_first_of("\r\n"))))),
      "Export the calculation as a Molden, FCHK, WFX, cube or XYZ file.");
}

/// A sufficient part of a file to recognise it.
constexpr std::size_t head_bytes = std::size_t{256} << 10;

const FormatReader& reader_for(const std::filesystem::path& path, std::string_view text) {
  const std::string_view head = text.substr(0, head_bytes);
  refuse_signatures(path, head);
  const auto reader = std::find_if(readers.begin(), readers.end(),
                                   [head](const FormatReader& one) { return one.looks_like(head); });
  if (reader == readers.end()) refuse(path, head);
  return *reader;
}

/// Interrupted copies often keep their full size, with zeros where nothing was written. Single zero bytes are
/// accepted: some programs print them.
void refuse_hole(const std::filesystem::path& path, std::string_view text, std::size_t from = 0) {
  static constexpr std::array<char, 512> zeros{};
  const std::size_t at =
      text.find(std::string_view(zeros.data(), zeros.size()), from - std::min(from, zeros.size()));
  if (at == std::string_view::npos) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  throw InputError(path, static_cast<std::size_t>(line), "expected text, found a hole of zero bytes",
                   "The file was not copied completely: copy it again.");
}

/// An orbital of one spin holds one electron at most, one of both spins two. Some writers list the orbitals of a
/// restricted calculation once for each spin, with both electrons each time.
void check_occupations(OrbitalSet& set, Remarks& remarks) {
  constexpr double relaxation = 0.02;  // natural orbitals of relaxed densities go beyond by about 0.01
  const int most = set.unrestricted() ? 1 : 2;
  std::size_t beyond = 0, pairs_of_beta = 0;
  bool pairs = set.unrestricted();
  for (const Orbital& one : set.orbitals) {
    if (one.occupation > most + relaxation || one.occupation < -relaxation) ++beyond;
    if (one.spin == Spin::beta && one.occupation == 2) ++pairs_of_beta;
    pairs = pairs && (one.occupation == 0 || one.occupation == 2);
  }
  if (beyond == 0) return;
  if (!pairs || pairs_of_beta == 0) {
    remarks.warn(fmt::format(
        "{} {} of the set \"{}\" {} more electrons than {} (or fewer than none): the occupations of the "
        "file are wrong, and so are its densities.",
        beyond, beyond == 1 ? "orbital" : "orbitals", set.name, beyond == 1 ? "holds" : "hold", most));
    return;
  }
  for (Orbital& one : set.orbitals) one.occupation /= 2;
  remarks.corrected(fmt::format("{} orbitals of one spin are stated to hold two electrons: they were taken "
                                "to hold one.",
                                beyond),
                    beyond);
}

std::string list_of_counts(const ElectronCount& count) {
  return fmt::format("{:.4g} alpha and {:.4g} beta", count.alpha, count.beta);
}

/// Compares the multiplicity and the numbers of electrons that the file states with the occupations of its orbitals.
void compare_stated(const FileContents& contents, const OrbitalSet& set, Remarks& remarks) {
  const ElectronCount found = electrons_from_occupations(set);
  const bool spins_known = set.open_shells != OpenShells::unknown;
  const auto differs = [](std::optional<double> stated, double value) {
    return stated && std::abs(*stated - value) > 0.01;
  };
  const auto multiplicity = contents.document.molecule.multiplicity;
  if (spins_known && multiplicity && differs(*multiplicity - 1.0, found.alpha - found.beta)) {
    remarks.warn(
        fmt::format("The file states a multiplicity of {}, but its orbitals hold {:.4g} more alpha electrons "
                    "than beta ones.",
                    *multiplicity, found.alpha - found.beta));
  }
  const StatedElectrons& stated = contents.electrons;
  const bool wrong_spins = differs(stated.alpha, found.alpha) || differs(stated.beta, found.beta);
  if (!differs(stated.all, found.alpha + found.beta) && !(spins_known && wrong_spins)) return;
  std::string list;
  for (const auto& [number, name] :
       {std::pair(stated.all, ""), std::pair(stated.alpha, "alpha "), std::pair(stated.beta, "beta ")}) {
    if (number) list += fmt::format("{}{:.6g} {}electrons", list.empty() ? "" : ", ", *number, name);
  }
  remarks.warn(fmt::format("The file states {}, but its orbitals hold {}: they were counted by the orbitals.",
                           list, list_of_counts(found)));
}

/// Compares occupations, the integral with S, and the charge and multiplicity stated in the file.
void compare_electrons(FileContents& contents, const Wavefunction& wavefunction) {
  Document& document = contents.document;
  const ElectronCount occupied = electrons_from_occupations(wavefunction.sets.front());
  const ElectronCount& found = document.electrons_from_overlap;
  const double total = occupied.alpha + occupied.beta;
  if (std::abs(found.alpha - occupied.alpha) > 0.01 || std::abs(found.beta - occupied.beta) > 0.01) {
    document.remarks.warn(fmt::format("The occupations count {} electrons, the overlap integrals {}.",
                                      list_of_counts(occupied), list_of_counts(found)));
  }
  if (total > 0) compare_stated(contents, wavefunction.sets.front(), document.remarks);
  double nuclear = 0;
  for (const Atom& atom : wavefunction.molecule.atoms) nuclear += atom.nuclear_charge;
  if (!contents.nuclei_explained && document.molecule.charge &&
      std::abs(nuclear - *document.molecule.charge - total) > 0.01) {
    document.remarks.warn(fmt::format(
        "The nuclei and the charge {} require {:.6g} electrons, but the occupations count {:.6g}.",
        *document.molecule.charge, nuclear - *document.molecule.charge, total));
  }
  if (!contents.nuclei_explained && !document.molecule.charge && total > 0 &&
      std::abs(nuclear - total) > 0.01) {
    document.remarks.assumed(fmt::format(
        "The file states no charge. Its nuclei have a charge of {:.6g} and its orbitals hold {:.6g} "
        "electrons, "
        "so that the molecule has a charge of {:+.6g}, unless the file leaves out effective cores.",
        nuclear, total, nuclear - total));
  }
}

/// Values that no calculation gives, but a damaged file may: every field would overflow with them.
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

/// Limit of the size of a matrix from a file of this size: a dense table needs at least two characters per number,
/// sparse ones leave out most, but not nearly all.
std::size_t matrix_limit(std::size_t file_bytes) {
  return (std::size_t{256} << 20) + 64 * file_bytes;
}

/// The check needs S in memory; malicious files can request any size.
bool checkable(std::size_t functions, std::size_t file_bytes) {
  const std::size_t bytes = functions * functions * sizeof(double);
  return bytes <= std::min(matrix_limit(file_bytes), dispatch::available_memory_bytes());
}

void settle_spins(Document& document, Wavefunction& wavefunction) {
  for (OrbitalSet& set : wavefunction.sets)
    settle_open_shells(document.molecule.multiplicity, set, document.remarks);
}

/// Where the formats keep normal modes, which are not read. Molden's section is among those that its reader names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> normal_modes{
    {{"fchk", "\nVib-Modes"},
     {"gaussian-log", "\n Frequencies -- "},
     {"orca-output", "\nVIBRATIONAL FREQUENCIES"},
     {"qchem-output", "\n Frequency: "},
     {"nwchem-output", "\n P.Frequency"},
     {"psi4-output", "Freq [cm^-1]"},
     {"gamess", "\n       FREQUENCY: "},
     {"cjson", "\"vibrations\""}}};

void remark_on_normal_modes(std::string_view format, std::string_view text, Remarks& remarks) {
  const auto* known =
      std::ranges::find(normal_modes, format, &std::pair<std::string_view, std::string_view>::first);
  if (known != normal_modes.end() && text.find(known->second) != std::string_view::npos)
    remarks.dropped("The vibrations (normal modes) of the file are not read.");
}

/// An excited state, or orbitals in another order than that of their energies: the LUMO, the next one after the HOMO, is
/// not the lowest empty one then.
void name_empty_below_occupied(const OrbitalSet& set, Remarks& remarks) {
  constexpr double apart_hartree = 1e-3, none = 1e-6;
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const std::vector<int> all = set.of_spin(spin);
    const auto orbital = [&set](int i) -> const Orbital& {
      return set.orbitals[static_cast<std::size_t>(i)];
    };
    std::size_t empty = all.size(), occupied = all.size();
    for (std::size_t n = 0; n < all.size(); ++n) {
      const double energy = orbital(all[n]).energy_hartree;
      if (!std::isfinite(energy)) return;
      std::size_t& found = orbital(all[n]).occupation < none ? empty : occupied;
      const bool further =
          found == all.size() || (&found == &empty ? energy < orbital(all[found]).energy_hartree
                                                   : energy > orbital(all[found]).energy_hartree);
      if (further) found = n;
    }
    if (empty == all.size() || occupied == all.size()) continue;
    const double low = orbital(all[empty]).energy_hartree, high = orbital(all[occupied]).energy_hartree;
    if (low > high - apart_hartree) continue;
    remarks.warn(fmt::format(
        "The empty orbital {} ({:.3f} Eh) lies below the occupied orbital {} ({:.3f} Eh): LUMO and gap "
        "are those of the next empty one after the HOMO.",
        empty + 1, low, occupied + 1, high));
    if (!set.unrestricted()) return;
  }
}

void prove_wavefunction(FileContents& contents, std::size_t file_bytes, const jobs::Progress& progress) {
  Wavefunction& wavefunction = *contents.wavefunction;
  Document& document = contents.document;
  for (OrbitalSet& set : wavefunction.sets) {
    set.occupations_known = std::any_of(set.orbitals.begin(), set.orbitals.end(),
                                        [](const Orbital& one) { return one.occupation != 0; });
  }
  if (!wavefunction.sets.front().occupations_known)
    document.remarks.warn("The file gives no occupations: its orbitals can be shown, but not their density.");
  const std::size_t functions = wavefunction.basis.function_count();
  if (!checkable(functions, file_bytes)) {
    document.orthonormality.explanation = fmt::format(
        "The orbitals were not checked: {} functions are more than the check of orthonormality takes.",
        functions);
    document.orthonormality.worst_deviation = std::numeric_limits<double>::quiet_NaN();
    document.orthonormality.deviation_as_written = document.orthonormality.worst_deviation;
    document.remarks.warn(document.orthonormality.explanation);
    settle_spins(document, wavefunction);
    return;
  }
  const AsRead as_read{contents.order, document.program, contents.rounding, contents.spins};
  Proof proof = prove(wavefunction, as_read, progress);
  document.orthonormality = std::move(proof.check);
  document.remarks.add(proof.remarks);
  settle_spins(document, wavefunction);
  document.electrons_from_overlap = electrons_from_norms(wavefunction.sets.front(), proof.norms);
  const OrthonormalityCheck& found = document.orthonormality;
  if (found.proven() && found.name != "as written") {
    document.remarks.corrected(found.explanation);
  } else if (!found.proven() || found.limited) {
    document.remarks.warn(found.explanation);
  }
  compare_electrons(contents, wavefunction);
  for (const OrbitalSet& set : wavefunction.sets) name_empty_below_occupied(set, document.remarks);
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

void add_frames(Document& document, const std::vector<std::vector<Atom>>& geometries) {
  constexpr double rounding = 1e-5;  // of printed coordinates
  const auto same = [](const std::vector<Atom>& a, const std::vector<Atom>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Atom& x, const Atom& y) {
      return (x.position_bohr - y.position_bohr).cwiseAbs().maxCoeff() < rounding;
    });
  };
  const auto same_elements = [](const std::vector<Atom>& a, const std::vector<Atom>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Atom& x, const Atom& y) {
      return x.atomic_number == y.atomic_number || x.atomic_number == 0 || y.atomic_number == 0;
    });
  };
  std::size_t of_others = 0;
  const std::vector<Atom>* last = nullptr;
  for (const auto& geometry : geometries) {
    const bool known = same(geometry, document.molecule.atoms) || (last != nullptr && same(geometry, *last));
    last = &geometry;
    if (!same_elements(geometry, document.molecule.atoms)) {
      ++of_others;
      continue;
    }
    if (known) continue;
    document.frames.push_back(document.molecule);
    for (std::size_t i = 0; i < geometry.size(); ++i)
      document.frames.back().atoms[i].position_bohr = geometry[i].position_bohr;
  }
  if (of_others > 0) {
    document.remarks.dropped(
        fmt::format(
            "{} of {} geometries in the file have another number of atoms, or other elements, than the "
            "molecule: they were left out.",
            of_others, geometries.size()),
        of_others);
  }
}

std::string name_by_occupations(const OrbitalSet& set) {
  const bool fractional = std::any_of(set.orbitals.begin(), set.orbitals.end(), [](const Orbital& o) {
    return std::abs(o.occupation - std::round(o.occupation)) > 1e-4;
  });
  return fractional ? "natural" : "canonical";
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

void assume_neutral(OrbitalSet& set, Document& document) {
  double charge = 0;
  for (const Atom& atom : document.molecule.atoms) charge += atom.nuclear_charge;
  const double pairs = std::floor(charge / 2);
  fill_occupations(set, charge - pairs, pairs);
  document.remarks.assumed("The file gives no occupations: a neutral molecule was assumed.");
}

std::optional<double> frontier_gap_hartree(const OrbitalSet& set, Spin spin) {
  try {
    bool fractional = false;
    const auto energy = [&](std::string_view name) {
      constexpr double printed = 1e-3;  // digits of occupations in files
      const auto& orbital = set.orbitals[static_cast<std::size_t>(find_orbital(set, name, spin))];
      const double occupation = orbital.occupation;
      fractional = fractional || std::abs(occupation - std::round(occupation)) > printed;
      return orbital.energy_hartree;
    };
    const double gap = energy("lumo") - energy("homo");
    return std::isfinite(gap) && !fractional ? std::optional(gap) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // a file of occupied orbitals only
  }
}

bool may_hold_orbitals(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 5> without{"sdf", "cif", "cube", "xyz", "pdb"};
  struct Answer {
    bool yes;
  };
  const auto look = [&](std::string_view text, double) {
    const std::string_view head = text.substr(0, head_bytes);
    const auto reader =
        std::ranges::find_if(readers, [head](const FormatReader& one) { return one.looks_like(head); });
    throw Answer{reader != readers.end() && std::ranges::find(without, reader->name) == without.end()};
  };
  try {
    look(read_text_file(path, std::size_t{4} << 30, look), 1);
  } catch (const Answer& answer) {
    return answer.yes;
  } catch (const Error&) {
  }
  return false;
}

Document read_document_text(const std::filesystem::path& path, std::string_view text,
                            const jobs::Progress& progress) {
  const FormatReader& reader = reader_for(path, text);
  refuse_hole(path, text);
  const jobs::Progress reading = progress.part(0.05, 0.4);
  FileContents contents = reader.read({path, text, reading});
  contents.document.path = path;
  contents.document.format = reader.name;
  remark_on_normal_modes(reader.name, text, contents.document.remarks);
  check_ranges(path, contents.document, contents.wavefunction.get());
  if (contents.wavefunction) {
    for (OrbitalSet& set : contents.wavefunction->sets) check_occupations(set, contents.document.remarks);
    subtract_effective_cores(contents);
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
    std::size_t seen = 0;
    const auto watch = [&](std::string_view so_far, double fraction) {
      progress.check();
      progress.report(0.05 * fraction, "reading");
      // The rest of the file is only read if the beginning looks promising.
      if (seen == 0) reader_for(path, so_far);
      refuse_hole(path, so_far, seen);
      seen = so_far.size();
    };
    const std::string text = read_text_file(path, std::size_t{4} << 30, watch);
    return read_document_text(path, text, progress);
  } catch (const std::bad_alloc&) {
    throw InputError(path, 0, "there is not enough memory for what it holds",
                     "Use a machine with more memory.");
  } catch (const std::length_error&) {
    throw InputError(path, 0, "there is not enough memory for what it holds",
                     "Use a machine with more memory.");
  }
}

}  // namespace isolume::molecules
