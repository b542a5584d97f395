// TIFF files written here by hand, after Adobe's TIFF 6.0.
#include <algorithm>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/images/document.h"
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
    if (bytes.size() % 2 == 1) bytes += '\0';
    point(static_cast<std::uint32_t>(bytes.size()));
    add_number(bytes, static_cast<std::uint32_t>(page.tags.size()), 2);
    for (const Tag& tag : page.tags) {
      add_number(bytes, tag.number, 2);
      add_number(bytes, 4, 2);  // LONG
      add_number(bytes, 1, 4);
      add_number(bytes, tag.number == 273 || tag.number == 324 ? data : tag.value, 4);
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

TEST(ReadTiff, WhiteThatIsZeroAndPalettes) {
  const TemporaryFolder folder;
  MadePage white = numbers<std::uint8_t>(2, 1, {0, 200});
  white.tags[4].value = 0;
  EXPECT_EQ(read_image(folder.write("v.tif", tiff({white}))).volume.value(0, 0, 0), 255);
  EXPECT_EQ(read_image(folder.write("v.tif", tiff({white}))).volume.value(1, 0, 0), 55);
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
  EXPECT_EQ(volume.geometry.size, (std::array{10, 12, 1}));
  EXPECT_EQ(volume.value(9, 11, 0), 3309);
}

TEST(ReadTiff, PagesAreAStackWhereTheyAreAlike) {
  const TemporaryFolder folder;
  const MadePage one = numbers<std::uint16_t>(2, 1, {1, 2, 3, 4}),
                 two = numbers<std::uint16_t>(2, 1, {5, 6, 7, 8});
  const Volume volume = read_image(folder.write("v.tif", tiff({one, two}))).volume;
  EXPECT_EQ(volume.geometry.size, (std::array{2, 2, 2}));
  EXPECT_EQ(volume.value(1, 1, 1), 8);
  for (const MadePage& other : {numbers<float>(2, 3, {1, 2, 3, 4}), numbers<std::int16_t>(2, 2, {1, 2, 3, 4}),
                                numbers<std::uint16_t>(1, 1, {1, 2, 3, 4})}) {
    const std::string message = error_of([&] { read_image(folder.write("v.tif", tiff({one, two, other}))); });
    EXPECT_NE(message.find("page 3"), std::string::npos) << message;
    EXPECT_NE(message.find("not like the first"), std::string::npos) << message;
  }
  // A preview is no slice.
  MadePage preview = numbers<std::uint16_t>(1, 1, {9});
  preview.tags.insert(preview.tags.begin(), {254, 1});
  const Document document = read_image(folder.write("v.tif", tiff({one, preview})));
  EXPECT_EQ(document.volume.geometry.size, (std::array{2, 2, 1}));
  EXPECT_EQ(document.warnings.size(), 2u);
}

TEST(HostileTiff, CutStacksAreRefused) {
  const TemporaryFolder folder;
  std::vector<MadePage> pages;
  for (std::uint16_t page = 0; page < 24; ++page) {
    pages.push_back(numbers<std::uint16_t>(8, 1, std::vector<std::uint16_t>(64, page)));
  }
  const std::string whole = tiff(pages);
  ASSERT_EQ(read_image(folder.write("v.tif", whole)).volume.geometry.size[2], 24);
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
  EXPECT_NE(message_of(packed).find("packed in way 6"), std::string::npos);
}

}  // namespace
}  // namespace isolume::images
