#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/molecules/cif_tokens.h"

namespace isolume::molecules {

/// Gathers the rows of one category of a CIF file, which is a loop or, where it has one row, single values.
class CifCategory {
 public:
  /// Values by tag, without the category.
  using Row = std::map<std::string, std::string, std::less<>>;

  /// What the tags begin with, as `cif_name` gives them: "_struct_conf_".
  explicit CifCategory(std::string_view prefix) : prefix_(prefix) {}

  /// Takes the value behind a tag; false, and nothing is taken, where the tag is of another category.
  bool take(const CifToken& tag, CifTokens& tokens);
  /// Takes the rows of a loop of these tags, as `cif_name` gives them; false, and nothing is taken, of other categories.
  bool take_loop(const std::vector<std::string>& tags, CifTokens& tokens);
  std::vector<Row> rows() const;

 private:
  std::string prefix_;
  std::vector<Row> rows_;
  Row single_;
};

/// Empty where the row lacks it, or has "." or "?".
std::string_view text_of(const CifCategory::Row& row, std::string_view tag);

}  // namespace isolume::molecules
