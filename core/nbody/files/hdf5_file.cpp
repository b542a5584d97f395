#include "core/nbody/files/hdf5_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/dispatch/dispatch.h"

namespace isolume::nbody {

bool is_hdf5(const std::filesystem::path& path) {
  static constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  return start_of_file(path, signature.size()) == signature;
}

namespace {

std::span<std::byte> bytes_of(auto& values) {
  return std::as_writable_bytes(std::span(values));
}

}  // namespace

Hdf5Reader::Hdf5Reader(const std::filesystem::path& path, std::stop_token stop)
    : path_((require_regular_file(path), path)), stop_(std::move(stop)), process_("HDF5", path, stop_) {
  ask({{"do", "open"}});
}

void Hdf5Reader::fail(const std::string& problem) const {
  throw InputError(path_, 0, problem, "Write the file again with the program that made it.");
}

nlohmann::json Hdf5Reader::ask(const nlohmann::json& request, std::span<std::byte> numbers) const {
  try {
    return process_.call(request, numbers);
  } catch (const isolation::Refused& why) {
    fail(why.what());
  }
}

bool Hdf5Reader::has(const std::string& name) const {
  return ask({{"do", "has"}, {"name", name}}) == true;
}

Shape Hdf5Reader::shape(const std::string& name) const {
  const nlohmann::json found = ask({{"do", "shape"}, {"name", name}});
  Shape shape;
  for (const auto& size : found) shape.push_back(size.is_number_unsigned() ? size.get<std::uint64_t>() : 0);
  return shape;
}

template <class Value>
std::vector<Value> Hdf5Reader::read(const nlohmann::json& request, std::uint64_t count) const {
  // Compressed data may be far larger than the file; most of them are split up by axis afterwards.
  dispatch::require_memory("Reading the bodies", 2 * sizeof(Value) * count,
                           "Read it on a machine with more memory.");
  std::vector<Value> values(count);
  ask(request, bytes_of(values));
  return values;
}

std::vector<double> Hdf5Reader::numbers(const std::string& name, const Shape& wanted) const {
  if (const Shape found = shape(name); found != wanted) {
    fail(fmt::format("{} should hold {} numbers, but holds {}", name, fmt::join(wanted, " × "),
                     fmt::join(found, " × ")));
  }
  return read<double>({{"do", "numbers"}, {"name", name}}, product(wanted));
}

std::vector<std::uint64_t> Hdf5Reader::integers(const std::string& name, std::uint64_t count) const {
  if (shape(name) != Shape{count}) fail(fmt::format("{} should hold {} numbers", name, count));
  return read<std::uint64_t>({{"do", "integers"}, {"name", name}}, count);
}

std::vector<double> Hdf5Reader::row(const std::string& name, std::uint64_t row, const Shape& wanted) const {
  const Shape found = shape(name);
  const bool fits =
      found.size() == wanted.size() + 1 && std::ranges::equal(wanted, std::span(found).subspan(1));
  if (!fits || row >= found[0]) {
    fail(fmt::format("{} should have a row {} of {} numbers, but holds {}", name, row,
                     fmt::join(wanted, " × "), fmt::join(found, " × ")));
  }
  return read<double>({{"do", "numbers"}, {"name", name}, {"row", row}}, product(wanted));
}

std::vector<std::string> Hdf5Reader::members(const std::string& group) const {
  const nlohmann::json found = ask({{"do", "members"}, {"name", group}});
  std::vector<std::string> names;
  for (const auto& each : found) {
    if (each.is_string()) names.push_back(each.get<std::string>());
  }
  return names;
}

std::optional<std::vector<double>> Hdf5Reader::attribute(const std::string& group,
                                                         const std::string& name) const {
  const nlohmann::json found = ask({{"do", "attribute"}, {"group", group}, {"name", name}});
  std::vector<double> values;
  for (const auto& each : found) values.push_back(each.is_number() ? each.get<double>() : std::nan(""));
  return values.empty() ? std::nullopt : std::optional(values);
}

std::optional<std::string> Hdf5Reader::text_attribute(const std::string& group,
                                                      const std::string& name) const {
  const nlohmann::json found = ask({{"do", "text"}, {"group", group}, {"name", name}});
  return found.is_string() ? std::optional(found.get<std::string>()) : std::nullopt;
}

}  // namespace isolume::nbody
