#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace isolume {

/// An error that the user can act on. `what()` is one line: what happened, where, and the remedy.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that cannot be used as it is. `what()` reads
/// `benzene.molden:132: expected 2 numbers (exponent, coefficient), found "abc". Export the file again.`
class InputError : public Error {
 public:
  /// `line` counts from 1; 0 means the file as a whole. `remedy` tells the user what to do; may be empty.
  InputError(std::filesystem::path file, std::size_t line, std::string_view problem,
             std::string_view remedy = {});

  const std::filesystem::path& file() const { return file_; }
  std::size_t line() const { return line_; }

 private:
  std::filesystem::path file_;
  std::size_t line_;
};

/// Work that would not fit in memory. `what()` gives the required and the available bytes and a remedy.
class ResourceError : public Error {
 public:
  ResourceError(std::string_view what_for, std::size_t wanted_bytes, std::size_t available_bytes,
                std::string_view remedy);
  /// For cases where the numbers of bytes are not known.
  explicit ResourceError(const std::string& message) : Error(message) {}
};

/// A job that was cancelled or superseded; not a failure, never shown as one.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

/// `1.5 GiB`, `20 MiB`, `312 B`.
std::string format_bytes(std::size_t bytes);

/// Quotes at most `limit` characters of hostile text for use in a one-line message; control characters become
/// `?`.
std::string quoted(std::string_view text, std::size_t limit = 40);

}  // namespace isolume
