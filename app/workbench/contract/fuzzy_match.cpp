#include "app/workbench/contract/fuzzy_match.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "core/base/letter_case.h"

namespace isolume::workbench {
namespace {

bool starts_word(std::string_view text, std::size_t at) {
  return at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
}

constexpr int impossible = -1'000'000;
constexpr int in_a_row = 8;
constexpr int at_word_start = 6;
constexpr int at_start = 1;

}  // namespace

std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text) {
  // best[j]: best score of the pattern so far with its last letter at text[j].
  std::vector<int> best(text.size(), impossible);
  bool first = true;
  for (const char wanted : pattern) {
    if (wanted == ' ') continue;
    std::vector<int> next(text.size(), impossible);
    int before = impossible;  // the maximum of best[0 .. j-2]
    for (std::size_t j = 0; j < text.size(); ++j) {
      if (j >= 2) before = std::max(before, best[j - 2]);
      if (lower_case(text[j]) != lower_case(wanted)) continue;
      const int adjacent = j >= 1 ? best[j - 1] + in_a_row : impossible;
      const int base = first ? 0 : std::max(before, adjacent);
      if (base > impossible / 2)
        next[j] = base + (starts_word(text, j) ? at_word_start : 0) + (j == 0 ? at_start : 0);
    }
    best = std::move(next);
    first = false;
  }
  const int length_penalty = static_cast<int>(std::min<std::size_t>(text.size(), 60)) / 10;
  if (first) return -length_penalty;
  const auto found = std::max_element(best.begin(), best.end());
  if (found == best.end() || *found < impossible / 2) return std::nullopt;
  return *found - length_penalty;
}

}  // namespace isolume::workbench
