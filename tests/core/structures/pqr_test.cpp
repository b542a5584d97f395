#include "core/structures/pqr.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "tests/refused_file.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

namespace fs = std::filesystem;

class PqrFiles : public ::testing::Test {
 protected:
  fs::path written(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  fs::path path(const std::string& name) const { return folder_ / name; }

 private:
  isolume::testing::TemporaryFolder folder_;
};

using testing::expect_refused;

TEST_F(PqrFiles, PqrAsPdb2pqrWritesIt) {
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

TEST_F(PqrFiles, PqrInAllItsForms) {
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

TEST_F(PqrFiles, ResiduesOfWhichNothingIsKnownAreNamedOnce) {
  const auto charges =
      read_pqr(written("mixed.pqr",
                       "ATOM 1 A ION 1 0 0 0 0 0\nATOM 2 B ION 2 1 0 0 0 0\nATOM 3 C ION 1 2 0 0 0 0\n"
                       "ATOM 4 D ION 2 3 0 0 0.5 1\n"));
  EXPECT_EQ(residues_without_parameters(charges), std::vector<std::string>{"ION 1"});
}

TEST_F(PqrFiles, OfSeveralModelsTheFirstIsRead) {
  const auto charges = read_pqr(written("models.pqr",
                                        "MODEL 1\nATOM 1 I ION 1 0 0 0 1 3\nENDMDL\n"
                                        "MODEL 2\nATOM 1 I ION 1 9 0 0 1 3\nENDMDL\n"));
  EXPECT_EQ(charges.size(), 1U);
  EXPECT_EQ(charges.x[0], 0);
}

TEST_F(PqrFiles, NumbersAfterTheRadiusAreNotUsedAndNamed) {
  const std::string start = "ATOM      1  N   THR A  52      46.148  16.581   2.104  0.1812 1.8240",
                    without_chain = "ATOM      2  O   THR    52      47.148  18.581   2.104 -0.1812 1.6612";
  const auto found =
      read_pqr(written("more.pqr", start + " N\n" + without_chain + " 0.75\n" + start + "  7\n"));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found.place(1), Eigen::Vector3d(47.148, 18.581, 2.104));
  EXPECT_EQ(found.charge[1], -0.1812);
  EXPECT_EQ(found.radius[1], 1.6612);
  EXPECT_EQ(found.radius[2], 1.8240);
  EXPECT_EQ(found.remarks[0].kind, RemarkKind::dropped);
  EXPECT_EQ(found.remarks[0].count, 2U);
  EXPECT_NE(found.remarks[0].text.find("2 atoms, from line 2 on"), std::string::npos) << found.remarks.text();
  const auto usual = read_pqr(written("usual.pqr", start + " N\n"));
  EXPECT_TRUE(usual.remarks.empty()) << usual.remarks.text();
}

TEST_F(PqrFiles, TooFewOrTooManyNumbersAreCounted) {
  const auto refused = [&](const std::string& text, const std::string& part) {
    const auto file = written("bad.pqr", "REMARK\n" + text + "\n");
    expect_refused([&] { read_pqr(file); }, part, 2);
  };
  const char* missing = "found 4: the charge or the radius is missing";
  refused("ATOM      1  N   ALA A   1      11.104   6.134  -6.504 -0.4157", missing);
  refused("ATOM      1  N   ALA     1      11.104   6.134  -6.504 -0.4157", missing);
  refused("ATOM 1 N ALA A 1 11.104 6.134 -6.504 -0.4157 N", missing);
  refused("ATOM 1 N ALA A 1 1.1 6.1 -6.5 -0.4 1.8 0.5", "(x, y, z, charge, radius), found 6.");
  refused("ATOM 1 N ALA 1 1.1 6.1 -6.5 -0.4 1.8 0.5", "found 6.");
  refused("ATOM 1 N ALA 1 123.456789 12.345678 1.23456789 -0.41234567 1.87654321 0.5", "found 6.");
  refused("ATOM 1 N ALA A A 1 2 3 0.5 1.8", "the number of the residue), found \"A\"");
}

TEST_F(PqrFiles, APqrThatIsNoneIsRefusedWithItsLine) {
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

}  // namespace
}  // namespace isolume::structures
