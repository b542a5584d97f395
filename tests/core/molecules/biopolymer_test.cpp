#include "core/molecules/biopolymer.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace isolume::molecules {
namespace {

class BiopolymerFile : public testing::Test {
 protected:
  BiopolymerFile() { std::filesystem::create_directories(folder_); }
  ~BiopolymerFile() override { std::filesystem::remove_all(folder_); }
  bool is_one(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return is_biopolymer_file(folder_ / name);
  }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("isolume-biopolymer-" + std::to_string(::getpid()));
};

TEST_F(BiopolymerFile, IsOneWithAtomsOfAChain) {
  const std::string behind = "   1      11.104   6.134  -6.504  1.00  0.00           N\n";
  EXPECT_TRUE(is_one("a.pdb", "REMARK\nATOM      1  N   MET A" + behind));
  EXPECT_TRUE(is_one("b.ent", "ATOM      1  P    DG A" + behind));
  EXPECT_TRUE(is_one("B.PDB", "ATOM      1  P    DG A" + behind)) << "in capitals";
  EXPECT_FALSE(is_one("c.pdb", "ATOM      1  N   UNL A" + behind)) << "a molecule of a drawing program";
  EXPECT_TRUE(is_one("e.pdb1", "ATOM      1  N   HSD  " + behind)) << "of CHARMM";
  EXPECT_TRUE(is_one("f.pdb", "ATOM      1  N   NALAA" + behind)) << "of AMBER";
  EXPECT_FALSE(is_one("d.pdb", "HETATM    1  N   LIG A" + behind));
  EXPECT_FALSE(is_one("e.xyz", "ATOM      1  N   MET A" + behind));
}

TEST_F(BiopolymerFile, IsOneOfThePdbsDictionaryButNoCrystalOfSmallMolecules) {
  EXPECT_TRUE(is_one("a.cif", "data_1ABC\nloop_\n_atom_site.group_PDB\n_atom_site.id\n"));
  EXPECT_TRUE(is_one("a.mmcif", "data_1ABC\n_entity_poly.entity_id 1\n"));
  EXPECT_FALSE(
      is_one("b.cif", "data_urea\n_cell_length_a 5.6\nloop_\n_atom_site_label\n_atom_site_fract_x\n"));
}

TEST_F(BiopolymerFile, IsNoneThatIsEmptyOrNotThere) {
  EXPECT_FALSE(is_one("a.pdb", ""));
  EXPECT_FALSE(is_biopolymer_file("/nowhere/at/all.pdb"));
}

}  // namespace
}  // namespace isolume::molecules
