// Whatever the bytes are: an image, or one of the promised errors; and no memory for what the file cannot
// hold.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/images/dicom_header.h"
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
      extract_slice(document.volume, {2, document.volume.geometry.size[2] - 1});
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

/// A file of `rows` x `columns` x `frames` with so many bytes of pixels, whose length is told as
/// `told_bytes`.
std::string tiny_dicom(unsigned rows, unsigned columns, const std::string& frames, std::string pixels,
                       std::uint32_t told_bytes) {
  const std::string meta = element(2, 0x10, "UI", "1.2.840.10008.1.2.1");
  std::string told(4, '\0');
  std::memcpy(told.data(), &told_bytes, 4);
  return std::string(128, '\0') + "DICM" +
         element(2, 0, "UL", word(static_cast<unsigned>(meta.size())) + word(0)) + meta +
         element(8, 0x16, "UI", "1.2.840.10008.5.1.4.1.1.7") + element(8, 0x18, "UI", "1.2.3") +
         element(0x20, 0xe, "UI", "1.2.4") + element(0x28, 2, "US", word(1)) +
         element(0x28, 4, "CS", "MONOCHROME2") + (frames.empty() ? "" : element(0x28, 8, "IS", frames)) +
         element(0x28, 0x10, "US", word(rows)) + element(0x28, 0x11, "US", word(columns)) +
         element(0x28, 0x100, "US", word(16)) + element(0x28, 0x101, "US", word(16)) +
         element(0x28, 0x102, "US", word(15)) + element(0x28, 0x103, "US", word(0)) +
         std::string("\xe0\x7f\x10\0OW\0\0", 8) + told + pixels;
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
      read_header(file);
      write_anonymised({file}, folder.path() / "out");
      fs::remove_all(folder.path() / "out");
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace isolume::images
