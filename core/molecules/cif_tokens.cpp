#include "core/molecules/cif_tokens.h"

#include <algorithm>
#include <utility>

#include "core/base/letter_case.h"

namespace isolume::molecules {

bool CifToken::ends_values() const {
  if (quoted) return false;
  const std::string word = lower_case(text.substr(0, 7));
  return is_tag() || word.starts_with("loop_") || word.starts_with("data_") || word.starts_with("save_") ||
         word.starts_with("stop_") || word.starts_with("global_");
}

std::optional<CifToken> CifTokens::next() {
  if (pushed_back_) return std::exchange(pushed_back_, std::nullopt);
  for (;;) {
    while (!rest_.empty() && static_cast<unsigned char>(rest_.front()) <= ' ') rest_.remove_prefix(1);
    if (!rest_.empty() && rest_.front() != '#') return take();
    if (!reader_.next()) return std::nullopt;
    rest_ = reader_.line();
    if (rest_.starts_with(';')) return take_lines();
  }
}

CifToken CifTokens::take_lines() {
  const char* const first = rest_.data() + 1;
  const char* last = rest_.data() + rest_.size();
  for (;;) {
    reader_.require("the end of a value over several lines (;)");
    const auto line = reader_.line();
    if (line.starts_with(';')) break;
    last = line.data() + line.size();
  }
  rest_ = reader_.line().substr(1);
  return {trimmed({first, static_cast<std::size_t>(last - first)}), true};
}

CifToken CifTokens::take() {
  const char first = rest_.front();
  const bool quoted = first == '\'' || first == '"';
  std::size_t end = quoted ? 1 : 0;
  const auto blank = [this](std::size_t i) {
    return i >= rest_.size() || static_cast<unsigned char>(rest_[i]) <= ' ';
  };
  while (end < rest_.size() && !(quoted ? rest_[end] == first && blank(end + 1) : blank(end))) ++end;
  const CifToken token{quoted ? rest_.substr(1, end - 1) : rest_.substr(0, end), quoted};
  rest_.remove_prefix(std::min(rest_.size(), end + (quoted ? 1 : 0)));
  return token;
}

std::string cif_name(std::string_view tag) {
  std::string name = lower_case(tag);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

bool cif_missing(std::string_view value) {
  return value.empty() || value == "." || value == "?";
}

}  // namespace isolume::molecules
