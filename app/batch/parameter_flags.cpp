#include "app/batch/parameter_flags.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/batch/context.h"
#include "core/base/error.h"
#include "core/base/shown_number.h"
#include "core/base/version.h"
#include "core/parameters/relevance.h"

namespace isolume::batch {

using parameters::Description;
using parameters::Kind;

std::string allowed_values(const Description& description) {
  std::string text;
  switch (description.kind) {
    case Kind::flag:
      return "on or off";
    case Kind::text:
      return description.colour ? "#rrggbb" : "text";
    case Kind::choice:
      for (const auto& choice : description.choices) text += (text.empty() ? "" : ", ") + choice.key;
      return text;
    case Kind::integer:
    case Kind::real:
      break;
  }
  const auto shown = [&](double end) {
    return description.kind == Kind::integer ? fmt::format("{:.0f}", end) : shown_setting(end);
  };
  const auto is_end = [&](double end) {
    return std::isfinite(end) &&
           !(description.kind == Kind::integer && std::abs(end) == commands::most_whole);
  };
  const bool low = is_end(description.low), high = is_end(description.high);
  if (low && high) {
    text = shown(description.low) + " to " + shown(description.high);
  } else if (low) {
    text = "at least " + shown(description.low);
  } else if (high) {
    text = "at most " + shown(description.high);
  } else {
    text = description.kind == Kind::integer ? "integer" : "number";
  }
  if (!description.unit.empty()) text += " " + description.unit;
  for (const auto& each : description.special_values)
    text += fmt::format("; {}: {}", shown_setting(each.value), each.label);
  return text;
}

void add_parameter_flags(CLI::App& command, parameters::ParameterSet& set, Context& context) {
  context.parameter_sets[&command].push_back(&set);
  for (const Description& each : set.descriptions()) {
    std::string help = each.help.empty() ? each.label : each.help;
    if (const std::string when = parameters::relevance_text(each); !when.empty()) help += " " + when;
    CLI::Option* option = nullptr;
    if (each.kind == Kind::flag) {
      option = command.add_flag_function(
          fmt::format("--{0},!--no-{0}", each.key),
          [&set, key = each.key](std::int64_t count) { set.set(key, count > 0); }, help);
      option->default_str(std::get<bool>(each.default_value) ? "on" : "off");
    } else {
      option = command.add_option_function<std::string>(
          "--" + each.key, [&set, key = each.key](const std::string& text) { set.set_text(key, text); },
          help);
      option->type_name(fmt::format("[{}]", allowed_values(each)));
      option->default_str(parameters::to_text(each.default_value));
    }
    commands::Argument argument;
    argument.description = each;
    describe(context, option, std::move(argument).optional(each.default_value));
    option->group(each.group.empty() ? "Parameters" : each.group);
  }
}

bool given(const CLI::App& command, const std::string& key) {
  const CLI::Option* option = command.get_option_no_throw("--" + key);
  return option != nullptr && option->count() > 0;
}

void refuse_ignored(const CLI::App& command, const parameters::ParameterSet& set) {
  for (const Description& each : set.descriptions()) {
    if (!given(command, each.key)) continue;
    const auto unmet = parameters::unmet_condition(each, set);
    // An engine refuses itself what it cannot follow: "--devices 0" suits all of them (require_no_more_than_cpu).
    if (!unmet || unmet->key == "engine") continue;
    throw UsageError(fmt::format("--{} applies to {} only. Leave it out, or give --{} accordingly.", each.key,
                                 parameters::flags_of(*unmet), unmet->key));
  }
}

void refuse_ignored(const CLI::App& command, const Context& context) {
  const auto sets = context.parameter_sets.find(&command);
  if (sets != context.parameter_sets.end())
    refuse_ignored(command, parameters::CombinedParameters(sets->second));
}

std::vector<std::string> given_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && !option->get_lnames().empty()) names.push_back(option->get_lnames().front());
  }
  return names;
}

namespace {

/// FNV-1a hash by Fowler, Noll and Vo, 64 bits.
std::uint64_t hashed(std::string_view bytes, std::uint64_t hash) {
  for (const char each : bytes) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return (hash ^ bytes.size()) * 0x100000001b3;
}

}  // namespace

std::uint64_t computation_of(const CLI::App& command, const std::vector<std::string>& but,
                             const std::vector<std::string>& files) {
  std::uint64_t hash = hashed(version, 0xcbf29ce484222325);
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (std::ranges::find(but, name) != but.end()) continue;
    hash = hashed(name, hash);
    for (const std::string& each : option->results()) hash = hashed(each, hash);
  }
  std::vector<char> block(std::size_t{1} << 16);
  for (const std::string& file : files) {
    std::ifstream bytes(file, std::ios::binary);
    if (!bytes) throw InputError(file, 0, "cannot be read", "Choose a file that can be read.");
    while (bytes.read(block.data(), static_cast<std::streamsize>(block.size())) || bytes.gcount() > 0)
      hash = hashed({block.data(), static_cast<std::size_t>(bytes.gcount())}, hash);
  }
  return hash;
}

}  // namespace isolume::batch
