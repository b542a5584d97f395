// Files that announce other numbers of atoms, bonds, primitives or orbitals than they list.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/molecules/writers.h"
#include "tests/core/molecules/small_files.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::error_of;
using testing::read_text;
using testing::says;
using testing::small_mwfn;
using testing::small_wfx;
using testing::with;

void expect_error(const std::string& text, std::string_view words) {
  const std::string error = error_of(text);
  EXPECT_NE(error.find(words), std::string::npos) << "wanted: " << words << "\nfound:  " << error;
}

// --- MOL and SDF
// ------------------------------------------------------------------------------------------------

/// Formate, HCOO-, without its hydrogen: three atoms and two bonds.
std::string v2000(std::string_view properties = "M  CHG  1   3  -1\nM  END\n") {
  return "formate\n  prog\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n"
         "    0.0000    0.0000    0.0000 C   0  0\n    1.2500    0.0000    0.0000 O   0  0\n"
         "   -0.6000    1.1000    0.0000 O   0  5\n  1  2  2  0\n  1  3  1  0\n" +
         std::string(properties);
}

TEST(CountsOfMol, met_by_the_file_give_all_atoms_and_the_charge) {
  const Document document = read_text(v2000());
  EXPECT_EQ(document.molecule.atoms.size(), 3u);
  EXPECT_EQ(document.molecule.charge, -1);
  EXPECT_TRUE(document.remarks.empty()) << document.remarks.text();
  // Obsolete lines that the counts announce, and a text of an atom that begins with a number.
  const std::string obsolete =
      with(with(v2000("A    1\n 1  2  3\nM  END\n"), "  3  2  0  0  0  0", "  3  2  1  0  0  1"),
           "  1  3  1  0\n", "  1  3  1  0\n  2 F    2   8   7\n    1.0000    1.0000\ntext\n");
  EXPECT_EQ(read_text(obsolete).molecule.charge, -1);  // by the code 5 of the third atom
  // Bonds that do not keep to the columns.
  EXPECT_EQ(read_text(with(v2000(), "  1  2  2  0", "1 2 2 0")).molecule.atoms.size(), 3u);
}

TEST(CountsOfMol, that_differ_from_its_lines_are_refused) {
  // The third line of an atom stands where the first bond should.
  expect_error(with(v2000(), "  3  2  0", "  2  2  0"), ":7: expected bond 1 of 2");
  expect_error(with(v2000(), "  3  2  0", "  4  2  0"), ":8: expected atom 4 of 4");
  expect_error(with(v2000(), "  3  2  0", "  3  1  0"), ":9: expected a property");
  expect_error(with(v2000(), "  3  2  0", "  3  3  0"), ":10: expected bond 3 of 3");
  expect_error(with(v2000(), "  3  2  0", "  3  0  0"), "line 4 announces 3 atoms and 0 bonds");
  expect_error(with(v2000(), "  1  3  1", "  1  4  1"), ":9: bond 2 belongs to atom 4");
  // Cut after the first bond.
  const std::string text = v2000();
  expect_error(text.substr(0, text.find("  1  3  1")), "the file ends where bond 2 of 2 was expected");
}

TEST(CountsOfMol, of_charges_are_those_of_atoms_that_are_there) {
  EXPECT_EQ(read_text(v2000("M  CHG  2   1   1   3  -1\nM  END\n")).molecule.charge, 0);
  expect_error(v2000("M  CHG  1   4  -1\nM  END\n"), ":10: a charge (M  CHG) belongs to atom 4");
  expect_error(v2000("M  CHG  2   3  -1\nM  END\n"), "a number and as many pairs");
  expect_error(v2000("M  CHG  1   3\nM  END\n"), "a number and as many pairs");
}

TEST(CountsOfMol, without_the_last_line_are_named) {
  const Document cut = read_text(v2000(""));
  EXPECT_EQ(cut.molecule.atoms.size(), 3u);
  EXPECT_EQ(cut.molecule.charge, -1);
  EXPECT_TRUE(says(cut, RemarkKind::warning, "1 of 1 structures lack their last line")) << cut.remarks.text();
  const Document second = read_text(v2000() + "$$$$\n" + v2000("> <name>\nx\n\n$$$$\n") + v2000());
  EXPECT_EQ(second.frames.size(), 2u);
  EXPECT_TRUE(says(second, RemarkKind::warning, "1 of 3 structures")) << second.remarks.text();
}

std::string v3000(std::string_view counts = "COUNTS 3 2 0 0 0") {
  return "formate\n  prog\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 " +
         std::string(counts) +
         "\nM  V30 BEGIN ATOM\nM  V30 5 C 0 0 0 0\nM  V30 2 O 1.25 0 0 0\nM  V30 9 O -0.6 1.1 0 0 -\n"
         "M  V30 CHG=-1\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 2 5 2\nM  V30 2 1 5 9\nM  V30 END "
         "BOND\n"
         "M  V30 BEGIN SGROUP\nM  V30 1 DAT 1 ATOMS=(1 5)\nM  V30 END SGROUP\nM  V30 END CTAB\nM  END\n";
}

TEST(CountsOfMol, of_version_3000_are_compared) {
  const Document document = read_text(v3000());
  ASSERT_EQ(document.molecule.atoms.size(), 3u);
  EXPECT_NEAR(document.molecule.atoms[2].position_bohr.y(), 1.1 / 0.529177210903, 1e-9);
  EXPECT_EQ(document.molecule.charge, -1);  // from a line that continues the one of its atom
  EXPECT_TRUE(document.remarks.empty()) << document.remarks.text();
  expect_error(v3000("COUNTS 2 2 0 0 0"), ":6: the structure has 3 atoms, but 2 are announced here");
  expect_error(v3000("COUNTS 4 2 0 0 0"), ":6: the structure has 3 atoms, but 4 are announced here");
  expect_error(v3000("COUNTS 3 1 0 0 0"), ":6: the structure has 2 bonds, but 1 are announced here");
  expect_error(v3000("LINKNODE 1 2"), "lacks the line COUNTS");
  expect_error(with(v3000(), "1 2 5 2", "1 2 5 3"), ":14: the bond belongs to atom 3");
  expect_error(with(v3000(), "V30 9 O", "V30 2 O"), ":11: the file lists atom 2 twice");
  const std::string text = v3000();
  expect_error(text.substr(0, text.find("M  V30 9 O")),
               "the structure has 2 atoms, but 3 are announced here");
  expect_error(text.substr(0, text.find("M  V30 2 1 5")),
               "the structure has 1 bonds, but 2 are announced here");
  const Document cut = read_text(text.substr(0, text.find("M  V30 END BOND")));
  EXPECT_EQ(cut.molecule.atoms.size(), 3u);
  EXPECT_TRUE(says(cut, RemarkKind::warning, "lack their last line")) << cut.remarks.text();
}

// --- WFX and MWFN
// -----------------------------------------------------------------------------------------------

std::string announcing(std::string_view name, std::string_view number) {
  const std::string tag(name);
  return with(small_wfx(), "<Net Charge>",
              "<" + tag + ">\n " + std::string(number) + "\n</" + tag + ">\n<Net Charge>");
}

TEST(CountsOfWfx, that_differ_from_its_sections_are_refused) {
  EXPECT_TRUE(read_text(announcing("Number of Primitives", "2")).remarks.empty());
  EXPECT_TRUE(read_text(announcing("Number of Occupied Molecular Orbitals", "1")).remarks.empty());
  expect_error(with(small_wfx(), "<Number of Nuclei>\n 2", "<Number of Nuclei>\n 3"),
               ":7: <Number of Nuclei> announces 3, but <Atomic Numbers> lists 2");
  expect_error(announcing("Number of Primitives", "3"),
               "<Number of Primitives> announces 3, but <Primitive Centers> lists 2");
  expect_error(announcing("Number of Occupied Molecular Orbitals", "2"),
               "announces 2, but <Molecular Orbital Occupation Numbers> lists 1");
  expect_error(announcing("Number of Primitives", "many"), "expected a finite number");
}

TEST(CountsOfWfx, may_leave_out_empty_orbitals) {
  // The second orbital is the one of the other atom, without electrons.
  std::string text = announcing("Number of Occupied Molecular Orbitals", "1");
  text = with(text, "Numbers>\n 2.0\n", "Numbers>\n 2.0 0.0\n");
  text = with(text, "Energies>\n -0.5\n", "Energies>\n -0.5 0.3\n");
  text = with(text, "Alpha and Beta\n", "Alpha and Beta\n Alpha and Beta\n");
  text = with(text, "7.12705470E-01 0.0\n",
              "7.12705470E-01 0.0\n<MO Number>\n 2\n</MO Number>\n0.0 7.12705470E-01\n");
  const Document document = read_text(text);
  EXPECT_EQ(document.wavefunction->sets[0].orbitals.size(), 2u);
  EXPECT_EQ(document.orthonormality.name, "as written");
}

TEST(CountsOfWfx, are_written_under_the_names_of_the_format) {
  // Two primitives, one orbital with electrons: https://aim.tkgristmill.com/wfxformat.html.
  const Document made = read_text(small_wfx());
  const testing::TemporaryFile written({}, ".wfx");
  write_wfx(*made.wavefunction, made.wavefunction->sets[0], written.path());
  const std::string text = read_text_file(written.path());
  for (const char* line : {"<Number of Nuclei>\n2\n</Number of Nuclei>\n",
                           "<Number of Occupied Molecular Orbitals>\n1\n</Number of Occupied",
                           "<Number of Primitives>\n2\n</Number of Primitives>\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(CountsOfMwfn, shorter_than_the_lists_are_refused) {
  EXPECT_TRUE(read_text(small_mwfn()).remarks.empty());
  expect_error(with(small_mwfn(), "Ncenter=       2", "Ncenter=       1"), "longer than Ncenter announces");
  expect_error(with(small_mwfn(), "  0  0\n", "  0  0\n  0\n"), "longer than Nshell announces");
  expect_error(with(small_mwfn(), "$Contraction coefficients\n", "2.0E+00\n$Contraction coefficients\n"),
               "longer than Nprimshell announces");
  expect_error(small_mwfn() + "  3.0E-01\n", "longer than Nbasis announces");
}

TEST(CountsOfMwfn, of_periodic_dimensions_are_named) {
  const auto document = read_text(with(small_mwfn(), "Ncenter=", "Ndim= 3\nNcenter="));
  EXPECT_NE(document.remarks.text().find("periodic in 3 dimensions"), std::string::npos)
      << document.remarks.text();
}

TEST(CountsOfMwfn, of_orbitals_that_are_missing_are_named) {
  // One orbital of two independent functions, in a list for both spins or in one of alpha.
  const std::string two = with(small_mwfn(), "Nindbasis=        1", "Nindbasis=        2");
  const Document one = read_text(two);
  EXPECT_TRUE(says(one, RemarkKind::warning, "lists 1 orbitals")) << one.remarks.text();
  const std::string alpha = with(with(two, "Type= 0", "Type= 1"), "  2.000000", "  1.000000");
  const Document half = read_text(alpha);
  EXPECT_TRUE(says(half, RemarkKind::warning, "lists 1 alpha orbitals")) << half.remarks.text();
  EXPECT_TRUE(says(half, RemarkKind::warning, "lists 0 beta orbitals")) << half.remarks.text();
}

}  // namespace
}  // namespace isolume::molecules
