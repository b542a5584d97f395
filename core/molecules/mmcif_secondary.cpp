// https://mmcif.wwpdb.org/dictionaries/mmcif_pdbx_v50.dic/Categories/struct_conf.html
#include "core/molecules/mmcif_secondary.h"

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace isolume::molecules {
namespace {

constexpr std::string_view of_helix = "_struct_conf_", of_strand = "_struct_sheet_range_";

template <class Row>
std::string_view text_of(const Row& row, std::string_view tag) {
  const auto found = row.find(tag);
  return found == row.end() || cif_missing(found->second) ? std::string_view() : found->second;
}

/// `end`: "beg" or "end".
template <class Row>
std::optional<SecondaryRange::End> mmcif_end(const Row& row, const std::string& end) {
  constexpr long largest = 99999999;
  auto text = text_of(row, end + "_auth_seq_id");
  if (text.empty()) text = text_of(row, end + "_label_seq_id");
  const auto number = parse_integer(text);
  if (!number || std::abs(*number) > largest) return std::nullopt;
  const auto insertion = text_of(row, "pdbx_" + end + "_pdb_ins_code");
  return SecondaryRange::End{static_cast<int>(*number), insertion.empty() ? ' ' : insertion.front()};
}

/// Nothing where it does not say from where to where.
template <class Row>
std::optional<SecondaryRange> mmcif_range(const Row& row, Secondary kind) {
  auto chain = text_of(row, "beg_auth_asym_id");
  if (chain.empty()) chain = text_of(row, "beg_label_asym_id");
  const auto first = mmcif_end(row, "beg"), last = mmcif_end(row, "end");
  if (!first || !last) return std::nullopt;
  return SecondaryRange{kind, std::string(chain), *first, *last};
}

/// What PDB files call the class of a helix.
Secondary kind_of_helix(std::string_view form) {
  if (form == "3") return Secondary::pi_helix;
  return form == "5" ? Secondary::three_ten_helix : Secondary::alpha_helix;
}

}  // namespace

bool MmcifSecondary::take(const CifToken& tag, CifTokens& tokens) {
  const std::string name = cif_name(tag.text);
  const bool helix = name.starts_with(of_helix);
  if (!helix && !name.starts_with(of_strand)) return false;
  const auto value = tokens.next();
  if (!value) return true;
  if (value->ends_values()) {
    tokens.push_back(*value);
    return true;
  }
  (helix ? helix_ : strand_)[name.substr((helix ? of_helix : of_strand).size())] = value->text;
  return true;
}

void MmcifSecondary::take_loop(const std::vector<std::string>& tags, CifTokens& tokens) {
  // "_struct_conf_type" is another category, and has nothing that begins so.
  const bool helix = !tags.empty() && tags.front().starts_with(of_helix);
  if (!helix && (tags.empty() || !tags.front().starts_with(of_strand))) return;
  const auto prefix = (helix ? of_helix : of_strand).size();
  for (;;) {
    Row row;
    for (const auto& tag : tags) {
      const auto token = tokens.next();
      if (!token) return;
      if (token->ends_values()) return tokens.push_back(*token);
      if (tag.size() > prefix) row[tag.substr(prefix)] = token->text;
    }
    (helix ? helices_ : strands_).push_back(std::move(row));
  }
}

std::vector<SecondaryRange> MmcifSecondary::ranges() const {
  std::vector<std::optional<SecondaryRange>> found;
  const auto add_helix = [&](const Row& row) {
    // Turns stand there, too.
    if (text_of(row, "conf_type_id").starts_with("HELX"))
      found.push_back(mmcif_range(row, kind_of_helix(text_of(row, "pdbx_pdb_helix_class"))));
  };
  for (const auto& row : helices_) add_helix(row);
  add_helix(helix_);
  for (const auto& row : strands_) found.push_back(mmcif_range(row, Secondary::strand));
  if (strand_.contains("sheet_id")) found.push_back(mmcif_range(strand_, Secondary::strand));
  std::vector<SecondaryRange> ranges;
  for (const auto& each : found) {
    if (!each) return {};
    ranges.push_back(*each);
  }
  return ranges;
}

}  // namespace isolume::molecules
