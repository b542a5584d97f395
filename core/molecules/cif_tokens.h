#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/molecules/line_reader.h"

namespace isolume::molecules {

struct CifToken {
  std::string_view text;
  bool quoted = false;

  bool is_tag() const { return !quoted && text.starts_with('_'); }
  /// A tag, or one of the words that begin something else: loop_, data_.
  bool ends_values() const;
};

/// The words of a CIF file (International Tables for Crystallography, volume G). Values over several lines keep their line
/// ends.
class CifTokens {
 public:
  explicit CifTokens(LineReader& reader) : reader_(reader) {}

  /// Nothing at the end of the file. Throws InputError for an unterminated multi-line value.
  std::optional<CifToken> next();
  void push_back(const CifToken& token) { pushed_back_ = token; }

 private:
  CifToken take();
  CifToken take_lines();

  LineReader& reader_;
  std::string_view rest_;
  std::optional<CifToken> pushed_back_;
};

/// A tag in lower case. Dictionaries differ in the character after the category: "_atom_site.x" and "_atom_site_x"
/// both give the latter.
std::string cif_name(std::string_view tag);

/// "." and "?".
bool cif_missing(std::string_view value);

}  // namespace isolume::molecules
