#include <random>

#include <gtest/gtest.h>

#include "core/dicom/contours/read_contours.h"
#include "core/dicom/contours/rtstruct.h"
#include "core/dicom/contours/segmentation.h"
#include "tests/core/contours/shapes.h"
#include "tests/core/dicom/made_document.h"
#include "tests/core/images/test_files.h"

namespace isolume::dicom {
namespace {

using images::testing::content_of;
using images::testing::TemporaryFolder;

/// Whatever a file holds: it is read, perhaps with warnings, or refused with an InputError.
class HostileObjects : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  images::Document image_ = testing::document(testing::axial());

  std::string good_rtstruct() {
    contours::ContourSet set;
    set.add(contours::testing::closed(contours::testing::circle({30, 20}, 9, 60), {2, 1}));
    set.add(contours::testing::closed(contours::testing::circle({30, 20}, 9, 60), {2, 2}));
    write_rtstruct(set, image_, folder_.path() / "good.dcm");
    return content_of(folder_.path() / "good.dcm");
  }
  std::string good_segmentation() {
    contours::ContourSet set;
    set.add(contours::testing::closed(contours::testing::circle({30, 20}, 9, 60), {2, 1}));
    set.add(contours::testing::closed(contours::testing::circle({30, 20}, 6, 60), {2, 2}, 2));
    write_segmentation(set, image_, folder_.path() / "good.dcm");
    return content_of(folder_.path() / "good.dcm");
  }
  void read(const std::string& content) {
    const auto file = folder_.write("hostile.dcm", content);
    kind_of(file);
    try {
      read_rtstruct(file, image_);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("hostile.dcm"), std::string::npos) << error.what();
    }
    try {
      read_segmentation(file, image_);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("hostile.dcm"), std::string::npos) << error.what();
    }
  }
};

TEST_F(HostileObjects, TruncatedAnywhere) {
  for (const auto& good : {good_rtstruct(), good_segmentation()}) {
    for (std::size_t length = 0; length < good.size(); length += length < 1500 ? 13 : 61) {
      read(good.substr(0, length));
    }
  }
}

TEST_F(HostileObjects, FlippedBytes) {
  std::mt19937 random(4);
  for (const auto& good : {good_rtstruct(), good_segmentation()}) {
    for (int trial = 0; trial < 300; ++trial) {
      auto bad = good;
      for (int i = 0; i < 1 + trial % 8; ++i) {
        bad[132 + random() % (bad.size() - 132)] = static_cast<char>(random());
      }
      read(bad);
    }
  }
}

TEST_F(HostileObjects, Noise) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 100; ++trial) {
    std::string noise(1 + random() % 3000, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    if (trial % 2 == 0) noise = std::string(128, '\0') + "DICM" + noise;
    read(noise);
  }
}

TEST_F(HostileObjects, CoordinatesThatAreNoNumbers) {
  const auto good = good_rtstruct();
  const auto at = good.find("\\", good.find("CLOSED_PLANAR"));
  for (const std::string_view bad : {"nan", "inf", "1e9", "a.b", "1e999", "\\\\\\", "---"}) {
    auto changed = good;
    changed.replace(at + 1, bad.size(), bad);
    const auto file = folder_.write("hostile.dcm", changed);
    const auto result = read_rtstruct(file, image_);
    EXPECT_EQ(result.set.contours().size(), 1U) << bad;
    EXPECT_FALSE(result.remarks.empty()) << bad;
  }
}

TEST_F(HostileObjects, SequencesNestedDeeply) {
  std::string nested = good_rtstruct();
  for (int depth = 0; depth < 200000; ++depth) {
    nested +=
        std::string("\x06\x30\x10\x00\xff\xff\xff\xff", 8);  // an RT sequence, implicit VR, without length
    nested += std::string("\xfe\xff\x00\xe0\xff\xff\xff\xff", 8);  // its first item
  }
  read(nested);
}

TEST_F(HostileObjects, OtherFilesAreRefusedByName) {
  for (const std::filesystem::path& path : {folder_.path(), folder_.path() / "none.dcm"}) {
    EXPECT_THROW(read_rtstruct(path, image_), InputError);
    EXPECT_EQ(kind_of(path), DicomKind::none);
  }
}

}  // namespace
}  // namespace isolume::dicom
