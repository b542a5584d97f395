#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/isolation/channel.h"

namespace isolume::isolation {

/// What a library could not do with a file; without the file's name.
class Refused : public Error {
 public:
  using Error::Error;
};

/// A process of isolume-reader that reads one file by one library ("hdf5"), with limits of memory and of processor time.
/// Callable from several threads, which wait for each other.
class ReaderProcess {
 public:
  /// Throws Error where the program is not there or cannot be started.
  ReaderProcess(std::string library, const std::filesystem::path& file, std::stop_token stop = {});
  /// Ends it.
  ~ReaderProcess();
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  /// The library's answer. Throws Refused with what it says of the file, or how it ended; Cancelled, after which the
  /// process is gone.
  nlohmann::json call(const nlohmann::json& request) { return call(request, {}); }
  /// Of a request for numbers: they fill `numbers`.
  nlohmann::json call(const nlohmann::json& request, std::span<std::byte> numbers);

  int process() const { return process_; }

 private:
  Message receive();
  std::uint64_t wanted(const Message& message, const char* what);
  void copy_numbers(const Message& announced, std::span<std::byte> numbers);
  [[noreturn]] void fail_as_it_ended();
  [[noreturn]] void fail_as_it_misbehaves();
  int end();

  std::mutex mutex_;
  std::string library_;
  std::stop_token stop_;
  Channel channel_{Descriptor()};
  int process_ = -1;
  std::string ending_;  ///< why it is gone
};

/// Where isolume-reader is: $ISOLUME_READER, beside the program, or where it was built. Throws Error.
std::filesystem::path reader_program();

}  // namespace isolume::isolation
