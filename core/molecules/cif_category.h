#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/molecules/cif_tokens.h"

namespace isolume::molecules {

/// Collects the rows of one category of a CIF file, which is a loop or, if it has one row, single values.
class CifCategory {
 public:
  /// Values by tag, without the category.
  using Row = std::map<std::string, std::string, std::less<>>;

  /// Common prefix of the tags, as returned by `cif_name`: "_struct_conf_".
  explicit CifCategory(std::string_view prefix) : prefix_(prefix) {}

  /// Takes the value after a tag; returns false, taking nothing, if the tag belongs to another category.
  bool take(const CifToken& tag, CifTokens& tokens);
  /// Takes the rows of a loop with these tags, as returned by `cif_name`; returns false, taking nothing, for other
  /// categories.
  bool take_loop(const std::vector<std::string>& tags, CifTokens& tokens);
  std::vector<Row> rows() const;

 private:
  std::string prefix_;
  std::vector<Row> rows_;
  Row single_;
};

/// Empty if the row lacks it, or has "." or "?".
std::string_view text_of(const CifCategory::Row& row, std::string_view tag);

}  // namespace isolume::molecules
