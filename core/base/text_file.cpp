#include "core/base/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <zlib.h>

#include "core/base/error.h"
#include "core/base/input_file.h"

namespace isolume {
namespace {

void refuse_bomb(const std::filesystem::path& path, std::size_t unpacked, std::size_t on_disk) {
  const std::size_t most = (std::size_t{64} << 20) + 100 * on_disk;
  if (unpacked <= most) return;
  throw InputError(path, 0,
                   fmt::format("its {} of gzip data unpack to more than {}, which no genuine file does",
                               format_bytes(on_disk), format_bytes(most)),
                   "Check where it comes from; if it is right, unpack it with gunzip and open the result.");
}

using TextFile = std::unique_ptr<gzFile_s, int (*)(gzFile)>;
TextFile open_text(const std::filesystem::path& path) {
  require_regular_file(path);
  // gzread passes plain files through unchanged, so one path serves both.
  TextFile file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) {
    throw InputError(path, 0, fmt::format("cannot be opened ({})", std::strerror(errno)),
                     "Check its permissions.");
  }
  gzbuffer(file.get(), 1 << 17);
  return file;
}

/// Number of bytes read; fewer than wanted only at the end.
std::size_t read_block(const std::filesystem::path& path, const TextFile& file, char* into,
                       std::size_t bytes) {
  const int got = gzread(file.get(), into, static_cast<unsigned>(bytes));
  if (got < 0) {
    int code = 0;
    throw InputError(path, 0, fmt::format("damaged or truncated gzip data ({})", gzerror(file.get(), &code)),
                     "Copy the file again.");
  }
  return static_cast<std::size_t>(got);
}

}  // namespace

void drop_byte_order_mark(std::string& text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.erase(0, mark.size());
}

std::string read_text_file(const std::filesystem::path& path, std::size_t limit_bytes,
                           const ReadingWatch& watch) {
  const TextFile file = open_text(path);
  const auto refuse_size = [&] {
    throw InputError(path, 0, fmt::format("holds more than {}", format_bytes(limit_bytes)),
                     "Files of this size are not read as text.");
  };
  std::string text;
  std::error_code failed;
  const std::size_t on_disk = std::filesystem::file_size(path, failed);
  if (!failed && on_disk > limit_bytes) refuse_size();  // before memory is allocated
  std::size_t used = 0;
  for (std::size_t block = std::size_t{256} << 10;; block = std::size_t{4} << 20) {
    text.resize(used + block);
    const std::size_t got = read_block(path, file, text.data() + used, block);
    used += got;
    if (used == got) {  // the first block: the watch recognises formats by how they begin
      text.resize(used);
      drop_byte_order_mark(text);
      used = text.size();
    }
    if (used > limit_bytes) refuse_size();
    const bool packed = gzdirect(file.get()) == 0;
    if (packed && !failed) refuse_bomb(path, used, on_disk);
    const auto behind = static_cast<double>(gzoffset(file.get()));
    if (watch && used > 0) {
      const double fraction = failed || on_disk == 0 ? 0 : behind / static_cast<double>(on_disk);
      watch(std::string_view(text).substr(0, used), std::clamp(fraction, 0.0, 1.0));
    }
    if (got < block) break;
    // The size of a plain file is known, but not reliable until the file is read.
    if (!packed && !failed) text.reserve(on_disk + block + 1);
  }
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (code == Z_BUF_ERROR) throw InputError(path, 0, "the gzip data ends too early", "Copy the file again.");
  text.resize(used);
  if (text.empty()) throw InputError(path, 0, "the file is empty", "Copy or export it again.");
  return text;
}

std::string read_text_start(const std::filesystem::path& path, std::size_t most_bytes) {
  std::string text(most_bytes, '\0');
  text.resize(read_block(path, open_text(path), text.data(), most_bytes));
  if (text.empty()) throw InputError(path, 0, "the file is empty", "Copy or export it again.");
  drop_byte_order_mark(text);
  return text;
}

}  // namespace isolume
