#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#ifdef ISOLUME_WITH_PICTURES
#include <QImage>
#endif

#include "core/base/text_file.h"
#include "core/molecules/document.h"
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

TEST(ElectrostaticsResidues, AreATableAndJson) {
  const Scratch scratch;
  const std::string table = scratch.file("residues.csv");
  const auto result = run_batch({"electrostatics", "residues", map_references + "1FAS.pqr", "--spacing", "1",
                                 "--form", "ses", "-o", table, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = nlohmann::json::parse(result.out);
  ASSERT_EQ(told["residues"].size(), 61U);
  double charge = 0;
  for (const auto& each : told["residues"]) charge += each["charge"].get<double>();
  EXPECT_NEAR(charge, 4, 1e-9);
  EXPECT_EQ(told["residues"][0]["residue"], "THR A 1");
  // Of the same parts of the surface, from farther away.
  const auto above =
      run_batch({"electrostatics", "residues", map_references + "1FAS.pqr", "--spacing", "1", "--form", "ses",
                 "--sample-height", "2", "--json", "-o", scratch.file("above.csv")});
  ASSERT_EQ(above.code, 0) << above.err;
  const auto far = nlohmann::json::parse(above.out);
  int weaker = 0;
  for (std::size_t i = 0; i < 61; ++i) {
    const auto &on = told["residues"][i], &off = far["residues"][i];
    EXPECT_EQ(on["area_square_angstrom"], off["area_square_angstrom"]);
    EXPECT_EQ(on["energy_kj_per_mol"], off["energy_kj_per_mol"]);
    if (on["highest"].is_number()) weaker += off["highest"].get<double>() < on["highest"].get<double>();
  }
  EXPECT_GT(weaker, 50);
  const std::string text = read_text_file(table);
  EXPECT_EQ(std::ranges::count(text, '\n'), 63);
  EXPECT_NE(text.find("kT/e; energy in kJ/mol"), std::string::npos);
  EXPECT_EQ(
      run_batch({"electrostatics", "residues", map_references + "1FAS.pqr", "-o", scratch.file("a.dx")}).code,
      2);
  EXPECT_EQ(run_batch({"electrostatics", "residues", scratch.file("none.pqr"), "-o", table}).code, 1);
}

/// What is strong or weak, of either sign, is the whole surface; and a patch never has more of a residue than there is.
TEST(ElectrostaticsResidues, PatchesArePartsOfTheirSurfaces) {
  const Scratch scratch;
  const std::string table = scratch.file("patches.csv");
  const auto result = run_batch({"electrostatics", "residues", map_references + "1FAS.pqr", "--spacing", "1",
                                 "-o", scratch.file("residues.csv"), "--patches", table, "--patch-threshold",
                                 "1e-6", "--patch-area", "0", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = nlohmann::json::parse(result.out);
  std::map<std::string, double> areas, of_patches;
  for (const auto& each : told["residues"]) areas[each["residue"]] = each["area_square_angstrom"];
  double largest = std::numeric_limits<double>::infinity();
  for (const auto& each : told["patches"]) {
    EXPECT_LE(each["area_square_angstrom"], largest);
    largest = each["area_square_angstrom"];
    EXPECT_GT(each["mean"].get<double>() * each["extreme"].get<double>(), 0);
    for (const auto& part : each["residues"])
      of_patches[part["residue"]] += part["area_square_angstrom"].get<double>();
  }
  for (const auto& [residue, area] : areas) EXPECT_NEAR(of_patches[residue], area, 1e-6 * area) << residue;
  EXPECT_EQ(std::ranges::count(read_text_file(table), '\n'),
            static_cast<std::ptrdiff_t>(told["patches"].size()) + 2);
  EXPECT_EQ(
      run_batch({"electrostatics", "residues", map_references + "1FAS.pqr", "-o", table, "--patches", table})
          .code,
      2);
}

TEST(ElectrostaticsResidues, AreThoseOfASelection) {
  const Scratch scratch;
  const auto of = [&](const std::string& selection) {
    return run_batch({"electrostatics", "residues", map_references + "1FAS.pqr", "--spacing", "2", "--method",
                      "debye-hueckel", "--selection", selection, "-o", scratch.file("a.csv"), "--json"});
  };
  const auto result = of("residue LYS and name NZ");
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = nlohmann::json::parse(result.out);
  ASSERT_EQ(told["residues"].size(), 4U);  // lysines: 25, 32, 51 and 59
  for (const auto& each : told["residues"]) {
    EXPECT_TRUE(each["residue"].get<std::string>().starts_with("LYS A")) << each;
    EXPECT_NEAR(each["charge"].get<double>(), 1, 1e-9);
  }
  const auto bad = of("residue LYS nad or");
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.err.find("column 19"), std::string::npos) << bad.err;
}

#ifdef ISOLUME_WITH_PICTURES

/// How many pixels are blue and how many are orange.
std::pair<int, int> blue_and_orange(const std::string& file) {
  const QImage whole(QString::fromStdString(file));
  const QImage picture = whole.copy(0, 0, whole.width() * 4 / 5, whole.height());  // without the colour bar
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
    const auto result = render_map({scratch.file("ion.pqr"), "--method", "direct", "--solute-dielectric", "1",
                                    "--isovalue", isovalue, "--margin", "20", "--spacing", "1", "--no-atoms",
                                    "--camera", "0,0,90,0,0,0,0,1,0", "--no-scale-bar", "--size", "240x240",
                                    "-o", scratch.file("a.png")});
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
    const auto result = render_map({scratch.file("ion.pqr"), "--form", form, "--spacing", "0.5", "--no-atoms",
                                    "--colour-limit", "0.5", "--camera", "0,0,60,0,0,0,0,1,0",
                                    "--no-scale-bar", "--size", "480x240", "-o", scratch.file("a.png")});
    EXPECT_EQ(result.code, 0) << result.err;
    return static_cast<double>(blue_and_orange(scratch.file("a.png")).first);
  };
  const double sphere = seen("vdw");
  EXPECT_NEAR(seen("ses"), sphere, 0.03 * sphere);
  EXPECT_NEAR(seen("gaussian"), sphere, 0.03 * sphere);
  EXPECT_NEAR(seen("sas") / sphere, 3.4 * 3.4 / 4, 0.15);
}

TEST(ElectrostaticsRender, ChainsAreRibbonsAndSelectionsAreIsolated) {
  const Scratch scratch;
  const auto drawn = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {map_references + "1AFS.pdb.gz", "--spacing", "3", "--method", "cutoff",
                               "--shown", "nothing", "--ribbon", "chains", "--no-scale-bar", "--size",
                               "320x240", "-o", scratch.file("a.png"), "--json"});
    const auto result = render_map(more);
    EXPECT_EQ(result.code, 0) << result.err;
    const QImage picture(QString::fromStdString(scratch.file("a.png")));
    int purple = 0, yellow = 0;
    for (int y = 0; y < picture.height(); ++y) {
      for (int x = 0; x < picture.width(); ++x) {
        const QColor colour = picture.pixelColor(x, y);
        purple += colour.red() > colour.green() + 30 && colour.blue() > colour.green() + 15;
        yellow += colour.red() > colour.blue() + 80 && colour.green() > colour.blue() + 40;
      }
    }
    return std::tuple(purple, yellow, nlohmann::json::parse(result.out));
  };
  const auto [helices, strands, whole] = drawn({});
  EXPECT_GT(helices, 2000);
  EXPECT_GT(strands, 500);
  EXPECT_FALSE(whole.contains("selection"));
  // One chain of two, from the same place.
  const auto [of_one, strands_of_one, one] = drawn({"--selection", "chain A", "--isolate"});
  EXPECT_GT(of_one, 1000);
  EXPECT_LT(of_one, helices * 3 / 4);
  EXPECT_EQ(one["selection"]["residues"], 321);  // 319 amino acids, NADP and testosterone
  EXPECT_EQ(
      render_map({map_references + "1FAS.pqr", "--selection", "chain", "-o", scratch.file("b.png")}).code, 2);
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

/// The outline is ink; without it there is none in the picture.
TEST(ElectrostaticsRender, TellsTheSizeOfADifferenceAndTakesARangeOfItsOwn) {
  const Scratch scratch;
  const auto result =
      render_map({map_references + "1FAS.pqr", "--spacing", "2", "--compare", "half-spacing", "--colour-low",
                  "-1", "--size", "200x150", "-o", scratch.file("a.png"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = nlohmann::json::parse(result.out);
  EXPECT_EQ(told["difference"]["unit"], "kT/e");
  // On the surface, as what is told of the surface itself.
  EXPECT_EQ(told["difference"]["surface"]["count"], told["on_surface"]["vertices"]);
  EXPECT_NEAR(told["difference"]["surface"]["rms"].get<double>(), told["on_surface"]["rms"].get<double>(),
              1e-9);
  EXPECT_GT(told["difference"]["map"]["rms"].get<double>(), 0);
  const auto plain = render_map({map_references + "1FAS.pqr", "--spacing", "2", "--size", "200x150", "-o",
                                 scratch.file("b.png"), "--json"});
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_FALSE(nlohmann::json::parse(plain.out).contains("difference"));
}

TEST(ElectrostaticsRender, AResidueIsOutlinedAndLigandsAreStriped) {
  const Scratch scratch;
  const auto drawn = [&](std::vector<std::string> more) {
    std::vector<std::string> words{map_references + "1AJJ.pdb.gz",
                                   "--spacing",
                                   "1",
                                   "--no-atoms",
                                   "--no-scale-bar",
                                   "--size",
                                   "400x300",
                                   "-o",
                                   scratch.file("a.png")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(render_map(words).code, 0);
    const QImage picture(QString::fromStdString(scratch.file("a.png")));
    std::pair<int, int> ink_and_stripes;
    for (int y = 60; y < picture.height(); ++y) {
      for (int x = 0; x < 300; ++x) {  // without the colour bar's numbers and the notice
        const QColor c = picture.pixelColor(x, y);
        ink_and_stripes.first += c.lightness() < 60 && c.saturation() < 60;
        ink_and_stripes.second +=
            std::max({c.red(), c.green(), c.blue()}) - std::min({c.red(), c.green(), c.blue()}) < 6 &&
            c.red() > 60 && c.red() < 150;
      }
    }
    return ink_and_stripes;
  };
  const auto plain = drawn({});
  const auto outlined = drawn({"--residue", "GLY A 27"});
  EXPECT_GT(plain.second, 60) << "the sulphate";
  EXPECT_GT(drawn({"--residue", "SO4 A 72"}).first, plain.first + 20);
  EXPECT_GE(outlined.first, plain.first);
  std::ofstream(scratch.file("so4.csv")) << "residue,atom,charge,radius\nSO4,S,2.0,2.0\nSO4,O1,-1,1.7\nSO4,"
                                            "O2,-1,1.7\nSO4,O3,-1,1.7\nSO4,O4,-1,1.7\n";
  EXPECT_LT(drawn({"--charges", scratch.file("so4.csv")}).second, plain.second - 200);
  EXPECT_NE(render_map({map_references + "1AJJ.pdb.gz", "--residue", "XXX 1", "-o", scratch.file("b.png")})
                .err.find("XXX 1"),
            std::string::npos);
}

TEST(ElectrostaticsRender, FieldLinesAreDrawnAndWritten) {
  const Scratch scratch;
  std::ofstream(scratch.file("ion.pqr")) << "ATOM 1 NA NA A 1 0 0 0 1.0 2.0\n";
  const auto result =
      render_map({scratch.file("ion.pqr"), "--method", "direct", "--lines", scratch.file("lines.vtp"),
                  "--field-line-count", "40", "--size", "200x150", "-o", scratch.file("a.png")});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string file = read_text_file(scratch.file("lines.vtp"));
  EXPECT_NE(file.find("potential / kT/e"), std::string::npos);
  const auto at = file.find("NumberOfLines=\"");
  ASSERT_NE(at, std::string::npos);
  const int lines = std::stoi(file.substr(at + 15));
  EXPECT_GE(lines, 28);
  EXPECT_LE(lines, 40);
  EXPECT_NE(
      render_map({scratch.file("ion.pqr"), "--lines", scratch.file("lines.csv"), "-o", scratch.file("b.png")})
          .err.find(".vtp"),
      std::string::npos);
}

/// The least and the largest value of a field where edges of the grid cross a density of 0.001.
std::pair<double, double> ends_on_surface(const grid::ScalarField& density, const grid::ScalarField& field) {
  std::pair<double, double> ends{1, -1};
  const auto& n = density.grid.dimensions;
  for (int k = 0; k + 1 < n[2]; ++k) {
    for (int j = 0; j + 1 < n[1]; ++j) {
      for (int i = 0; i + 1 < n[0]; ++i) {
        for (const auto& [a, b, c] : {std::tuple{1, 0, 0}, std::tuple{0, 1, 0}, std::tuple{0, 0, 1}}) {
          const double from = std::log(density.at(i, j, k) / 0.001),
                       to = std::log(density.at(i + a, j + b, k + c) / 0.001);
          if (from * to >= 0) continue;
          const double part = from / (from - to);
          const double value = (1 - part) * field.at(i, j, k) + part * field.at(i + a, j + b, k + c);
          ends = {std::min(ends.first, value), std::max(ends.second, value)};
        }
      }
    }
  }
  return ends;
}

/// Psi4's potential where its density is 0.001 e/bohr^3.
TEST(ElectrostaticsRender, AWavefunctionHasItsPotentialOnItsSurface) {
  const Scratch scratch;
  const std::string all = ISOLUME_TEST_REFERENCES;
  const std::string water = all + "/wavefunctions/water-631gs.molden.gz";
  const auto result = render_map({water, "-o", scratch.file("a.png"), "--size", "400x300", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = nlohmann::json::parse(result.out);
  EXPECT_EQ(told["method"], "wavefunction");
  EXPECT_EQ(told["unit"], "Eh/e");
  const auto [lowest, highest] =
      ends_on_surface(*molecules::read_document(all + "/cubes/water-631gs-Dt.cube.gz").fields.at(0),
                      *molecules::read_document(all + "/cubes/water-631gs-ESP.cube.gz").fields.at(0));
  EXPECT_LT(lowest, -0.03);
  EXPECT_NEAR(told["on_surface"]["lowest"].get<double>(), lowest, 0.003);
  EXPECT_NEAR(told["on_surface"]["highest"].get<double>(), highest, 0.003);
  const auto [blue, orange] = blue_and_orange(scratch.file("a.png"));
  EXPECT_GT(blue, 500);
  EXPECT_GT(orange, 500);

  // Fitted charges leave a rest, Mulliken's a larger one.
  const auto rest = [&](const char* kind) {
    const auto compared = render_map({water, "-o", scratch.file("b.png"), "--size", "400x300", "--json",
                                      "--difference-to", kind, "--spacing", "0.3"});
    EXPECT_EQ(compared.code, 0) << compared.err;
    return nlohmann::json::parse(compared.out)["on_surface"]["rms"].get<double>();
  };
  const double fitted = rest("esp"), mulliken = rest("mulliken");
  EXPECT_GT(fitted, 1e-4);
  EXPECT_LT(fitted, 0.01);
  EXPECT_GT(mulliken, fitted);

  const auto salt = render_map({water, "-o", scratch.file("c.png"), "--salt", "0.1"});
  EXPECT_EQ(salt.code, 2);
  EXPECT_NE(salt.err.find("in vacuum"), std::string::npos) << salt.err;
  EXPECT_EQ(render_map({water, "-o", scratch.file("c.png"), "--force-field", "parse"}).code, 2);
  EXPECT_EQ(render_map({map_references + "1FAS.pqr", "-o", scratch.file("c.png"), "--set", "1"}).code, 2);
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
