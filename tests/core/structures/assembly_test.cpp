// Copies by the operators of REMARK 350 and of mmCIF: places are computed by hand.
#include "core/molecules/assembly.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/molecules/document.h"
#include "core/structures/charged_file.h"
#include "core/structures/structure.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;
using molecules::operators_of;

std::string pdb_atom(const std::string& name, const std::string& residue, char chain, int number,
                     const Vector3d& place, const std::string& record = "ATOM  ") {
  return fmt::format("{}    1 {:4} {:>3} {}{:4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00\n", record, name,
                     residue, chain, number, place.x(), place.y(), place.z());
}

/// A two-fold axis along z at x = y = 0.
const std::string dimer_of_a =
    "REMARK 350 BIOMOLECULE: 1\n"
    "REMARK 350 APPLY THE FOLLOWING TO CHAINS: A, W\n"
    "REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000\n"
    "REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000\n"
    "REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000\n"
    "REMARK 350   BIOMT1   2 -1.000000  0.000000  0.000000        0.00000\n"
    "REMARK 350   BIOMT2   2  0.000000 -1.000000  0.000000        0.00000\n"
    "REMARK 350   BIOMT3   2  0.000000  0.000000  1.000000        0.50000\n";

bool has_remark(const Remarks& remarks, std::string_view part) {
  return remarks.text().find(part) != std::string::npos;
}

class AssemblyFiles : public ::testing::Test {
 protected:
  isolume::testing::TemporaryFolder folder_;
};

TEST_F(AssemblyFiles, ChainsOfRemark350AreCopied) {
  const auto file = folder_.write("a.pdb", dimer_of_a + pdb_atom(" CA", "ALA", 'A', 1, {1, 2, 3}) +
                                               pdb_atom(" CA", "GLY", 'B', 1, {9, 9, 9}));
  const auto deposited = read_structure(file);
  EXPECT_EQ(deposited.residues.size(), 2U);
  EXPECT_TRUE(has_remark(deposited.remarks, "biological assemblies")) << deposited.remarks.text();
  EXPECT_TRUE(has_remark(deposited.remarks, "Choose one as Assembly: 1 (")) << deposited.remarks.text();
  const auto made = read_structure(file, {}, {}, 1);
  ASSERT_EQ(made.residues.size(), 2U);
  EXPECT_EQ(name_of(made.residues[0]), "ALA A 1");
  EXPECT_EQ(name_of(made.residues[1]), "ALA A-2 1");
  EXPECT_EQ(made.residues[0].atoms[0].place, Vector3d(1, 2, 3));
  EXPECT_EQ(made.residues[1].atoms[0].place, Vector3d(-1, -2, 3.5));
  EXPECT_NE(made.residues[0].part, made.residues[1].part);
  EXPECT_TRUE(has_remark(made.remarks, "does not include all chains of the file: 1 atom"))
      << made.remarks.text();
  try {
    read_structure(file, {}, {}, 2);
    FAIL() << "there is only one";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("It defines 1: choose one of them as Assembly."),
              std::string::npos)
        << error.what();
  }
}

/// One block for several assemblies, as wwPDB writes it, and a list of them over two lines.
TEST_F(AssemblyFiles, OneBlockOfRemark350CanDefineSeveralAssemblies) {
  for (const std::string names :
       {"1, 2", "2,1", "1,\nREMARK 350  2", "1,\nREMARK 350  2\nREMARK 350 SOFTWARE USED: PISA"}) {
    std::string text = dimer_of_a;
    text.replace(text.find(": 1\n") + 2, 1, names);
    const auto file = folder_.write("a.pdb", text + pdb_atom(" CA", "ALA", 'A', 1, {1, 2, 3}));
    for (const int assembly : {1, 2}) {
      const auto made = read_structure(file, {}, {}, assembly);
      ASSERT_EQ(made.residues.size(), 2U) << names;
      EXPECT_EQ(made.residues[1].atoms[0].place, Vector3d(-1, -2, 3.5)) << names;
    }
    EXPECT_EQ(read_structure(file).assemblies.size(), 2U) << names;
    EXPECT_THROW(read_structure(file, {}, {}, 3), InputError) << names;
  }
}

TEST_F(AssemblyFiles, AtomsOnTheAxisStayOne) {
  std::string text = dimer_of_a;
  text.replace(text.find("0.50000"), 7, "0.00000");
  const auto made =
      read_structure(folder_.write("a.pdb", text + pdb_atom(" CA", "ALA", 'A', 1, {1, 2, 3}) +
                                                pdb_atom("ZN  ", "ZN", 'A', 9, {0, 0, 5}, "HETATM")),
                     {}, {}, 1);
  EXPECT_EQ(made.residues.size(), 3U);
  EXPECT_TRUE(has_remark(made.remarks, "coincide")) << made.remarks.text();
}

TEST_F(AssemblyFiles, WithoutMotionThereIsNothingToSay) {
  const std::string monomer = dimer_of_a.substr(0, dimer_of_a.find("REMARK 350   BIOMT1   2"));
  const auto made =
      read_structure(folder_.write("a.pdb", monomer + pdb_atom(" CA", "ALA", 'A', 1, {1, 2, 3})));
  EXPECT_TRUE(made.remarks.empty()) << made.remarks.text();
}

TEST_F(AssemblyFiles, DamagedOperatorsAreLeftOut) {
  std::string text = dimer_of_a;
  text.replace(text.find("-1.000000"), 9, "-1.0x0000");
  const auto made = read_structure(folder_.write("a.pdb", text + pdb_atom(" CA", "ALA", 'A', 1, {1, 2, 3})));
  EXPECT_TRUE(has_remark(made.remarks, "assemblies cannot be read")) << made.remarks.text();
}

/// The chain that is copied is the entry's own (label_asym_id), and its name that of the authors; the list of chains is a text
/// over several lines.
TEST_F(AssemblyFiles, OperatorsOfMmcifAreApplied) {
  const auto file = folder_.write(
      "a.cif",
      "data_X\n"
      "loop_\n_pdbx_struct_oper_list.id\n_pdbx_struct_oper_list.matrix[1][1]\n"
      "_pdbx_struct_oper_list.matrix[1][2]\n_pdbx_struct_oper_list.matrix[1][3]\n"
      "_pdbx_struct_oper_list.vector[1]\n_pdbx_struct_oper_list.matrix[2][1]\n"
      "_pdbx_struct_oper_list.matrix[2][2]\n_pdbx_struct_oper_list.matrix[2][3]\n"
      "_pdbx_struct_oper_list.vector[2]\n_pdbx_struct_oper_list.matrix[3][1]\n"
      "_pdbx_struct_oper_list.matrix[3][2]\n_pdbx_struct_oper_list.matrix[3][3]\n"
      "_pdbx_struct_oper_list.vector[3]\n"
      "1 1 0 0 0 0 1 0 0 0 0 1 0\n"
      "2 0 -1 0 10 1 0 0 0 0 0 1 0\n"
      "_pdbx_struct_assembly_gen.assembly_id 1\n"
      "_pdbx_struct_assembly_gen.oper_expression '(1,2)(2)'\n"
      "_pdbx_struct_assembly_gen.asym_id_list\n;Q,\nR\n;\n"
      "loop_\n_atom_site.type_symbol\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n"
      "_atom_site.label_asym_id\n_atom_site.auth_asym_id\n_atom_site.label_seq_id\n_atom_site.Cartn_x\n"
      "_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
      "C CA ALA Q A 1 1 0 0\nC CA GLY R B 1 0 1 7\n#\n");
  const auto made = read_structure(file, {}, {}, 1);
  ASSERT_EQ(made.residues.size(), 4U);
  // Operator 2 turns by 90 degrees about z and shifts along x.
  EXPECT_EQ(name_of(made.residues[0]), "ALA A 1");
  EXPECT_EQ(made.residues[0].atoms[0].place, Vector3d(10, 1, 0));
  EXPECT_EQ(name_of(made.residues[1]), "GLY B 1");
  EXPECT_EQ(made.residues[1].atoms[0].place, Vector3d(9, 0, 7));
  EXPECT_EQ(name_of(made.residues[2]), "ALA A-2 1");
  EXPECT_EQ(made.residues[2].atoms[0].place, Vector3d(9, 10, 0));
}

TEST(Operators, AreListsRangesAndProducts) {
  using List = std::vector<std::vector<std::string>>;
  EXPECT_EQ(operators_of("1"), (List{{"1"}}));
  EXPECT_EQ(operators_of("P, 2"), (List{{"P"}, {"2"}}));
  EXPECT_EQ(operators_of("(1-3)"), (List{{"1"}, {"2"}, {"3"}}));
  EXPECT_EQ(operators_of("(X0)(1,2)"), (List{{"X0", "1"}, {"X0", "2"}}));
  EXPECT_TRUE(operators_of("").empty());
  EXPECT_TRUE(operators_of("(1-").empty());
  EXPECT_TRUE(operators_of("(1-99999999)").empty());
  EXPECT_TRUE(operators_of("(1-1000)(1-1000)").empty());
}

std::string models(const Vector3d& apart) {
  std::string text;
  for (int model = 0; model < 2; ++model)
    text += fmt::format("MODEL     {:4}\n", model + 1) +
            pdb_atom(" CA", "ALA", 'A', 1, Vector3d(1, 2, 3) + model * apart) + "ENDMDL\n";
  return text;
}

TEST_F(AssemblyFiles, ModelsOfAnAssemblyFileBelongTogether) {
  const auto file = folder_.write("a.pdb1", models({0, 0, 30}));
  const auto made = read_structure(file);
  ASSERT_EQ(made.residues.size(), 2U);
  EXPECT_EQ(made.models, 1);
  EXPECT_EQ(name_of(made.residues[1]), "ALA A-2 1");
  EXPECT_EQ(made.residues[1].atoms[0].place.z(), 33);
  EXPECT_TRUE(has_remark(made.remarks, "2 models are shown together")) << made.remarks.text();
  EXPECT_EQ(read_models(file).size(), 1U);
  EXPECT_EQ(read_structure(file, 2).residues.size(), 1U) << "a person who asks for a model gets it";
  const auto document = molecules::read_document(file);
  EXPECT_EQ(document.molecule.atoms.size(), 2U);
  EXPECT_TRUE(document.frames.empty());
}

/// Models of NMR lie in each other, and a file called .pdb has models, not copies.
TEST_F(AssemblyFiles, OtherModelsStayModels) {
  EXPECT_EQ(read_models(folder_.write("a.pdb1", models({0, 0, 0.5}))).size(), 2U);
  EXPECT_EQ(read_models(folder_.write("a.pdb", models({0, 0, 30}))).size(), 2U);
}

/// Remarks of later models are not lost.
TEST_F(AssemblyFiles, DocumentsHaveTheRemarksOfAllModels) {
  const auto with_alternative = [](int model, bool has_one) {
    auto text = fmt::format("MODEL     {:4}\n", model) + pdb_atom(" CA", "ALA", 'A', 1, {0, 0, 0});
    auto other = pdb_atom(" CB", "ALA", 'A', 1, {0, 0, 1}),
         second = pdb_atom(" CB", "ALA", 'A', 1, {0, 1, 1});
    if (has_one) other[16] = 'A', second[16] = 'B', other += second;
    return text + other + "ENDMDL\n";
  };
  const auto document = molecules::read_document(
      folder_.write("a.pdb", with_alternative(1, false) + with_alternative(2, true)));
  EXPECT_TRUE(has_remark(document.remarks, "Model 2: The first of equally occupied alternate locations"))
      << document.remarks.text();
}

/// Of a crystal's disorder groups the one of the highest occupancy is kept.
TEST_F(AssemblyFiles, DisorderGroupsAreNotOverlaid) {
  const auto document = molecules::read_document(folder_.write(
      "a.cif",
      "data_x\n_cell_length_a 10\n_cell_length_b 10\n_cell_length_c 10\n_cell_angle_alpha 90\n"
      "_cell_angle_beta 90\n_cell_angle_gamma 90\nloop_\n_atom_site_label\n_atom_site_fract_x\n"
      "_atom_site_fract_y\n_atom_site_fract_z\n_atom_site_occupancy\n_atom_site_disorder_assembly\n"
      "_atom_site_disorder_group\n"
      "O1 0 0 0 1 . .\nC1A 0.1 0 0 0.40(1) A 1\nC1B 0.12 0 0 0.60(1) A 2\n"
      "C2A 0.5 0 0 0.5 B 1\nC2B 0.52 0 0 0.5 B 2\n"));
  ASSERT_EQ(document.molecule.atoms.size(), 3U);
  EXPECT_NEAR(document.molecule.atoms[1].position_bohr.x(), 1.2 * 1.8897261, 1e-5);
  EXPECT_NEAR(document.molecule.atoms[2].position_bohr.x(), 5.0 * 1.8897261, 1e-5);
  EXPECT_TRUE(has_remark(document.remarks, "2 atoms, C1A, C2B")) << document.remarks.text();
}

}  // namespace
}  // namespace isolume::structures
