// https://mmcif.wwpdb.org/dictionaries/mmcif_pdbx_v50.dic/Categories/struct_conf.html
#include "core/molecules/mmcif_secondary.h"

#include <cstdlib>
#include <optional>
#include <string_view>

namespace isolume::molecules {
namespace {

using SecondaryRow = CifCategory::Row;

/// `end`: "beg" or "end".
std::optional<SecondaryRange::End> mmcif_end(const SecondaryRow& row, const std::string& end) {
  constexpr long largest = 99999999;
  auto text = text_of(row, end + "_auth_seq_id");
  if (text.empty()) text = text_of(row, end + "_label_seq_id");
  const auto number = parse_integer(text);
  if (!number || std::abs(*number) > largest) return std::nullopt;
  const auto insertion = text_of(row, "pdbx_" + end + "_pdb_ins_code");
  return SecondaryRange::End{static_cast<int>(*number), insertion.empty() ? ' ' : insertion.front()};
}

/// Nothing if its ends are not stated.
std::optional<SecondaryRange> mmcif_range(const SecondaryRow& row, Secondary kind) {
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
  return helices_.take(tag, tokens) || strands_.take(tag, tokens);
}

bool MmcifSecondary::take_loop(const std::vector<std::string>& tags, CifTokens& tokens) {
  return helices_.take_loop(tags, tokens) || strands_.take_loop(tags, tokens);
}

std::vector<SecondaryRange> MmcifSecondary::ranges() const {
  std::vector<std::optional<SecondaryRange>> found;
  for (const auto& row : helices_.rows()) {
    // Turns are listed there, too.
    if (text_of(row, "conf_type_id").starts_with("HELX"))
      found.push_back(mmcif_range(row, kind_of_helix(text_of(row, "pdbx_pdb_helix_class"))));
  }
  for (const auto& row : strands_.rows()) found.push_back(mmcif_range(row, Secondary::strand));
  std::vector<SecondaryRange> ranges;
  for (const auto& each : found) {
    if (!each) return {};
    ranges.push_back(*each);
  }
  return ranges;
}

}  // namespace isolume::molecules
