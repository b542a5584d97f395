#include "app/workbench/command_registry.h"

#include <utility>

namespace isolume::workbench {

void CommandRegistry::bind(std::string_view name, commands::Action run,
                           std::function<std::string()> unavailable, WindowPart part) {
  Registry::bind(name, std::move(run), std::move(unavailable));
  parts_.insert_or_assign(std::string(name), std::move(part));
}

void CommandRegistry::set_out_of_reach(std::string_view name, std::function<std::string()> why) {
  parts_[std::string(name)].out_of_reach = std::move(why);
}

const WindowPart& CommandRegistry::part(std::string_view name) const {
  static const WindowPart none;
  const auto found = parts_.find(name);
  return found == parts_.end() ? none : found->second;
}

std::string CommandRegistry::why_unavailable(const Command& command) const {
  const auto& out_of_reach = part(command.name).out_of_reach;
  std::string why = out_of_reach ? out_of_reach() : std::string();
  return why.empty() ? command.why_unavailable() : why;
}

}  // namespace isolume::workbench
