// Whatever the bytes are: an image, or one of the promised errors; and no memory for what the file cannot
// hold.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/dicom/data/header.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "tests/core/images/made_dicom.h"
#include "tests/core/images/test_files.h"
#include "tests/phantoms/phantoms.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;
using testing::content_of;
using testing::counting_volume;
using testing::MadeDicom;
using testing::run_program;
using testing::TemporaryFolder;

/// A file of a few KiB and its damaged copies.
class Victim {
 public:
  explicit Victim(const fs::path& file)
      : name_("damaged" + file.extension().string()), text_(content_of(file)) {
    if (file.string().ends_with(".nii.gz")) name_ = "damaged.nii.gz";
  }

  void cut() const {
    const std::size_t step = std::max<std::size_t>(text_.size() / 150, 1);
    for (std::size_t length = 0; length < text_.size(); length += step) read(text_.substr(0, length), length);
  }

  void flip(std::size_t count, unsigned seed, bool headers_alone = false) const {
    std::mt19937 random(seed);
    const std::size_t reach = headers_alone ? std::min<std::size_t>(text_.size(), 400) : text_.size();
    for (std::size_t number = 0; number < count; ++number) {
      std::string damaged = text_;
      const auto flips = 1 + random() % 8;
      for (std::size_t at = 0; at < flips; ++at)
        damaged[random() % reach] = static_cast<char>(random() % 256);
      read(damaged, number);
    }
  }

 private:
  void read(const std::string& bytes, std::size_t number) const {
    const fs::path file = folder_.write(name_, bytes);
    try {
      const Document document = read_image(file);
      // What was read is all there.
      value_range(document.volume);
      extract_slice(document.volume, {2, document.volume.geometry.dimensions[2] - 1});
    } catch (const Error&) {
      // Error, InputError and ResourceError are what is promised.
    } catch (const std::exception& other) {
      ADD_FAILURE() << name_ << " number " << number << ": " << other.what();
    }
  }

  TemporaryFolder folder_;
  std::string name_, text_;
};

class HostileVolume : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Suffixes, HostileVolume, ::testing::Values(".nrrd", ".nii", ".nii.gz", ".mha"),
                         [](const auto& suffix) {
                           std::string name = suffix.param;
                           std::erase(name, '.');
                           return name;
                         });

TEST_P(HostileVolume, CutAndDamaged) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / (std::string("volume") + GetParam());
  write_volume(counting_volume<std::int16_t>(PixelType::int16, {6, 5, 4}), file);
  const Victim victim(file);
  victim.cut();
  victim.flip(150, 1);
  victim.flip(150, 2, true);
}

class HostilePicture : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Suffixes, HostilePicture, ::testing::Values("png", "tif", "jpg"),
                         [](const auto& suffix) { return std::string(suffix.param); });

TEST_P(HostilePicture, CutAndDamaged) {
  ISOLUME_NEEDS_PHANTOMS();
  const TemporaryFolder folder;
  const fs::path file = folder.path() / (std::string("picture.") + GetParam());
  ASSERT_TRUE(run_program({ISOLUME_PHANTOM_PYTHON, "-c",
                           "import numpy; from PIL import Image; j, i = numpy.mgrid[0:16, 0:24]; "
                           "Image.fromarray((j * i).astype(numpy.uint8)).save('" +
                               file.string() + "')"}));
  const Victim victim(file);
  victim.cut();
  victim.flip(200, 6);
}

class HostileDicom : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cases, HostileDicom,
                         ::testing::Values("monochrome1", "enhanced", "enhanced_rle", "enhanced_fragments",
                                           "cine", "palette", "bare", "colour"),
                         [](const auto& test_case) { return std::string(test_case.param); });

TEST_P(HostileDicom, CutAndDamaged) {
  MADE_DICOM(made, GetParam());
  const Victim victim(made.folder() / "image.dcm");
  victim.cut();
  victim.flip(250, 3);
}

TEST(Hostile, DicomPackedAsJpegIsCutAndDamaged) {
  if (!testing::has_program("dcmcjpeg")) GTEST_SKIP() << "dcmcjpeg is not installed";
  MADE_DICOM(made, "large");
  for (const std::vector<std::string>& packer :
       {std::vector<std::string>{"dcmcjpeg", "+e1"}, {"dcmcjpls"}, {"gdcmconv", "--j2k"}}) {
    if (!testing::has_program(packer[0])) continue;
    std::vector<std::string> command = packer;
    const fs::path packed = made.folder() / "packed.dcm";
    command.insert(command.end(), {(made.folder() / "image.dcm").string(), packed.string()});
    ASSERT_TRUE(run_program(command));
    SCOPED_TRACE(packer[0]);
    const Victim victim(packed);
    victim.cut();
    victim.flip(250, 4);
  }
}

TEST(Hostile, TextNamedDicom) {
  const TemporaryFolder folder;
  for (const std::string& text :
       {std::string("hello"), std::string(5000, 'a'), std::string(5000, '\0'), std::string()}) {
    const fs::path file = folder.write("a.dcm", text);
    EXPECT_THROW(read_image(file), InputError);
    EXPECT_THROW(read_image(folder.path()), InputError);
  }
}

/// An element of explicit little endian with a two-byte length.
std::string element(unsigned group, unsigned number, std::string_view vr, std::string value) {
  if (value.size() % 2 == 1) value += vr == "UI" ? '\0' : ' ';
  const auto word = [](std::size_t w) {
    return std::string{static_cast<char>(w), static_cast<char>(w >> 8)};
  };
  return word(group) + word(number) + std::string(vr) + word(value.size()) + value;
}
std::string word(unsigned value) {
  return {static_cast<char>(value), static_cast<char>(value >> 8)};
}

std::string long_word(std::uint32_t value) {
  return word(value & 0xffffU) + word(value >> 16);
}

constexpr std::string_view explicit_little_endian = "1.2.840.10008.1.2.1";

/// A file that begins as all do, with these elements.
std::string dicom_of(std::string_view syntax, const std::string& elements) {
  const std::string meta = element(2, 0x10, "UI", std::string(syntax));
  return std::string(128, '\0') + "DICM" +
         element(2, 0, "UL", long_word(static_cast<std::uint32_t>(meta.size()))) + meta +
         element(8, 0x16, "UI", "1.2.840.10008.5.1.4.1.1.7") + elements;
}

/// Pixels of 8 bits, up to where they begin.
std::string description(unsigned samples, const std::string& photometric, unsigned rows, unsigned columns) {
  return element(0x28, 2, "US", word(samples)) + element(0x28, 4, "CS", photometric) +
         element(0x28, 0x10, "US", word(rows)) + element(0x28, 0x11, "US", word(columns)) +
         element(0x28, 0x100, "US", word(8)) + element(0x28, 0x101, "US", word(8)) +
         element(0x28, 0x102, "US", word(7)) + element(0x28, 0x103, "US", word(0));
}

std::string plain_pixels(const std::string& bytes) {
  return std::string("\xe0\x7f\x10\0OW\0\0", 8) + long_word(static_cast<std::uint32_t>(bytes.size())) + bytes;
}

/// A file of `rows` x `columns` x `frames` with so many bytes of pixels, whose length is told as
/// `told_bytes`.
std::string tiny_dicom(unsigned rows, unsigned columns, const std::string& frames, const std::string& pixels,
                       std::uint32_t told_bytes) {
  return dicom_of(explicit_little_endian,
                  element(8, 0x18, "UI", "1.2.3") + element(0x20, 0xe, "UI", "1.2.4") +
                      element(0x28, 2, "US", word(1)) + element(0x28, 4, "CS", "MONOCHROME2") +
                      (frames.empty() ? "" : element(0x28, 8, "IS", frames)) +
                      element(0x28, 0x10, "US", word(rows)) + element(0x28, 0x11, "US", word(columns)) +
                      element(0x28, 0x100, "US", word(16)) + element(0x28, 0x101, "US", word(16)) +
                      element(0x28, 0x102, "US", word(15)) + element(0x28, 0x103, "US", word(0)) +
                      std::string("\xe0\x7f\x10\0OW\0\0", 8) + long_word(told_bytes) + pixels);
}

std::string error_of_file(const fs::path& file) {
  try {
    read_image(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Hostile, SizesThatAFileCannotHoldTakeNoMemory) {
  const TemporaryFolder folder;
  const std::string pixels(12, 'x');
  ASSERT_NO_THROW(read_image(folder.write("good.dcm", tiny_dicom(2, 3, "", pixels, 12))));
  struct rusage before {};
  getrusage(RUSAGE_SELF, &before);
  for (const std::string& bytes :
       {tiny_dicom(65535, 65535, "", pixels, 12), tiny_dicom(2, 3, "2000000000", pixels, 12),
        tiny_dicom(2, 3, "-1", pixels, 12), tiny_dicom(2, 3, "99999999999999", pixels, 12),
        tiny_dicom(0, 3, "", pixels, 12), tiny_dicom(2, 3, "", pixels, 0xfffffffe),
        tiny_dicom(65535, 65535, "100", pixels, 0xfffffff0), tiny_dicom(2, 3, "", pixels, 10),
        tiny_dicom(2, 3, "", "", 0)}) {
    EXPECT_THROW(read_image(folder.write("a.dcm", bytes)), InputError);
  }
  struct rusage after {};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 200'000) << "KiB more than before";
}

/// In one piece.
std::string packed_pixels(std::string bytes = std::string(64, '\1')) {
  if (bytes.size() % 2 == 1) bytes += '\0';
  return std::string("\xe0\x7f\x10\0OB\0\0\xff\xff\xff\xff", 12) +
         std::string("\xfe\xff\x00\xe0\0\0\0\0\xfe\xff\x00\xe0", 12) +
         long_word(static_cast<std::uint32_t>(bytes.size())) + bytes +
         std::string("\xfe\xff\xdd\xe0\0\0\0\0", 8);
}

TEST(Hostile, SequencesNestedDeeplyBehindPackedPixelsAreRefused) {
  std::string nested;
  for (int level = 0; level < 200000; ++level)
    nested += std::string("\xfc\xff\xfc\xffSQ\0\0\xff\xff\xff\xff\xfe\xff\0\xe0\xff\xff\xff\xff", 20);
  const TemporaryFolder folder;
  const std::string message = error_of_file(folder.write(
      "a.dcm",
      dicom_of("1.2.840.10008.1.2.5", description(1, "MONOCHROME2", 4, 4) + packed_pixels() + nested)));
  EXPECT_NE(message.find("nested too deeply"), std::string::npos) << message;
}

TEST(Hostile, PackedPixelsThatAFileCannotHoldTakeNoMemory) {
  const TemporaryFolder folder;
  const std::string items = packed_pixels();
  std::string jpeg("\xff\xd8\xff\xc0\0\x11\x08\xff\xdc\xff\xdc\3\1\x11\0\2\x11\0\3\x11\0", 21);
  jpeg += std::string("\xff\xda\0\x0c\3\1\0\2\0\3\0\0\x3f\0\xff\xd9", 16);
  for (const fs::path& file :
       {folder.write("rle.dcm",
                     dicom_of("1.2.840.10008.1.2.5", description(1, "MONOCHROME2", 65535, 65535) + items)),
        folder.write("frames.dcm",
                     dicom_of("1.2.840.10008.1.2.5",
                              element(0x28, 8, "IS", "200") + description(3, "RGB", 2000, 2000) + items)),
        folder.write("huge.jpg", jpeg)}) {
    const std::string message = error_of_file(file);
    EXPECT_NE(message.find("cannot hold"), std::string::npos) << message;
  }
}

/// A progressive JPEG of one block, of which every scan tells its mean again.
std::string jpeg_of_scans(int scans) {
  std::string jpeg("\xff\xd8\xff\xdb\0\x43\0", 7);
  jpeg += std::string(64, '\1') + std::string("\xff\xc2\0\x0b\x08\0\x08\0\x08\1\1\x11\0", 13);
  jpeg += std::string("\xff\xc4\0\x14\0\1", 6) + std::string(16, '\0');  // one code, of one bit: no change
  for (int scan = 0; scan < scans; ++scan) jpeg += std::string("\xff\xda\0\x08\1\1\0\0\0\0\x7f", 11);
  return jpeg + "\xff\xd9";
}

TEST(Hostile, JpegOfManyScansIsNotGoneOverForEachOfThem) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of_file(folder.write("a.jpg", jpeg_of_scans(1))), "no error");
  const std::string message = error_of_file(folder.write("b.jpg", jpeg_of_scans(600)));
  EXPECT_NE(message.find("more than 500 scans"), std::string::npos) << message;
}

TEST(Hostile, JpegInDicomIsOfItsFrameOrRefused) {
  const TemporaryFolder folder;
  const auto read_as = [&](unsigned rows, unsigned columns, const std::string& jpeg) {
    return error_of_file(
        folder.write("a.dcm", dicom_of("1.2.840.10008.1.2.4.55",
                                       description(1, "MONOCHROME2", rows, columns) + packed_pixels(jpeg))));
  };
  const std::string good = jpeg_of_scans(1);
  EXPECT_EQ(read_as(8, 8, good), "no error");
  std::string with_marker = good;
  with_marker.insert(2, "\xff\x01");  // where DCMTK would look for the header for ever
  for (const auto& [rows, columns, jpeg] : {std::tuple{16U, 4U, good},
                                            {4U, 16U, good},
                                            {8U, 8U, with_marker},
                                            {8U, 8U, jpeg_of_scans(600)},
                                            {8U, 8U, good.substr(0, 80)}}) {
    const std::string message = read_as(rows, columns, jpeg);
    EXPECT_NE(message.find("damaged, or of another size"), std::string::npos) << rows << ": " << message;
  }
}

TEST(Hostile, OddColumnsCannotShareTheirChroma) {
  const TemporaryFolder folder;
  const auto with_columns = [&](unsigned columns) {
    return error_of_file(folder.write(
        "a.dcm", dicom_of(explicit_little_endian, description(3, "YBR_FULL_422", 1, columns) +
                                                      plain_pixels(std::string(2UL * columns, 'x')))));
  };
  EXPECT_EQ(with_columns(4), "no error");
  EXPECT_NE(with_columns(3).find("3 columns"), std::string::npos) << with_columns(3);
}

TEST(Hostile, PalettesThatBeginBeyondAllNumbersAreRefused) {
  const TemporaryFolder folder;
  const auto beginning_at = [&](const std::string& first) {
    std::string palette = element(0x28, 0x1101, "DS", "2\\" + first + "\\16");
    for (const unsigned channel : {0x1201U, 0x1202U, 0x1203U})
      palette += element(0x28, channel, "US", word(0) + word(65535));
    return error_of_file(folder.write(
        "a.dcm", dicom_of(explicit_little_endian, description(1, "PALETTE COLOR", 1, 2) + palette +
                                                      plain_pixels(std::string("\1\2", 2)))));
  };
  EXPECT_EQ(beginning_at("1"), "no error");
  for (const std::string first : {"1e30", "-2147483648"})
    EXPECT_NE(beginning_at(first).find("palette"), std::string::npos) << first;
}

/// What fuzzing found or learnt from: a copy that is written can be read, and of one that is not nothing is
/// left.
TEST(Hostile, AnonymisedCopiesOfDamagedFilesCanBeReadOrAreRefused) {
  const fs::path corpus = fs::path(ISOLUME_TEST_REFERENCES).parent_path() / "fuzz/corpus/anonymise";
  const TemporaryFolder folder;
  int written = 0, refused = 0;
  for (const auto& file : fs::directory_iterator(corpus)) {
    const fs::path copies = folder.path() / file.path().filename();
    try {
      dicom::write_anonymised({file.path()}, copies);
      EXPECT_NO_THROW(dicom::read_header(copies / "000001.dcm")) << file.path();
      ++written;
    } catch (const Error&) {
      EXPECT_FALSE(fs::exists(copies)) << file.path();
      ++refused;
    }
  }
  EXPECT_GT(written, 0);
  EXPECT_GT(refused, 0);
}

TEST(Hostile, HeadersOfDamagedFilesAreListedOrRefused) {
  MADE_DICOM(made, "private");
  const std::string text = content_of(made.folder() / "1.dcm");
  const TemporaryFolder folder;
  std::mt19937 random(5);
  for (int number = 0; number < 300; ++number) {
    std::string damaged = text;
    for (int at = 0; at < 4; ++at) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    const fs::path file = folder.write("a.dcm", damaged);
    try {
      dicom::read_header(file);
      dicom::write_anonymised({file}, folder.path() / "out");
      fs::remove_all(folder.path() / "out");
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace isolume::images
