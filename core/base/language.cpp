#include "core/base/language.h"

#include <utility>

namespace isolume {
namespace {

Translate& language() {
  static Translate translate;
  return translate;
}

}  // namespace

void set_language(Translate translate) {
  language() = std::move(translate);
}

std::string localised(const char* context, const char* text) {
  return language() ? language()(context, text) : text;
}

std::string filled(std::string_view text, const std::vector<std::string>& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool place = text[i] == '%' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '9';
    const auto which = place ? static_cast<std::size_t>(text[i + 1] - '1') : values.size();
    if (which < values.size()) {
      result += values[which];
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace isolume
