#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace isolume {

/// Names of the values of an enumeration in files.
template <class Value, std::size_t count>
using JsonNames = std::array<std::pair<Value, std::string_view>, count>;

template <class Value, std::size_t count>
std::string_view name_of(Value value, const JsonNames<Value, count>& names) {
  for (const auto& [each, name] : names) {
    if (each == value) return name;
  }
  return {};
}

/// Parses JSON. Throws InputError if the text is not JSON, or is nested deeper than `most_depth`.
nlohmann::json parse_json(std::string_view text, const std::filesystem::path& path, int most_depth,
                          std::string_view remedy);

/// A value of an untrusted JSON file, with its path in the file: anything unexpected is an InputError that
/// names the entry ("contours[3].pieces[0]: expected a list, found null"). Must not outlive the entry that
/// contains it.
class JsonEntry {
 public:
  JsonEntry(const nlohmann::json& json, const std::filesystem::path& file, std::string_view remedy)
      : json_(json), file_(file), remedy_(remedy) {}

  JsonEntry at(std::string_view key) const;
  bool has(std::string_view key) const { return json_.is_object() && json_.contains(key); }
  JsonEntry at(std::size_t index) const { return {json_[index], *this, {}, index}; }
  /// Size of a list.
  std::size_t size() const;
  const nlohmann::json& json() const { return json_; }
  /// Keys of an object, in their order.
  std::vector<std::string> keys() const;
  /// Adds the paths ("contours[3].visibel") of the keys of an object that are not among `known`.
  void add_unknown_keys(std::span<const std::string_view> known, std::vector<std::string>& paths) const;

  std::string text() const;
  bool boolean() const;
  double number(double low, double high) const;
  int integer(int low, int high) const;
  template <class Value, std::size_t count>
  Value one_of(const JsonNames<Value, count>& names) const {
    std::string possible;
    for (const auto& [value, name] : names) {
      if (json_ == name) return value;
      possible += fmt::format("{}\"{}\"", possible.empty() ? "" : ", ", name);
    }
    fail_to_be("one of " + possible);
  }
  /// Reads as many numbers as `numbers` has.
  template <class Numbers>
  void numbers(Numbers&& numbers, double low, double high) const {
    if (size() != static_cast<std::size_t>(numbers.size())) {
      fail(fmt::format("expected {} numbers, found {}", numbers.size(), json_.size()));
    }
    for (std::size_t i = 0; i < json_.size(); ++i) {
      numbers(static_cast<Eigen::Index>(i)) = at(i).number(low, high);
    }
  }

  [[noreturn]] void fail(std::string_view problem) const;

 private:
  JsonEntry(const nlohmann::json& json, const JsonEntry& parent, std::string_view key, std::size_t index)
      : json_(json),
        file_(parent.file_),
        remedy_(parent.remedy_),
        parent_(&parent),
        key_(key),
        index_(index) {}

  [[noreturn]] void fail_to_be(std::string_view expected) const;
  std::string way() const;

  const nlohmann::json& json_;
  const std::filesystem::path& file_;
  std::string_view remedy_;
  const JsonEntry* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

}  // namespace isolume
