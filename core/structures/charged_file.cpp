#include "core/structures/charged_file.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/suffix.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charge_readers.h"
#include "core/structures/decisions.h"
#include "core/structures/mol2.h"
#include "core/structures/pqr.h"
#include "core/structures/structure.h"

namespace isolume::structures {
namespace {

ChargedFile prepared(const std::filesystem::path& path, const ChargedFileOptions& options,
                     const jobs::Progress& progress) {
  auto structure = read_structure(path, options.model, progress.part(0, 0.5), options.assembly);
  ChargedFile file{{}, prepare(structure, options.prepare, progress.part(0.5, 1)), {}, {}};
  file.secondary = std::move(structure.secondary);
  file.charges = std::exchange(file.preparation->charges, {});
  file.charges.remarks = std::move(structure.remarks);
  file.charges.remarks.add(remarks_of(*file.preparation));
  remark_on_overlaps(file.charges);
  return file;
}

ChargedFile gro_with_charges(const std::filesystem::path& path, const ChargedFileOptions& options,
                             const jobs::Progress& progress) {
  const auto topology = options.topology.empty() ? topology_beside(path) : options.topology;
  if (topology.empty())
    throw InputError(path, 0, "a GRO file has no charges, and there is no topology next to it",
                     "Give --topology with the TOP or ITP file that has them.");
  return {read_gro(path, topology, progress), std::nullopt, topology};
}

const std::vector<std::pair<ChargeFormat, FileFormat>>& declared() {
  static const std::vector<std::pair<ChargeFormat, FileFormat>> all{
      {ChargeFormat::pqr,
       {.title = "PQR charges", .suffixes = {".pqr"}, .gzipped = true, .mime_type = "chemical/x-pqr"}},
      {ChargeFormat::structure,
       {.title = "Protein Data Bank structure",
        .suffixes = {".pdb", ".ent", ".pdb1", ".pdb2", ".pdb3", ".pdb4", ".pdb5", ".pdb6", ".pdb7", ".pdb8",
                     ".pdb9"},
        .gzipped = true,
        .mime_type = "chemical/x-pdb"}},
      {ChargeFormat::structure,
       {.title = "Crystallographic information",
        .suffixes = {".cif"},
        .gzipped = true,
        .mime_type = "chemical/x-cif"}},
      {ChargeFormat::structure,
       {.title = "Macromolecular crystallographic information",
        .suffixes = {".mmcif", ".pdbx"},
        .gzipped = true,
        .mime_type = "chemical/x-mmcif"}},
      {ChargeFormat::mol2,
       {.title = "Tripos molecule", .suffixes = {".mol2"}, .gzipped = true, .mime_type = "chemical/x-mol2"}},
      {ChargeFormat::xyz,
       {.title = "XYZ geometry",
        .suffixes = {".xyz", ".extxyz"},
        .gzipped = true,
        .mime_type = "chemical/x-xyz"}},
      {ChargeFormat::gro,
       {.title = "GROMACS structure",
        .suffixes = {".gro"},
        .gzipped = true,
        .mime_type = "chemical/x-gromacs"}}};
  return all;
}

}  // namespace

const FileFormats& charge_formats() {
  static const FileFormats formats = [] {
    FileFormats made{.title = "Charges and structures", .formats = {}};
    for (const auto& [kind, format] : declared()) made.formats.push_back(format);
    return made;
  }();
  return formats;
}

ChargeFormat charge_format_of(const std::filesystem::path& path) {
  for (const auto& [kind, format] : declared()) {
    if (format.matches(path)) return kind;
  }
  return ChargeFormat::pqr;
}

std::filesystem::path topology_beside(const std::filesystem::path& gro) {
  auto stem = gro.filename();
  if (suffix_of(stem) == ".gz") stem = stem.stem();
  stem = stem.stem();
  for (const std::string& name : {stem.string() + ".top", stem.string() + ".itp", std::string("topol.top")}) {
    const auto path = gro.parent_path() / name;
    std::error_code failed;
    if (std::filesystem::is_regular_file(path, failed)) return path;
  }
  return {};
}

ChargedFile read_charged_file(const std::filesystem::path& path, const ChargedFileOptions& options,
                              const jobs::Progress& progress) {
  switch (charge_format_of(path)) {
    case ChargeFormat::structure:
      return prepared(path, options, progress);
    case ChargeFormat::mol2:
      return {read_mol2(path, progress), std::nullopt, {}};
    case ChargeFormat::xyz:
      return {read_xyz_charges(path, progress), std::nullopt, {}};
    case ChargeFormat::gro:
      return gro_with_charges(path, options, progress);
    case ChargeFormat::pqr:
      break;
  }
  return {read_pqr(path, progress), std::nullopt, {}};
}

}  // namespace isolume::structures
