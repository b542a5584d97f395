#include "core/structures/charged_file.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
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

}  // namespace

std::span<const ChargeFormatInfo> charge_formats() {
  static const std::vector<ChargeFormatInfo> formats{
      {ChargeFormat::pqr, {".pqr"}},
      {ChargeFormat::structure,
       {".pdb", ".ent", ".cif", ".mmcif", ".pdbx", ".pdb1", ".pdb2", ".pdb3", ".pdb4", ".pdb5", ".pdb6",
        ".pdb7", ".pdb8", ".pdb9"}},
      {ChargeFormat::mol2, {".mol2"}},
      {ChargeFormat::xyz, {".xyz", ".extxyz"}},
      {ChargeFormat::gro, {".gro"}},
  };
  return formats;
}

ChargeFormat charge_format_of(const std::filesystem::path& path) {
  auto name = molecules::lower_case(path.filename().string());
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  for (const auto& [format, endings] : charge_formats()) {
    if (std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); })) return format;
  }
  return ChargeFormat::pqr;
}

std::filesystem::path topology_beside(const std::filesystem::path& gro) {
  auto stem = gro.filename();
  if (stem.extension() == ".gz") stem = stem.stem();
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
