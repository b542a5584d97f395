#include <algorithm>

#include <gtest/gtest.h>

#include "core/dicom/data/confidentiality.h"
#include "core/dicom/data/header.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "tests/core/images/made_dicom.h"
#include "tests/core/images/test_files.h"
#include "tests/full_disk.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;
using testing::content_of;
using testing::MadeDicom;
using testing::TemporaryFolder;

dicom::HeaderEntry entry_of(const std::vector<dicom::HeaderEntry>& entries, std::string_view tag) {
  const auto found = std::ranges::find(entries, tag, &dicom::HeaderEntry::tag);
  return found == entries.end() ? dicom::HeaderEntry{} : *found;
}

TEST(Confidentiality, SomeRowsOfTheStandardsTable) {
  EXPECT_EQ(dicom::confidentiality_of(0x0010, 0x0010), dicom::Confidentiality::empty);  // Patient's Name: Z
  EXPECT_EQ(dicom::confidentiality_of(0x0010, 0x1040),
            dicom::Confidentiality::remove);  // Patient's Address: X
  EXPECT_EQ(dicom::confidentiality_of(0x0008, 0x0018),
            dicom::Confidentiality::replace_uid);  // SOP Instance UID: U
  EXPECT_EQ(dicom::confidentiality_of(0x0012, 0x0010),
            dicom::Confidentiality::replace_value);  // Clinical Trial Sponsor Name: D
  EXPECT_EQ(dicom::confidentiality_of(0x0028, 0x0010), dicom::Confidentiality::keep);    // Rows
  EXPECT_EQ(dicom::confidentiality_of(0x0008, 0x0016), dicom::Confidentiality::keep);    // SOP Class UID
  EXPECT_EQ(dicom::confidentiality_of(0x0029, 0x1010), dicom::Confidentiality::remove);  // private
  EXPECT_EQ(dicom::confidentiality_of(0x6002, 0x3000), dicom::Confidentiality::remove);  // Overlay Data
}

TEST(ReadHeader, ListsNamesValuesAndDepth) {
  MADE_DICOM(made, "private");
  const std::vector<dicom::HeaderEntry> entries = dicom::read_header(made.folder() / "1.dcm");
  const dicom::HeaderEntry name = entry_of(entries, "(0010,0010)");
  EXPECT_EQ(name.vr, "PN");
  EXPECT_EQ(name.name, "Patient's Name");
  EXPECT_EQ(name.value, "M\u00fcller^J\u00f6rg");
  EXPECT_TRUE(name.identifying);
  const dicom::HeaderEntry rows = entry_of(entries, "(0028,0010)");
  EXPECT_EQ(rows.value, "5");
  EXPECT_EQ(rows.depth, 0);
  EXPECT_FALSE(rows.identifying);
  EXPECT_EQ(entry_of(entries, "(7fe0,0010)").value, "60 bytes");
  EXPECT_EQ(entry_of(entries, "(0028,0030)").value, "0.5\\0.75");
  EXPECT_EQ(entry_of(entries, "(0040,0275)").value, "1 item");
  const dicom::HeaderEntry step = entry_of(entries, "(0040,0007)");
  EXPECT_EQ(step.depth, 1);
  EXPECT_TRUE(step.identifying);
  const dicom::HeaderEntry secret = entry_of(entries, "(0029,1001)");
  EXPECT_EQ(secret.name, "Private");
  EXPECT_TRUE(secret.identifying);
  EXPECT_EQ(entry_of(entries, "(0002,0010)").value, "1.2.840.10008.1.2.1");
}

TEST(ReadHeader, WhatIsNoDicomIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(dicom::read_header(folder.write("a.dcm", "hello")), InputError);
  EXPECT_THROW(dicom::read_header(folder.path() / "nowhere.dcm"), InputError);
}

class Anonymised : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!made_.was_made()) GTEST_SKIP() << "no Python with pydicom was found: the files cannot be made";
    remarks_ = dicom::write_anonymised({made_.folder() / "1.dcm", made_.folder() / "2.dcm"}, out_);
  }
  const MadeDicom made_{"private"};
  const fs::path out_ = made_.folder() / "out";
  Remarks remarks_;
};

TEST_F(Anonymised, NoNameIsLeftAnywhereInTheFiles) {
  for (const char* name : {"000001.dcm", "000002.dcm"}) {
    const std::string bytes = content_of(out_ / name);
    ASSERT_FALSE(bytes.empty());
    // Long enough not to turn up in the digits of new UIDs.
    for (const char* secret : {"Doe", "DOE", "ller", "PID4711", "19500607", "20200102", "101112", "1.2.3"}) {
      EXPECT_EQ(bytes.find(secret), std::string::npos) << secret << " in " << name;
    }
  }
}

TEST_F(Anonymised, PixelsAndGeometryAreUntouched) {
  const Document before = read_image(made_.folder() / "1.dcm"), after = read_image(out_ / "000001.dcm");
  ASSERT_EQ(after.volume.bytes(), before.volume.bytes());
  EXPECT_EQ(std::memcmp(after.volume.storage.get(), before.volume.storage.get(), before.volume.bytes()), 0);
  EXPECT_EQ(after.volume.intercept, -1024);
  EXPECT_TRUE(after.volume.geometry.origin.isApprox(before.volume.geometry.origin));
  EXPECT_EQ(after.volume.unit, "HU");
}

TEST_F(Anonymised, UidsAreReplacedConsistently) {
  const std::vector<dicom::HeaderEntry> first = dicom::read_header(out_ / "000001.dcm"),
                                        second = dicom::read_header(out_ / "000002.dcm");
  const std::string instance = entry_of(first, "(0008,0018)").value;
  EXPECT_TRUE(instance.starts_with("2.25."));
  EXPECT_EQ(entry_of(first, "(0002,0003)").value, instance);
  EXPECT_NE(entry_of(second, "(0008,0018)").value, instance);
  EXPECT_EQ(entry_of(second, "(0008,1155)").value, instance);  // of the referenced image
  EXPECT_EQ(entry_of(first, "(0020,000e)").value, entry_of(second, "(0020,000e)").value);
  EXPECT_NE(entry_of(first, "(0020,000e)").value, entry_of(first, "(0020,000d)").value);
  EXPECT_EQ(entry_of(first, "(0008,0016)").value, "1.2.840.10008.5.1.4.1.1.2");
}

TEST_F(Anonymised, TheFileSaysWhatWasDone) {
  const std::vector<dicom::HeaderEntry> entries = dicom::read_header(out_ / "000001.dcm");
  EXPECT_EQ(entry_of(entries, "(0012,0062)").value, "YES");
  EXPECT_EQ(entry_of(entries, "(0008,0100)").value, "113100");
  EXPECT_EQ(entry_of(entries, "(0010,0010)").vr, "PN");
  EXPECT_EQ(entry_of(entries, "(0010,0010)").value, "");
  EXPECT_EQ(entry_of(entries, "(0010,1040)").tag, "");
  ASSERT_EQ(remarks_.size(), 1u);
  EXPECT_NE(remarks_[0].text.find("000001.dcm"), std::string::npos);
}

TEST_F(Anonymised, NothingIsOverwrittenAndNothingIsLeftOfAFailure) {
  EXPECT_THROW(dicom::write_anonymised({made_.folder() / "1.dcm"}, out_), Error);
  const fs::path other = made_.folder() / "other";
  const fs::path text = made_.folder() / "text.dcm";
  std::ofstream(text) << "hello";
  EXPECT_THROW(dicom::write_anonymised({made_.folder() / "1.dcm", text}, other), InputError);
  EXPECT_FALSE(fs::exists(other));
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) { stop.request_stop(); });
  EXPECT_THROW(dicom::write_anonymised({made_.folder() / "1.dcm", made_.folder() / "2.dcm"}, other, progress),
               Cancelled);
  EXPECT_FALSE(fs::exists(other));
  const std::size_t whole = fs::file_size(out_ / "000001.dcm");
  for (const std::size_t room : {std::size_t{0}, whole / 2, whole - 1}) {
    const isolume::testing::FileSizeLimit limit(room);
    EXPECT_THROW(dicom::write_anonymised({made_.folder() / "1.dcm"}, other), Error) << room;
    EXPECT_FALSE(fs::exists(other));
  }
}

}  // namespace
}  // namespace isolume::images
