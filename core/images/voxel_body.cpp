#include "core/images/voxel_body.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include <bzlib.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/number.h"
#include "core/images/readers.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t block_bytes = std::size_t{4} << 20;

[[noreturn]] void refuse_short(const fs::path& file) {
  throw InputError(file, 0, "it ends before all voxels are read", "It was cut off: copy or export it again.");
}

/// An owned file descriptor, with a position in the file.
class OpenFile {
 public:
  explicit OpenFile(const fs::path& path) : path_(path) {
    require_regular_file(path);
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      throw InputError(path, 0, fmt::format("cannot be opened ({})", std::strerror(errno)),
                       "Check that it is there, and its permissions.");
    }
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }
  std::uint64_t size() const { return fs::file_size(path_); }
  std::uint64_t place() const { return place_; }
  void move_to(std::uint64_t place) { place_ = place; }
  /// Fewer bytes than `count` only at the end of the file.
  std::size_t read(std::byte* to, std::size_t count) {
    std::size_t done = 0;
    while (done < count) {
      const ssize_t got = ::pread(descriptor_, to + done, count - done, static_cast<off_t>(place_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        throw InputError(path_, 0, fmt::format("cannot be read ({})", std::strerror(errno)),
                         "Check the disk, and copy the file again.");
      }
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
      place_ += static_cast<std::uint64_t>(got);
    }
    return done;
  }

 private:
  fs::path path_;
  int descriptor_ = -1;
  std::uint64_t place_ = 0;
};

/// The decompressed bytes of one file.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  /// Reads all of them, or throws InputError.
  virtual void read(std::byte* to, std::size_t count) = 0;
  /// Called after the last number: the bytes of numbers that follow it, up to `most_surplus`.
  virtual std::uint64_t finish() { return 0; }
  /// Number of remaining bytes, which are read to count them.
  virtual std::uint64_t count() { return 0; }
};

class PlainSource : public ByteSource {
 public:
  PlainSource(const fs::path& path, OpenFile& file) : path_(path), file_(file) {}
  void read(std::byte* to, std::size_t count) override {
    if (file_.read(to, count) < count) refuse_short(path_);
  }

 private:
  const fs::path& path_;
  OpenFile& file_;
};

/// The compressed bytes of a file, in blocks.
class PackedBytes {
 public:
  PackedBytes(OpenFile& file, std::optional<std::uint64_t> limit)
      : file_(file), left_(limit.value_or(std::numeric_limits<std::uint64_t>::max())), block_(1 << 17) {}
  /// Number of bytes not read yet.
  std::uint64_t left() const { return std::min(left_, file_.size() - std::min(file_.size(), file_.place())); }
  /// Empty at the end.
  std::size_t next() {
    const std::size_t got = file_.read(block_.data(), std::min<std::uint64_t>(block_.size(), left_));
    left_ -= got;
    return got;
  }
  std::byte* data() { return block_.data(); }

 private:
  OpenFile& file_;
  std::uint64_t left_;
  std::vector<std::byte> block_;
};

/// Decompresses with a library whose interface is like zlib's.
template <class Library>
class UnpackingSource : public ByteSource {
 public:
  UnpackingSource(const fs::path& path, OpenFile& file, std::optional<std::uint64_t> packed_bytes)
      : path_(path), packed_(file, packed_bytes) {
    if (!Library::begin(stream_)) throw std::bad_alloc();
  }
  ~UnpackingSource() override { Library::end(stream_); }

  void read(std::byte* to, std::size_t count) override {
    if (unpack(to, count) < count) refuse_short(path_);
  }
  std::uint64_t count() override {
    std::vector<std::byte> scratch(1 << 16);
    std::uint64_t bytes = 0;
    for (std::size_t got = scratch.size(); got == scratch.size(); bytes += got) {
      got = unpack(scratch.data(), scratch.size());
    }
    return bytes;
  }
  /// Reads up to the checksum, which detects damage that decompresses without errors. Bytes after the stream that are
  /// not another one count as they are.
  std::uint64_t finish() override {
    std::vector<std::byte> scratch(1 << 16);
    std::uint64_t tail = 0;
    for (std::size_t got = scratch.size(); got > 0 && tail < most_surplus; tail += got) {
      got = unpack(scratch.data(), scratch.size());
      if (got == 0 && !ended_) refuse_short(path_);
    }
    return tail < most_surplus ? tail + stream_.avail_in + packed_.left() : tail;
  }

 private:
  /// Fewer bytes than `count` if the stream or the file ends.
  std::size_t unpack(std::byte* to, std::size_t count) {
    Library::set_output(stream_, to, count);
    while (Library::output_left(stream_) > 0) {
      const bool has_input = stream_.avail_in > 0 || refill();
      if (ended_ && (!has_input || !begin_next())) break;
      const std::size_t left = Library::output_left(stream_);
      if (!Library::step(stream_, ended_)) {
        throw InputError(path_, 0, fmt::format("damaged {} data", Library::name), "Copy or export it again.");
      }
      // Buffered input may still give output when the file has ended.
      if (!has_input && !ended_ && Library::output_left(stream_) == left) break;
    }
    return count - Library::output_left(stream_);
  }
  bool refill() {
    const std::size_t got = packed_.next();
    Library::set_input(stream_, packed_.data(), got);
    return got > 0;
  }
  /// Streams may follow each other; anything else that follows is not data.
  bool begin_next() {
    if (!Library::begins_stream(stream_)) return false;
    Library::end(stream_);
    const auto kept = stream_;
    stream_ = {};
    Library::keep_places(stream_, kept);
    if (!Library::begin(stream_)) throw std::bad_alloc();
    ended_ = false;
    return true;
  }

  const fs::path& path_;
  PackedBytes packed_;
  typename Library::Stream stream_{};
  bool ended_ = false;
};

struct Deflate {
  using Stream = z_stream;
  static constexpr const char* name = "gzip";
  static bool begin(Stream& stream) { return inflateInit2(&stream, 15 + 32) == Z_OK; }
  static void end(Stream& stream) { inflateEnd(&stream); }
  static void set_input(Stream& stream, std::byte* from, std::size_t count) {
    stream.next_in = reinterpret_cast<Bytef*>(from);
    stream.avail_in = static_cast<uInt>(count);
  }
  static void set_output(Stream& stream, std::byte* to, std::size_t count) {
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<uInt>(count);
  }
  static std::size_t output_left(const Stream& stream) { return stream.avail_out; }
  static bool step(Stream& stream, bool& ended) {
    const int code = inflate(&stream, Z_NO_FLUSH);
    ended = code == Z_STREAM_END;
    return code == Z_OK || code == Z_BUF_ERROR || ended;  // Z_BUF_ERROR: no input
  }
  static bool begins_stream(const Stream& stream) { return stream.next_in[0] == 0x1f; }
  static void keep_places(Stream& stream, const Stream& kept) {
    stream.next_in = kept.next_in;
    stream.avail_in = kept.avail_in;
    stream.next_out = kept.next_out;
    stream.avail_out = kept.avail_out;
  }
};

struct Bzip2 {
  using Stream = bz_stream;
  static constexpr const char* name = "bzip2";
  static bool begin(Stream& stream) { return BZ2_bzDecompressInit(&stream, 0, 0) == BZ_OK; }
  static void end(Stream& stream) { BZ2_bzDecompressEnd(&stream); }
  static void set_input(Stream& stream, std::byte* from, std::size_t count) {
    stream.next_in = reinterpret_cast<char*>(from);
    stream.avail_in = static_cast<unsigned>(count);
  }
  static void set_output(Stream& stream, std::byte* to, std::size_t count) {
    stream.next_out = reinterpret_cast<char*>(to);
    stream.avail_out = static_cast<unsigned>(count);
  }
  static std::size_t output_left(const Stream& stream) { return stream.avail_out; }
  static bool step(Stream& stream, bool& ended) {
    const int code = BZ2_bzDecompress(&stream);
    ended = code == BZ_STREAM_END;
    return code == BZ_OK || ended;
  }
  static bool begins_stream(const Stream& stream) { return stream.next_in[0] == 'B'; }
  static void keep_places(Stream& stream, const Stream& kept) {
    stream.next_in = kept.next_in;
    stream.avail_in = kept.avail_in;
    stream.next_out = kept.next_out;
    stream.avail_out = kept.avail_out;
  }
};

/// The characters of a file.
class Characters {
 public:
  explicit Characters(OpenFile& file) : bytes_(file, std::nullopt) {}
  /// '\0' at the end.
  char next() {
    if (at_ == size_) {
      at_ = 0;
      size_ = bytes_.next();
      if (size_ == 0) return '\0';
    }
    return static_cast<char>(bytes_.data()[at_++]);
  }

 private:
  PackedBytes bytes_;
  std::size_t at_ = 0, size_ = 0;
};

/// Numbers as text, separated by white space and commas.
class TextSource : public ByteSource {
 public:
  TextSource(const fs::path& path, OpenFile& file, NumberType type)
      : path_(path), characters_(file), type_(type) {}
  void read(std::byte* to, std::size_t count) override {
    visit_number_type(type_, [&]<class Number>(Number) {
      for (std::size_t at = 0; at < count; at += sizeof(Number)) {
        const Number number = next<Number>();
        std::memcpy(to + at, &number, sizeof number);
        ++numbers_;
      }
    });
  }
  /// With decimal commas, a number is read as two: which ones are meant is unknown if there are too many.
  std::uint64_t finish() override {
    std::uint64_t more = 0;
    while (more < most_surplus && next_word()) ++more;
    if (more == 0) return 0;
    throw InputError(path_, 0,
                     fmt::format("it has {}{} numbers, but its header promises {}",
                                 more < most_surplus ? "" : "at least ", numbers_ + more, numbers_),
                     "Write decimal points instead of commas, or correct the sizes in the header.");
  }

 private:
  bool next_word() {
    const auto is_gap = [](char c) {
      return c == ' ' || c == ',' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f';
    };
    char c = characters_.next();
    while (is_gap(c)) c = characters_.next();
    word_.clear();
    for (; c != '\0' && !is_gap(c) && word_.size() < 400; c = characters_.next()) word_ += c;
    return !word_.empty();
  }
  template <class Number>
  Number next() {
    if (!next_word()) refuse_short(path_);
    const std::optional<Number> number = parse_number<Number>(word_);
    if (!number) {
      throw InputError(path_, 0,
                       fmt::format("expected a number of its type, found {}", isolume::quoted(word_)),
                       "Export it again.");
    }
    return *number;
  }

  const fs::path& path_;
  Characters characters_;
  NumberType type_;
  std::uint64_t numbers_ = 0;  ///< read so far
  std::string word_;
};

/// Two hexadecimal digits per byte, with white space anywhere.
class HexSource : public ByteSource {
 public:
  HexSource(const fs::path& path, OpenFile& file) : path_(path), characters_(file) {}
  void read(std::byte* to, std::size_t count) override {
    for (std::size_t at = 0; at < count; ++at) {
      const unsigned high = digit();
      to[at] = static_cast<std::byte>(high << 4 | digit());
    }
  }
  std::uint64_t finish() override {
    std::uint64_t digits = 0;
    while (digits < 2 * most_surplus && next() != '\0') ++digits;
    return (digits + 1) / 2;
  }

 private:
  char next() {
    char c = characters_.next();
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') c = characters_.next();
    return c;
  }
  unsigned digit() {
    const char c = next();
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    if (c == '\0') refuse_short(path_);
    throw InputError(path_, 0, fmt::format("expected hexadecimal digits, found {}", isolume::quoted({&c, 1})),
                     "Export it again.");
  }

  const fs::path& path_;
  Characters characters_;
};

std::unique_ptr<ByteSource> make_source(const VoxelBody& body, NumberType type, const fs::path& path,
                                        OpenFile& file) {
  switch (body.packing) {
    case VoxelBody::Packing::none:
      return std::make_unique<PlainSource>(path, file);
    case VoxelBody::Packing::deflate:
      return std::make_unique<UnpackingSource<Deflate>>(path, file, body.packed_bytes);
    case VoxelBody::Packing::bzip2:
      return std::make_unique<UnpackingSource<Bzip2>>(path, file, body.packed_bytes);
    case VoxelBody::Packing::text:
      return std::make_unique<TextSource>(path, file, type);
    case VoxelBody::Packing::hex:
      return std::make_unique<HexSource>(path, file);
  }
  throw std::logic_error("no such packing");
}

void skip_lines(const VoxelBody& body, const fs::path& path, OpenFile& file, const jobs::Progress& progress) {
  if (body.lines_before == 0 || body.at_end) return;
  std::vector<std::byte> block(1 << 16);
  std::uint64_t left = body.lines_before, place = file.place();
  for (;;) {
    progress.check();
    const std::size_t got = file.read(block.data(), block.size());
    if (got == 0) refuse_short(path);
    for (std::size_t at = 0; at < got; ++at) {
      if (block[at] == std::byte{'\n'} && --left == 0) {
        file.move_to(place + at + 1);
        return;
      }
    }
    place += got;
  }
}

/// The files' bytes, concatenated.
class BodyReader {
 public:
  BodyReader(const VoxelBody& body, const BodyExtent& extent, const jobs::Progress& progress)
      : body_(body),
        type_(extent.type),
        bytes_(extent.promised * bytes_of(extent.type)),
        part_bytes_(bytes_ / body.files.size()),
        progress_(progress) {}

  void read(std::byte* to, std::uint64_t count) {
    while (count > 0) {
      progress_.check();
      if (part_left_ == 0) open_next();
      const auto block = static_cast<std::size_t>(std::min({count, part_left_, std::uint64_t{block_bytes}}));
      source_->read(to, block);
      part_left_ -= block;
      to += block;
      count -= block;
      done_ += block;
      if (part_left_ == 0) surplus_ += source_->finish();
      progress_.report(static_cast<double>(done_) / static_cast<double>(bytes_), "reading voxels");
    }
  }
  void pass_over(std::uint64_t count) {
    std::vector<std::byte> scratch(std::min<std::uint64_t>(count, block_bytes));
    for (const std::uint64_t end = done_ + count; done_ < end;) {
      read(scratch.data(), std::min<std::uint64_t>(end - done_, scratch.size()));
    }
  }
  /// Decompresses the rest only to check that it exists. Returns the number of bytes that follow it.
  std::uint64_t check_rest() {
    if (body_.packing != VoxelBody::Packing::none) pass_over(bytes_ - done_);  // others were checked by size
    return surplus_;
  }

 private:
  void open_next() {
    const fs::path& path = body_.files[next_++];
    source_.reset();
    file_.emplace(path);
    const bool is_last = body_.at_end && body_.packing == VoxelBody::Packing::none;
    file_->move_to(is_last ? fs::file_size(path) - part_bytes_ : body_.offset);
    part_left_ = part_bytes_;
    skip_lines(body_, path, *file_, progress_);
    if (body_.packing == VoxelBody::Packing::none) {
      if (!body_.at_end) file_->move_to(file_->place() + body_.bytes_before);
      if (!body_.at_end && body_.lines_before > 0)
        surplus_ += file_->size() - std::min(file_->size(), file_->place() + part_bytes_);
      source_ = make_source(body_, type_, path, *file_);
      return;
    }
    if (body_.packing == VoxelBody::Packing::text || body_.packing == VoxelBody::Packing::hex) {
      file_->move_to(file_->place() + body_.bytes_before);
      source_ = make_source(body_, type_, path, *file_);
      return;
    }
    source_ = make_source(body_, type_, path, *file_);
    std::uint64_t before = body_.bytes_before;
    if (body_.at_end) {
      const std::uint64_t all = source_->count();
      if (all < part_bytes_) refuse_short(path);
      before = all - part_bytes_;
      file_->move_to(body_.offset);
      source_ = make_source(body_, type_, path, *file_);
    }
    std::vector<std::byte> scratch(std::min<std::uint64_t>(before, block_bytes));
    for (std::uint64_t skipped = 0; skipped < before;) {
      progress_.check();
      const auto block = static_cast<std::size_t>(std::min<std::uint64_t>(before - skipped, scratch.size()));
      source_->read(scratch.data(), block);
      skipped += block;
    }
  }

  const VoxelBody& body_;
  NumberType type_;
  std::uint64_t bytes_, part_bytes_, part_left_ = 0, done_ = 0, surplus_ = 0;
  jobs::Progress progress_;
  std::size_t next_ = 0;
  std::optional<OpenFile> file_;
  std::unique_ptr<ByteSource> source_;
};

template <std::size_t width>
void reverse_each(std::byte* bytes, std::size_t count) {
  for (std::size_t at = 0; at < count; at += width) std::reverse(bytes + at, bytes + at + width);
}

void reverse_numbers(std::byte* bytes, std::size_t count, std::size_t number_bytes) {
  if (number_bytes == 2) reverse_each<2>(bytes, count);
  if (number_bytes == 4) reverse_each<4>(bytes, count);
  if (number_bytes == 8) reverse_each<8>(bytes, count);
}

/// The minimum number of bytes of a file for so many numbers.
std::uint64_t least_bytes(const VoxelBody& body, std::uint64_t numbers, std::size_t number_bytes) {
  const std::uint64_t bytes = numbers * number_bytes;
  switch (body.packing) {
    case VoxelBody::Packing::none:
      return bytes + (body.at_end ? 0 : body.bytes_before);
    case VoxelBody::Packing::deflate:
      return (bytes + body.bytes_before) / 1032;  // maximum ratio of deflate
    case VoxelBody::Packing::bzip2:
      return (bytes + body.bytes_before) >> 20;  // 45.9 MB of one byte become 46 bytes
    case VoxelBody::Packing::text:
      return 2 * numbers - 1;
    case VoxelBody::Packing::hex:
      return 2 * bytes;
  }
  throw std::logic_error("no such packing");
}

}  // namespace

std::uint64_t require_body(const VoxelBody& body, const BodyExtent& extent) {
  if (extent.promised % body.files.size() != 0) {
    throw InputError(body.files.front(), 0,
                     fmt::format("{} numbers cannot be divided into {} files of equal size", extent.promised,
                                 body.files.size()),
                     "Export it again.");
  }
  const std::uint64_t part = extent.promised / body.files.size();
  const std::size_t number_bytes = bytes_of(extent.type);
  std::uint64_t surplus = 0;
  for (const fs::path& file : body.files) {
    std::error_code failed;
    // A pipe or a device might never end.
    if (!fs::is_regular_file(file, failed)) {
      throw InputError(file, 0,
                       fmt::format("the voxels cannot be read ({})", failed ? failed.message() : "no file"),
                       "Copy the data file next to its header.");
    }
    const std::uint64_t on_disk = fs::file_size(file, failed);
    const std::uint64_t offset = body.at_end ? 0 : body.offset;
    std::uint64_t left = !failed && on_disk > offset ? on_disk - offset : 0;
    if (body.packed_bytes && *body.packed_bytes > left) {
      const auto [promised, there] = format_unequal_bytes(*body.packed_bytes, left);
      throw InputError(file, 0,
                       fmt::format("its header promises {} of packed voxels, but {} are left in the file",
                                   promised, there),
                       "It was cut off: copy or export it again.");
    }
    if (body.packed_bytes) {
      surplus += left - *body.packed_bytes;
      left = *body.packed_bytes;
    }
    if (least_bytes(body, part, number_bytes) > left) {
      const auto [promised, there] = format_unequal_bytes(part * number_bytes, left);
      throw InputError(
          file, 0,
          fmt::format("its header promises {} of voxels, but {} are left in the file", promised, there),
          "It was cut off: copy or export it again.");
    }
    const bool is_counted =
        body.packing == VoxelBody::Packing::none && !body.at_end && body.lines_before == 0;
    if (is_counted) surplus += left - least_bytes(body, part, number_bytes);
  }
  return surplus;
}

std::uint64_t read_body(const VoxelBody& body, const BodyExtent& extent, std::byte* target,
                        const jobs::Progress& progress) {
  const std::size_t number_bytes = bytes_of(extent.type);
  const std::size_t bytes = extent.wanted * number_bytes;
  BodyReader reader(body, extent, progress);
  reader.pass_over(extent.skipped * number_bytes);
  reader.read(target, bytes);
  const std::uint64_t surplus = reader.check_rest();
  if (body.swapped && body.packing != VoxelBody::Packing::text) reverse_numbers(target, bytes, number_bytes);
  return surplus;
}

bool can_be_mapped(const VoxelBody& body, const BodyExtent& extent) {
  const std::size_t number_bytes = bytes_of(extent.type);
  return body.files.size() == 1 && body.packing == VoxelBody::Packing::none && body.lines_before == 0 &&
         !body.at_end && (!body.swapped || number_bytes == 1) &&
         (body.offset + body.bytes_before) % number_bytes == 0;
}

std::shared_ptr<const MappedFile> map_body(const VoxelBody& body, const BodyExtent& extent) {
  const OpenFile file(body.files.front());
  return std::make_shared<const MappedFile>(
      body.files.front(), file.descriptor(),
      body.offset + body.bytes_before + extent.skipped * bytes_of(extent.type),
      extent.wanted * bytes_of(extent.type));
}

}  // namespace isolume::images
