#include "core/base/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <zlib.h>

#include "core/base/error.h"

namespace isolume {

std::string read_text_file(const std::filesystem::path& path, std::size_t limit_bytes) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (failed || !fs::exists(status)) throw InputError(path, 0, "no such file", "Check the name.");
  if (fs::is_directory(status)) throw InputError(path, 0, "this is a folder", "Choose a file in it.");
  if (!fs::is_regular_file(status))
    throw InputError(path, 0, "this is not a regular file", "Choose another.");

  // gzread passes plain files through unchanged, so one path serves both.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) {
    throw InputError(path, 0, fmt::format("cannot be opened ({})", std::strerror(errno)),
                     "Check its permissions.");
  }
  gzbuffer(file.get(), 1 << 17);

  const auto refuse_size = [&] {
    throw InputError(path, 0, fmt::format("holds more than {}", format_bytes(limit_bytes)),
                     "Files of this size are not read as text.");
  };
  std::string text;
  std::size_t used = 0;
  const std::size_t on_disk = fs::file_size(path, failed);
  if (!failed && on_disk > limit_bytes) refuse_size();  // before the memory is taken
  text.resize(failed ? 1 << 16 : on_disk + 1);
  for (;;) {
    if (used == text.size()) text.resize(std::min(text.size() * 2, limit_bytes + 1));
    const int wanted = static_cast<int>(std::min<std::size_t>(text.size() - used, 1 << 30));
    const int got = gzread(file.get(), text.data() + used, static_cast<unsigned>(wanted));
    if (got < 0) {
      int code = 0;
      throw InputError(path, 0,
                       fmt::format("damaged or truncated gzip data ({})", gzerror(file.get(), &code)),
                       "Copy the file again.");
    }
    used += static_cast<std::size_t>(got);
    if (used > limit_bytes) refuse_size();
    if (got < wanted) break;
  }
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (code == Z_BUF_ERROR) throw InputError(path, 0, "the gzip data ends too early", "Copy the file again.");
  text.resize(used);
  if (text.empty()) throw InputError(path, 0, "the file is empty", "Copy or export it again.");
  return text;
}

}  // namespace isolume
