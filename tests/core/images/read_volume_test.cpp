// Headers of NIfTI, NRRD and MetaImage: what they say of place and packing, and what must be refused.
// Expected places follow from the formats' descriptions; nibabel and pynrrd give the same.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <bzlib.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "core/images/readers.h"
#include "tests/core/images/made_nifti.h"
#include "tests/core/images/test_files.h"

namespace isolume::images {
namespace {

using testing::bytes_of_all;
using testing::content_of;
using testing::error_of;
using testing::nifti;
using testing::ras_rows;
namespace fs = std::filesystem;
using testing::TemporaryFolder;

const std::vector<std::int16_t> eight{-1000, 1, 2, 3, 4, 5, 6, 3000};
const std::string voxels = bytes_of_all(eight);

bool warns(const Document& document, std::string_view of) {
  return std::ranges::any_of(document.remarks,
                             [&](const Remark& remark) { return remark.text.find(of) != std::string::npos; });
}
/// Whether reading is refused with an error that names both.
::testing::AssertionResult is_refused(const fs::path& file, std::string_view named, std::string_view why) {
  const std::string message = error_of([&] { read_image(file); });
  if (message.empty()) return ::testing::AssertionFailure() << "it was read";
  if (message.find(named) != std::string::npos && message.find(why) != std::string::npos) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << message;
}

std::string zlib_of(const std::string& bytes) {
  std::string packed(compressBound(bytes.size()), '\0');
  uLongf length = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(bytes.data()),
           bytes.size());
  packed.resize(length);
  return packed;
}
std::string gzip_of(const std::string& bytes) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "packed";
  gzFile packed = gzopen(file.c_str(), "wb");
  gzwrite(packed, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(packed);
  return content_of(file);
}
std::string bzip2_of(std::string bytes) {
  std::string packed(bytes.size() + 1000, '\0');
  auto length = static_cast<unsigned>(packed.size());
  BZ2_bzBuffToBuffCompress(packed.data(), &length, bytes.data(), static_cast<unsigned>(bytes.size()), 9, 0,
                           0);
  packed.resize(length);
  return packed;
}
std::string noise(std::size_t size) {
  std::mt19937 random(3);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() % 64);
  return bytes;
}

/// A NIfTI header to be changed: 2 x 2 x 2 of int16, 2 x 3 x 4 mm, from (10, 20, 30) mm of RAS.
class MadeNifti {
 public:
  std::string bytes = nifti({2, 2, 2}, 4, 16, 0, 0, ras_rows, voxels);
  template <class Number>
  MadeNifti& put(std::size_t offset, Number value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return *this;
  }
  MadeNifti& put_qform(float x, float y, float z) {
    return put(252, std::int16_t{1}).put(268, x).put(272, y).put(276, z);
  }
  MadeNifti& without_sform() { return put(254, std::int16_t{0}); }
};

TEST(ReadNiftiPlace, SformIsTakenWhereQformDiffers) {
  const TemporaryFolder folder;
  MadeNifti same;
  same.put_qform(10, 20, 30);
  EXPECT_TRUE(read_image(folder.write("v.nii", same.bytes)).remarks.empty());
  MadeNifti other;
  other.put_qform(10, 26, 38);
  const Document document = read_image(folder.write("v.nii", other.bytes));
  EXPECT_TRUE(document.volume.geometry.origin.isApprox(Eigen::Vector3d(-10, -20, 30), 1e-6));
  EXPECT_TRUE(warns(document, "by up to 10 mm: the sform is taken"));
}

TEST(ReadNiftiPlace, ShearedSformIsKept) {
  const TemporaryFolder folder;
  // The third axis leans to the front, as a tilted gantry's does.
  const fs::path file =
      folder.write("v.nii", nifti({2, 2, 2}, 4, 16, 0, 0, {2, 0, 0, 10, 0, 3, 3, 20, 0, 0, 4, 30}, voxels));
  const Geometry geometry = read_image(file).volume.geometry;
  EXPECT_TRUE(geometry.position({0, 0, 1}).isApprox(Eigen::Vector3d(-10, -23, 34), 1e-6));
  EXPECT_NEAR(geometry.spacing().z(), 5, 1e-6);
}

TEST(ReadNifti, SizesThatAreLeftAtZeroAreReadAsOne) {
  const TemporaryFolder folder;
  MadeNifti no_depth;  // 2 x 4 voxels of a picture
  no_depth.put(42, std::int16_t{2}).put(44, std::int16_t{4}).put(46, std::int16_t{0});
  const Document picture = read_image(folder.write("picture.nii", no_depth.bytes));
  EXPECT_EQ(picture.volume.geometry.dimensions, (std::array{2, 4, 1}));
  EXPECT_EQ(picture.volume.value(1, 3, 0), 3000);
  EXPECT_TRUE(warns(picture, "dim[3] is 0"));
  MadeNifti no_axes;
  no_axes.put(40, std::int16_t{0});
  const Document document = read_image(folder.write("axes.nii", no_axes.bytes));
  EXPECT_EQ(document.volume.geometry.dimensions, (std::array{2, 2, 2}));
  EXPECT_TRUE(warns(document, "dim[0]"));
}

TEST(ReadNifti, EachVolumeOfAFileCanBeChosen) {
  const TemporaryFolder folder;
  MadeNifti made;  // two volumes of 2 x 2 x 1
  made.put(40, std::int16_t{4}).put(46, std::int16_t{1}).put(48, std::int16_t{2});
  for (const std::string name : {"v.nii", "v.nii.gz"}) {
    const fs::path file = folder.write(name, name == "v.nii" ? made.bytes : gzip_of(made.bytes));
    for (int time_point = 0; time_point < 2; ++time_point) {
      const Document document = read_image(file, {.series_uid = {}, .time_point = time_point});
      EXPECT_EQ(document.time.names.size(), 2u);
      EXPECT_EQ(document.volume.value(1, 0, 0), eight[static_cast<std::size_t>(1 + 4 * time_point)]) << name;
    }
    EXPECT_THROW(read_image(file, {.series_uid = {}, .time_point = 2}), Error);
  }
}

TEST(ReadNiftiPlace, SpacingThatIsNoneIsTold) {
  const TemporaryFolder folder;
  for (const float pixdim : {0.F, std::numeric_limits<float>::quiet_NaN()}) {
    MadeNifti made;
    made.put_qform(10, 20, 30).without_sform().put(84, pixdim);
    const Document document = read_image(folder.write("v.nii", made.bytes));
    EXPECT_TRUE(document.volume.geometry.spacing().isApprox(Eigen::Vector3d(2, 1, 4), 1e-6));
    EXPECT_TRUE(warns(document, "1 mm is assumed")) << pixdim;
  }
  MadeNifti unlike;
  unlike.put(84, 0.F);
  const Document document = read_image(folder.write("v.nii", unlike.bytes));
  EXPECT_NEAR(document.volume.geometry.spacing().y(), 3, 1e-6);
  EXPECT_TRUE(warns(document, "pixdim is 2, 0, 4"));
}

TEST(ReadNiftiPlace, UnitsScaleSpacingAndOrigin) {
  const TemporaryFolder folder;
  MadeNifti by_sform;
  by_sform.put(123, std::uint8_t{3});  // micrometres
  MadeNifti by_qform = by_sform;
  by_qform.put_qform(10, 20, 30).without_sform();
  for (const std::string& bytes : {by_sform.bytes, by_qform.bytes}) {
    const Geometry geometry = read_image(folder.write("v.nii", bytes)).volume.geometry;
    EXPECT_TRUE(geometry.spacing().isApprox(Eigen::Vector3d(0.002, 0.003, 0.004), 1e-6));
    EXPECT_TRUE(geometry.origin.isApprox(Eigen::Vector3d(-0.01, -0.02, 0.03), 1e-6));
  }
}

TEST(ReadNiftiPlace, WithoutFormsIsTold) {
  const TemporaryFolder folder;
  const Document document = read_image(folder.write("v.nii", MadeNifti().without_sform().bytes));
  EXPECT_TRUE(warns(document, "does not say where it lies"));
  EXPECT_TRUE(document.volume.geometry.directions().isIdentity());
}

/// nifti2.h
std::string nifti2(bool big_endian) {
  std::string bytes(544, '\0');
  const auto put = [&](std::size_t offset, auto value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    if (big_endian)
      std::reverse(bytes.begin() + static_cast<long>(offset),
                   bytes.begin() + static_cast<long>(offset + sizeof value));
  };
  put(0, std::int32_t{540});
  bytes.replace(4, 8, std::string("n+2\0\r\n\x1a\n", 8));
  put(12, std::int16_t{4});
  put(14, std::int16_t{16});
  for (std::size_t axis = 0; axis < 8; ++axis)
    put(16 + 8 * axis, std::int64_t{axis == 0 ? 3 : axis < 4 ? 2 : 1});
  for (std::size_t axis = 0; axis < 4; ++axis)
    put(104 + 8 * axis, axis == 0 ? 1.0 : 1.0 + static_cast<double>(axis));
  put(168, std::int64_t{544});
  put(176, 0.5);
  put(184, -1024.0);
  put(348, std::int32_t{1});
  for (std::size_t at = 0; at < 12; ++at) put(400 + 8 * at, static_cast<double>(ras_rows[at]));
  put(500, std::int32_t{2});
  std::string stored = voxels;
  if (big_endian) {
    for (std::size_t at = 0; at < stored.size(); at += 2) std::swap(stored[at], stored[at + 1]);
  }
  return bytes + stored;
}

TEST(ReadNifti2, BothOrdersOfBytesAndPacked) {
  const TemporaryFolder folder;
  for (const fs::path& file :
       {folder.write("little.nii", nifti2(false)), folder.write("big.nii", nifti2(true)),
        folder.write("packed.nii.gz", gzip_of(nifti2(false)))}) {
    const Document document = read_image(file);
    EXPECT_TRUE(document.remarks.empty()) << file;
    EXPECT_EQ(document.volume.type, PixelType::int16);
    EXPECT_EQ(document.volume.value(1, 1, 1), 1500 - 1024);
    EXPECT_TRUE(document.volume.geometry.position({1, 1, 1}).isApprox(Eigen::Vector3d(-12, -23, 34)));
  }
}

// nifti2.h: 540 bytes of header and 4 that announce extensions.
TEST(ReadNifti2, VoxelsDoNotBeginWithinTheHeader) {
  const TemporaryFolder folder;
  std::string bytes = nifti2(false);
  const std::int64_t offset = 540;
  std::memcpy(bytes.data() + 168, &offset, sizeof offset);
  EXPECT_TRUE(
      is_refused(folder.write("v.nii", bytes), "v.nii", "at byte 540 (vox_offset): the header takes 544"));
}

TEST(ReadNiftiPair, DataBesideItsHeader) {
  const TemporaryFolder folder;
  std::string header = MadeNifti().put(108, 0.F).bytes.substr(0, 352);
  header.replace(344, 4, std::string("ni1\0", 4));
  const fs::path file = folder.write("v.hdr", header);
  EXPECT_TRUE(is_refused(file, "v.img", "no such file"));
  folder.write("v.img", voxels.substr(0, 15));
  EXPECT_TRUE(is_refused(file, "v.img", "15 B are left"));
  folder.write("v.img", voxels);
  EXPECT_EQ(read_image(file).volume.value(1, 1, 1), 3000);
  fs::remove(folder.path() / "v.img");
  folder.write("v.img.gz", gzip_of(voxels));
  EXPECT_EQ(read_image(file).volume.value(1, 1, 1), 3000);
}

TEST(HostileNifti, ShortColoursAreRefused) {
  const TemporaryFolder folder;
  const std::string whole = nifti({4, 4, 2}, 128, 24, 0, 0, ras_rows, std::string(96, 'a'));
  EXPECT_EQ(read_image(folder.write("v.nii", whole)).volume.value(3, 3, 1), 'a');
  EXPECT_TRUE(is_refused(folder.write("v.nii", whole.substr(0, 400)), "v.nii", "96 B of voxels, but 48 B"));
  EXPECT_TRUE(is_refused(folder.write("v.nii.gz", gzip_of(whole.substr(0, 400))), "v.nii.gz", "ends before"));
}

TEST(HostileNifti, HeadersThatPromiseTooMuch) {
  const TemporaryFolder folder;
  MadeNifti huge;
  for (const std::size_t axis : {42, 44, 46}) huge.put(axis, std::int16_t{30000});
  EXPECT_TRUE(is_refused(folder.write("v.nii", huge.bytes), "v.nii", "TiB of voxels, but 16 B"));
  EXPECT_TRUE(
      is_refused(folder.write("v.nii", MadeNifti().put(108, 1e30F).bytes), "v.nii", "cannot begin at"));
  EXPECT_TRUE(is_refused(folder.write("v.nii", MadeNifti().put(108, 0.F).bytes), "v.nii", "cannot begin at"));
  // nifti1.h: 348 bytes of header and 4 that announce extensions.
  for (const float offset : {348.F, 351.F}) {
    EXPECT_TRUE(is_refused(folder.write("v.nii", MadeNifti().put(108, offset).bytes), "v.nii",
                           fmt::format("at byte {} (vox_offset): the header takes 352 bytes", offset)));
  }
  EXPECT_TRUE(
      is_refused(folder.write("v.nii", MadeNifti().put(40, std::int16_t{9}).bytes), "v.nii", "9 axes"));
  EXPECT_TRUE(
      is_refused(folder.write("v.nii", MadeNifti().put(70, std::int16_t{1536}).bytes), "v.nii", "type 1536"));
  EXPECT_TRUE(is_refused(folder.write("v.hdr", MadeNifti().put(344, 0).bytes), "v.hdr", "Analyze"));
}

TEST(HostileNifti, DamageThatUnpacksIsFoundByTheChecksum) {
  const TemporaryFolder folder;
  std::string packed = gzip_of(nifti({2, 2, 2}, 4, 16, 0, 0, ras_rows, voxels));
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);  // in the CRC
  EXPECT_TRUE(is_refused(folder.write("v.nii.gz", packed), "v.nii.gz", "damaged gzip data"));
}

std::string nrrd(std::string_view encoding, std::string_view more, std::string_view type = "short") {
  return fmt::format("NRRD0005\ntype: {}\ndimension: 3\nsizes: 2 2 2\nencoding: {}\nendian: little\n{}\n",
                     type, encoding, more);
}

TEST(ReadNrrdPlace, LeftAnteriorSuperiorMirrorsFrontAndBackAlone) {
  const TemporaryFolder folder;
  for (const char* space : {"left-anterior-superior", "LAS"}) {
    const fs::path file = folder.write(
        "v.nrrd",
        nrrd("raw", fmt::format("space: {}\nspace directions: (2,0,0) (0,3,0) (0,0,4)\nspace origin: "
                                "(10,20,30)\n",
                                space)) +
            voxels);
    const Geometry geometry = read_image(file).volume.geometry;
    EXPECT_TRUE(geometry.position({1, 1, 1}).isApprox(Eigen::Vector3d(12, -23, 34))) << space;
  }
}

TEST(ReadNrrdPlace, MinimaAndMaxima) {
  const TemporaryFolder folder;
  // Cells reach from the minimum to the maximum, nodes lie on them.
  const Geometry geometry =
      read_image(folder.write("v.nrrd", nrrd("raw",
                                             "axis mins: 1 1 nan\naxis maxs: 5 5 nan\ncenters: cell node "
                                             "???\nspacings: nan nan 7\n") +
                                            voxels))
          .volume.geometry;
  EXPECT_TRUE(geometry.spacing().isApprox(Eigen::Vector3d(2, 4, 7)));
  EXPECT_TRUE(geometry.origin.isApprox(Eigen::Vector3d(2, 1, 0)));
}

TEST(ReadNrrdPlace, UnitsAreRespected) {
  const TemporaryFolder folder;
  const Geometry geometry =
      read_image(folder.write("v.nrrd", nrrd("raw",
                                             "space: LPS\nspace directions: (2,0,0) (0,3,0) (0,0,4)\nspace "
                                             "origin: (1,2,3)\nspace units: \"um\" \"um\" \"um\"\n") +
                                            voxels))
          .volume.geometry;
  EXPECT_TRUE(geometry.spacing().isApprox(Eigen::Vector3d(0.002, 0.003, 0.004)));
  EXPECT_TRUE(geometry.origin.isApprox(Eigen::Vector3d(0.001, 0.002, 0.003)));
}

TEST(ReadNrrdPlace, UnitsOfSpacingsAreRespectedAndUnknownOnesNamed) {
  const TemporaryFolder folder;
  const auto opened = [&](const std::string& fields) {
    return read_image(folder.write("v.nrrd", nrrd("raw", fields) + voxels));
  };
  const Document micro = opened("spacings: 2 3 4\nunits: \"um\" \"um\" \"cm\"\n");
  EXPECT_TRUE(micro.volume.geometry.spacing().isApprox(Eigen::Vector3d(0.002, 0.003, 40)));
  const Document inches =
      opened("space: LPS\nspace directions: (2,0,0) (0,3,0) (0,0,4)\nspace units: \"in\" \"in\" \"in\"\n");
  EXPECT_TRUE(inches.volume.geometry.spacing().isApprox(25.4 * Eigen::Vector3d(2, 3, 4)));
  const Document unknown = opened("spacings: 2 3 4\nunits: \"ell\" \"ell\" \"ell\"\n");
  EXPECT_EQ(unknown.volume.geometry.spacing(), Eigen::Vector3d(2, 3, 4));
  EXPECT_NE(unknown.remarks.text().find("\"ell\", is not known: mm is assumed"), std::string::npos)
      << unknown.remarks.text();
}

TEST(ReadNrrdPlace, ASpacingThatIsMissingIsSaidAlsoWhereTheAxisHasOneVoxel) {
  const TemporaryFolder folder;
  const std::string many =
      "NRRD0004\ntype: uint8\ndimension: 16\nsizes: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\nencoding: raw\n\nx";
  const Document document = read_image(folder.write("v.nrrd", many));
  EXPECT_NE(document.remarks.text().find("1 mm is assumed"), std::string::npos) << document.remarks.text();
}

// As nibabel reads them.
TEST(ReadNiftiValues, ASlopeThatIsNoNumberScalesNothingAndIsNamed) {
  const TemporaryFolder folder;
  const float nan = std::nanf(""), infinite = std::numeric_limits<float>::infinity();
  for (const auto& [slope, intercept, words] :
       {std::tuple{nan, 5.F, "scl_slope is nan and its scl_inter is 5"},
        std::tuple{infinite, 5.F, "scl_slope is inf and"},
        std::tuple{-infinite, nan, "scl_slope is -inf and"},
        std::tuple{nan, nan, "scl_inter is nan, which is no scale: values are shown as stored"},
        std::tuple{0.F, 7.F, "scl_slope is 0 and its scl_inter is 7"}}) {
    const Document document =
        read_image(folder.write("v.nii", MadeNifti().put(112, slope).put(116, intercept).bytes));
    EXPECT_EQ(document.volume.value(1, 1, 1), 3000);
    ASSERT_EQ(document.remarks.size(), 1U) << words;
    EXPECT_EQ(document.remarks[0].kind, RemarkKind::dropped);
    EXPECT_TRUE(warns(document, words)) << document.remarks.text();
  }
  EXPECT_TRUE(read_image(folder.write("v.nii", MadeNifti().put(112, 0.F).bytes)).remarks.empty());
}

TEST(ReadNiftiValues, AnInterceptThatIsNoNumberIsRefused) {
  const TemporaryFolder folder;
  for (const float intercept : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    EXPECT_TRUE(is_refused(folder.write("v.nii", MadeNifti().put(112, 2.F).put(116, intercept).bytes),
                           "v.nii", "with a scl_slope of 2: its values are unknown"));
  }
}

TEST(ReadNiftiValues, AScaleOfColoursIsNamed) {
  const TemporaryFolder folder;
  const auto colours = [&](float slope, float intercept) {
    return folder.write("v.nii", nifti({2, 2, 1}, 128, 24, slope, intercept, ras_rows, std::string(12, 'a')));
  };
  EXPECT_TRUE(warns(read_image(colours(2, 1)), "which is no scale of colours"));
  EXPECT_TRUE(read_image(colours(1, 0)).remarks.empty());
}

TEST(ReadNiftiPlace, AUnitThatIsNotGivenIsSaid) {
  const TemporaryFolder folder;
  MadeNifti made;
  made.put(123, std::uint8_t{0});
  EXPECT_NE(read_image(folder.write("v.nii", made.bytes)).remarks.text().find("mm is assumed"),
            std::string::npos);
}

TEST(ReadNiftiBody, VoxelsBeyondThosePromisedAreNamed) {
  const TemporaryFolder folder;
  const Document document = read_image(folder.write("v.nii", MadeNifti().bytes + voxels));
  // 2 x 2 x 2 numbers of 2 bytes once more.
  EXPECT_NE(document.remarks.text().find("16 B more than its header promises"), std::string::npos)
      << document.remarks.text();
}

// 2 x 2 x 2 numbers of 2 bytes once more, and three bytes that no format has after its streams.
TEST(ReadPackedBody, VoxelsBeyondThosePromisedAreNamed) {
  const TemporaryFolder folder;
  const std::string more = "16 B more than its header promises";
  EXPECT_TRUE(warns(read_image(folder.write("v.nii.gz", gzip_of(MadeNifti().bytes + voxels))), more));
  EXPECT_TRUE(warns(read_image(folder.write("v.nii.gz", gzip_of(MadeNifti().bytes) + "xyz")),
                    "3 B more than its header promises"));
  std::string hex;
  for (const char byte : voxels) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  for (const auto& [encoding, bytes] :
       std::vector<std::pair<std::string, std::string>>{{"gzip", gzip_of(voxels + voxels)},
                                                        {"gzip", gzip_of(voxels) + gzip_of(voxels)},
                                                        {"bzip2", bzip2_of(voxels + voxels)},
                                                        {"hex", hex + "\n" + hex + "\n"}}) {
    const Document document = read_image(folder.write("v.nrrd", nrrd(encoding, "") + bytes));
    EXPECT_EQ(document.volume.value(1, 1, 1), 3000) << encoding;
    EXPECT_TRUE(warns(document, more)) << encoding << ": " << document.remarks.text();
  }
  folder.write("v.raw", "one\n" + voxels + voxels);
  EXPECT_TRUE(
      warns(read_image(folder.write("v.nhdr", nrrd("raw", "line skip: 1\ndata file: v.raw\n"))), more));
  const std::string packed = zlib_of(voxels);
  const std::string meta = fmt::format(
      "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementSpacing = 1 1 1\nBinaryDataByteOrderMSB = "
      "False\n"
      "CompressedData = True\nCompressedDataSize = {}\nElementType = MET_SHORT\nElementDataFile = LOCAL\n",
      packed.size());
  EXPECT_TRUE(warns(read_image(folder.write("v.mha", meta + packed + "xyz")), "3 B more than its header"));
  EXPECT_FALSE(warns(read_image(folder.write("v.mha", meta + packed)), "more than its header"));
}

TEST(ReadTextBody, MoreNumbersThanPromisedAreRefused) {
  const TemporaryFolder folder;
  // Eight numbers with decimal commas, read as sixteen.
  const std::string commas = "-1,5 1,0 2,0 3,0\n4,0 5,0 6,0 7,5\n";
  EXPECT_TRUE(is_refused(folder.write("v.nrrd", nrrd("text", "") + commas), "v.nrrd",
                         "it has 16 numbers, but its header promises 8"));
  EXPECT_TRUE(is_refused(folder.write("v.mha",
                                      "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\n"
                                      "ElementSpacing = 1 1 1\nBinaryData = False\n"
                                      "ElementType = MET_SHORT\nElementDataFile = LOCAL\n"
                                      "1 2 3 4 5 6 7 8 9"),
                         "v.mha", "it has 9 numbers, but its header promises 8"));
  const Document document = read_image(folder.write("v.nrrd", nrrd("text", "") + "1,2,3,4\n5,6,7,8\n \n"));
  EXPECT_EQ(document.volume.value(0, 1, 0), 3);
  EXPECT_FALSE(warns(document, "more than its header"));
}

TEST(ReadBody, SizesThatRoundAlikeAreGivenInBytes) {
  EXPECT_EQ(format_unequal_bytes(4096, 4095), (std::pair<std::string, std::string>("4096 B", "4095 B")));
  EXPECT_EQ(format_unequal_bytes(4096, 1024), (std::pair<std::string, std::string>("4 KiB", "1 KiB")));
  const TemporaryFolder folder;
  const std::string header = "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 64 64\nencoding: raw\n\n";
  EXPECT_TRUE(is_refused(folder.write("v.nrrd", header + std::string(4095, 'a')), "v.nrrd",
                         "promises 4096 B of voxels, but 4095 B are left"));
}

TEST(ReadImage, VoxelsThatAreNotFiniteAreCounted) {
  const TemporaryFolder folder;
  const std::vector<float> values{1, std::nanf(""), 3, -std::numeric_limits<float>::infinity(), 5, 6, 7, 8};
  const Document document =
      read_image(folder.write("v.nii", nifti({2, 2, 2}, 16, 32, 0, 0, ras_rows, bytes_of_all(values))));
  ASSERT_EQ(document.remarks.size(), 1U);
  EXPECT_EQ(document.remarks[0].count, 2U);
  EXPECT_TRUE(warns(document, "2 of 8 voxels are not finite"));
}

TEST(ReadNrrdPlace, AnOrientationThatIsNotGivenIsSaid) {
  const TemporaryFolder folder;
  const std::string nrrd =
      "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 2 2\nspacings: 1 1\nencoding: raw\n\nabcd";
  const std::string meta =
      "ObjectType = Image\nNDims = 2\nDimSize = 2 2\nElementSpacing = 1 1\nElementType = MET_UCHAR\n"
      "ElementDataFile = LOCAL\nabcd";
  for (const fs::path& file : {folder.write("v.nrrd", nrrd), folder.write("v.mha", meta)}) {
    EXPECT_NE(read_image(file).remarks.text().find("does not say how it lies in the patient"),
              std::string::npos)
        << file;
  }
}

TEST(ReadNrrdPlace, AFlatPictureHasNoThickness) {
  const TemporaryFolder folder;
  const std::string flat =
      "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 2 2\nspacings: 1 1\nencoding: raw\n\nabcd";
  EXPECT_FALSE(read_image(folder.write("v.nrrd", flat)).volume.geometry.has_thickness);
}

TEST(ReadNrrdHeader, AFilePackedAsAWholeIsRefusedInWords) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_refused(folder.write("v.nrrd.gz", gzip_of(nrrd("raw", "") + voxels)), "v.nrrd.gz",
                         "packed with gzip"));
}

TEST(ReadNrrdHeader, WhatIsNoTextIsNotQuoted) {
  const TemporaryFolder folder;
  const std::string bytes("NR\x01\x02\xff\xfe\xaa\xbb\xcc\n", 10);
  EXPECT_TRUE(is_refused(folder.write("v.nrrd", bytes), "v.nrrd", "found binary data"));
}

TEST(ReadNrrdPacked, EveryEncoding) {
  const TemporaryFolder folder;
  std::string hex;
  for (const char byte : voxels) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  for (const auto& [encoding, bytes] :
       std::vector<std::pair<std::string, std::string>>{{"raw", voxels},
                                                        {"gzip", gzip_of(voxels)},
                                                        {"bzip2", bzip2_of(voxels)},
                                                        {"text", "-1000 1 2 3\n4,5 6\t+3000\n"},
                                                        {"hex", hex}}) {
    const fs::path file = folder.write("v.nrrd", nrrd(encoding, "") + bytes);
    EXPECT_EQ(read_image(file).volume.value(0, 0, 0), -1000) << encoding;
    EXPECT_EQ(read_image(file).volume.value(1, 1, 1), 3000) << encoding;
    // Without its end.
    folder.write("v.nrrd", nrrd(encoding, "") + bytes.substr(0, bytes.size() - (encoding == "text" ? 6 : 1)));
    EXPECT_TRUE(is_refused(file, "v.nrrd", "cut off")) << encoding;
  }
  EXPECT_TRUE(
      is_refused(folder.write("v.nrrd", nrrd("text", "") + "1 2 3 4 5 6 7 8e"), "v.nrrd", "found \"8e\""));
}

TEST(ReadNrrdPacked, VoxelsThatEndAPackedFileOfAnotherFormat) {
  const TemporaryFolder folder;
  folder.write("v.nii.gz", gzip_of(nifti({2, 2, 2}, 4, 16, 0, 0, ras_rows, voxels)));
  const fs::path file = folder.write("v.nhdr", nrrd("gzip", "byte skip: -1\ndata file: v.nii.gz\n"));
  const Volume volume = read_image(file).volume;
  EXPECT_EQ(volume.value(0, 0, 0), -1000);
  EXPECT_EQ(volume.value(1, 1, 1), 3000);
  folder.write("v.nii.gz", gzip_of(voxels.substr(2)));
  EXPECT_TRUE(is_refused(file, "v.nii.gz", "cut off"));
}

TEST(ReadNrrdPacked, DataInSeveralFiles) {
  const TemporaryFolder folder;
  folder.write("a 1.raw", voxels.substr(0, 8));
  folder.write("a02.raw", voxels.substr(8));
  const fs::path list = folder.write("l.nhdr", nrrd("raw", "data file: LIST\na 1.raw\na02.raw\n"));
  EXPECT_EQ(read_image(list).volume.value(1, 1, 1), 3000);
  EXPECT_TRUE(is_refused(folder.write("l.nhdr", nrrd("raw", "data file: LIST\na 1.raw\n")), "l.nhdr",
                         "1 data files"));
  folder.write("s4", voxels.substr(0, 8));
  folder.write("s2", voxels.substr(8));
  EXPECT_EQ(read_image(folder.write("p.nhdr", nrrd("raw", "data file: s%d 4 2 -2\n"))).volume.value(1, 1, 1),
            3000);
  EXPECT_TRUE(
      is_refused(folder.write("p.nhdr", nrrd("raw", "data file: s%d 1 2 1\n")), "s1", "no such file"));
  for (const char* pattern : {"s%s 1 2 1", "s%n 1 2 1", "s%d%d 1 2 1", "s%d 1 2 0", "s%*d 1 2 1",
                              "s%99999d 1 2 1", "s%d 1 9223372036854775807 1", "s%d"}) {
    EXPECT_TRUE(is_refused(folder.write("p.nhdr", nrrd("raw", fmt::format("data file: {}\n", pattern))),
                           "p.nhdr:7", "a name with one number"))
        << pattern;
  }
}

TEST(ReadNrrdPacked, LinesAndBytesBeforeTheData) {
  const TemporaryFolder folder;
  folder.write("v.raw", "one\ntwo\nxyz" + voxels);
  for (const char* skips :
       {"line skip: 2\nbyte skip: 3\n", "byte skip: -1\n", "line skip: 1\nbyte skip: -1\n"}) {
    const fs::path file = folder.write("v.nhdr", nrrd("raw", fmt::format("{}data file: v.raw\n", skips)));
    EXPECT_EQ(read_image(file).volume.value(0, 0, 0), -1000) << skips;
    EXPECT_EQ(read_image(file).volume.value(1, 1, 1), 3000) << skips;
  }
  EXPECT_TRUE(is_refused(folder.write("v.nhdr", nrrd("raw", "line skip: 9\ndata file: v.raw\n")), "v.raw",
                         "cut off"));
}

TEST(ReadNrrdPacked, ComponentsAlongAnyAxis) {
  const TemporaryFolder folder;
  const std::string rest = "type: uint8\ndimension: 3\nencoding: raw\nspacings: nan nan nan\n";
  const std::string bytes = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c";
  const auto read = [&](std::string_view more) {
    return read_image(folder.write("v.nrrd", "NRRD0004\n" + rest + std::string(more) + "\n" + bytes));
  };
  const Document colour = read("sizes: 3 2 2\nkinds: RGB-color domain domain\n");
  EXPECT_EQ(colour.volume.geometry.dimensions, (std::array{2, 2, 1}));
  EXPECT_FLOAT_EQ(static_cast<float>(colour.volume.value(1, 1, 0)), 0.3F * 10 + 0.59F * 11 + 0.11F * 12);
  EXPECT_EQ(testing::colour_at(colour.volume, 1, 1), (std::array{10, 11, 12}));
  const Document vectors = read("sizes: 2 3 2\nkinds: domain vector domain\n");
  EXPECT_EQ(vectors.volume.geometry.dimensions, (std::array{2, 2, 1}));
  EXPECT_EQ(vectors.volume.value(1, 0, 0), 2);
  EXPECT_EQ(vectors.volume.value(0, 1, 0), 7);
  EXPECT_TRUE(warns(vectors, "3 numbers; the first"));
  const Document opaque = read("sizes: 4 3 1\nkinds: RGBA-color domain domain\n");
  EXPECT_EQ(testing::colour_at(opaque.volume, 1, 0), (std::array{5, 6, 7}));
  EXPECT_TRUE(warns(opaque, "opacity of its colours (alpha) is not used"));
  const Document planes = read("sizes: 2 2 3\nkinds: domain domain RGB-color\n");
  EXPECT_FLOAT_EQ(static_cast<float>(planes.volume.value(1, 1, 0)), 0.3F * 4 + 0.59F * 8 + 0.11F * 12);
}

TEST(HostileNrrd, HeadersAreRefused) {
  const TemporaryFolder folder;
  std::string sizes;
  for (int axis = 0; axis < 16; ++axis) sizes += " 1";
  const std::string many = "NRRD0004\ntype: uint8\ndimension: 16\nsizes:" + sizes + "\nencoding: raw\n\nabcd";
  EXPECT_EQ(read_image(folder.write("v.nrrd", many)).volume.value(0, 0, 0), 'a');
  EXPECT_TRUE(
      is_refused(folder.write("v.nrrd", "NRRD0004\ntype: uint8\ndimension: 17\n"), "v.nrrd:3", "17 axes"));
  const std::string units = nrrd("raw", "units: \"" + std::string(5000, '\\') + "\n") + voxels;
  EXPECT_EQ(read_image(folder.write("v.nrrd", units)).volume.value(1, 1, 1), 3000);
  EXPECT_TRUE(
      is_refused(folder.write("v.nrrd", nrrd("raw", "sizes: 1 1 1\n") + voxels), "v.nrrd:7", "twice"));
  EXPECT_TRUE(
      is_refused(folder.write("v.nrrd", nrrd("raw", "byte skip: -7\n") + voxels), "v.nrrd:7", "byte skip"));
  EXPECT_TRUE(is_refused(folder.write("v.nrrd", nrrd("raw", "data file: /dev/zero\n")), "/dev/zero",
                         "cannot be read"));
  EXPECT_TRUE(is_refused(folder.write("v.nrrd", nrrd("raw", "", "block") + voxels), "v.nrrd:2", "block"));
  // A line of 2 MiB ends no header.
  EXPECT_TRUE(
      is_refused(folder.write("v.nrrd", "NRRD0004\n" + std::string(1 << 21, 'x')), "v.nrrd:2", "not end"));
}

std::string metaimage(std::string_view more, std::string_view data = "LOCAL",
                      std::string_view type = "MET_SHORT") {
  return fmt::format(
      "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementSpacing = 1 1 1\nElementType = {}\n{}"
      "ElementDataFile = {}\n",
      type, more, data);
}

TEST(ReadMetaImageValues, SlopeAndOffsetGiveMeaning) {
  const TemporaryFolder folder;
  const Volume volume =
      read_image(folder.write("v.mha", metaimage("ElementToIntensityFunctionSlope = 0.5\n"
                                                 "ElementToIntensityFunctionOffset = -1024\n") +
                                           voxels))
          .volume;
  EXPECT_EQ(volume.type, PixelType::int16);
  EXPECT_EQ(volume.value(1, 1, 1), 1500 - 1024);
  EXPECT_TRUE(is_refused(folder.write("v.mha", metaimage("ElementToIntensityFunctionSlope = nan\n") + voxels),
                         "v.mha", "slope"));
}

TEST(ReadMetaImageValues, PackedTextAndSeveralFiles) {
  const TemporaryFolder folder;
  const std::string packed = zlib_of(voxels);
  folder.write("q1.raw", voxels.substr(0, 8));
  folder.write("q2.raw", voxels.substr(8));
  folder.write("behind.raw", "a header" + voxels);
  for (const std::string& bytes :
       {metaimage("CompressedData = True\n") + packed,
        metaimage("BinaryData = False\n") + "-1000 1 2 3 4 5 6 3000", metaimage("", "LIST\nq1.raw\nq2.raw"),
        metaimage("", "q%d.raw 1 2 1"), metaimage("HeaderSize = -1\n", "behind.raw"),
        metaimage("HeaderSize = 8\n", "behind.raw"),
        metaimage("Name = " + std::string(300, 'x') + "\nComment = a = b\n" + std::string(500, 'k') +
                  " = 1\n") +
            voxels}) {
    const Volume volume = read_image(folder.write("v.mhd", bytes)).volume;
    EXPECT_EQ(volume.value(0, 0, 0), -1000) << bytes;
    EXPECT_EQ(volume.value(1, 1, 1), 3000) << bytes;
  }
}

TEST(HostileMetaImage, WhatIsMissingIsRefused) {
  const TemporaryFolder folder;
  const std::string whole = noise(64 * 64 * 16), packed = zlib_of(whole);
  const auto header = [](std::size_t told) {
    return fmt::format(
        "NDims = 3\nDimSize = 64 64 16\nElementType = MET_UCHAR\nCompressedData = True\n"
        "CompressedDataSize = {}\nElementDataFile = LOCAL\n",
        told);
  };
  EXPECT_EQ(read_image(folder.write("v.mha", header(packed.size()) + packed)).volume.value(63, 63, 15),
            whole.back());
  // Half of the packed bytes, whether the header still tells of all of them or not.
  const std::string half = packed.substr(0, packed.size() / 2);
  EXPECT_TRUE(
      is_refused(folder.write("v.mha", header(packed.size()) + half), "v.mha", "are left in the file"));
  EXPECT_TRUE(
      is_refused(folder.write("v.mha", header(half.size()) + half), "v.mha", "ends before all voxels"));
  std::string damaged = packed;
  for (std::size_t at = packed.size() / 2; at < packed.size() / 2 + 40; ++at) damaged[at] = 'x';
  EXPECT_TRUE(is_refused(folder.write("v.mha", header(packed.size()) + damaged), "v.mha", "damaged"));

  EXPECT_TRUE(
      is_refused(folder.write("v.mhd", metaimage("", "LIST\nq1.raw\nq2.raw")), "q1.raw", "cannot be read"));
  folder.write("q1.raw", voxels.substr(0, 8));
  folder.write("q2.raw", voxels.substr(8, 7));
  EXPECT_TRUE(
      is_refused(folder.write("v.mhd", metaimage("", "LIST\nq1.raw\nq2.raw")), "q2.raw", "7 B are left"));
  EXPECT_TRUE(is_refused(folder.write("v.mhd", metaimage("", "q%d.raw 1 2 1")), "q2.raw", "7 B are left"));
  EXPECT_TRUE(is_refused(folder.write("v.mhd", metaimage("", "q%d.raw 1 3 1")), "v.mhd", "3 data files"));
  EXPECT_TRUE(is_refused(folder.write("v.mha", metaimage("BinaryData = False\n") + "1 2 3 4 5 6 7"), "v.mha",
                         "cut off"));
}

TEST(HostileMetaImage, HeadersAreRefused) {
  const TemporaryFolder folder;
  for (const char* data : {"%s 1 2 1", "%n 1 2 1", "q%d.raw 1 2 0", "q%d.raw", "%"}) {
    EXPECT_TRUE(is_refused(folder.write("v.mhd", metaimage("", data)), "v.mhd:6", "a name with one number"))
        << data;
  }
  EXPECT_TRUE(is_refused(folder.write("v.mha",
                                      "NDims = 1000000000\nDimSize = 1 1 1\nElementType = MET_UCHAR\n"
                                      "ElementDataFile = LOCAL\nabc"),
                         "v.mha:1", "1000000000 axes"));
  EXPECT_TRUE(is_refused(folder.write("v.mha", metaimage("", "LOCAL", "MET_STRING") + voxels), "v.mha:5",
                         "MET_STRING"));
  EXPECT_TRUE(is_refused(folder.write("v.mha",
                                      "NDims = 3\nDimSize = 2 2\nElementType = MET_UCHAR\n"
                                      "ElementDataFile = LOCAL\nabc"),
                         "v.mha:2", "expected 3 sizes"));
  EXPECT_TRUE(is_refused(folder.write("v.mha", "NDims = 3\n"), "v.mha", "no ElementDataFile"));
  EXPECT_TRUE(
      is_refused(folder.write("v.mha", metaimage("DistanceUnits = parsec\n") + voxels), "v.mha:6", "parsec"));
}

}  // namespace
}  // namespace isolume::images
