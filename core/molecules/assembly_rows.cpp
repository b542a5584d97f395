#include "core/molecules/assembly_rows.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/counted.h"
#include "core/base/suffix.h"

namespace isolume::molecules {
namespace {

constexpr double same_place = 0.5;  // angstrom
constexpr std::size_t most_rows = 50'000'000;

std::string copy_name(const std::string& chain, std::size_t copy) {
  return copy == 1 ? chain : fmt::format("{}-{}", chain, copy);
}

/// Assigns the helices and strands of a chain to its copies.
void copy_secondary(AtomRows& rows, const std::map<std::string, std::size_t>& copies) {
  std::vector<SecondaryRange> all;
  for (const auto& range : rows.secondary) {
    const auto found = copies.find(range.chain);
    for (std::size_t copy = 1; found != copies.end() && copy <= found->second; ++copy) {
      all.push_back(range);
      all.back().chain = copy_name(range.chain, copy);
    }
  }
  rows.secondary = std::move(all);
}

const Assembly& assembly_of(const AtomRows& rows, int number, const LineReader& file) {
  const auto& all = rows.assemblies.all;
  const auto found = std::ranges::find(all, std::to_string(number), &Assembly::name);
  if (found != all.end()) return *found;
  if (all.empty())
    file.fail_at(0, "it does not define biological assemblies (REMARK 350, pdbx_struct_assembly_gen)",
                 "Set Assembly to 0, as in the file.");
  std::vector<std::string> names;
  for (const auto& each : all) names.push_back(each.name);
  file.fail_at(0, fmt::format("there is no biological assembly {} in it", number),
               fmt::format("It defines {}: choose one of them as Assembly.", fmt::join(names, ", ")));
}

std::set<std::string> chains_of(const AtomRows& rows) {
  std::set<std::string> chains;
  for (const auto& row : rows.atoms) chains.insert(rows.assemblies.by_part ? row.part : row.chain);
  return chains;
}

bool is_deposited(const AtomRows& rows, const Assembly& assembly) {
  std::set<std::string> unmoved;
  for (const auto& part : assembly.parts) {
    const bool is_still =
        part.operators.size() == 1 && part.operators.front().isApprox(Eigen::Affine3d::Identity(), 1e-5);
    if (!is_still) return false;
    unmoved.insert(part.chains.begin(), part.chains.end());
  }
  return std::ranges::includes(unmoved, chains_of(rows));
}

std::string described(const Assembly& assembly) {
  std::size_t chains = 0;
  for (const auto& part : assembly.parts) chains += part.chains.size() * part.operators.size();
  return fmt::format("{} ({})", assembly.name, counted(chains, "chain"));
}

/// Whether models are superimposed on each other.
bool lie_in_each_other(const AtomRows& rows) {
  std::vector<std::vector<const AtomRow*>> models(rows.models.size());
  for (const auto& row : rows.atoms) models[row.model].push_back(&row);
  std::size_t near = 0, compared = 0;
  constexpr double close = 5;  // angstrom: NMR models differ by less, except for flexible termini
  for (std::size_t model = 1; model < models.size(); ++model) {
    const std::size_t count = std::min(models[0].size(), models[model].size());
    for (std::size_t i = 0; i < count; ++i)
      near += (models[0][i]->place - models[model][i]->place).norm() < close ? 1 : 0;
    compared += count;
  }
  return 2 * near > compared;
}

}  // namespace

void build_assembly(AtomRows& rows, int number, const LineReader& file) {
  const auto& assembly = assembly_of(rows, number, file);
  std::map<std::string, std::vector<const AtomRow*>> by_chain;
  for (const auto& row : rows.atoms) by_chain[rows.assemblies.by_part ? row.part : row.chain].push_back(&row);
  std::vector<AtomRow> made;
  std::map<std::string, std::size_t> copies;           // keyed by the name in the assembly
  std::map<std::string, std::size_t> copies_of_chain;  // keyed by the authors' chain name
  std::map<const AtomRow*, std::vector<Eigen::Vector3d>> places;
  std::set<std::string> used, missing;
  std::size_t coinciding = 0;
  for (const auto& part : assembly.parts) {
    for (const auto& motion : part.operators) {
      for (const auto& chain : part.chains) {
        const auto found = by_chain.find(chain);
        if (found == by_chain.end()) {
          missing.insert(chain);
          continue;
        }
        used.insert(chain);
        const std::size_t copy = ++copies[chain];
        if (made.size() + found->second.size() > most_rows)
          file.fail_at(0, fmt::format("biological assembly {} has more than {} atoms", number, most_rows),
                       "Set Assembly to 0, as in the file.");
        for (const auto* row : found->second) {
          const Eigen::Vector3d place = motion * row->place;
          auto& taken = places[row];
          const bool is_there = std::ranges::any_of(
              taken, [&](const auto& other) { return (other - place).norm() < same_place; });
          if (is_there) {
            ++coinciding;
            continue;
          }
          taken.push_back(place);
          made.push_back(*row);
          made.back().place = place;
          made.back().chain = copy_name(row->chain, copy);
          copies_of_chain[row->chain] = std::max(copies_of_chain[row->chain], copy);
        }
      }
    }
  }
  if (made.empty())
    file.fail_at(0, fmt::format("biological assembly {} names no chain that has atoms", number),
                 "Set Assembly to 0, as in the file.");
  std::size_t left_out = 0;
  for (const auto& [chain, atoms] : by_chain) left_out += used.contains(chain) ? 0 : atoms.size();
  auto& remarks = rows.remarks;
  if (left_out > 0)
    remarks.dropped(
        fmt::format("Biological assembly {} does not include all chains of the file: {} left out.", number,
                    counted(left_out, "atom")),
        left_out);
  if (coinciding > 0)
    remarks.dropped(
        fmt::format("Copies of atoms that lie on an axis of the assembly coincide with them and were left "
                    "out: {}.",
                    counted(coinciding, "atom")),
        coinciding);
  if (!missing.empty())
    remarks.warn(fmt::format("Biological assembly {} names chains without atoms: {}.", number,
                             first_names(std::vector<std::string>(missing.begin(), missing.end()))));
  rows.atoms = std::move(made);
  copy_secondary(rows, copies_of_chain);
  // The cell applies to the deposited atoms only.
  rows.cell.reset();
}

void remark_on_assemblies(AtomRows& rows) {
  const auto& all = rows.assemblies.all;
  if (all.empty() || std::ranges::all_of(all, [&](const auto& each) { return is_deposited(rows, each); }))
    return;
  std::vector<std::string> names;
  for (const auto& each : all) names.push_back(described(each));
  rows.remarks.assumed(fmt::format(
      "The atoms are those deposited. The file also defines biological assemblies, which differ from "
      "them. Choose one as Assembly: {}.",
      first_names(names)));
}

bool join_copies(AtomRows& rows) {
  if (rows.models.size() < 2 || lie_in_each_other(rows)) return false;
  std::map<std::string, std::size_t> copies;
  for (auto& row : rows.atoms) {
    auto& most = copies[row.chain];
    most = std::max(most, row.model + 1);
    row.chain = copy_name(row.chain, row.model + 1);
    row.model = 0;
  }
  rows.remarks.converted(
      fmt::format("The file holds an assembly whose copies are written as models: the {} are shown together, "
                  "with chains called A, A-2 ...",
                  counted(rows.models.size(), "model")),
      rows.models.size());
  rows.models.resize(1);
  copy_secondary(rows, copies);
  return true;
}

bool is_assembly_file(const std::filesystem::path& path) {
  std::string word = suffix_of(path);
  if (word == ".gz") word = suffix_of(path.stem());
  return word.size() > 4 && word.starts_with(".pdb") &&
         std::ranges::all_of(word.substr(4), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace isolume::molecules
