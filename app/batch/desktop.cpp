// What desktops know of the formats that the window opens; packaging/desktop has it.
#include <memory>
#include <ostream>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/batch/context.h"

namespace isolume::batch {

void add_mime_types(CLI::App& program, Context& context) {
  auto list = std::make_shared<bool>(false);
  auto& command = add_verb(program, "mime-types", "Print the formats of files for desktops.");
  command.group("");  // hidden
  add_flag(command, "list", *list, "Print the names of the MIME types alone");
  on_call(command, context, [list, &context] {
    need_full_program(context);  // for the formats of all labs
    std::vector<FileFormats> all;
    for (const BatchLab& lab : context.labs)
      all.insert(all.end(), lab.description.formats.begin(), lab.description.formats.end());
    if (*list) {
      context.out << mime_type_list(all) << '\n';
    } else {
      write_mime_types(context.out, all);
    }
  });
}

}  // namespace isolume::batch
