#pragma once

#include <optional>
#include <string_view>

namespace isolume::molecules {

/// Decodes consecutive residue numbers of fields that have become too narrow for them: hexadecimal ones (VMD, OpenMM)
/// and hybrid-36. Whether 2710 is decimal depends on the previous numbers.
class ResidueNumbers {
 public:
  /// Nothing if the word is no number in any of these notations.
  std::optional<long> read(std::string_view word);
  /// Whether the word is a decimal number, or in another notation follows the previous one, but for a small gap.
  bool continues(std::string_view word) const;
  void restart() { *this = {}; }

 private:
  std::optional<long> value_of(std::string_view word);

  long previous_ = 0;
  bool is_hexadecimal_ = false;
};

/// No number at all, or the stars that programs write in its place if it does not fit.
bool is_number_missing(std::string_view word);

}  // namespace isolume::molecules
