#include <filesystem>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/structures/pdb.h"
#include "core/structures/structure.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

Charges three_atoms() {
  Charges charges;
  const auto add = [&](const AtomLabel& label, double x, double q) {
    charges.x.push_back(x);
    charges.y.push_back(-1.5);
    charges.z.push_back(0.0004);
    charges.charge.push_back(q);
    charges.radius.push_back(1);
    charges.labels.push_back(label);
  };
  add({.atom = "CA", .residue = "GLY", .chain = "B", .number = 52, .insertion = 'A'}, 1234.5678, 0.1);
  add({.atom = "HG11", .residue = "VAL", .chain = "B", .number = 10001}, -99.5, 0.25);
  add({.atom = "CA", .residue = "CA", .chain = "", .number = 7, .is_hetero = true}, 0, 2);
  return charges;
}

TEST(WritePdb, PutsEachNumberIntoItsColumns) {
  const isolume::testing::TemporaryFolder folder;
  write_pdb(three_atoms(), {"a remark"}, folder / "a.pdb");
  EXPECT_EQ(read_text_file(folder / "a.pdb"),
            "REMARK   5 a remark\n"
            "ATOM      1  CA  GLY B  52A   1234.568  -1.500   0.000  1.00  0.00           C  \n"
            "ATOM      2 HG11 VAL BA001     -99.500  -1.500   0.000  1.00  0.00           H  \n"
            "HETATM    3 CA    CA     7       0.000  -1.500   0.000  1.00  0.00          CA2+\n"
            "END\n");
}

TEST(WritePdb, IsReadBack) {
  const isolume::testing::TemporaryFolder folder;
  write_pdb(three_atoms(), {}, folder / "a.pdb");
  const auto structure = read_structure(folder / "a.pdb");
  ASSERT_EQ(structure.residues.size(), 3U);
  EXPECT_EQ(name_of(structure.residues[0]), "GLY B 52A");
  EXPECT_EQ(structure.residues[1].number, 10001);
  EXPECT_EQ(structure.residues[0].atoms[0].atomic_number, 6);
  EXPECT_EQ(structure.residues[2].atoms[0].atomic_number, 20);
  EXPECT_TRUE(structure.residues[2].is_hetero);
  EXPECT_NEAR(structure.residues[0].atoms[0].place.x(), 1234.568, 1e-9);
}

TEST(WritePdb, RefusesWhatHasNoColumns) {
  const isolume::testing::TemporaryFolder folder;
  const auto refused = [&](auto change) {
    auto charges = three_atoms();
    change(charges);
    EXPECT_THROW(write_pdb(charges, {}, folder / "a.pdb"), Error);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  };
  refused([](Charges& charges) { charges.labels[1].chain = "AA"; });
  refused([](Charges& charges) { charges.labels[1].atom = "HG111"; });
  refused([](Charges& charges) { charges.labels[1].residue = "VALI"; });
  refused([](Charges& charges) { charges.labels[1].number = 10'000'000; });
  refused([](Charges& charges) { charges.x[1] = 12345; });
  refused([](Charges& charges) { charges.x[1] = -1000; });
}

}  // namespace
}  // namespace isolume::structures
