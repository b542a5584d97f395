#include "core/filters/chain.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/json_entry.h"
#include "core/base/text_file.h"
#include "core/commands/arguments.h"

namespace isolume::filters {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view file_kind = "filter-chain";
constexpr int file_version = 1;
constexpr std::string_view file_remedy = "Correct the entry, or write the chain again with --save-chain.";

Json parameters_of(const Filter& filter) {
  Json json = Json::object();
  for (const auto& each : filter.parameters().descriptions())
    std::visit([&](const auto& value) { json[each.key] = value; }, filter.parameters().get(each.key));
  return json;
}

std::string keys_of(const Filter& filter) {
  std::string keys;
  for (const auto& each : filter.parameters().descriptions()) keys += (keys.empty() ? "" : ", ") + each.key;
  return keys;
}

/// Quoted also where a semicolon would end the filter.
std::string quoted_word(const std::string& word) {
  const std::string text = commands::quote(word);
  return text.find(';') != std::string::npos && text.front() != '"' ? '"' + text + '"' : text;
}

std::string unknown_parameter(const Filter& filter, std::string_view key) {
  return fmt::format("{} has no parameter {}; it has {}", filter.kind().name, isolume::quoted(key),
                     keys_of(filter));
}

/// Parameters convert whole numbers and real ones into each other.
parameters::Value value_of(const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

/// A misspelt key would otherwise have no effect.
void refuse_other_keys(const JsonEntry& entry, std::initializer_list<std::string_view> known) {
  for (const std::string& key : entry.keys()) {
    if (std::ranges::find(known, key) == known.end()) entry.at(key).fail("there is no such entry in a chain");
  }
}

std::unique_ptr<Filter> filter_of(const JsonEntry& entry) {
  refuse_other_keys(entry, {"filter", "parameters"});
  const JsonEntry name = entry.at("filter");
  std::unique_ptr<Filter> filter;
  try {
    filter = make_filter(name.text());
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    name.fail(error.what());
  }
  if (!entry.has("parameters")) return filter;
  const JsonEntry given = entry.at("parameters");
  for (const std::string& key : given.keys()) {
    const JsonEntry value = given.at(key);
    if (!filter->parameters().has(key)) value.fail(unknown_parameter(*filter, key));
    if (!value.json().is_primitive() || value.json().is_null()) value.fail("expected a number or a text");
    try {
      filter->parameters().set(key, value_of(value.json()));
    } catch (const Error& error) {
      value.fail(error.what());
    }
  }
  return filter;
}

}  // namespace

Chain::Chain(const Chain& other) {
  add(other);
}

void Chain::add(const Chain& others) {
  const std::size_t count = others.size();  // `others` may be this chain
  for (std::size_t i = 0; i < count; ++i) filters_.push_back(others[i].copy());
}

void Chain::move(std::size_t from, std::size_t to) {
  const auto at = [this](std::size_t index) { return filters_.begin() + static_cast<std::ptrdiff_t>(index); };
  from < to ? std::rotate(at(from), at(from) + 1, at(to) + 1) : std::rotate(at(to), at(from), at(from) + 1);
}

bool Chain::operator==(const Chain& other) const {
  return std::ranges::equal(filters_, other.filters_, [](const auto& a, const auto& b) {
    return a->kind().name == b->kind().name && parameters_of(*a) == parameters_of(*b);
  });
}

std::unique_ptr<Filter> parse_filter(std::string_view text) {
  const std::vector<std::string> words = commands::split(text);
  if (words.empty()) throw Error("The filter has no name. Give one like \"gaussian sigma=1.5\".");
  std::unique_ptr<Filter> filter = make_filter(words.front());
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(fmt::format("{}: expected PARAMETER=VALUE, found {}. The parameters are {}.",
                              isolume::quoted(text, 80), isolume::quoted(word), keys_of(*filter)));
    }
    const std::string key = word.substr(0, equals);
    if (!filter->parameters().has(key))
      throw Error(fmt::format("{}: {}.", isolume::quoted(text, 80), unknown_parameter(*filter, key)));
    try {
      filter->parameters().set_text(key, std::string_view(word).substr(equals + 1));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", isolume::quoted(text, 80), error.what()));
    }
  }
  return filter;
}

std::string text_of(const Filter& filter) {
  std::string text = filter.kind().name;
  for (const auto& each : filter.parameters().descriptions()) {
    const auto value = filter.parameters().get(each.key);
    if (value != each.default_value) text += " " + quoted_word(each.key + "=" + parameters::to_text(value));
  }
  return text;
}

Chain parse_chain(std::string_view text) {
  Chain chain;
  std::size_t begin = 0;
  bool in_quotes = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ';' && !in_quotes)) {
      const std::string_view part = text.substr(begin, i - begin);
      if (part.find_first_not_of(" \t\n") != std::string_view::npos) chain.add(parse_filter(part));
      begin = i + 1;
    } else if (text[i] == '\\') {
      ++i;  // what follows is no quote
    } else if (text[i] == '"') {
      in_quotes = !in_quotes;
    }
  }
  return chain;
}

std::string text_of(const Chain& chain) {
  std::string text;
  for (std::size_t i = 0; i < chain.size(); ++i) text += (i == 0 ? "" : "; ") + text_of(chain[i]);
  return text;
}

Json json_of(const Chain& chain) {
  Json filters = Json::array();
  for (std::size_t i = 0; i < chain.size(); ++i)
    filters.push_back({{"filter", chain[i].kind().name}, {"parameters", parameters_of(chain[i])}});
  return {{"isolume", file_kind}, {"version", file_version}, {"filters", std::move(filters)}};
}

Chain read_chain(const std::filesystem::path& path) {
  constexpr std::size_t most_bytes = 16U << 20U;
  constexpr int most_depth = 8;
  const nlohmann::json json = parse_json(read_text_file(path, most_bytes), path, most_depth, file_remedy);
  const JsonEntry file(json, path, file_remedy);
  const JsonEntry kind = file.at("isolume");
  if (kind.text() != file_kind)
    kind.fail(fmt::format("expected \"{}\", found {}", file_kind, isolume::quoted(kind.text())));
  file.at("version").integer(file_version, file_version);
  refuse_other_keys(file, {"isolume", "version", "filters"});
  const JsonEntry filters = file.at("filters");
  Chain chain;
  for (std::size_t i = 0; i < filters.size(); ++i) chain.add(filter_of(filters.at(i)));
  return chain;
}

void write_chain(const Chain& chain, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.stream() << json_of(chain).dump(2) << '\n';
  file.commit();
}

Filtered apply(const Chain& chain, const grid::ScalarField& image, const jobs::Progress& progress) {
  Filtered result{.image = image, .remarks = {}, .report = Json::array()};
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Filter& filter = chain[i];
    const auto count = static_cast<double>(chain.size()), done = static_cast<double>(i);
    progress.report(done / count, filter.kind().title);
    const auto begin = std::chrono::steady_clock::now();
    Filtered next;
    try {
      next = filter.apply(result.image, progress.part(done / count, (done + 1) / count));
    } catch (const ResourceError&) {
      throw;
    } catch (const InputError&) {
      throw;
    } catch (const Error& error) {
      if (chain.size() == 1) throw;
      throw Error(fmt::format("Filter {} of {}: {}", i + 1, chain.size(), error.what()));
    }
    result.image = std::move(next.image);
    result.remarks.add(next.remarks);
    Json report{{"filter", filter.kind().name},
                {"parameters", parameters_of(filter)},
                {"seconds", seconds_since(begin)}};
    report.update(next.report);
    result.report.push_back(std::move(report));
  }
  return result;
}

}  // namespace isolume::filters
