#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/filters/filter.h"

namespace isolume::filters {

/// Filters that are applied one after the other. Copies have filters of their own.
class Chain {
 public:
  Chain() = default;
  Chain(const Chain& other);
  Chain(Chain&&) = default;
  Chain& operator=(Chain other) {
    filters_.swap(other.filters_);
    return *this;
  }

  void add(std::unique_ptr<Filter> filter) { filters_.push_back(std::move(filter)); }
  void add(const Chain& others);
  bool empty() const { return filters_.empty(); }
  std::size_t size() const { return filters_.size(); }
  void remove(std::size_t index) { filters_.erase(filters_.begin() + static_cast<std::ptrdiff_t>(index)); }
  /// Moves a filter to another place; those in between make room.
  void move(std::size_t from, std::size_t to);
  const Filter& operator[](std::size_t index) const { return *filters_[index]; }
  Filter& operator[](std::size_t index) { return *filters_[index]; }
  /// Whether the filters have the same names and parameters, in the same order.
  bool operator==(const Chain& other) const;

 private:
  std::vector<std::unique_ptr<Filter>> filters_;
};

/// "gaussian sigma=1.5": a name, and parameters that differ from their defaults; values with blanks are quoted as in a shell.
/// Throws Error that names the text, the parameter and what is possible.
std::unique_ptr<Filter> parse_filter(std::string_view text);
std::string text_of(const Filter& filter);
/// Filters that semicolons separate: "gaussian sigma=1.5; median". Throws as parse_filter; an empty text is an empty chain.
Chain parse_chain(std::string_view text);
std::string text_of(const Chain& chain);

/// {"isolume": "filter-chain", "version": 1, "filters": [{"filter": "gaussian", "parameters": {"sigma": 1.5}}]}
nlohmann::ordered_json json_of(const Chain& chain);
/// Parameters that are left out have their defaults. Throws InputError that names the entry.
Chain read_chain(const std::filesystem::path& path);
/// All parameters, also those that have their defaults.
void write_chain(const Chain& chain, const std::filesystem::path& path);

/// The image after all filters; its report is a list: [{"filter", "parameters", "seconds", and what the filter reports}].
/// Throws what a filter throws; an Error names the filter's number if there are several.
Filtered apply(const Chain& chain, const grid::ScalarField& image, const jobs::Progress& progress = {});

}  // namespace isolume::filters
