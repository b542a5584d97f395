#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/progress.h"
#include "core/molecules/angular_order.h"
#include "core/molecules/document.h"
#include "core/molecules/orthonormality.h"

namespace isolume::molecules {

/// A file in memory.
struct Source {
  const std::filesystem::path& path;
  std::string_view text;
  const jobs::Progress& progress;
};

/// Numbers of electrons that the file states, apart from the occupations of its orbitals.
struct StatedElectrons {
  std::optional<double> all, alpha, beta;
};

/// Result of a reader, before the wavefunction is checked.
struct FileContents {
  Document document;
  std::shared_ptr<Wavefunction> wavefunction;  ///< null without orbitals
  const AngularOrder* order = &isolume_order;  ///< assumed order of the functions in the file
  bool nuclei_explained = false;  ///< a remark says why the nuclei require more electrons than there are
  Rounding rounding;              ///< precision of the printed wavefunction
  StatedSpins spins;              ///< spins of the orbitals as stated in the file
  StatedElectrons electrons;
};

/// One format: how to recognise it, and its reader. `read` throws InputError, ResourceError or Cancelled.
struct FormatReader {
  std::string_view name;
  bool (*looks_like)(std::string_view text);
  FileContents (*read)(const Source& source);
};

bool looks_like_aomix(std::string_view text);  ///< a dialect of Molden files with a section or two more
bool looks_like_molden(std::string_view text);
FileContents read_molden(const Source& source);
bool looks_like_fchk(std::string_view text);
FileContents read_fchk(const Source& source);
bool looks_like_gamess(std::string_view text);
FileContents read_gamess(const Source& source);
bool looks_like_wfn(std::string_view text);
FileContents read_wfn(const Source& source);
bool looks_like_wfx(std::string_view text);
FileContents read_wfx(const Source& source);
bool looks_like_mkl(std::string_view text);
FileContents read_mkl(const Source& source);
bool looks_like_cjson(std::string_view text);
FileContents read_cjson(const Source& source);
bool looks_like_molpro(std::string_view text);
FileContents read_molpro(const Source& source);
bool looks_like_nbo(std::string_view text);
FileContents read_nbo(const Source& source);
bool looks_like_punch(std::string_view text);
FileContents read_punch(const Source& source);
bool looks_like_gaussian_log(std::string_view text);
FileContents read_gaussian_log(const Source& source);
bool looks_like_orca_output(std::string_view text);
FileContents read_orca_output(const Source& source);
bool looks_like_qchem_output(std::string_view text);
FileContents read_qchem_output(const Source& source);
bool looks_like_nwchem(std::string_view text);
FileContents read_nwchem(const Source& source);
bool looks_like_psi4(std::string_view text);
FileContents read_psi4(const Source& source);
bool looks_like_orca_json(std::string_view text);
FileContents read_orca_json(const Source& source);
bool looks_like_qcschema(std::string_view text);
FileContents read_qcschema(const Source& source);
bool looks_like_sdf(std::string_view text);
FileContents read_sdf(const Source& source);
bool looks_like_cif(std::string_view text);
FileContents read_cif(const Source& source);
bool looks_like_pdb(std::string_view text);
FileContents read_pdb(const Source& source);
bool looks_like_mwfn(std::string_view text);
FileContents read_mwfn(const Source& source);
bool looks_like_cube(std::string_view text);
FileContents read_cube(const Source& source);
bool looks_like_xyz(std::string_view text);
FileContents read_xyz(const Source& source);

/// Takes the other geometries of an optimisation as frames: those that differ from the molecule and from the previous
/// one. A remark counts those of other atoms, which are left out. Elements of zero are unknown.
void add_frames(Document& document, const std::vector<std::vector<Atom>>& geometries);

/// Processes the content of a file for `read_document`.
Document read_document_text(const std::filesystem::path& path, std::string_view text,
                            const jobs::Progress& progress);

/// Rejects a matrix that is out of proportion to its file. Throws ResourceError.
void check_matrix_size(std::size_t rows, std::size_t columns, std::size_t file_bytes);

/// "natural" if occupations are fractional, otherwise "canonical".
std::string name_by_occupations(const OrbitalSet& set);

/// Occupations from electron counts, filled in the order of the orbitals of each spin.
void fill_occupations(OrbitalSet& set, double alpha_electrons, double beta_electrons);
/// The same for as many electrons as the nuclei require, with a remark.
void assume_neutral(OrbitalSet& set, Document& document);

}  // namespace isolume::molecules
