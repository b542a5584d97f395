#include "core/electrostatics/maps/map_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <stop_token>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/electrostatics/maps/ccp4.h"
#include "core/electrostatics/maps/opendx.h"
#include "core/electrostatics/maps/vti.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

namespace fs = std::filesystem;

/// v = i + 10 j + 100 k.
grid::ScalarField counted_field() {
  grid::ScalarField field;
  field.grid.unit = grid::LengthUnit::angstrom;
  field.grid.dimensions = {5, 4, 3};
  field.grid.step = Eigen::Vector3d(0.5, 0.75, 1.25).asDiagonal();
  field.grid.origin = {-1.5, 2.25, 10};
  field.values = FieldValues(60);
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 5; ++i)
        field.values[static_cast<std::size_t>(i + 5 * (j + 4 * k))] =
            static_cast<float>(i + 10 * j + 100 * k);
  field.name = "potential";
  field.unit = "kT/e";
  return field;
}

void expect_map_refused(const std::function<void()>& read, const std::string& part) {
  try {
    read();
    ADD_FAILURE() << "taken, though: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

/// A header as the format's description lays it out, by words counted from 1, and the numbers of the file behind it.
struct RawMap {
  std::array<std::uint32_t, 256> words{};
  std::string numbers;
  bool big_endian = false;

  void put(std::size_t word, std::int32_t value) { words[word - 1] = std::bit_cast<std::uint32_t>(value); }
  void put(std::size_t word, float value) { words[word - 1] = std::bit_cast<std::uint32_t>(value); }
  void add(float value) { append(numbers, std::bit_cast<std::uint32_t>(value)); }
  void append(std::string& to, std::uint32_t bits) const {
    for (int byte = 0; byte < 4; ++byte)
      to += static_cast<char>(bits >> 8 * (big_endian ? 3 - byte : byte) & 0xFFU);
  }
  std::string bytes() const {
    std::string text;
    for (const auto word : words) append(text, word);
    return text + numbers;
  }
};

/// 4 x 3 x 2 points of a cell of 8 x 6 x 4, of which columns run along z, rows along x, sections along y.
RawMap permuted(bool big_endian) {
  RawMap map;
  map.big_endian = big_endian;
  const std::array<int, 3> columns{2, 4, 3}, first{-1, 3, 5}, parts{8, 6, 4}, axes{3, 1, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    map.put(1 + i, columns[i]);
    map.put(5 + i, first[i]);
    map.put(8 + i, parts[i]);
    map.put(11 + i, static_cast<float>(8 + 4 * i));  // a = 8, b = 12, c = 16
    map.put(14 + i, i == 1 ? 120.0F : 90.0F);
    map.put(17 + i, axes[i]);
  }
  map.put(4, 2);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x)
      for (int z = 0; z < 2; ++z) map.add(static_cast<float>(x + 10 * y + 100 * z));
  return map;
}

TEST(Maps, MapsOfAnotherProgramAreReadAsTheyAre) {
  const auto field = read_ccp4(fs::path(ISOLUME_TEST_REFERENCES) / "electrostatics/mrcfile-5x4x3.mrc");
  const auto expected = counted_field();
  EXPECT_EQ(field.grid.dimensions, expected.grid.dimensions);
  EXPECT_LT((field.grid.origin - expected.grid.origin).norm(), 1e-6);
  EXPECT_LT((field.grid.step - expected.grid.step).norm(), 1e-6);
  EXPECT_EQ(field.values, expected.values);
}

TEST(Maps, AxesInAnyOrderAndBytesInBothAndFirstIndices) {
  const isolume::testing::TemporaryFolder folder;
  for (const bool big_endian : {false, true}) {
    const auto map = read_ccp4(folder.write("p.ccp4", permuted(big_endian).bytes()));
    EXPECT_EQ(map.grid.dimensions, (std::array{4, 3, 2}));
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x) EXPECT_EQ(map.at(x, y, z), static_cast<float>(x + 10 * y + 100 * z));
    // a / 8, b / 6, c / 4, beta 120 degrees; indices of x, y, z begin at 3, 5 and -1.
    const Eigen::Vector3d a(1, 0, 0), b(0, 2, 0), c(4 * -0.5, 0, 4 * std::sqrt(0.75));
    EXPECT_LT((map.grid.position(1, 2, 1) - (4 * a + 7 * b + 0 * c)).norm(), 1e-6);
    EXPECT_LT((map.grid.origin - (3 * a + 5 * b - c)).norm(), 1e-6);
  }
}

// MRC2014 has both: words 50 to 52 in angstrom, words 5 to 7 in steps along columns, rows and sections.
TEST(Maps, Ccp4ThatIsPlacedTwiceIsNamed) {
  const isolume::testing::TemporaryFolder folder;
  const auto remarks_of = [&](const RawMap& map) {
    const auto path = folder.write("p.ccp4", map.bytes());
    Remarks of_grid;
    const auto read = read_map(path);
    EXPECT_EQ(read_map_grid(path, {}, &of_grid), read.field.grid);
    EXPECT_EQ(of_grid, read.remarks);
    return std::pair(read.field.grid.origin, read.remarks.text());
  };
  RawMap map = permuted(false);
  EXPECT_EQ(remarks_of(map).second, "");  // no origin
  // 3 a + 5 b - c, as above: (3, 0, 0) + (0, 10, 0) - (-2, 0, 3.4641016).
  const std::array same{5.F, 10.F, -3.4641016F}, other{10.F, 20.F, 30.F};
  for (std::size_t i = 0; i < 3; ++i) map.put(50 + i, same[i]);
  EXPECT_EQ(remarks_of(map).second, "");
  for (std::size_t i = 0; i < 3; ++i) map.put(50 + i, other[i]);
  const auto [origin, text] = remarks_of(map);
  EXPECT_EQ(origin, Eigen::Vector3d(10, 20, 30));
  EXPECT_NE(text.find("at (10.00, 20.00, 30.00) Å"), std::string::npos) << text;
  EXPECT_NE(text.find("at (5.00, 10.00, -3.46) Å: ORIGIN is used"), std::string::npos) << text;
  for (std::size_t i = 0; i < 3; ++i) map.put(5 + i, 0);
  EXPECT_EQ(remarks_of(map).second, "");  // no indices
}

TEST(Maps, Ccp4ComesBackAndSaysWhatItHolds) {
  const isolume::testing::TemporaryFolder folder;
  auto field = counted_field();
  for (const auto* name : {"m.mrc", "m.map.gz"}) {
    write_map(field, folder / name);
    const auto read = read_ccp4(folder / name);
    EXPECT_EQ(read.values, field.values);
    EXPECT_LT((read.grid.origin - field.grid.origin).norm(), 1e-6);
    EXPECT_LT((read.grid.step - field.grid.step).norm(), 1e-6);
    EXPECT_EQ(read_map_grid(folder / name), read.grid);
  }
  // -3, 3 and 8 steps, as programs that know no origin read it, and no origin, which some would add.
  std::string bytes = read_text_file(folder / "m.mrc");
  const auto word = [&](std::size_t at) {
    std::int32_t value = 0;
    std::memcpy(&value, &bytes[4 * (at - 1)], 4);
    return value;
  };
  EXPECT_EQ(word(5), -3);
  EXPECT_EQ(word(6), 3);
  EXPECT_EQ(word(7), 8);
  for (const std::size_t axis : {50U, 51U, 52U}) EXPECT_EQ(word(axis), 0);
  EXPECT_EQ(std::bit_cast<float>(word(20)), 0.0F);
  EXPECT_EQ(std::bit_cast<float>(word(21)), 234.0F);
  EXPECT_EQ(std::bit_cast<float>(word(22)), 2 + 15 + 100.0F);
  // Variances of 0..4, of 0, 10..30 and of 0, 100, 200.
  EXPECT_NEAR(std::bit_cast<float>(word(55)), std::sqrt(2 + 125 + 20000 / 3.0), 1e-3);
  EXPECT_EQ(bytes.substr(208, 4), "MAP ");
  EXPECT_EQ(bytes.size(), 1024U + 240);
  // A sheared grid, and a turned one.
  field.grid.step(0, 1) = 0.25;
  write_map(field, folder / "sheared.ccp4");
  EXPECT_LT((read_ccp4(folder / "sheared.ccp4").grid.step - field.grid.step).norm(), 1e-5);
  field.grid.step(1, 0) = 0.25;
  expect_map_refused([&] { write_map(field, folder / "turned.ccp4"); }, "rotated");
  expect_map_refused([&] { write_map(field, folder / "turned.vti"); }, "right angles");
  EXPECT_FALSE(fs::exists(folder / "turned.ccp4"));
  EXPECT_FALSE(fs::exists(folder / "turned.vti"));
}

TEST(Maps, DamagedCcp4IsRefused) {
  const isolume::testing::TemporaryFolder folder;
  const auto refused = [&](const std::function<void(RawMap&)>& damage, const std::string& part) {
    RawMap map = permuted(false);
    damage(map);
    const auto path = folder.write("bad.ccp4", map.bytes());
    expect_map_refused([&] { read_ccp4(path); }, part);
  };
  refused([](RawMap& map) { map.put(4, 1); }, "mode 1");
  refused([](RawMap& map) { map.put(17, 2); }, "permutation");
  refused([](RawMap& map) { map.put(17, std::numeric_limits<std::int32_t>::min()); }, "permutation");
  refused([](RawMap& map) { map.put(1, 0); }, "0 points");
  refused([](RawMap& map) { map.put(1, 1 << 20); }, "header promises");
  refused([](RawMap& map) { map.put(2, -5); }, "-5 points");
  refused([](RawMap& map) { map.put(24, 80); }, "header promises");
  refused([](RawMap& map) { map.put(24, -80); }, "header promises");
  refused([](RawMap& map) { map.put(11, 0.0F); }, "no volume");
  refused([](RawMap& map) { map.put(14, NAN); }, "no volume");
  refused([](RawMap& map) { map.put(50, INFINITY); }, "origin");
  refused([](RawMap& map) { map.numbers.pop_back(); }, "header promises");
  refused([](RawMap& map) { map.numbers.insert(0, 4, '\0'); }, "header promises");  // all values shift
  refused([](RawMap& map) { map.numbers += '\0'; }, "header promises");
  refused([](RawMap& map) { map.numbers.replace(0, 4, "\xff\xff\xff\xff"); }, "among its numbers");
  const std::string whole = permuted(true).bytes();
  for (const std::size_t length : {1U, 1023U, 1024U, 1100U}) {
    const auto path = folder.write("cut.mrc", whole.substr(0, length));
    expect_map_refused([&] { read_ccp4(path); }, "cut.mrc");
  }
}

TEST(Maps, VtiHoldsTheNumbersInTheOrderOfVtk) {
  const isolume::testing::TemporaryFolder folder;
  const auto field = counted_field();
  write_map(field, folder / "m.vti");
  const std::string text = read_text_file(folder / "m.vti");
  EXPECT_NE(text.find("WholeExtent=\"0 4 0 3 0 2\" Origin=\"-1.5 2.25 10\" Spacing=\"0.5 0.75 1.25\""),
            std::string::npos)
      << text.substr(0, 400);
  const std::size_t at = text.find("\n_") + 2;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &text[at], 8);
  ASSERT_EQ(bytes, 240U);
  std::array<float, 60> values{};
  std::memcpy(values.data(), &text[at + 8], 240);
  EXPECT_EQ(values[1], 1);
  EXPECT_EQ(values[5], 10);
  EXPECT_EQ(values[59], 234);
  EXPECT_EQ(text.substr(at + 8 + 240), "\n</AppendedData>\n</VTKFile>\n");
}

TEST(Maps, NamesSayTheFormat) {
  const isolume::testing::TemporaryFolder folder;
  for (const auto* name : {"a.dx", "a.DX.gz", "a.ccp4", "a.mrc.gz", "a.map", "a.vti", "a.nrrd", "a.cube"})
    EXPECT_TRUE(is_map_file(name)) << name;
  for (const auto* name : {"a.csv", ".dx", "dx", "a.vti.gz", "a.gz"}) EXPECT_FALSE(is_map_file(name)) << name;
  const auto field = counted_field();
  for (const auto* name : {"a.dx.gz", "a.cube", "a.map", "a.vti", "a.nrrd"}) {
    write_map(field, folder / name);
    const auto grid = read_map_grid(folder / name);
    const double angstrom = grid::shown_per_unit(grid.unit);
    EXPECT_LT((grid.position(4, 3, 2) * angstrom - Eigen::Vector3d(0.5, 4.5, 12.5)).norm(), 1e-5) << name;
  }
  expect_map_refused([&] { write_map(field, folder / "a.txt"); }, ".vti, .nrrd or .cube");
}

TEST(Maps, InPartsHaveTheBytesOfOnePieceOrAreNotThere) {
  const isolume::testing::TemporaryFolder folder;
  grid::ScalarField field{.grid = grid::centred({1, 2, 3}, {5, 4, 7}, 0.6, grid::LengthUnit::angstrom),
                          .values = FieldValues(140),
                          .name = "electrostatic potential",
                          .unit = "kT/e"};
  for (std::size_t i = 0; i < 140; ++i) field.values[i] = static_cast<float>(1e3 * std::sin(i));
  const auto planes = [&](int first, int end) {
    grid::ScalarField part = field;
    part.grid.dimensions[0] = end - first;
    part.values = FieldValues(part.grid.point_count());
    std::size_t at = 0;
    for (int k = 0; k < 7; ++k) {
      for (int j = 0; j < 4; ++j) {
        for (int i = first; i < end; ++i) part.values[at++] = field.at(i, j, k);
      }
    }
    return part;
  };
  for (const std::string name : {"map.dx", "map.cube", "map.dx.gz", "map.ccp4", "map.vti"}) {
    const auto whole = folder.path() / ("whole-" + name), parts = folder.path() / name;
    write_map(field, whole);
    {
      MapWriter writer(parts, field.grid, field.name, field.unit);
      writer.put(planes(0, 2), {});
      writer.put(planes(2, 3), {});
      EXPECT_THROW(writer.commit(), Error) << "planes are missing";
      writer.put(planes(3, 5), {});
      EXPECT_FALSE(std::filesystem::exists(parts));
      EXPECT_THROW(writer.put(planes(0, 1), {}), Error) << "planes too many";
      writer.commit();
    }
    EXPECT_EQ(read_text_file(parts), read_text_file(whole)) << name;
    std::filesystem::remove(parts);
    {
      MapWriter writer(parts, field.grid, field.name, field.unit);
      writer.put(planes(0, 4), {});
      std::stop_source stop;
      stop.request_stop();
      EXPECT_THROW(writer.put(planes(4, 5), jobs::Progress(stop.get_token(), {})), Cancelled);
    }
    std::filesystem::remove(whole);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << name;
  }
  EXPECT_THROW(MapWriter(folder.path() / "map.ccp4.gz", field.grid, field.name, field.unit), Error);
}

}  // namespace
}  // namespace isolume::electrostatics
