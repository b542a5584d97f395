#include "core/images/raw_body.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/error.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t block_bytes = std::size_t{4} << 20;

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool is_other_byte_order(bool little_endian) {
  return little_endian != (std::endian::native == std::endian::little);
}

std::optional<PixelType> type_of_nifti(std::int16_t code) {
  switch (code) {
    case 2:
      return PixelType::uint8;
    case 4:
      return PixelType::int16;
    case 8:
      return PixelType::int32;
    case 16:
      return PixelType::float32;
    case 64:
      return PixelType::float64;
    case 256:
      return PixelType::int8;
    case 512:
      return PixelType::uint16;
    case 768:
      return PixelType::uint32;
    default:
      return std::nullopt;
  }
}

/// NIfTI-1 in one file, packed or not (https://nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h). ITK would
/// turn voxels with a slope into floats.
std::optional<RawBody> body_of_nifti(const fs::path& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(path.c_str(), "rb"), gzclose);
  std::array<std::byte, 348> header;
  if (!stream || gzread(stream.get(), header.data(), header.size()) != static_cast<int>(header.size())) {
    return std::nullopt;
  }
  if (std::memcmp(header.data() + 344, "n+1", 4) != 0) return std::nullopt;
  RawBody body;
  body.file = path;
  body.gzip = gzdirect(stream.get()) == 0;
  const auto field = [&]<class Number>(std::size_t offset, Number number) {
    std::array<std::byte, sizeof(Number)> bytes;
    std::copy_n(header.data() + offset, bytes.size(), bytes.data());
    if (body.swapped) std::ranges::reverse(bytes);
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  };
  body.swapped = field(0, std::int32_t{}) != 348;
  const float offset = field(108, float{});
  if (!(offset >= 348 && offset < 1e9F)) return std::nullopt;
  (body.gzip ? body.offset_unpacked : body.offset) = static_cast<std::uint64_t>(offset);

  const double slope = field(112, float{}), intercept = field(116, float{});
  const bool has_rescale = slope != 0 && std::isfinite(slope) && std::isfinite(intercept);  // 0: not set
  if (has_rescale && (slope != 1 || intercept != 0)) {
    const std::optional<PixelType> type = type_of_nifti(field(70, std::int16_t{}));
    if (!type) return std::nullopt;
    body.rescale = RawBody::Rescale{*type, slope, intercept};
  }
  return body;
}

/// Splits "key: value" and "key = value" lines; stops after the line with which a header ends.
class HeaderLines {
 public:
  HeaderLines(const fs::path& path, char separator)
      : stream_(path, std::ios::binary), separator_(separator) {}
  /// False at the header's end.
  bool next() {
    if (!std::getline(stream_, line_) || line_.size() > 10000) return false;
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    const std::size_t split = std::min(line_.find(separator_), line_.size());
    key = lower(trimmed(std::string_view(line_).substr(0, split)));
    value = trimmed(std::string_view(line_).substr(std::min(split + 1, line_.size())));
    return !line_.empty();
  }
  /// Of what follows the lines read.
  std::optional<std::uint64_t> offset() {
    const auto at = stream_.tellg();
    if (at < 0) return std::nullopt;
    return static_cast<std::uint64_t>(at);
  }
  std::string key, value;

 private:
  std::ifstream stream_;
  std::string line_;
  char separator_;
};

/// https://teem.sourceforge.net/nrrd/format.html
std::optional<RawBody> body_of_nrrd(const fs::path& path) {
  RawBody body;
  body.file = path;
  bool attached = true;
  std::uint64_t byte_skip = 0;
  HeaderLines lines(path, ':');
  while (lines.next()) {
    const std::string value = lower(lines.value);
    if (lines.key == "encoding") {
      body.gzip = value == "gzip" || value == "gz";
      if (!body.gzip && value != "raw") return std::nullopt;
    } else if (lines.key == "endian") {
      body.swapped = is_other_byte_order(value == "little");
    } else if (lines.key == "data file" || lines.key == "datafile") {
      if (value.starts_with("list") || value.find('%') != std::string::npos) return std::nullopt;
      body.file = path.parent_path() / lines.value;
      attached = false;
    } else if (lines.key == "byte skip" || lines.key == "byteskip") {
      const auto skip = number_of<std::uint64_t>(value);
      if (!skip || *skip >> 48 != 0) return std::nullopt;
      byte_skip = *skip;
    } else if (lines.key == "line skip" || lines.key == "lineskip") {
      if (value != "0") return std::nullopt;
    }
  }
  if (attached) {
    const auto end_of_header = lines.offset();
    if (!end_of_header) return std::nullopt;
    body.offset = *end_of_header;
  }
  (body.gzip ? body.offset_unpacked : body.offset) += byte_skip;
  return body;
}

/// https://itk.org/Wiki/ITK/MetaIO/Documentation
std::optional<RawBody> body_of_metaimage(const fs::path& path) {
  RawBody body;
  body.file = path;
  std::uint64_t header_size = 0;
  HeaderLines lines(path, '=');
  while (lines.next()) {
    const std::string value = lower(lines.value);
    if (lines.key == "compresseddata" && value == "true") return std::nullopt;
    if (lines.key == "binarydata" && value == "false") return std::nullopt;
    if (lines.key == "binarydatabyteordermsb" || lines.key == "elementbyteordermsb") {
      body.swapped = is_other_byte_order(value == "false");
    }
    if (lines.key == "headersize") {
      const auto size = number_of<std::uint64_t>(value);
      if (!size || *size >> 48 != 0) return std::nullopt;  // -1: counted from the end
      header_size = *size;
    }
    if (lines.key != "elementdatafile") continue;
    if (value.starts_with("list") || value.find('%') != std::string::npos) return std::nullopt;
    if (value == "local") {
      const auto offset = lines.offset();
      if (!offset) return std::nullopt;
      body.offset = *offset;
    } else {
      body.file = path.parent_path() / lines.value;
      body.offset = header_size;
    }
    return body;
  }
  return std::nullopt;
}

/// A file descriptor that is closed.
class OpenFile {
 public:
  explicit OpenFile(const fs::path& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) {
      throw InputError(path, 0, fmt::format("cannot be opened ({})", std::strerror(errno)),
                       "Check that it is there, and its permissions.");
    }
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

void refuse_short(const fs::path& file) {
  throw InputError(file, 0, "it ends before all voxels are read", "Copy it again.");
}

template <class ReadBlock>
void read_blocks(std::byte* target, std::size_t bytes, const jobs::Progress& progress, ReadBlock read_block) {
  for (std::size_t at = 0; at < bytes;) {
    progress.check();
    const std::size_t block = std::min(block_bytes, bytes - at);
    read_block(target + at, block);
    at += block;
    progress.report(static_cast<double>(at) / static_cast<double>(bytes), "reading voxels");
  }
}

void read_packed(const RawBody& body, std::byte* target, std::size_t bytes, const jobs::Progress& progress) {
  const OpenFile file(body.file);
  const int duplicate = ::dup(file.descriptor());
  ::lseek(duplicate, static_cast<off_t>(body.offset), SEEK_SET);
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzdopen(duplicate, "rb"), gzclose);
  if (!stream) throw InputError(body.file, 0, "cannot be opened", "Close other programs.");
  gzbuffer(stream.get(), 1 << 17);
  if (gzseek(stream.get(), static_cast<z_off_t>(body.offset_unpacked), SEEK_SET) < 0) refuse_short(body.file);
  read_blocks(target, bytes, progress, [&](std::byte* to, std::size_t count) {
    const int got = gzread(stream.get(), to, static_cast<unsigned>(count));
    if (got == static_cast<int>(count)) return;
    int code = 0;
    if (got < 0) {
      throw InputError(body.file, 0, fmt::format("damaged gzip data ({})", gzerror(stream.get(), &code)),
                       "Copy it again.");
    }
    refuse_short(body.file);
  });
}

void read_plain(const RawBody& body, std::byte* target, std::size_t bytes, const jobs::Progress& progress) {
  const OpenFile file(body.file);
  auto offset = static_cast<off_t>(body.offset);
  read_blocks(target, bytes, progress, [&](std::byte* to, std::size_t count) {
    while (count > 0) {
      const ssize_t got = ::pread(file.descriptor(), to, count, offset);
      if (got <= 0) refuse_short(body.file);
      to += got;
      offset += got;
      count -= static_cast<std::size_t>(got);
    }
  });
}

template <std::size_t width>
void reverse_each(std::byte* bytes, std::size_t count) {
  for (std::size_t at = 0; at < count; at += width) std::reverse(bytes + at, bytes + at + width);
}

void reverse_numbers(std::byte* bytes, std::size_t count, std::size_t number_bytes) {
  if (number_bytes == 2) reverse_each<2>(bytes, count);
  if (number_bytes == 4) reverse_each<4>(bytes, count);
  if (number_bytes == 8) reverse_each<8>(bytes, count);
}

}  // namespace

std::optional<RawBody> find_raw_body(const fs::path& header, FileFormat format) {
  switch (format) {
    case FileFormat::nifti:
      return body_of_nifti(header);
    case FileFormat::nrrd:
      return body_of_nrrd(header);
    case FileFormat::metaimage:
      return body_of_metaimage(header);
    default:
      return std::nullopt;
  }
}

void require_body(const RawBody& body, std::size_t bytes) {
  std::error_code failed;
  const std::uint64_t on_disk = fs::file_size(body.file, failed);
  if (failed) {
    throw InputError(body.file, 0, fmt::format("the voxels cannot be read ({})", failed.message()),
                     "Copy the data file beside its header.");
  }
  const std::uint64_t left = on_disk > body.offset ? on_disk - body.offset : 0;
  constexpr std::uint64_t best_packing = 1032;
  if (body.gzip ? bytes / best_packing > left : bytes > left) {
    throw InputError(body.file, 0,
                     fmt::format("its header promises {} of voxels, but {} are left in the file",
                                 format_bytes(bytes), format_bytes(left)),
                     "It was cut off: copy or export it again.");
  }
}

void read_body(const RawBody& body, std::byte* target, std::size_t bytes, std::size_t number_bytes,
               const jobs::Progress& progress) {
  if (body.gzip) {
    read_packed(body, target, bytes, progress);
  } else {
    read_plain(body, target, bytes, progress);
  }
  if (body.swapped) reverse_numbers(target, bytes, number_bytes);
}

bool can_be_mapped(const RawBody& body, std::size_t number_bytes) {
  return !body.gzip && (!body.swapped || number_bytes == 1) && body.offset % number_bytes == 0;
}

std::shared_ptr<const std::byte> map_body(const RawBody& body, std::size_t bytes) {
  const OpenFile file(body.file);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = body.offset % page;
  const std::size_t length = before + bytes;
  void* mapped = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.descriptor(),
                        static_cast<off_t>(body.offset - before));
  if (mapped == MAP_FAILED) {
    throw ResourceError(
        fmt::format("{}: cannot be mapped into memory ({}). Cut the image to the part you need.",
                    body.file.string(), std::strerror(errno)));
  }
  const std::shared_ptr<void> mapping(mapped, [length](void* memory) { ::munmap(memory, length); });
  return {mapping, static_cast<const std::byte*>(mapped) + before};
}

}  // namespace isolume::images
