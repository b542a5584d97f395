#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#ifdef ISOLUME_WITH_PICTURES
#include <QImage>
#endif

#include "core/base/text_file.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using test::run_batch;
using test::Scratch;

const std::string map_references = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/";

test::Result render_map(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"electrostatics", "render"});
  return run_batch(arguments);
}

#ifdef ISOLUME_WITH_PICTURES

/// How many pixels are blue and how many are orange.
std::pair<int, int> blue_and_orange(const std::string& file) {
  const QImage picture(QString::fromStdString(file));
  std::pair<int, int> counts{0, 0};
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      const QColor colour = picture.pixelColor(x, y);
      counts.first += colour.blue() > colour.red() + 60;
      counts.second += colour.red() > colour.blue() + 60;
    }
  }
  return counts;
}

TEST(ElectrostaticsRender, AMoleculeIsDrawnInTheColoursOfItsPotential) {
  const Scratch scratch;
  const std::string picture = scratch.file("a.png");
  const auto result = render_map({map_references + "1FAS.pqr", "--spacing", "1", "--no-atoms", "--size",
                                  "320x240", "-o", picture, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = nlohmann::json::parse(result.out);
  EXPECT_EQ(told["method"], "pb-linear");
  EXPECT_EQ(told["unit"], "kT/e");
  EXPECT_EQ(told["shown"], "surface");
  EXPECT_NEAR(told["charge"].get<double>(), 4, 1e-9);
  EXPECT_GT(told["triangles"].get<int>(), 5000);
  const QImage drawn(QString::fromStdString(picture));
  EXPECT_EQ(drawn.size(), QSize(320, 240));
  const auto [blue, orange] = blue_and_orange(picture);
  EXPECT_GT(orange, 100);
  EXPECT_GT(blue, orange) << "its charge is +4 e";
}

TEST(ElectrostaticsRender, AnIsovalueAsksForIsosurfacesOfThePotential) {
  const Scratch scratch;
  // Of a charge in vacuum the surface at V lies at 560.46 Å / V.
  std::ofstream(scratch.file("ion.pqr")) << "ATOM 1 NA NA A 1 0 0 0 1.0 1.8\n";
  const auto drawn = [&](const char* isovalue) {
    const auto result =
        render_map({scratch.file("ion.pqr"), "--method", "direct", "--solute-dielectric", "1", "--isovalue",
                    isovalue, "--margin", "20", "--spacing", "1", "--no-atoms", "--camera",
                    "0,0,90,0,0,0,0,1,0", "--no-scale-bar", "--size", "240x240", "-o", scratch.file("a.png")});
    EXPECT_EQ(result.code, 0) << result.err;
    return static_cast<double>(blue_and_orange(scratch.file("a.png")).first);
  };
  // A sphere of radius r seen from d has its outline at the tangent of asin(r / d).
  const auto outline = [](double isovalue) {
    const double r = 560.459 / isovalue;
    return r * r / (90 * 90 - r * r);
  };
  EXPECT_NEAR(drawn("40") / drawn("80"), outline(40) / outline(80), 0.05 * outline(40) / outline(80));
}

/// A lone atom, of which every surface is a sphere.
TEST(ElectrostaticsRender, TheSolventAccessibleSurfaceLiesAProbeOutsideOfTheOthers) {
  const Scratch scratch;
  std::ofstream(scratch.file("ion.pqr")) << "ATOM 1 NA NA A 1 0 0 0 1.0 2.0\n";
  const auto seen = [&](const char* form) {
    const auto result = render_map({scratch.file("ion.pqr"), "--form", form, "--spacing", "0.5", "--no-atoms", "--colour-limit", "0.5",
                                    "--camera", "0,0,60,0,0,0,0,1,0", "--no-scale-bar", "--size", "240x240",
                                    "-o", scratch.file("a.png")});
    EXPECT_EQ(result.code, 0) << result.err;
    return static_cast<double>(blue_and_orange(scratch.file("a.png")).first);
  };
  const double sphere = seen("vdw");
  EXPECT_NEAR(seen("ses"), sphere, 0.03 * sphere);
  EXPECT_NEAR(seen("gaussian"), sphere, 0.03 * sphere);
  EXPECT_NEAR(seen("sas") / sphere, 3.4 * 3.4 / 4, 0.15);
}

TEST(ElectrostaticsRender, ASessionIsDrawnAsItWasLeft) {
  const Scratch scratch;
  const std::string session = scratch.file("work.isolume"), data = map_references + "1FAS.pqr";
  std::ofstream(session) << R"({"isolume-session":1,"shown":"electrostatics","layout":"","labs":[)"
                         << R"({"lab":"electrostatics","camera":"top","state":{},"parameters":)"
                         << R"({"spacing":"2","salt":"0.5","atoms":"false"},"data":{"path":")" << data
                         << R"(","beside":"","bytes":1,"xxh3":""}}]})";
  ASSERT_EQ(run_batch({"render", session, "--size", "200x150", "-o", scratch.file("a.png")}).code, 0);
  ASSERT_EQ(render_map({data, "--spacing", "2", "--salt", "0.5", "--no-atoms", "--camera", "top", "--size",
                        "200x150", "-o", scratch.file("b.png")})
                .code,
            0);
  EXPECT_EQ(read_text_file(scratch.file("a.png")), read_text_file(scratch.file("b.png")));
}

TEST(ElectrostaticsRender, BadInputIsRefusedAndNothingIsWritten) {
  const Scratch scratch;
  const std::string picture = scratch.file("a.png"), molecule = map_references + "1FAS.pqr";
  EXPECT_NE(render_map({scratch.file("none.pqr"), "-o", picture}).err.find("none.pqr"), std::string::npos);
  EXPECT_NE(render_map({molecule, "-o", molecule}).err.find("this is the input file"), std::string::npos);
  EXPECT_EQ(render_map({molecule, "--spacing", "0.01", "-o", picture}).code, 2) << "out of range";
  EXPECT_EQ(render_map({molecule, "--shown", "ribbon", "-o", picture}).code, 2);
  EXPECT_NE(render_map({molecule, "--margin", "100", "--spacing", "0.1", "-o", picture}).code, 0)
      << "10^10 points fit in no memory";
  EXPECT_TRUE(scratch.files().empty());
}

#else

TEST(ElectrostaticsRender, SaysThatItIsNotBuiltIn) {
  const auto result = render_map({map_references + "1FAS.pqr", "-o", "x.png"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("without pictures"), std::string::npos) << result.err;
}

#endif

}  // namespace
}  // namespace isolume
