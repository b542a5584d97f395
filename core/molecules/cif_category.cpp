#include "core/molecules/cif_category.h"

#include <utility>

namespace isolume::molecules {

bool CifCategory::take(const CifToken& tag, CifTokens& tokens) {
  const std::string name = cif_name(tag.text);
  if (!name.starts_with(prefix_)) return false;
  const auto value = tokens.next();
  if (!value) return true;
  if (value->ends_values()) {
    tokens.push_back(*value);
    return true;
  }
  single_[name.substr(prefix_.size())] = value->text;
  return true;
}

bool CifCategory::take_loop(const std::vector<std::string>& tags, CifTokens& tokens) {
  if (tags.empty() || !tags.front().starts_with(prefix_)) return false;
  for (;;) {
    Row row;
    for (const auto& tag : tags) {
      const auto token = tokens.next();
      if (!token) return true;
      if (token->ends_values()) {
        tokens.push_back(*token);
        return true;
      }
      if (tag.size() > prefix_.size()) row[tag.substr(prefix_.size())] = token->text;
    }
    rows_.push_back(std::move(row));
  }
}

std::vector<CifCategory::Row> CifCategory::rows() const {
  auto rows = rows_;
  if (!single_.empty()) rows.push_back(single_);
  return rows;
}

std::string_view text_of(const CifCategory::Row& row, std::string_view tag) {
  const auto found = row.find(tag);
  return found == row.end() || cif_missing(found->second) ? std::string_view() : found->second;
}

}  // namespace isolume::molecules
