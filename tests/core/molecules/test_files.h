#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/molecules/document.h"

namespace isolume::molecules::testing {

inline std::filesystem::path reference(std::string_view name) {
  return std::filesystem::path(ISOLUME_TEST_REFERENCES) / "wavefunctions" / name;
}

inline std::filesystem::path sample(std::string_view name) {
  return resource(std::string("samples/").append(name));
}

/// A file in the temporary folder that lives as long as this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content = {}, std::string_view suffix = ".txt") {
    static std::atomic<int> counter{0};
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("isolume-molecules-{}-{}{}", ::getpid(), counter++, suffix);
    if (!content.empty()) std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Document read_text(std::string_view content) {
  const TemporaryFile file(content);
  return read_document(file.path());
}

/// The message of the InputError that reading must end with; empty when there was none.
inline std::string error_of(std::string_view content) {
  try {
    read_text(content);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// The text with its first `old` replaced.
inline std::string with(std::string text, std::string_view old, std::string_view replacement) {
  const std::size_t place = text.find(old);
  EXPECT_NE(place, std::string::npos) << old;
  return text.replace(place, old.size(), replacement);
}

/// Whether a remark of that kind holds the words.
inline bool says(const Document& document, RemarkKind kind, std::string_view words) {
  for (const Remark& remark : document.remarks) {
    if (remark.kind == kind && remark.text.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace isolume::molecules::testing
