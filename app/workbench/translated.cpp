#include "app/workbench/translated.h"

#include <QCoreApplication>
#include <algorithm>
#include <cctype>
#include <utility>

namespace isolume::workbench {

QString translated(const std::string& text) {
  return text.empty() ? QString() : QCoreApplication::translate("declared", text.c_str());
}

parameters::Description translated(parameters::Description description) {
  const auto translate = [](std::string& text) { text = translated(text).toStdString(); };
  translate(description.label);
  translate(description.help);
  translate(description.group);
  for (auto& choice : description.choices) translate(choice.label);
  return description;
}

std::string in_words(std::string key) {
  if (!key.empty()) key[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(key[0])));
  std::ranges::replace(key, '-', ' ');
  return key;
}

QString capitalised(const std::string& key) {
  return translated(in_words(key));
}

}  // namespace isolume::workbench
