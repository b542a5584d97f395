#include "app/workbench/contract/command_registry.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace isolume::workbench {

void CommandRegistry::declare(std::vector<commands::Declaration> declarations) {
  if (collecting_ != nullptr) {
    std::erase_if(declarations, [this](const commands::Declaration& each) {
      const auto known = labs_.find(each.name);
      return known != labs_.end() && known->second == collecting_lab_;
    });
    for (const auto& each : declarations) labs_.emplace(each.name, collecting_lab_);
  }
  Registry::declare(std::move(declarations));
}

void CommandRegistry::bind(std::string_view name, commands::Action run,
                           std::function<std::string()> unavailable, WindowPart part) {
  if (collecting_ != nullptr) {
    const auto [bound, fresh] =
        collecting_->emplace(name, Binding{std::move(run), std::move(unavailable), std::move(part)});
    if (!fresh) throw std::logic_error(fmt::format("The command {} is already bound.", name));
    const Command* command = find(name);
    if (command == nullptr || !command->run) forward(bound->first, bound->second.part);
    return;
  }
  Registry::bind(name, std::move(run), std::move(unavailable));
  parts_.insert_or_assign(std::string(name), std::move(part));
}

/// Forwards to the document in use at the time of the call.
void CommandRegistry::forward(const std::string& name, const WindowPart& part) {
  WindowPart forwarded{
      .shortcut = part.shortcut, .key_in_view = part.key_in_view, .unticked_by = part.unticked_by};
  if (part.takes_key) forwarded.takes_key = [this, name] { return used(name).part.takes_key(); };
  if (part.checked) forwarded.checked = [this, name] { return used(name).part.checked(); };
  if (part.offers) forwarded.offers = [this, name] { return used(name).part.offers(); };
  Registry::bind(
      name, [this, name](const Arguments& arguments) { return used(name).run(arguments); },
      [this, name] {
        const auto& unavailable = used(name).unavailable;
        return unavailable ? unavailable() : std::string();
      });
  parts_.insert_or_assign(name, std::move(forwarded));
}

void CommandRegistry::collect(const std::string& lab, Bindings& bindings, const std::function<void()>& make) {
  collecting_lab_ = lab;
  collecting_ = &bindings;
  try {
    make();
  } catch (...) {
    collecting_ = nullptr;
    throw;
  }
  collecting_ = nullptr;
}

void CommandRegistry::use(const Bindings& bindings) {
  for (const auto& [name, binding] : bindings) used_[name] = &binding;
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
