// VTI files, those of VTK among them.
#include "core/electrostatics/maps/vti.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/electrostatics/maps/map_file.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

namespace fs = std::filesystem;
const fs::path vtk_files = fs::path(ISOLUME_TEST_REFERENCES) / "electrostatics";

/// make_vti.py's: v = i + 10 j + 100 k.
void expect_counted(const grid::ScalarField& field) {
  ASSERT_EQ(field.grid.dimensions, (std::array{5, 4, 3}));
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 5; ++i) EXPECT_EQ(field.at(i, j, k), static_cast<float>(i + 10 * j + 100 * k));
}

TEST(Vti, VtksFilesAreReadInTextInBase64PackedAndAsTheyAre) {
  for (const std::string name : {"text", "inline", "base64", "raw"}) {
    const auto path = vtk_files / ("vtk-" + name + ".vti");
    const auto field = read_vti(path);
    SCOPED_TRACE(name);
    expect_counted(field);
    EXPECT_EQ(field.unit, "mV");
    EXPECT_EQ(field.grid.unit, grid::LengthUnit::angstrom);
    EXPECT_EQ(read_vti_grid(path), field.grid);
    const auto map = read_map(path);
    EXPECT_EQ(map.unit, PotentialUnit::millivolt);
    EXPECT_FALSE(map.unit_is_assumed);
    // VTK's origin is where the indices are 0, and a row of its direction tells an axis of space.
    const bool turned = name == "base64";
    const Eigen::Vector3d first = turned ? Eigen::Vector3d(-1.5 + 1 * 0.75, 2.25 + 2 * 0.5, 10 + 3 * 1.25)
                                         : Eigen::Vector3d(-1.5, 2.25, 10);
    const Eigen::Vector3d along_x = turned ? Eigen::Vector3d(0, 0.5, 0) : Eigen::Vector3d(0.5, 0, 0);
    const Eigen::Vector3d along_y = turned ? Eigen::Vector3d(-0.75, 0, 0) : Eigen::Vector3d(0, 0.75, 0);
    EXPECT_LT((field.grid.origin - first).norm(), 1e-12);
    EXPECT_LT((field.grid.step.col(0) - along_x).norm(), 1e-12);
    EXPECT_LT((field.grid.step.col(1) - along_y).norm(), 1e-12);
    EXPECT_LT((field.grid.step.col(2) - Eigen::Vector3d(0, 0, 1.25)).norm(), 1e-12);
  }
}

/// A file whose parts a test may change.
struct VtiText {
  std::string type = "ImageData", extent = "0 1 0 1 0 1", piece = extent, spacing = "1 1 1", compressor,
              array = R"(type="Float32" Name="v" format="ascii")", numbers = "0 1 2 3 4 5 6 7", after;
  std::string text() const {
    return fmt::format(
        "<VTKFile type=\"{0}\" byte_order=\"LittleEndian\"{6}>\n<{0} WholeExtent=\"{1}\" Origin=\"0 0 0\" "
        "Spacing=\"{3}\">\n<Piece Extent=\"{2}\">\n<PointData>\n<DataArray {4}>\n{5}\n</DataArray>\n"
        "</PointData>\n</Piece>\n</{0}>\n{7}</VTKFile>\n",
        type, extent, piece, spacing, array, numbers,
        compressor.empty() ? "" : fmt::format(" compressor=\"{}\"", compressor), after);
  }
};

TEST(Vti, WhatIsWrongIsNamedWithItsPlace) {
  const isolume::testing::TemporaryFolder folder;
  const auto refused = [&](const std::function<void(VtiText&)>& damage, const std::string& part,
                           std::size_t line) {
    VtiText file;
    damage(file);
    const auto path = folder.write("bad.vti", file.text());
    try {
      read_vti(path);
      ADD_FAILURE() << "taken, though: " << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_EQ(error.line(), line) << error.what();
    }
  };
  EXPECT_EQ(read_vti(folder.write("good.vti", VtiText().text())).at(1, 0, 1), 5);
  const std::string binary = R"(type="Float32" Name="v" format="binary")";
  refused([](auto& file) { file.type = "PolyData"; }, "PolyData", 1);
  refused([](auto& file) { file.compressor = "vtkLZ4DataCompressor"; }, "vtkLZ4DataCompressor", 1);
  refused([](auto& file) { file.extent = "0 1 0 1 0"; }, "not 6 numbers", 2);
  refused([](auto& file) { file.extent = file.piece = "0 1 0 1 1 0"; }, "0 points", 2);
  refused([](auto& file) { file.extent = "0 1e9 0 1 0 1"; }, "not 6 numbers", 2);
  refused([](auto& file) { file.extent = file.piece = "0 900000 0 900000 0 900000"; }, "do not fit", 5);
  refused([](auto& file) { file.spacing = "1 0 1"; }, "no volume", 2);
  refused([](auto& file) { file.spacing = "1 nan 1"; }, "not 3 numbers", 2);
  refused([](auto& file) { file.piece = "0 1 0 1 0 0"; }, "several pieces", 3);
  refused([](auto& file) { file.array = R"(type="Int32" Name="v" format="ascii")"; }, "Int32", 5);
  refused([](auto& file) { file.array += " NumberOfComponents=\"3\""; }, "no scalar point data", 0);
  refused([](auto& file) { file.array = R"(type="Float32" Name="v" format="magic")"; }, "magic", 5);
  refused([](auto& file) { file.numbers = "0 1 2 3 4 5 6"; }, "7 numbers for a grid of 8", 5);
  refused([](auto& file) { file.numbers += " 8"; }, "more numbers", 5);
  refused([](auto& file) { file.numbers = "0 1 2 nan 4 5 6 7"; }, "\"nan\" is not a number", 5);
  refused([](auto& file) { file.numbers = "0 1 2 1e300 4 5 6 7"; }, "number 4 is 1e+300", 5);
  // 32 bytes are announced, and none follow; then 33; then what is no base64.
  refused([&](auto& file) { file.array = binary, file.numbers = "IAAAAA=="; }, "ends within", 5);
  refused([&](auto& file) { file.array = binary, file.numbers = "IQAAAA==" + std::string(48, 'A'); },
          "not the 32 B", 5);
  refused([&](auto& file) { file.array = binary, file.numbers = "IAAAAA==" + std::string(40, '*'); },
          "ends within", 5);
  // Blocks without end, and one that is no zlib.
  const auto packed = [&](const std::string& numbers) {
    return [&binary, numbers](auto& file) {
      file.compressor = "vtkZLibDataCompressor";
      file.array = binary;
      file.numbers = numbers;
    };
  };
  refused(packed("/////wEAAAABAAAA"), "not the 32 B", 5);
  refused(packed("AQAAACAAAAAAAAAA/////w=="), "ends within", 5);
  refused(packed("AQAAACAAAAAAAAAABAAAAA==AAAAAA=="), "ends within", 5);
  const auto appended = [](const std::string& offset, const std::string& data) {
    return [offset, data](auto& file) {
      file.array = R"(type="Float32" Name="v" format="appended" offset=")" + offset + "\"";
      file.after = data;
    };
  };
  refused(appended("4", ""), "begin at \"4\"", 5);
  refused(appended("-4", "<AppendedData encoding=\"raw\">_12345678</AppendedData>"), "begin at \"-4\"", 5);
  refused(appended("0", "<AppendedData encoding=\"raw\">123</AppendedData>"), "underscore", 11);
  refused(appended("0", "<AppendedData encoding=\"rot13\">_123</AppendedData>"), "rot13", 11);
}

TEST(Vti, ArraysThatAreNotReadAreNamed) {
  const isolume::testing::TemporaryFolder folder;
  VtiText file;
  const std::string text = file.text();
  const auto end = text.find("</PointData>");
  ASSERT_NE(end, std::string::npos) << text;
  const auto path = folder.write(
      "two.vti", std::string(text).insert(
                     end, R"(<DataArray type="Float32" Name="other" format="ascii">7</DataArray>)"));
  Remarks remarks;
  EXPECT_EQ(read_vti(path, {}, &remarks).at(1, 0, 1), 5);
  EXPECT_EQ(remarks.text(), "Arrays other than \"v\" were left out: other.");
  EXPECT_EQ(read_map(path).remarks, remarks);
  Remarks none;
  read_vti(folder.write("one.vti", text), {}, &none);
  EXPECT_TRUE(none.empty()) << none.text();
}

TEST(Vti, AFileThatIsCutGivesTheWholeMapOrAnError) {
  const isolume::testing::TemporaryFolder folder;
  for (const std::string name : {"text", "inline", "base64", "raw"}) {
    const auto whole = read_text_file(vtk_files / ("vtk-" + name + ".vti"));
    int refused = 0;
    for (std::size_t length = 1; length < whole.size(); length += 23) {
      const auto path = folder.write("cut.vti", whole.substr(0, length));
      try {
        expect_counted(read_vti(path));
      } catch (const InputError&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 40) << name;
  }
}

}  // namespace
}  // namespace isolume::electrostatics
