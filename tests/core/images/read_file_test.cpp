// Files written here by hand, after their formats' descriptions.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>
#include <zlib.h>

#include "core/dispatch/dispatch.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "core/images/file_format.h"
#include "tests/core/images/made_dicom.h"
#include "tests/core/images/made_nifti.h"
#include "tests/core/images/test_files.h"
#include "tests/memory_budget.h"
#include "tests/phantoms/phantoms.h"

namespace isolume::images {
namespace {

using testing::bytes_of_all;
using testing::content_of;
using testing::error_of;
using testing::nifti;
using testing::ras_rows;
namespace fs = std::filesystem;
using testing::TemporaryFolder;

std::string nrrd_header(std::string_view type, std::string_view more) {
  return fmt::format("NRRD0004\ntype: {}\ndimension: 3\nsizes: 2 2 2\nencoding: raw\nendian: little\n{}\n",
                     type, more);
}
const std::vector<std::int16_t> eight{-1000, 1, 2, 3, 4, 5, 6, 3000};

TEST(ReadNrrd, RasBecomesLps) {
  const TemporaryFolder folder;
  const fs::path file = folder.write(
      "v.nrrd", nrrd_header("short",
                            "space: right-anterior-superior\nspace directions: (2,0,0) (0,3,0) (0,0,4)\n"
                            "space origin: (10,20,30)\n") +
                    bytes_of_all(eight));
  const Volume volume = read_image(file).volume;
  EXPECT_EQ(volume.type, PixelType::int16);
  EXPECT_EQ(volume.value(0, 0, 0), -1000);
  EXPECT_EQ(volume.value(1, 1, 1), 3000);
  EXPECT_TRUE(volume.geometry.position({1, 1, 1}).isApprox(Eigen::Vector3d(-12, -23, 34)));
}

TEST(ReadNrrd, SpacingsAloneLieInThePatientsAxes) {
  const TemporaryFolder folder;
  const fs::path file =
      folder.write("v.nrrd", nrrd_header("short", "spacings: 0.5 0.6 7\n") + bytes_of_all(eight));
  const Geometry geometry = read_image(file).volume.geometry;
  EXPECT_TRUE(geometry.spacing().isApprox(Eigen::Vector3d(0.5, 0.6, 7)));
  EXPECT_TRUE(geometry.directions().isIdentity());
}

TEST(ReadNrrd, DetachedHeaderWithSkippedBytes) {
  const TemporaryFolder folder;
  folder.write("v.raw", "abcd" + bytes_of_all(eight));
  const fs::path file = folder.write("v.nhdr", nrrd_header("short", "byte skip: 4\ndata file: v.raw\n"));
  EXPECT_EQ(read_image(file).volume.value(1, 1, 1), 3000);
}

TEST(ReadNrrd, OtherByteOrder) {
  const TemporaryFolder folder;
  std::string bytes = bytes_of_all(eight);
  for (std::size_t at = 0; at < bytes.size(); at += 2) std::swap(bytes[at], bytes[at + 1]);
  const fs::path file = folder.write("v.nrrd",
                                     "NRRD0004\ntype: short\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n"
                                     "endian: big\n\n" +
                                         bytes);
  EXPECT_EQ(read_image(file).volume.value(0, 0, 0), -1000);
}

TEST(ReadNrrd, TextEncoding) {
  const TemporaryFolder folder;
  const fs::path file = folder.write(
      "v.nrrd", "NRRD0004\ntype: float\ndimension: 2\nsizes: 3 2\nencoding: ascii\n\n1.5 2 3\n4 5 -6.25\n");
  const Volume volume = read_image(file).volume;
  EXPECT_EQ(volume.type, PixelType::float32);
  EXPECT_EQ(volume.geometry.dimensions, (std::array{3, 2, 1}));
  EXPECT_EQ(volume.value(0, 0, 0), 1.5);
  EXPECT_EQ(volume.value(2, 1, 0), -6.25);
}

TEST(ReadNrrd, FirstVolumeOfSeveralWithAWarning) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("v.nrrd",
                                     "NRRD0004\ntype: short\ndimension: 4\nsizes: 2 2 1 2\nencoding: raw\n"
                                     "endian: little\nspacings: 1 1 1 nan\n\n" +
                                         bytes_of_all(eight));
  const Document document = read_image(file);
  EXPECT_EQ(document.volume.geometry.dimensions, (std::array{2, 2, 1}));
  EXPECT_EQ(document.volume.value(1, 1, 0), 3);
  ASSERT_EQ(document.remarks.size(), 2u);  // the first is of its orientation
  EXPECT_NE(document.remarks[1].text.find("2 volumes"), std::string::npos);
}

TEST(ReadNrrd, NaNsAreKept) {
  const TemporaryFolder folder;
  const std::vector<float> values{1, 2, 3, std::numeric_limits<float>::quiet_NaN(), 5, 6, 7, 8};
  const fs::path file = folder.write("v.nrrd", nrrd_header("float", "") + bytes_of_all(values));
  const Volume volume = read_image(file).volume;
  EXPECT_TRUE(std::isnan(volume.value(1, 1, 0)));
  EXPECT_EQ(value_range(volume).high, 8);
}

TEST(ReadNrrd, WideIntegersBecome32BitsWhereTheyFit) {
  const TemporaryFolder folder;
  std::vector<std::int64_t> values{0, 1, 2, 3, 4, 5, -6, 2147483647};
  const fs::path file =
      folder.write("v.nrrd", nrrd_header("int64", "spacings: 1 1 1\n") + bytes_of_all(values));
  EXPECT_EQ(read_image(file).volume.type, PixelType::int32);
  EXPECT_EQ(read_image(file).volume.value(1, 1, 1), 2147483647);
  values[0] = std::int64_t{1} << 40;
  folder.write("v.nrrd", nrrd_header("int64", "spacings: 1 1 1\n") + bytes_of_all(values));
  const Document wide = read_image(file);
  EXPECT_EQ(wide.volume.type, PixelType::float64);
  EXPECT_EQ(wide.volume.value(0, 0, 0), 0x1p40);
  EXPECT_EQ(wide.remarks.size(), 2u);  // of its orientation, and of its numbers
}

TEST(ReadNrrd, MoreThanTheMemoryIsMapped) {
  const TemporaryFolder folder;
  const isolume::testing::MemoryBudget budget("64MiB");
  // A file of holes, twice as large as what may be used: 2^20 x 1 x depth bytes behind 64 bytes of header.
  const std::size_t depth = 2 * (dispatch::available_memory_bytes() >> 20);
  std::string header = fmt::format(
      "NRRD0004\ntype: short\ndimension: 3\nsizes: 524288 1 {}\nencoding: raw\nendian: little\ndata file: "
      "v.raw\n",
      depth);
  folder.write("v.raw", "");
  fs::resize_file(folder.path() / "v.raw", depth << 20);
  {
    std::fstream raw(folder.path() / "v.raw", std::ios::in | std::ios::out | std::ios::binary);
    raw.seekp(static_cast<std::streamoff>((depth << 20) - 2));
    raw << bytes_of_all(std::vector<std::int16_t>{-1234});
  }
  const Volume volume = read_image(folder.write("v.nhdr", header)).volume;
  EXPECT_EQ(volume.value(524287, 0, static_cast<int>(depth) - 1), -1234);
  EXPECT_EQ(volume.value(0, 0, 0), 0);
  EXPECT_EQ(copy_slice(volume, {0, 524287}).value(0, 0, static_cast<int>(depth) - 1), -1234);

  // Another program cuts the file short, which alone would end this one.
  const int cut = static_cast<int>(depth) / 2;
  fs::resize_file(folder.path() / "v.raw", static_cast<std::size_t>(cut) << 20);
  EXPECT_NO_THROW(copy_slice(volume, {2, cut - 1}));
  for (const auto& look : std::vector<std::function<void()>>{[&] {
                                                               extract_slice(volume, {2, cut});
                                                             },
                                                             [&] {
                                                               copy_slice(volume, {2, cut + 1});
                                                             },
                                                             [&] { require_readable(volume); }}) {
    const std::string damaged = error_of(look);
    EXPECT_NE(damaged.find("v.raw"), std::string::npos) << damaged;
    EXPECT_NE(damaged.find("cut it short"), std::string::npos) << damaged;
  }
  EXPECT_EQ(volume.value(524287, 0, static_cast<int>(depth) - 1), 0);
  fs::resize_file(folder.path() / "v.raw", depth << 20);

  // What cannot be mapped (the other order of bytes) is refused with numbers.
  header.replace(header.find("little"), 6, "big");
  const std::string refused = error_of([&] { read_image(folder.write("v.nhdr", header)); });
  EXPECT_NE(refused.find("needs 128 MiB"), std::string::npos) << refused;
}

TEST(ReadNrrd, VoxelsOfAMappedFileAreSampledForNumbersThatAreNotFinite) {
  const TemporaryFolder folder;
  // Slices of 1 MiB, twice as many as fit into memory; holes are zeros.
  const std::size_t depth = 2 * (dispatch::available_memory_bytes() >> 20);
  const std::string header = fmt::format(
      "NRRD0004\ntype: float\ndimension: 3\nsizes: 512 512 {}\nencoding: raw\nendian: little\ndata file: "
      "v.raw\n",
      depth);
  folder.write("v.raw", "");
  fs::resize_file(folder / "v.raw", depth << 20);
  const fs::path file = folder.write("v.nhdr", header);
  EXPECT_NE(read_image(file).remarks.text().find("All of 16384 sampled voxels"), std::string::npos)
      << read_image(file).remarks.text();
  {
    std::fstream raw(folder / "v.raw", std::ios::in | std::ios::out | std::ios::binary);
    raw.seekp(static_cast<std::streamoff>((depth / 2) << 20));
    raw << bytes_of_all(std::vector<float>(512 * 128, std::nanf("")));
  }
  // A quarter of the rows of the middle slice, and of the 128 x 128 samples.
  const Document document = read_image(file);
  const auto found = std::ranges::find(document.remarks, RemarkKind::warning, &Remark::kind);
  ASSERT_NE(found, document.remarks.end()) << document.remarks.text();
  EXPECT_EQ(found->count, 128U * 32);
  EXPECT_NE(found->text.find("4096 of 16384 sampled voxels of the middle slice are not finite"),
            std::string::npos)
      << found->text;
}

TEST(ReadNifti, RasBecomesLps) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("v.nii", nifti({2, 2, 2}, 4, 16, 0, 0, ras_rows, bytes_of_all(eight)));
  const Volume volume = read_image(file).volume;
  EXPECT_EQ(volume.type, PixelType::int16);
  EXPECT_TRUE(volume.geometry.position({1, 1, 1}).isApprox(Eigen::Vector3d(-12, -23, 34), 1e-6));
  EXPECT_EQ(volume.value(1, 1, 1), 3000);
  EXPECT_EQ(volume.slope, 1);
}

TEST(ReadNifti, QuaternionAlone) {
  const TemporaryFolder folder;
  std::string bytes = nifti({2, 2, 2}, 4, 16, 0, 0, ras_rows, bytes_of_all(eight));
  const auto put = [&](std::size_t offset, auto value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  };
  put(252, std::int16_t{1});  // qform_code
  put(254, std::int16_t{0});  // sform_code
  put(256, 1.F);              // quatern_b: half a turn about x
  put(268, 10.F);
  put(272, 20.F);
  put(276, 30.F);
  const Volume volume = read_image(folder.write("v.nii", bytes)).volume;
  // In RAS: (10 + 2, 20 - 3, 30 - 4).
  EXPECT_TRUE(volume.geometry.position({1, 1, 1}).isApprox(Eigen::Vector3d(-12, -17, 26), 1e-6));
}

TEST(ReadNifti, SlopeKeepsTheStoredType) {
  const TemporaryFolder folder;
  const std::string bytes = nifti({2, 2, 2}, 4, 16, 0.5, -1024, ras_rows, bytes_of_all(eight));
  gzFile packed = gzopen((folder.path() / "v.nii.gz").c_str(), "wb");
  gzwrite(packed, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(packed);
  for (const fs::path& file : {folder.write("v.nii", bytes), folder.path() / "v.nii.gz"}) {
    const Volume volume = read_image(file).volume;
    EXPECT_EQ(volume.type, PixelType::int16) << file;
    EXPECT_EQ(volume.value(0, 0, 0), -500 - 1024);
    EXPECT_EQ(volume.value(1, 1, 1), 1500 - 1024);
  }
}

TEST(ReadMetaImage, LocalAndDetachedData) {
  const TemporaryFolder folder;
  const auto header = [](std::string_view data_file) {
    return fmt::format(
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
        "CompressedData = False\nTransformMatrix = 0 1 0 -1 0 0 0 0 1\nOffset = 10 20 30\n"
        "ElementSpacing = 2 3 4\nDimSize = 2 2 2\nElementType = MET_SHORT\nElementDataFile = {}\n",
        data_file);
  };
  folder.write("v.raw", bytes_of_all(eight));
  for (const fs::path& file : {folder.write("v.mhd", header("v.raw")),
                               folder.write("v.mha", header("LOCAL") + bytes_of_all(eight))}) {
    const Volume volume = read_image(file).volume;
    EXPECT_EQ(volume.value(1, 1, 1), 3000);
    // i grows along +y, j along -x.
    EXPECT_TRUE(volume.geometry.position({1, 1, 1}).isApprox(Eigen::Vector3d(10 - 3, 20 + 2, 30 + 4)));
  }
}

std::string png(std::uint32_t width, std::uint32_t height, std::uint8_t bits, std::uint8_t colour,
                const std::string& rows, const std::string& physical = "") {
  const auto number = [](std::uint32_t value) {
    return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16),
                       static_cast<char>(value >> 8), static_cast<char>(value)};
  };
  const auto chunk = [&](std::string content) {
    const auto size = static_cast<std::uint32_t>(content.size() - 4);
    const auto check =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    return number(size) + content + number(static_cast<std::uint32_t>(check));
  };
  std::string packed(compressBound(rows.size()), '\0');
  uLongf length = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(rows.data()),
           rows.size());
  packed.resize(length);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR" + number(width) + number(height) + static_cast<char>(bits) + static_cast<char>(colour) +
               std::string(3, '\0')) +
         (physical.empty() ? "" : chunk("pHYs" + physical)) + chunk("IDAT" + packed) + chunk("IEND");
}

TEST(ReadPng, SixteenBits) {
  const TemporaryFolder folder;
  using namespace std::string_literals;
  const fs::path file = folder.write("v.png", png(2, 2, 16, 0, "\0\x01\x02\x03\x04\0\xff\xff\0\x07"s));
  const Document document = read_image(file);
  EXPECT_EQ(document.volume.type, PixelType::uint16);
  EXPECT_EQ(document.volume.value(0, 0, 0), 0x0102);
  EXPECT_EQ(document.volume.value(0, 1, 0), 65535);
  EXPECT_EQ(document.volume.geometry.dimensions, (std::array{2, 2, 1}));
  ASSERT_EQ(document.remarks.size(), 2u);
  EXPECT_EQ(document.remarks[0].kind, RemarkKind::assumed);
  EXPECT_NE(document.remarks[0].text.find("how it lies in the patient"), std::string::npos);
  EXPECT_NE(document.remarks[1].text.find("1 mm"), std::string::npos);
}

TEST(ReadPng, ColourIsKeptWithItsGrey) {
  const TemporaryFolder folder;
  using namespace std::string_literals;
  const fs::path file = folder.write("v.png", png(2, 1, 8, 2, "\0\x0a\x14\x1e\xff\xff\xff"s));
  const Volume volume = read_image(file).volume;
  EXPECT_EQ(volume.type, PixelType::float32);
  EXPECT_FLOAT_EQ(static_cast<float>(volume.value(0, 0, 0)), 0.3F * 10 + 0.59F * 20 + 0.11F * 30);
  EXPECT_EQ(volume.value(1, 0, 0), 255);
  EXPECT_EQ(testing::colour_at(volume, 0, 0), (std::array{10, 20, 30}));
  EXPECT_EQ(testing::colour_at(volume, 1, 0), (std::array{255, 255, 255}));
  const Document clear = read_image(folder.write("a.png", png(1, 1, 8, 6, "\0\x0a\x14\x1e\x7f"s)));
  EXPECT_EQ(testing::colour_at(clear.volume, 0, 0), (std::array{10, 20, 30}));
  EXPECT_NE(clear.remarks.text().find("opacity of its colours (alpha) is not used"), std::string::npos);
  // Of 16 bits, big endian: 0x8080 is 128 of 255.
  const fs::path deep = folder.write("w.png", png(1, 1, 16, 2, "\0\x80\x80\0\0\xff\xff"s));
  EXPECT_EQ(testing::colour_at(read_image(deep).volume, 0, 0), (std::array{128, 0, 255}));
  EXPECT_EQ(read_image(deep).volume.full_colour, 65535);
}

TEST(ReadPng, SizesThatAFileCannotHoldAreRefusedBeforeMemoryIsTaken) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("v.png", png(100000, 100000, 8, 0, "x"));
  const std::string message = error_of([&] { read_image(file); });
  EXPECT_NE(message.find("v.png"), std::string::npos) << message;
}

TEST(ReadPng, PixelsPerMetreAreTheSpacing) {
  const TemporaryFolder folder;
  using namespace std::string_literals;
  const auto read = [&](const std::string& physical) {
    return read_image(folder.write("v.png", png(2, 1, 8, 0, "\0\1\2"s, physical)));
  };
  const Document micro = read("\0\x0f\x42\x40\0\x07\xa1\x20\1"s);  // 1,000,000 and 500,000 per metre
  EXPECT_TRUE(micro.volume.geometry.spacing().isApprox(Eigen::Vector3d(0.001, 0.002, 1)));
  EXPECT_NE(micro.remarks.text().find("0.001 × 0.002 mm"), std::string::npos) << micro.remarks.text();
  const Document screen = read("\0\0\x0b\x13\0\0\x0b\x13\1"s);  // 2835: 72 dpi
  EXPECT_EQ(screen.volume.geometry.spacing(), Eigen::Vector3d(1, 1, 1));
  EXPECT_NE(screen.remarks.text().find("72 dpi"), std::string::npos) << screen.remarks.text();
  EXPECT_EQ(read("\0\0\0\4\0\0\0\3\0"s).volume.geometry.spacing().y(), 4.0 / 3);
}

/// Written by Pillow.
fs::path picture(const TemporaryFolder& folder, const std::string& name, const std::string& expression) {
  const fs::path file = folder.path() / name;
  const std::string script =
      "import numpy; from PIL import Image; j, i = numpy.mgrid[0:16, 0:24]; Image.fromarray(" + expression +
      ").save('" + file.string() + "'" + (name.ends_with(".jpg") ? ", quality=100" : "") + ")";
  if (!testing::run_program({ISOLUME_PHANTOM_PYTHON, "-c", script})) throw std::runtime_error(script);
  return file;
}

TEST(ReadPictures, TiffAndJpeg) {
  ISOLUME_NEEDS_PHANTOMS();
  const TemporaryFolder folder;
  const Volume tiff = read_image(picture(folder, "v.tif", "(1000 * j + i).astype(numpy.uint16)")).volume;
  EXPECT_EQ(tiff.type, PixelType::uint16);
  EXPECT_EQ(tiff.value(23, 15, 0), 15023);
  const Volume floats = read_image(picture(folder, "f.tif", "(0.5 * j - i).astype(numpy.float32)")).volume;
  EXPECT_EQ(floats.type, PixelType::float32);
  EXPECT_EQ(floats.value(23, 15, 0), -15.5);
  const Volume grey = read_image(picture(folder, "v.jpg", "(10 * j + i).astype(numpy.uint8)")).volume;
  EXPECT_EQ(grey.type, PixelType::uint8);
  EXPECT_NEAR(grey.value(23, 15, 0), 173, 2);
  for (const auto& [dpi, mm] : {std::pair{254, 0.1}, {72, 1.0}}) {
    const std::string script =
        fmt::format("from PIL import Image; Image.new('L', (8, 8)).save('{}', dpi=({}, {}))",
                    (folder.path() / "r.jpg").string(), dpi, dpi);
    ASSERT_TRUE(testing::run_program({ISOLUME_PHANTOM_PYTHON, "-c", script}));
    const Eigen::Vector3d spacing = read_image(folder.path() / "r.jpg").volume.geometry.spacing();
    EXPECT_TRUE(spacing.isApprox(Eigen::Vector3d(mm, mm, 1))) << dpi;
  }
  const std::string turned = fmt::format(
      "from PIL import Image; exif = Image.Exif(); exif[0x0112] = 6; Image.new('L', (8, 8)).save('{}', "
      "exif=exif)",
      (folder.path() / "t.jpg").string());
  ASSERT_TRUE(testing::run_program({ISOLUME_PHANTOM_PYTHON, "-c", turned}));
  const std::string remarks = read_image(folder.path() / "t.jpg").remarks.text();
  EXPECT_NE(remarks.find("rotated or mirrored for display (orientation 6)"), std::string::npos) << remarks;
  const Volume colour =
      read_image(picture(folder, "c.png",
                         "numpy.stack([10 * j, 5 * i, 0 * i, 0 * i + 255], -1).astype(numpy.uint8)"))
          .volume;
  EXPECT_EQ(colour.type, PixelType::float32);
  EXPECT_NEAR(colour.value(23, 15, 0), 0.3 * 150 + 0.59 * 115, 1e-4);
  EXPECT_EQ(testing::colour_at(colour, 23, 15), (std::array{150, 115, 0}));
  const Volume photo = read_image(picture(folder, "c.jpg",
                                          "numpy.stack([0 * j + 200, 0 * j + 40, 0 * j + 90], "
                                          "-1).astype(numpy.uint8)"))
                           .volume;
  EXPECT_NEAR(testing::colour_at(photo, 23, 15)[0], 200, 3);
  EXPECT_NEAR(testing::colour_at(photo, 23, 15)[1], 40, 3);
  EXPECT_NEAR(testing::colour_at(photo, 23, 15)[2], 90, 3);
}

TEST(ReadFile, CutFilesSayWhatIsMissing) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("v.nrrd", nrrd_header("short", "") + bytes_of_all(eight).substr(0, 9));
  const std::string message = error_of([&] { read_image(file); });
  EXPECT_NE(message.find("16 B"), std::string::npos) << message;
  EXPECT_NE(message.find("9 B"), std::string::npos) << message;
}

TEST(ReadFile, WhatIsNoImageIsRefused) {
  const TemporaryFolder folder;
  const fs::path text = folder.write("notes.txt", "hello");
  EXPECT_FALSE(is_image(text));
  EXPECT_FALSE(is_image(folder.path() / "nowhere.nrrd"));
  EXPECT_THROW(read_image(text), InputError);
  EXPECT_THROW(read_image(folder.path() / "nowhere.nrrd"), InputError);
  EXPECT_TRUE(is_image(folder.write("v.nrrd", "NRRD0004\n")));
  EXPECT_THROW(read_image(folder.path() / "v.nrrd"), InputError);
}

TEST(ReadFile, FormatsAreThoseOfNames) {
  const FileFormats& formats = image_formats();
  EXPECT_TRUE(formats.patterns().starts_with("*.dcm "));
  for (const char* name : {"a.dcm", "A.NII.GZ", "b.jpeg"}) EXPECT_TRUE(formats.match(name)) << name;
  for (const char* name : {"a.txt", ".dcm", "nii"}) EXPECT_FALSE(formats.match(name)) << name;
}

TEST(ReadFile, CancelledWhileReading) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("v.nrrd", nrrd_header("short", "") + bytes_of_all(eight));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(read_image(file, {}, jobs::Progress(stop.get_token(), {})), Cancelled);
}

}  // namespace
}  // namespace isolume::images
