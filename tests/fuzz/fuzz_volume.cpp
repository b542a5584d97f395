// A reader of volumes may refuse with InputError or ResourceError; whatever else happens is a fault. What it
// reads is there whole.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/images/readers.h"

namespace {

/// A folder in memory where there is one; the bytes' own files lie in it, and no other.
const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    std::error_code failed;
    const std::filesystem::path memory = "/dev/shm";
    const std::filesystem::path parent =
        std::filesystem::is_directory(memory, failed) ? memory : std::filesystem::temp_directory_path();
    const std::filesystem::path path = parent / fmt::format("isolume-fuzz-{}", ::getpid());
    std::filesystem::create_directories(path);
    std::atexit([] { std::filesystem::remove_all(folder()); });
    return path;
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume::images;
  const std::filesystem::path file = folder() / "fuzzed.hdr";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const Document document = ISOLUME_FUZZED_READER(file, {});
    value_range(document.volume);
  } catch (const isolume::InputError&) {
  } catch (const isolume::ResourceError&) {
  }
  return 0;
}
