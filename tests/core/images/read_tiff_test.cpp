// TIFF files written here by hand, after Adobe's TIFF 6.0.
#include <algorithm>

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "core/images/tiff_description.h"
#include "tests/core/images/test_files.h"

namespace isolume::images {
namespace {

using testing::bytes_of_all;
using testing::error_of;
namespace fs = std::filesystem;
using testing::TemporaryFolder;

struct Tag {
  std::uint16_t number;
  std::uint32_t value;
};
/// A page: its tags and the bytes that its strip or tile holds.
struct MadePage {
  std::vector<Tag> tags;
  std::string data;
  std::string description = "";
};

MadePage page_of(std::uint32_t width, std::uint32_t height, std::uint32_t bits, std::uint32_t format,
                 std::string data) {
  return {{{256, width},
           {257, height},
           {258, bits},
           {259, 1},
           {262, 1},
           {273, 0},
           {277, 1},
           {278, height},
           {279, static_cast<std::uint32_t>(data.size())},
           {339, format}},
          std::move(data)};
}

void add_number(std::string& bytes, std::uint32_t value, std::size_t width) {
  for (std::size_t at = 0; at < width; ++at) bytes += static_cast<char>(value >> 8 * at);
}

/// Each page's data in front of its directory; `next` is where the last one's directory points.
std::string tiff(const std::vector<MadePage>& pages, std::uint32_t next = 0) {
  std::string bytes("II*\0\0\0\0\0", 8);
  std::size_t link = 4;
  const auto point = [&](std::uint32_t to) {
    std::string text;
    add_number(text, to, 4);
    bytes.replace(link, 4, text);
  };
  for (const MadePage& page : pages) {
    const auto data = static_cast<std::uint32_t>(bytes.size());
    bytes += page.data;
    const auto text = static_cast<std::uint32_t>(bytes.size());
    bytes += page.description + '\0';
    if (bytes.size() % 2 == 1) bytes += '\0';
    point(static_cast<std::uint32_t>(bytes.size()));
    add_number(bytes, static_cast<std::uint32_t>(page.tags.size()), 2);
    for (const Tag& tag : page.tags) {
      const bool is_text = tag.number == 270;
      add_number(bytes, tag.number, 2);
      add_number(bytes, is_text ? 2 : 4, 2);  // ASCII, LONG
      add_number(bytes, is_text ? static_cast<std::uint32_t>(page.description.size() + 1) : 1, 4);
      add_number(bytes, is_text ? text : tag.number == 273 || tag.number == 324 ? data : tag.value, 4);
    }
    link = bytes.size();
    add_number(bytes, 0, 4);
  }
  if (next != 0) point(next);
  return bytes;
}

template <class Number>
MadePage numbers(std::uint32_t width, std::uint32_t format, const std::vector<Number>& values) {
  return page_of(width, static_cast<std::uint32_t>(values.size()) / width, 8 * sizeof(Number), format,
                 bytes_of_all(values));
}

TEST(ReadTiff, EveryTypeKeepsItsValues) {
  const TemporaryFolder folder;
  const auto read = [&](const MadePage& page) {
    return read_image(folder.write("v.tif", tiff({page}))).volume;
  };
  const Volume wide = read(numbers<std::int32_t>(2, 2, {-2000000000, 1, 2, 2000000000}));
  EXPECT_EQ(wide.type, PixelType::int32);
  EXPECT_EQ(wide.value(0, 0, 0), -2000000000);
  EXPECT_EQ(wide.value(1, 1, 0), 2000000000);
  const Volume unsigned_wide = read(numbers<std::uint32_t>(2, 1, {0, 4000000000U}));
  EXPECT_EQ(unsigned_wide.type, PixelType::uint32);
  EXPECT_EQ(unsigned_wide.value(1, 0, 0), 4000000000.0);
  EXPECT_EQ(read(numbers<double>(2, 3, {1.5, 1e300})).value(1, 0, 0), 1e300);
  EXPECT_EQ(read(numbers<std::int64_t>(2, 2, {-5, 7})).value(0, 0, 0), -5);
  // IEEE 754: 1.5, -2, the largest, the smallest.
  const Volume half = read(numbers<std::uint16_t>(4, 3, {0x3e00, 0xc000, 0x7bff, 0x0001}));
  EXPECT_EQ(half.type, PixelType::float32);
  EXPECT_EQ(half.value(0, 0, 0), 1.5);
  EXPECT_EQ(half.value(1, 0, 0), -2);
  EXPECT_EQ(half.value(2, 0, 0), 65504);
  EXPECT_EQ(half.value(3, 0, 0), 0x1p-24);
  // 12 bits each, in two rows that begin with a byte.
  const Volume twelve = read(page_of(1, 2, 12, 1, std::string("\xab\xc0\x12\x30", 4)));
  EXPECT_EQ(twelve.type, PixelType::uint16);
  EXPECT_EQ(twelve.value(0, 0, 0), 0xabc);
  EXPECT_EQ(twelve.value(0, 1, 0), 0x123);
}

/// As for MONOCHROME1 of DICOM: numbers are measured as stored, and drawn as meant.
TEST(ReadTiff, WhereWhiteIsZeroNumbersAreKeptAndLowOnesAreBright) {
  const TemporaryFolder folder;
  const auto read = [&](MadePage page, std::uint32_t photometric) {
    page.tags[4].value = photometric;
    return read_image(folder.write("v.tif", tiff({page}))).volume;
  };
  for (const std::uint32_t photometric : {0U, 1U}) {
    const Volume bytes = read(numbers<std::uint8_t>(2, 1, {0, 200}), photometric);
    EXPECT_EQ(bytes.value(0, 0, 0), 0);
    EXPECT_EQ(bytes.value(1, 0, 0), 200);
    EXPECT_EQ(bytes.is_low_bright, photometric == 0);
    const Volume twelve = read(page_of(2, 1, 12, 1, std::string("\xab\xc1\x23", 3)), photometric);
    EXPECT_EQ(twelve.value(0, 0, 0), 0xabc);
    EXPECT_EQ(twelve.value(1, 0, 0), 0x123);
    EXPECT_EQ(twelve.is_low_bright, photometric == 0);
    EXPECT_EQ(read(numbers<float>(1, 3, {-1.5F}), photometric).is_low_bright, photometric == 0);
  }
}

TEST(ReadTiff, Palettes) {
  const TemporaryFolder folder;
  // Samples of one bit: two colours, of 0 and 0x0a00 red, 0 and 0xffff green, 0 and 0x1414 blue.
  MadePage palette = page_of(8, 1, 1, 1, std::string("\x01", 1));
  palette.tags[4].value = 3;
  palette.tags.insert(palette.tags.end() - 1, {320, 0});
  std::string bytes = tiff({palette});
  // The palette has six numbers, behind everything else.
  std::string tag;
  add_number(tag, 320, 2);
  add_number(tag, 4, 2);
  const std::size_t at = bytes.find(tag);
  ASSERT_NE(at, std::string::npos);
  std::string entry;
  add_number(entry, 3, 2);  // SHORT
  add_number(entry, 6, 4);
  add_number(entry, static_cast<std::uint32_t>(bytes.size()), 4);
  bytes.replace(at + 2, entry.size(), entry);
  for (const std::uint32_t number : {0, 0x0a00, 0, 0xffff, 0, 0x1414}) add_number(bytes, number, 2);
  const Volume volume = read_image(folder.write("v.tif", bytes)).volume;
  EXPECT_EQ(volume.value(0, 0, 0), 0);
  EXPECT_FLOAT_EQ(static_cast<float>(volume.value(7, 0, 0)), 0.3F * 10 + 0.59F * 255 + 0.11F * 20);
  EXPECT_EQ(testing::colour_at(volume, 7, 0), (std::array{10, 255, 20}));
}

TEST(ReadTiff, TilesOf16Bits) {
  const TemporaryFolder folder;
  std::vector<std::uint16_t> tile(16 * 16);
  for (std::size_t at = 0; at < tile.size(); ++at)
    tile[at] = static_cast<std::uint16_t>(300 * (at / 16) + at % 16);
  MadePage page = page_of(10, 12, 16, 1, bytes_of_all(tile));
  std::erase_if(page.tags,
                [](const Tag& tag) { return tag.number == 273 || tag.number == 278 || tag.number == 279; });
  const std::vector<Tag> of_tiles{{322, 16}, {323, 16}, {324, 0}, {325, 512}};
  page.tags.insert(page.tags.end() - 1, of_tiles.begin(), of_tiles.end());
  const Volume volume = read_image(folder.write("v.tif", tiff({page}))).volume;
  EXPECT_EQ(volume.type, PixelType::uint16);
  EXPECT_EQ(volume.geometry.dimensions, (std::array{10, 12, 1}));
  EXPECT_EQ(volume.value(9, 11, 0), 3309);
}

TEST(ReadTiff, PagesAreAStackWhereTheyAreAlike) {
  const TemporaryFolder folder;
  const MadePage one = numbers<std::uint16_t>(2, 1, {1, 2, 3, 4}),
                 two = numbers<std::uint16_t>(2, 1, {5, 6, 7, 8});
  const Volume volume = read_image(folder.write("v.tif", tiff({one, two}))).volume;
  EXPECT_EQ(volume.geometry.dimensions, (std::array{2, 2, 2}));
  EXPECT_EQ(volume.value(1, 1, 1), 8);
  for (const MadePage& other : {numbers<float>(2, 3, {1, 2, 3, 4}), numbers<std::int16_t>(2, 2, {1, 2, 3, 4}),
                                numbers<std::uint16_t>(1, 1, {1, 2, 3, 4})}) {
    const std::string message = error_of([&] { read_image(folder.write("v.tif", tiff({one, two, other}))); });
    EXPECT_NE(message.find("page 3"), std::string::npos) << message;
    EXPECT_NE(message.find("unlike the first"), std::string::npos) << message;
  }
  // A preview is no slice.
  MadePage preview = numbers<std::uint16_t>(1, 1, {9});
  preview.tags.insert(preview.tags.begin(), {254, 1});
  const Document document = read_image(folder.write("v.tif", tiff({one, preview})));
  EXPECT_EQ(document.volume.geometry.dimensions, (std::array{2, 2, 1}));
  EXPECT_EQ(document.remarks.size(), 3u);  // also of its orientation and pixel size
}

/// Pages of one row whose numbers are ten times their place, and what follows; the first tells the rest.
std::string described(int pages, const std::string& description, const std::vector<Tag>& resolution = {}) {
  std::vector<MadePage> made;
  for (int page = 0; page < pages; ++page) {
    made.push_back(numbers<std::uint8_t>(2, 1, {static_cast<std::uint8_t>(10 * page), 1}));
  }
  made[0].tags.insert(made[0].tags.end(), resolution.begin(), resolution.end());
  if (!description.empty()) made[0].tags.push_back({270, 0});
  made[0].description = description;
  std::sort(made[0].tags.begin(), made[0].tags.end(),
            [](const Tag& one, const Tag& other) { return one.number < other.number; });
  return tiff(made);
}
std::vector<Tag> resolution(std::uint32_t x, std::uint32_t y, std::uint32_t unit) {
  return {{282, x}, {283, y}, {296, unit}};
}
/// All remarks but that of the orientation, which no TIFF gives.
std::string sentences(const Document& document) {
  Remarks others;
  for (const Remark& remark : document.remarks) {
    if (!remark.text.starts_with("The file does not say how it lies"))
      others.add(remark.kind, remark.text, remark.count);
  }
  return others.text();
}
std::vector<double> first_of_slices(const Volume& volume) {
  std::vector<double> values;
  for (int k = 0; k < volume.geometry.dimensions[2]; ++k) values.push_back(volume.value(0, 0, k));
  return values;
}

TEST(TiffResolution, IsTheSpacingUnlessItIsAScreens) {
  const TemporaryFolder folder;
  const auto read = [&](const std::vector<Tag>& tags) {
    return read_image(folder.write("v.tif", described(1, "", tags)));
  };
  const auto spacing = [](const Document& document) -> Eigen::Vector2d {
    return document.volume.geometry.spacing().head<2>();
  };
  const Document per_cm = read(resolution(200, 100, 3));
  EXPECT_TRUE(spacing(per_cm).isApprox(Eigen::Vector2d(0.05, 0.1)));
  EXPECT_NE(sentences(per_cm).find("508 × 254 dpi"), std::string::npos) << sentences(per_cm);
  EXPECT_NE(sentences(per_cm).find("check it before you measure"), std::string::npos);
  EXPECT_TRUE(spacing(read(resolution(254, 254, 2))).isApprox(Eigen::Vector2d(0.1, 0.1)));
  for (const std::uint32_t dpi : {72, 96}) {
    const Document screen = read(resolution(dpi, dpi, 2));
    EXPECT_EQ(spacing(screen), Eigen::Vector2d(1, 1));
    EXPECT_NE(sentences(screen).find(fmt::format("{} dpi is that of a screen", dpi)), std::string::npos);
  }
  const Document shape = read(resolution(3, 2, 1));
  EXPECT_TRUE(spacing(shape).isApprox(Eigen::Vector2d(1, 1.5)));
  EXPECT_NE(sentences(shape).find("the aspect ratio of a pixel"), std::string::npos) << sentences(shape);
  for (const auto& tags : {resolution(1, 1, 1), resolution(1, 1, 2), resolution(0, 100, 2)}) {
    EXPECT_EQ(spacing(read(tags)), Eigen::Vector2d(1, 1));
    EXPECT_EQ(sentences(read(tags)), "The file does not say how large a pixel is: 1 mm is assumed.");
  }
}

TEST(ImageJ, UnitAndSpacingAreTheVoxels) {
  const TemporaryFolder folder;
  struct Unit {
    std::string name;
    double mm;
  };
  for (const auto& [name, mm] : std::vector<Unit>{{"micron", 1e-3},
                                                  {"um", 1e-3},
                                                  {"\\u00B5m", 1e-3},
                                                  {"\xc2\xb5m", 1e-3},
                                                  {"\xb5m", 1e-3},
                                                  {"nm", 1e-6},
                                                  {"mm", 1},
                                                  {"cm", 10}}) {
    const std::string text =
        fmt::format("ImageJ=1.53t\nimages=3\nslices=3\nunit={}\nspacing=0.5\nloop=false\n", name);
    const Document document = read_image(folder.write("v.tif", described(3, text, resolution(4, 5, 1))));
    EXPECT_TRUE(document.volume.geometry.spacing().isApprox(mm * Eigen::Vector3d(0.25, 0.2, 0.5))) << name;
    EXPECT_EQ(sentences(document), "") << name;
    EXPECT_EQ(document.volume.geometry.dimensions[2], 3);
  }
  const Document flat = read_image(folder.write(
      "v.tif", described(2, "ImageJ=1.53t\nimages=2\nslices=2\nunit=um\n", resolution(4, 4, 1))));
  EXPECT_TRUE(flat.volume.geometry.spacing().isApprox(Eigen::Vector3d(0.25e-3, 0.25e-3, 1e-3)));
  EXPECT_NE(sentences(flat).find("1 um is assumed"), std::string::npos) << sentences(flat);
  const Document strange = read_image(
      folder.write("v.tif", described(1, "ImageJ=1.53t\nimages=1\nunit=parsec\n", resolution(4, 4, 3))));
  EXPECT_EQ(strange.volume.geometry.spacing(), Eigen::Vector3d(1, 1, 1));
  EXPECT_NE(sentences(strange).find("\"parsec\", is not known"), std::string::npos) << sentences(strange);
}

TEST(ImageJ, ValuesAreThoseOfItsStraightLine) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& lines) {
    return read_image(folder.write("v.tif", described(1, "ImageJ=1.53t\nimages=1\n" + lines)));
  };
  const double stored = read("").volume.value(0, 0, 0);
  // ImageJ stores signed pixels with an offset of 32768, and calls their unit "gray value".
  const Document with_sign = read("cf=0\nc0=-32768.0\nc1=1.0\nvunit=Gray Value\n");
  EXPECT_EQ(with_sign.volume.value(0, 0, 0), stored - 32768);
  EXPECT_EQ(with_sign.volume.unit, "");
  const Document line = read("cf=0\nc0=-1024\nc1=2\nvunit=HU\n");
  EXPECT_EQ(line.volume.value(0, 0, 0), 2 * stored - 1024);
  EXPECT_EQ(line.volume.unit, "HU");
  const Document curve = read("cf=4\nc0=1\nc1=2\n");
  EXPECT_EQ(curve.volume.value(0, 0, 0), stored);
  EXPECT_NE(sentences(curve).find("function number 4 is not applied"), std::string::npos) << sentences(curve);
}

TEST(ImageJ, OfHyperstacksTheFirstChannelAndTimeAreShown) {
  const TemporaryFolder folder;
  const auto read = [&](int pages, const std::string& axes) {
    return read_image(folder.write("v.tif", described(pages, "ImageJ=1.53t\n" + axes)));
  };
  const Document all = read(12, "images=12\nchannels=2\nslices=3\nframes=2\nhyperstack=true\n");
  EXPECT_EQ(first_of_slices(all.volume), (std::vector<double>{0, 20, 40}));  // channels are fastest
  EXPECT_NE(sentences(all).find("2 channels: the first"), std::string::npos) << sentences(all);
  EXPECT_NE(sentences(all).find("2 time points: the first"), std::string::npos) << sentences(all);
  const Document film = read(6, "images=6\nchannels=2\nframes=3\n");
  EXPECT_EQ(first_of_slices(film.volume), (std::vector<double>{0, 20, 40}));
  EXPECT_NE(sentences(film).find("3 slices are stacked time points"), std::string::npos) << sentences(film);
  const Document wrong = read(5, "images=5\nchannels=2\nslices=2\n");
  EXPECT_EQ(wrong.volume.geometry.dimensions[2], 5);
  EXPECT_NE(sentences(wrong).find("does not fit the 5 pages"), std::string::npos) << sentences(wrong);
}

std::string ome(const std::string& order, int z, int c, int t, const std::string& more,
                const std::string& inner) {
  return fmt::format(
      "<?xml version=\"1.0\"?><!-- <Pixels SizeZ=\"9\"/> --><OME xmlns=\"http://www.openmicroscopy.org\">"
      "<Image ID=\"Image:0\" Name='a>b'><Pixels DimensionOrder=\"{}\" ID=\"P\" SizeX=\"2\" SizeY=\"1\" "
      "SizeZ=\"{}\" SizeC=\"{}\" SizeT=\"{}\" Type=\"uint8\" {}>{}</Pixels></Image></OME>",
      order, z, c, t, more, inner);
}

TEST(OmeTiff, PhysicalSizesAndOrderOfPlanes) {
  const TemporaryFolder folder;
  const auto read = [&](int pages, const std::string& text) {
    return read_image(folder.write("v.tif", described(pages, text, resolution(72, 72, 2))));
  };
  const std::string sizes = "PhysicalSizeX=\"0.25\" PhysicalSizeY=\"200\" PhysicalSizeYUnit=\"nm\" ";
  const Document deep =
      read(6, ome("XYCZT", 3, 2, 1, sizes + "PhysicalSizeZ=\"1.5\" PhysicalSizeZUnit=\"&#181;m\"",
                  "<Channel ID=\"c\"/><TiffData IFD=\"0\" PlaneCount=\"6\"/>"));
  EXPECT_TRUE(deep.volume.geometry.spacing().isApprox(Eigen::Vector3d(0.25e-3, 0.2e-3, 1.5e-3)));
  EXPECT_EQ(first_of_slices(deep.volume), (std::vector<double>{0, 20, 40}));
  EXPECT_EQ(sentences(deep), "It has 2 channels: the first is shown.");
  const Document planar = read(6, ome("XYZCT", 3, 2, 1, sizes, "<TiffData/>"));
  EXPECT_EQ(first_of_slices(planar.volume), (std::vector<double>{0, 10, 20}));
  EXPECT_NE(sentences(planar).find("how far apart slices are"), std::string::npos) << sentences(planar);
  const Document listed =
      read(3, ome("XYZCT", 3, 1, 1, sizes + "PhysicalSizeZ=\"1\"",
                  "<TiffData FirstZ=\"0\" IFD=\"2\"><UUID>u</UUID></TiffData>"
                  "<TiffData FirstZ=\"1\" IFD=\"1\"/><TiffData FirstZ=\"2\" IFD=\"0\"/>"));
  EXPECT_EQ(first_of_slices(listed.volume), (std::vector<double>{20, 10, 0}));
  EXPECT_EQ(sentences(listed), "");
  // One file of several: the planes of the others are not here.
  const Document part = read(2, ome("XYZCT", 4, 1, 1, sizes, "<TiffData/>"));
  EXPECT_EQ(part.volume.geometry.dimensions[2], 2);
  EXPECT_NE(sentences(part).find("does not fit the 2 pages"), std::string::npos) << sentences(part);
}

TEST(OmeTiff, DamagedDescriptionsAreHarmless) {
  const std::string whole =
      ome("XYZTC", 1000000000, 1000000000, 1000000000, "PhysicalSizeX=\"1e300\" PhysicalSizeY=\"1e300\"",
          "<TiffData IFD=\"1\" PlaneCount=\"999999999\"/><TiffData FirstZ=\"999999999\"/>");
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const TiffDescription description = describe_tiff(whole.substr(0, length), {}, 4, 1);
    EXPECT_TRUE(description.pages.empty());
    EXPECT_FALSE(description.is_calibrated);
  }
}

TEST(HostileTiff, CutStacksAreRefused) {
  const TemporaryFolder folder;
  std::vector<MadePage> pages;
  for (std::uint16_t page = 0; page < 24; ++page) {
    pages.push_back(numbers<std::uint16_t>(8, 1, std::vector<std::uint16_t>(64, page)));
  }
  const std::string whole = tiff(pages);
  ASSERT_EQ(read_image(folder.write("v.tif", whole)).volume.geometry.dimensions[2], 24);
  for (std::size_t length = 8; length < whole.size(); length += 7) {
    EXPECT_NE(error_of([&] { read_image(folder.write("v.tif", whole.substr(0, length))); }), "") << length;
  }
}

TEST(HostileTiff, DirectoriesInACircle) {
  const TemporaryFolder folder;
  const MadePage page = numbers<std::uint8_t>(2, 1, {1, 2, 3, 4});
  // Data of 4 bytes lie at 8, the first directory at 12.
  for (const std::string& bytes : {tiff({page}, 12), tiff({page, page, page}, 12)}) {
    const std::string message = error_of([&] { read_image(folder.write("v.tif", bytes)); });
    EXPECT_NE(message, "");
  }
}

TEST(HostileTiff, SizesThatAFileCannotHoldTakeNoMemory) {
  const TemporaryFolder folder;
  struct rusage before {};
  getrusage(RUSAGE_SELF, &before);
  for (const std::uint32_t compression : {1, 5, 8, 32773}) {
    MadePage page = page_of(70000, 70000, 8, 1, std::string(16, 'x'));
    page.tags[3].value = compression;
    const std::string message = error_of([&] { read_image(folder.write("v.tif", tiff({page}))); });
    EXPECT_NE(message.find("4.56 GiB"), std::string::npos) << message;
  }
  struct rusage after {};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100'000) << "KiB more than before";
}

TEST(HostileTiff, WhatIsNotReadIsNamed) {
  const TemporaryFolder folder;
  const auto message_of = [&](const MadePage& page) {
    return error_of([&] { read_image(folder.write("v.tif", tiff({page}))); });
  };
  EXPECT_NE(message_of(page_of(2, 1, 24, 3, std::string(6, 'x'))).find("float24"), std::string::npos);
  EXPECT_NE(message_of(page_of(2, 1, 64, 6, std::string(16, 'x'))).find("complex"), std::string::npos);
  MadePage packed = page_of(2, 1, 8, 1, "ab");
  packed.tags[3].value = 6;
  EXPECT_NE(message_of(packed).find("compression 6"), std::string::npos);
}

}  // namespace
}  // namespace isolume::images
