#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include <nlohmann/json.hpp>

#include "core/isolation/channel.h"

namespace isolume::isolation {

/// In isolume-reader: where a library puts the numbers that were asked for.
class NumberSink {
 public:
  explicit NumberSink(Channel& channel) : channel_(channel) {}

  /// `bytes` in windows of `window` bytes, but for the last one; `fill` gets where each begins.
  void put(std::uint64_t bytes, std::uint64_t window,
           const std::function<void(std::uint64_t begin, std::span<std::byte> to)>& fill);

 private:
  Channel& channel_;
};

/// In isolume-reader: one file that is read by one library.
class ServedReader {
 public:
  virtual ~ServedReader() = default;
  /// Throws Error that says what is wrong with the file, without its name.
  virtual nlohmann::json answer(const nlohmann::json& request, NumberSink& numbers) = 0;
};

/// In isolume-reader: more processor time for the present answer, for a library that reads this number of bytes at once.
void allow_time(std::uint64_t bytes);

/// What isolume-reader does until nobody asks any more: answers what comes through the socket, within limits of memory and
/// of processor time for each answer.
int serve(const std::function<std::unique_ptr<ServedReader>()>& open);

}  // namespace isolume::isolation
