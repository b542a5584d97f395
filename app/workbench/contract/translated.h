#pragma once

#include <QString>
#include <string>
#include <type_traits>

#include "core/parameters/description.h"

namespace isolume::workbench {

/// Translates the texts of a declaration (a command, a parameter) into the language of the window:
/// declarations do not use Qt. app/isolume/declared_texts.cpp passes all of these texts to the translators.
QString translated(const std::string& text);
/// Its label, help, group, choices and special values.
parameters::Description translated(parameters::Description description);

/// Replaces the placeholders %1, %2 ... in a text from tr() by texts and numbers, and returns UTF-8, as in
/// errors and reasons.
template <class... Values>
std::string said(const QString& text, const Values&... values) {
  const auto shown = [](const auto& value) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
      return QString::number(value);
    } else {
      return QString::fromStdString(std::string(value));
    }
  };
  if constexpr (sizeof...(values) == 0)
    return text.toStdString();
  else
    return text.arg(shown(values)...).toStdString();
}

/// A key in words: "turn-left" is "Turn left"; in English.
std::string in_words(std::string key);
/// The same, in the language of the window.
QString capitalised(const std::string& key);

}  // namespace isolume::workbench
