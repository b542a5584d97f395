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

}  // namespace isolume
