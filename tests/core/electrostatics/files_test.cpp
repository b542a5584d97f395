#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/electrostatics/opendx.h"
#include "core/electrostatics/points_csv.h"
#include "core/electrostatics/pqr.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  fs::path written(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  fs::path path(const std::string& name) const { return folder_ / name; }

 private:
  isolume::testing::TemporaryFolder folder_;
};

/// What is wrong with a file, and in which line.
void expect_refused(const std::function<void()>& read, const std::string& part, std::size_t line) {
  try {
    read();
    FAIL() << "taken, though: " << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_EQ(error.line(), line) << error.what();
  }
}

TEST_F(Files, PqrAsPdb2pqrWritesIt) {
  const auto charges = read_pqr(fs::path(ISOLUME_TEST_REFERENCES) / "electrostatics/1FAS.pqr");
  EXPECT_EQ(charges.size(), 913U);
  EXPECT_NEAR(total_charge(charges), 4, 1e-9);
  EXPECT_EQ(charges.labels[4].atom, "CB");
  EXPECT_EQ(charges.labels[4].residue, "THR");
  EXPECT_EQ(charges.labels[4].chain, "A");
  EXPECT_EQ(charges.labels[4].number, 1);
  EXPECT_EQ(charges.place(4), Eigen::Vector3d(44.293, 16.088, 3.528));
  EXPECT_EQ(charges.charge[4], 0.4514);
  EXPECT_EQ(charges.radius[4], 1.9080);
  EXPECT_TRUE(residues_without_parameters(charges).empty());
}

TEST_F(Files, PqrInAllItsForms) {
  const auto charges =
      read_pqr(written("forms.pqr",
                       "REMARK   1 made by hand\r\n"
                       "ATOM      1  I   ION     1       0.000   0.000  0.000  1.00 3.00\r\n"
                       "ATOM      2  N   THR A  52A     46.148  16.581   2.104  0.1812 1.8240\r\n"
                       "ATOM      3 HG11AVAL A1234    -100.148-116.581-102.104 -0.1812 1.8240\r\n"
                       "HETATM10000  CA  CA  B -5       1.5 2.5 3.5 2.0 1.7131 CA\r\n"
                       "ATOM 5 O HOH W 7 +1e1 -2.5E-1 3 -.8 1\r\n"
                       "HETATM    6 ZN    ZN A 501      1.0 1.0 1.0 0.0 0.0\r\n"
                       "HETATM    7  C1  NAP A 600      1.0 1.0 2.0 0.0 0.0\r\n"
                       "HETATM    8  C2  NAP A 600      1.0 1.0 3.0 0.0 0.0\r\n"
                       "TER\r\nEND\r\n"));
  ASSERT_EQ(charges.size(), 8U);
  EXPECT_EQ(charges.labels[0].chain, "");
  EXPECT_EQ(charges.radius[0], 3);
  EXPECT_EQ(charges.labels[1].number, 52);
  EXPECT_EQ(charges.labels[1].insertion, 'A');
  EXPECT_EQ(charges.place(2), Eigen::Vector3d(-100.148, -116.581, -102.104));
  EXPECT_EQ(charges.charge[2], -0.1812);
  EXPECT_EQ(charges.labels[2].chain, "A");
  EXPECT_EQ(charges.labels[2].number, 1234);
  EXPECT_EQ(charges.labels[2].atom, "HG11");
  EXPECT_TRUE(charges.labels[3].is_hetero);
  EXPECT_EQ(charges.labels[3].number, -5);
  EXPECT_EQ(charges.charge[3], 2);
  EXPECT_EQ(charges.place(4), Eigen::Vector3d(10, -0.25, 3));
  const std::vector<std::string> unknown{"ZN A 501", "NAP A 600"};
  EXPECT_EQ(residues_without_parameters(charges), unknown);
}

TEST_F(Files, ResiduesOfWhichNothingIsKnownAreNamedOnce) {
  const auto charges =
      read_pqr(written("mixed.pqr",
                       "ATOM 1 A ION 1 0 0 0 0 0\nATOM 2 B ION 2 1 0 0 0 0\nATOM 3 C ION 1 2 0 0 0 0\n"
                       "ATOM 4 D ION 2 3 0 0 0.5 1\n"));
  EXPECT_EQ(residues_without_parameters(charges), std::vector<std::string>{"ION 1"});
}

TEST_F(Files, OfSeveralModelsTheFirstIsRead) {
  const auto charges = read_pqr(written("models.pqr",
                                        "MODEL 1\nATOM 1 I ION 1 0 0 0 1 3\nENDMDL\n"
                                        "MODEL 2\nATOM 1 I ION 1 9 0 0 1 3\nENDMDL\n"));
  EXPECT_EQ(charges.size(), 1U);
  EXPECT_EQ(charges.x[0], 0);
}

TEST_F(Files, APqrThatIsNoneIsRefusedWithItsLine) {
  const auto refused = [&](const std::string& text, const std::string& part, std::size_t line) {
    const auto file = written("bad.pqr", text);
    expect_refused([&] { read_pqr(file); }, part, line);
  };
  const std::string good = "ATOM 1 I ION 1 0 0 0 1 3\n";
  refused("REMARK nothing\n", "no atom", 1);
  refused(good + "ATOM 2 I ION 1 0 nan 0 1 3\n", "", 2);
  refused(good + "ATOM 2 I ION 1 0 0 inf 1 3\n", "", 2);
  refused(good + "ATOM 2 I ION 1 0 0 1e9 1 3\n", "1000000000", 2);
  refused(good + "ATOM 2 I ION 1 0 0 0 1 -3\n", "radius", 2);
  refused(good + "ATOM 2 I ION 1 0 0 0 1\n", "", 2);
  refused(good + "ATOM 2 I ION one 0 0 0 1 3\n", "residue", 2);
  refused(good + "ATOM", "", 2);
  refused("ATOM      2  N   THR A  52      46.148  16.581   2.104\n", "no charge and radius", 1);
  // With an element behind, with a segment, with nothing.
  for (const auto* end : {"           N  ", "      PROA", ""}) {
    const std::string atom = "ATOM      1  N   THR A   1      46.148  16.581   2.104  1.00 20.40";
    refused("HEADER\n" + atom + end + "\n" + atom + end + "\n", "PDB", 0);
  }
}

constexpr const char* dx_head =
    "# Data from a program\n# POTENTIAL (kT/e)\n#\n"
    "object 1 class gridpositions counts 2 3 4\norigin 1.0 -2.0e+00 3\n"
    "delta 0.5 0 0\ndelta 0 0.25 0\ndelta 0 0 2\n"
    "object 2 class gridconnections counts 2 3 4\n";

/// Numbers 0 to 23, three to a line.
std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + ".5e+00" + (i % 3 == 2 ? "\n" : " ");
  return text;
}

TEST_F(Files, OpenDxAsApbsWritesIt) {
  const auto field = read_opendx(
      written("map.dx", std::string(dx_head) +
                            "object 3 class array type double rank 0 items 24 data follows\n" + numbers(24) +
                            "attribute \"dep\" string \"positions\"\n"
                            "object \"regular\" class field\n"));
  EXPECT_EQ(field.unit, "kT/e");
  EXPECT_EQ(field.lattice.unit, lattice::LengthUnit::angstrom);
  EXPECT_EQ(field.lattice.point(1, 2, 3), Eigen::Vector3d(1.5, -1.5, 9));
  EXPECT_EQ(field.at(0, 0, 1), 1.5f) << "the last axis runs fastest";
  EXPECT_EQ(field.at(0, 1, 0), 4.5f);
  EXPECT_EQ(field.at(1, 0, 0), 12.5f);
  EXPECT_EQ(field.at(1, 2, 3), 23.5f);
  EXPECT_EQ(read_opendx_lattice(path("map.dx")), field.lattice);
}

TEST_F(Files, OnlyAUnitInBracketsIsAUnit) {
  const auto field = read_opendx(
      written("map.dx", "# by a program (version 1.9)\n" + std::string(dx_head).substr(44) +
                            "object 3 class array type double rank 0 items 24 data follows\n" + numbers(24)));
  EXPECT_EQ(field.unit, "");
}

TEST_F(Files, OpenDxGoesOutAndComesBack) {
  lattice::ScalarField field{
      .lattice = lattice::centred({1, 2, 3}, {5, 4, 7}, 0.6, lattice::LengthUnit::angstrom),
      .values = FieldValues(140),
      .name = "potential",
      .unit = "mV"};
  for (std::size_t i = 0; i < 140; ++i) field.values[i] = static_cast<float>(1e3 * std::sin(i));
  for (const auto* name : {"out.dx", "out.dx.gz"}) {
    write_opendx(field, path(name));
    const auto back = read_opendx(path(name));
    EXPECT_EQ(back.unit, "mV");
    EXPECT_TRUE(back.lattice.origin.isApprox(field.lattice.origin, 1e-8));
    EXPECT_TRUE(back.lattice.step.isApprox(field.lattice.step, 1e-8));
    ASSERT_EQ(back.lattice.dimensions, field.lattice.dimensions);
    for (std::size_t i = 0; i < 140; ++i)
      EXPECT_NEAR(back.values[i], field.values[i], 1e-6 * std::abs(field.values[i]));
  }
  std::ifstream packed(path("out.dx.gz"), std::ios::binary);
  EXPECT_EQ(packed.get(), 0x1f) << "packed, not only called so";
  // A lattice in bohr is the same in angstrom.
  const double bohr = 1 / lattice::shown_per_unit(lattice::LengthUnit::bohr);
  field.lattice.origin *= bohr;
  field.lattice.step *= bohr;
  field.lattice.unit = lattice::LengthUnit::bohr;
  write_opendx(field, path("bohr.dx"));
  EXPECT_EQ(read_text_file(path("bohr.dx")), read_text_file(path("out.dx")));
}

TEST_F(Files, AnOpenDxThatIsNoneIsRefusedWithItsLine) {
  const auto refused = [&](const std::string& text, const std::string& part, std::size_t line) {
    const auto file = written("bad.dx", text);
    expect_refused([&] { read_opendx(file); }, part, line);
  };
  const std::string head = dx_head, array = "object 3 class array type double rank 0 items ";
  refused("nothing\n", "no numbers", 1);
  refused(array + "24 data follows\n" + numbers(24), "before", 1);
  refused(head + array + "23 data follows\n" + numbers(23), "24 points", 10);
  refused(head + array + "24 data follows\n" + numbers(12), "ends where", 14);
  refused(head + array + "24 data follows\n" + numbers(21) + "1 2 x\n", "", 18);
  refused(head + array + "24 data follows\n" + numbers(21) + "1 2 3 4\n", "more numbers", 18);
  refused(head + array + "24 data follows\n" + numbers(21) + "1 nan 3\n", "number of the map", 18);
  refused(head + array + "24 data follows\n" + numbers(21) + "1 1e300 3\n", "too large", 18);
  refused(head + "object 3 class array type float rank 1 shape 3 items 24 data follows\n", "vectors", 10);
  refused(head + "object 3 class array type float rank 0 items 24 lsb ieee data follows\n", "binary", 10);
  refused("object 1 class gridpositions counts 2 3\n", "counts", 1);
  refused("object 1 class gridpositions counts 2 3 -4\n", "", 1);
  refused("origin 1 2\n", "origin", 1);
  std::string flat = head;
  flat.replace(flat.find("delta 0 0.25 0"), 14, "delta 1 0.00 0");
  refused(flat + array + "24 data follows\n" + numbers(24), "no volume", 10);
  // More is announced than any file of this size holds.
  std::string huge = head;
  huge.replace(huge.find("2 3 4"), 5, "1000000 1000000 1000000");
  refused(huge + array + "1000000000000000000 data follows\n", "do not fit", 10);
}

TEST_F(Files, PlacesComeWithOrWithoutNames) {
  for (const auto* text : {"x,y,z\n1,2,3\n\n4,5,6\n", "# places\n1, 2 ,3,9\n4;5;6\n", "1,2,3\r\n4,5,6"}) {
    const auto places = read_places(written("places.csv", text));
    ASSERT_EQ(places.size(), 2U) << text;
    EXPECT_EQ(places.y[0], 2);
    EXPECT_EQ(places.z[1], 6);
  }
  for (const auto& [text, line] : {std::pair{"x,y,z\n", 1}, std::pair{"1,2,3\n1,2\n", 2},
                                   std::pair{"1,2,3\nx,y,z\n", 2}, std::pair{"1,2,inf\n", 1}}) {
    const auto file = written("bad.csv", text);
    expect_refused([&] { read_places(file); }, "", static_cast<std::size_t>(line));
  }
}

}  // namespace
}  // namespace isolume::electrostatics
