// Prints the texts of commands and parameters, which are declared without Qt, as C++ for Qt's lupdate.
#include <cstdio>
#include <initializer_list>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "app/isolume/labs.h"
#include "app/workbench/commands/declared_commands.h"
#include "app/workbench/contract/translated.h"

namespace {

using isolume::commands::Declaration;
using isolume::parameters::Description;

class Texts {
 public:
  void print(const std::string& text, const std::string& what) {
    if (text.empty() || !printed_.insert(text).second) return;
    std::printf("  //: %s\n  QT_TRANSLATE_NOOP(\"declared\", %s),\n", what.c_str(),
                nlohmann::json(text).dump().c_str());
  }
  void print(const Declaration& command) {
    print(command.title, "title of the command " + command.name);
    print(command.help, "help of the command " + command.name);
    print(command.keywords, "further words by which people look for the command " + command.name);
    for (const auto& argument : command.arguments) {
      for (const auto& choice : argument.description.choices)
        print(isolume::workbench::in_words(choice.key), "a choice of the command " + command.name);
    }
    if (!command.menu.empty())
      print(isolume::workbench::in_words(command.menu), "a menu of commands such as " + command.name);
    const auto first = command.name.find('.'), last = command.name.rfind('.');
    if (first != last)
      print(isolume::workbench::in_words(command.name.substr(first + 1, last - first - 1)),
            "a menu of commands such as " + command.name);
  }
  void print(const Description& parameter) {
    print(parameter.label, "label of the parameter " + parameter.key);
    print(parameter.help, "help of the parameter " + parameter.key);
    print(parameter.group, "heading of parameters such as " + parameter.key);
    for (const auto& choice : parameter.choices)
      print(choice.label, "a choice of the parameter " + parameter.key);
    for (const auto& special : parameter.special_values)
      print(special.label, "a special value of the parameter " + parameter.key);
  }

 private:
  std::set<std::string> printed_;
};

}  // namespace

int main() {
  Texts texts;
  std::puts("static const char* const declared[] = {");
  for (const auto& command : isolume::workbench::declared_commands()) texts.print(command);
  for (const auto& lab : isolume::workbench::labs()) {
    const isolume::LabDescription& description = lab.description;
    texts.print(description.title, "name of a lab");
    texts.print(description.summary, "of the lab " + description.title);
    for (const auto& command : description.commands) texts.print(command);
    for (const auto& formats : description.formats)
      texts.print(formats.title, "files, in the dialog that opens them");
    for (const auto& sample : description.samples) {
      texts.print(sample.title, "a sample of the lab " + description.title);
      texts.print(sample.description, "of the sample " + sample.title);
    }
    if (description.parameters) {
      for (const auto& parameter : description.parameters()) texts.print(parameter);
    }
    if (lab.described) {
      for (const auto& each : lab.described()) texts.print(each);
    }
  }
  std::puts("};");
}
