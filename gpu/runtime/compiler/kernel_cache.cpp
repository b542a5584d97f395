#include "gpu/runtime/compiler/kernel_cache.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace isolume::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".kernel";

/// FNV-1a, 64 bits; another `start` gives an independent second half.
std::uint64_t hash(std::string_view text, std::uint64_t start = 14695981039346656037ULL) {
  for (const char c : text) start = (start ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return start;
}

fs::path default_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "isolume" / "kernels";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / ".cache" / "isolume" / "kernels";
  return {};
}

std::string header(std::string_view key, std::string_view image) {
  return fmt::format("isolume kernel 1\n{} {} {:016x}\n", key.size(), image.size(), hash(image));
}

}  // namespace

KernelCache::KernelCache() : KernelCache(default_folder()) {}

KernelCache::KernelCache(fs::path folder, std::size_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

fs::path KernelCache::file_of(std::string_view key) const {
  return folder_ / fmt::format("{:016x}{:016x}{}", hash(key), hash(key, 0x9e3779b97f4a7c15ULL), suffix);
}

std::optional<std::string> KernelCache::find(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = file_of(key);
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::string all(std::istreambuf_iterator<char>(file), {});

  // The file is valid if storing its image under this key would write the same bytes.
  const std::size_t key_begin = all.find('\n', all.find('\n') + 1) + 1;  // 0 if a line is missing
  if (key_begin == 0 || all.size() < key_begin + key.size()) return std::nullopt;
  std::string image = all.substr(key_begin + key.size());
  if (all.compare(0, key_begin, header(key, image)) != 0) return std::nullopt;
  if (all.compare(key_begin, key.size(), key) != 0) return std::nullopt;

  std::error_code ignored;  // a read-only folder can still be used
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return image;
}

void KernelCache::store(std::string_view key, std::string_view image) const {
  if (folder_.empty()) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) {
    throw Error(
        fmt::format("{}: cannot be made ({}). Compiled kernels are not kept; set XDG_CACHE_HOME to a "
                    "folder that you may write to.",
                    folder_.string(), failed.message()));
  }
  AtomicFile file(file_of(key));
  file.stream() << header(key, image) << key << image;
  file.commit();
  trim();
}

void KernelCache::trim() const {
  struct File {
    fs::path path;
    fs::file_time_type used;
    std::size_t bytes;
  };
  std::vector<File> files;
  std::size_t total = 0;
  std::error_code gone;  // other programs may delete files, too
  for (const auto& entry : fs::directory_iterator(folder_, gone)) {
    if (entry.path().extension() != suffix) continue;
    const auto bytes = entry.file_size(gone);
    if (gone) continue;
    const auto used = entry.last_write_time(gone);
    if (gone) continue;
    files.push_back({entry.path(), used, bytes});
    total += bytes;
  }
  std::ranges::sort(files, {}, &File::used);
  for (const File& file : files) {
    if (total <= limit_bytes_) return;
    fs::remove(file.path, gone);
    total -= file.bytes;
  }
}

}  // namespace isolume::gpu
