#include "core/molecules/residue_numbers.h"

#include <cctype>
#include <charconv>

#include "core/molecules/line_reader.h"

namespace isolume::molecules {
namespace {

/// Fields of PDB files have four digits, those of GRO files five.
bool fills_a_field(std::string_view word) {
  return word.size() == 4 || word.size() == 5;
}

long power(long base, std::size_t exponent) {
  long value = 1;
  for (; exponent > 0; --exponent) value *= base;
  return value;
}

/// VMD's: 9999 is followed by 2710 (10000) to ffff.
std::optional<long> hexadecimal(std::string_view word) {
  long value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  if (!fills_a_field(word) || word.front() == '-' || failed != std::errc() ||
      end != word.data() + word.size())
    return std::nullopt;
  return value;
}

/// Hybrid-36: 9999 is followed by A000 to ZZZZ, then a000 to zzzz. Grosse-Kunstleve et al., IUCr Computing Commission
/// Newsletter 8 (2007). OpenMM's A000 to FFFF begin in the same way.
std::optional<long> hybrid36(std::string_view word) {
  if (!fills_a_field(word) || std::isalpha(static_cast<unsigned char>(word.front())) == 0)
    return std::nullopt;
  const bool lower = std::islower(static_cast<unsigned char>(word.front())) != 0;
  long value = 0;
  for (const char c : word) {
    const bool is_digit = c >= '0' && c <= '9';
    const bool of_case = lower ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
    if (!is_digit && !of_case) return std::nullopt;
    value = 36 * value + (is_digit ? c - '0' : c - (lower ? 'a' : 'A') + 10);
  }
  const long letters = power(36, word.size() - 1);
  return value - 10 * letters + power(10, word.size()) + (lower ? 26 * letters : 0);
}

/// Whether a hexadecimal number is the first one that does not fit as a decimal one.
bool is_first_overflow(std::string_view word, long value) {
  return value == power(10, word.size());
}

}  // namespace

std::optional<long> ResidueNumbers::read(std::string_view word) {
  const auto found = value_of(word);
  if (found) previous_ = *found;
  return found;
}

std::optional<long> ResidueNumbers::value_of(std::string_view word) {
  const auto decimal = parse_integer(word);
  const auto hex = hexadecimal(word);
  if (hex && is_first_overflow(word, *hex) && previous_ == *hex - 1) is_hexadecimal_ = true;
  // Hexadecimal ends where numbers do not continue accordingly, as in the next chain.
  if (is_hexadecimal_ && hex && (!decimal || *hex == previous_ || *hex == previous_ + 1)) return hex;
  is_hexadecimal_ = false;
  if (decimal) return decimal;
  if (const auto found = hybrid36(word)) return found;
  is_hexadecimal_ = hex.has_value();
  return hex;
}

bool ResidueNumbers::continues(std::string_view word) const {
  const auto next = ResidueNumbers(*this).read(word);
  constexpr long largest_gap = 100;
  return next && (parse_integer(word) || (*next >= previous_ && *next <= previous_ + largest_gap));
}

bool is_number_missing(std::string_view word) {
  return word.find_first_not_of('*') == word.npos;
}

}  // namespace isolume::molecules
