#include "core/structures/charged_file.h"

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <utility>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/structures/charge_readers.h"
#include "core/structures/molecule_of.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

/// Alvarez, Dalton Trans. 2013, 8617.
constexpr double hydrogen_radius = 1.20, carbon_radius = 1.77, oxygen_radius = 1.50, chlorine_radius = 1.82;

class ChargedFiles : public ::testing::Test {
 protected:
  ChargedFile read(const std::string& name, const std::string& text, const ChargedFileOptions& options = {}) {
    return read_charged_file(folder.write(name, text), options);
  }
  void refused(const std::string& name, const std::string& text, const std::string& part, std::size_t line,
               const ChargedFileOptions& options = {}) {
    try {
      read(name, text, options);
      ADD_FAILURE() << "taken, though: " << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_EQ(error.line(), line) << error.what();
    }
  }
  isolume::testing::TemporaryFolder folder;
};

TEST_F(ChargedFiles, NamesSayTheFormat) {
  EXPECT_EQ(charge_format_of("a/1ABC.ENT.GZ"), ChargeFormat::structure);
  EXPECT_EQ(charge_format_of("x.mmcif"), ChargeFormat::structure);
  EXPECT_EQ(charge_format_of("x.pdb/ligand.mol2"), ChargeFormat::mol2);
  EXPECT_EQ(charge_format_of("x.extxyz"), ChargeFormat::xyz);
  EXPECT_EQ(charge_format_of("conf.gro.gz"), ChargeFormat::gro);
  EXPECT_EQ(charge_format_of("x.pqr.gz"), ChargeFormat::pqr);
  EXPECT_EQ(charge_format_of("x"), ChargeFormat::pqr);
}

// mol2

const std::string mol2_head =
    "# made by hand\n@<TRIPOS>MOLECULE\nmethanol\n 3 2 1 0 0\nSMALL\nUSER_CHARGES\n\n@<TRIPOS>ATOM\n";

TEST_F(ChargedFiles, Mol2HasChargesAndRadiiOfElements) {
  const auto charges =
      read("m.mol2", mol2_head +
                         "  1 C1  0.5 1.5 -2.5 C.3 1 MOH1 0.1450\r\n"
                         "  2 O1  1.9 1.5 -2.5 O.3 1 MOH1 -0.5 BACKBONE\n"
                         "  3 LP1 2.0 1.0 -2.5 LP  2 MOH2 0.355\n"
                         "@<TRIPOS>BOND\n 1 1 2 1\n"
                         "@<TRIPOS>CRYSIN\n 10.0 20.0 30.0 90.0 90.0 120.0 1 1\n"
                         "@<TRIPOS>MOLECULE\nanother\n@<TRIPOS>ATOM\n 1 C1 0 0 0 C.3 1 X 9\n")
          .charges;
  ASSERT_EQ(charges.size(), 3U) << "the first molecule alone";
  EXPECT_EQ(charges.place(0), Eigen::Vector3d(0.5, 1.5, -2.5));
  EXPECT_EQ(charges.charge[1], -0.5);
  EXPECT_EQ(charges.radius[0], carbon_radius);
  EXPECT_EQ(charges.radius[1], oxygen_radius);
  EXPECT_EQ(charges.radius[2], 0);
  EXPECT_EQ(charges.labels[0].residue, "MOH");
  EXPECT_EQ(charges.labels[2].number, 2);
  EXPECT_NEAR(total_charge(charges), 0, 1e-12);
  ASSERT_TRUE(charges.cell);
  EXPECT_NEAR(charges.cell->determinant(), 10 * 20 * 30 * std::sqrt(0.75), 1e-9);
}

TEST_F(ChargedFiles, Mol2WithoutChargesAndOtherDamage) {
  const std::string good = "1 C1 0.5 1.5 -2.5 C.3 1 MOH1 0.1450\n";
  refused("a.mol2", "@<TRIPOS>MOLECULE\nx\n1\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n" + good, "NO_CHARGES", 5);
  refused("b.mol2", mol2_head + good + "2 O1 1.9 1.5 -2.5 O.3 1 MOH1\n", "found 8", 10);
  refused("c.mol2", mol2_head + good + "2 O1 1.9 nan -2.5 O.3 1 MOH1 0\n", "y", 10);
  refused("d.mol2", mol2_head + good + "2 O1 1.9 1.5 -2.5 O.3 1 MOH1 1e99\n", "charge", 10);
  // What neither the type nor the name says is a remark.
  const auto odd = read("e.mol2",
                        "@<TRIPOS>MOLECULE\nx\n1 0\nSMALL\nUSER_CHARGES\n@<TRIPOS>ATOM\n1 Q1 0.5 1.5 -2.5 "
                        "Het 1 MOH1 0.1450\n")
                       .charges;
  EXPECT_EQ(odd.radius[0], 0);
  EXPECT_NE(odd.remarks.text().find("Q1"), std::string::npos) << odd.remarks.text();
  refused("f.mol2", "@<TRIPOS>MOLECULE\nx\n", "no atom", 0);
  const auto announcing = [&](const std::string& counts, int atoms) {
    std::string text = "@<TRIPOS>MOLECULE\nx\n" + counts + "\nSMALL\nUSER_CHARGES\n@<TRIPOS>ATOM\n";
    for (int i = 0; i < atoms; ++i) text += good;
    return text;
  };
  refused("few.mol2", announcing("3 2", 2), "has 2 atoms, but 3 are announced", 3);
  refused("many.mol2", announcing("1 0", 2), "has 2 atoms, but 1 are announced", 3);
  refused("followed.mol2", announcing("1 0", 2) + announcing("1 0", 1), "has 2 atoms, but 1", 3);
  refused("uncounted.mol2", announcing("SMALL", 1), "how many atoms", 3);
  refused("g.mol2", mol2_head + "1 C1 0.5 1.5 -2.5 C.3 one MOH1 0.1450\n", "residue", 9);
}

// XYZ

TEST_F(ChargedFiles, XyzByColumnsAndByWords) {
  const auto plain = read("p.xyz", "2\nwater's half\nO 0 0 0 -0.834\nh 0 0.7 -0.5 0.417\n").charges;
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(plain.charge[1], 0.417);
  EXPECT_EQ(plain.radius[0], oxygen_radius);
  EXPECT_EQ(plain.radius[1], hydrogen_radius);
  EXPECT_FALSE(plain.cell);
  const auto extended =
      read("e.extxyz",
           "2\nLattice=\"0 5 0 -6 0 0 0 0 7\" Properties=id:I:1:initial_charges:R:1:species:S:1:pos:R:3:"
           "forces:R:3 energy=-1.5\n1 0.5 Cl 1 2 3 9 9 9\n2 -0.5 17 4 5 6 9 9 9\n")
          .charges;
  ASSERT_EQ(extended.size(), 2U);
  EXPECT_EQ(extended.place(1), Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(extended.charge[0], 0.5);
  EXPECT_EQ(extended.radius[1], chlorine_radius);
  ASSERT_TRUE(extended.cell);
  // The axes stay as they are, whatever lies along x.
  EXPECT_EQ(extended.cell->col(0), Eigen::Vector3d(0, 5, 0));
  EXPECT_EQ(extended.cell->col(1), Eigen::Vector3d(-6, 0, 0));
}

TEST_F(ChargedFiles, XyzAtomsWithoutARadiusAreNamed) {
  const auto found = read("ghosts.xyz", "3\n\nX 0 0 0 -1\nO 0 0 3 -0.5\nBq 0 0 6 1\n").charges;
  EXPECT_EQ(found.radius, (std::vector<double>{0, oxygen_radius, 0}));
  ASSERT_EQ(found.remarks.size(), 1U) << found.remarks.text();
  EXPECT_EQ(found.remarks[0].kind, RemarkKind::assumed);
  EXPECT_EQ(found.remarks[0].count, 2U);
  EXPECT_NE(found.remarks[0].text.find("no radius: X 1, Bq 3."), std::string::npos) << found.remarks.text();
  EXPECT_TRUE(read("atoms.xyz", "1\n\nO 0 0 3 -0.5\n").charges.remarks.empty());
}

TEST_F(ChargedFiles, XyzColumnsThatAreNotUsedAreNamed) {
  const auto found = read("two.xyz",
                          "1\nProperties=species:S:1:pos:R:3:charges:R:1:charge:R:1:radius:R:1\n"
                          "O 0 0 0 -0.5 7 9\n")
                         .charges;
  EXPECT_EQ(found.charge[0], -0.5);
  EXPECT_EQ(found.radius[0], oxygen_radius);
  ASSERT_EQ(found.remarks.size(), 1U) << found.remarks.text();
  EXPECT_EQ(found.remarks[0].kind, RemarkKind::dropped);
  EXPECT_EQ(found.remarks[0].count, 2U);
  EXPECT_EQ(
      found.remarks[0].text,
      "Charges are those of the column \"charges\". Columns that are not used: \"charge\", \"radius\".");
}

TEST_F(ChargedFiles, XyzWithoutChargesAndOtherDamage) {
  refused("a.xyz", "1\nplain\nO 0 0 0\n", "no charge", 3);
  refused("b.xyz", "1\nforces\nO 0 0 0 1 2 3\n", "found 7", 3);
  refused("c.xyz", "1\nProperties=species:S:1:pos:R:3\nO 0 0 0\n", "no column of charges", 2);
  refused("d.xyz", "1\nProperties=species:S:1:pos:R:3:charge:R:99999\nO 0 0 0\n", "Properties", 2);
  refused("e.xyz", "3\n\nO 0.0000 0 0 1\nH 0.0000 0 1 1\n", "atom 3 of 3", 4);
  refused("f.xyz", "999999999\n\nO 0 0 0 1\n", "can hold at most", 1);
  refused("g.xyz", "-1\n\nO 0 0 0 1\n", "negative", 1);
  refused("few.xyz", "1\n\nO 0 0 0 1\nH 0 0 1 1\n", "number of atoms of the next frame", 4);
  refused("signs.xyz", "1\n\nO 0 0 +-3 1\n", "+-3", 3);
  refused("h.xyz", "1\n\nO 0 0 1e7 1\n", "z", 3);
  refused("i.xyz", "1\n\nQq 0 0 0 1\n", "element", 3);
  refused("j.xyz", "1\nLattice=\"1 2 3\"\nO 0 0 0 1\n", "nine numbers", 2);
  EXPECT_TRUE(xyz_has_charges(folder.write("k.xyz", "3\nthe rest is missing\nO 0 0 0 1\n")));
  EXPECT_FALSE(xyz_has_charges(folder.write("l.xyz", "1\n\nO 0 0 0\n")));
  EXPECT_FALSE(xyz_has_charges(folder / "none.xyz"));
}

// GRO

const std::string gro =
    "two waters and an ion\n    9\n"
    "    1SOL     OW    1   0.100   0.200   0.300  0.1000  0.2000  0.3000\n"
    "    1SOL    HW1    2   0.190   0.200   0.300\n    1SOL    HW2    3   0.070   0.290   0.300\n"
    "    1SOL     MW    4   0.110   0.210   0.300\n"
    "    2SOL     OW    5  -0.100   1.200   0.300\n    2SOL    HW1    6   0.190   1.200   0.300\n"
    "    2SOL    HW2    7   0.070   1.290   0.300\n    2SOL     MW    8   0.110   1.210   0.300\n"
    "    3NA      NA    9   1.000   1.000   1.000\n"
    "   2.00000   2.50000   3.00000   0.00000   0.00000   0.50000   0.00000   0.00000   0.00000\n";
const std::string tip4p =
    "; TIP4P\n[ moleculetype ]\nSOL 2\n\n[ atoms ]\n; nr type resnr residue atom cgnr charge mass\n"
    "1 OW 1 SOL OW 1 0 15.9994\n2 HW 1 SOL HW1 1 0.52 1.008\n3 HW 1 SOL HW2 1 0.52 1.008\n"
    "4 MW 1 SOL MW 1 -1.04 0.0\n[ settles ]\n1 1 0.1 0.2\n";
const std::string ion = "[ moleculetype ]\nNA 1\n[ atoms ]\n1 NA 1 NA NA 1 1.0 ; no mass\n";

TEST_F(ChargedFiles, GroTakesChargesOfItsTopology) {
  folder.write("tip4p.itp", tip4p);
  folder.write("topol.top",
               "#include \"amber99sb.ff/forcefield.itp\"\n#ifdef POSRES\n#include \"posre.itp\"\n#endif\n"
               "#ifndef FLEXIBLE\n#include \"tip4p.itp\"\n#endif\n" +
                   ion + "[ system ]\nany\n[ molecules ]\nSOL 2\nNA 1\n");
  const auto file = read("conf.gro", gro);
  EXPECT_EQ(file.topology.filename(), "topol.top");
  const auto& charges = file.charges;
  ASSERT_EQ(charges.size(), 9U);
  EXPECT_NEAR((charges.place(4) - Eigen::Vector3d(-1, 12, 3)).norm(), 0, 1e-12);
  EXPECT_NEAR(total_charge(charges), 1, 1e-12);
  EXPECT_EQ(charges.charge[7], -1.04);
  EXPECT_EQ(charges.radius[7], 0) << "a place without mass is no atom";
  EXPECT_EQ(charges.radius[4], oxygen_radius);
  EXPECT_EQ(element_of(charges.labels[8]), 11);
  ASSERT_TRUE(charges.cell);
  EXPECT_NEAR((charges.cell->col(0) - Eigen::Vector3d(20, 0, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((charges.cell->col(1) - Eigen::Vector3d(5, 25, 0)).norm(), 0, 1e-12)
      << "v2(x) is the sixth number";
}

TEST_F(ChargedFiles, MacrosThatChangeAtomsOfATopologyAreNamed) {
  const auto remarks = [&](const std::string& of_ion) {
    folder.write("m.top", tip4p + of_ion + "[ molecules ]\nSOL 2\nNA 1\n");
    return read("m.gro", gro).charges.remarks.text();
  };
  const std::string head = "[ moleculetype ]\nNA 1\n[ atoms ]\n", plain = "1 NA 1 NA NA 1 1.0\n",
                    scaled = "1 NA 1 NA NA 1 0.75\n";
  const std::string named = remarks(head + "#ifdef ECC\n" + scaled + "#else\n" + plain + "#endif\n");
  EXPECT_NE(named.find("the topology does not define: ECC."), named.npos) << named;
  for (const auto& quiet :
       {head + "#define ECC\n#ifdef ECC\n" + scaled + "#else\n" + plain + "#endif\n",
        head + plain + "#ifdef POSRES\n[ position_restraints ]\n1 1 1000 1000 1000\n#endif\n"})
    EXPECT_EQ(remarks(quiet).find("macros"), std::string::npos) << quiet;
}

TEST_F(ChargedFiles, WindowsLineEndsChangeNothing) {
  const auto windows = [](const std::string& text) {
    std::string found;
    for (const char c : text) found += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return found;
  };
  const std::string top = tip4p + ion + "[ molecules ]\nSOL 2\nNA 1\n";
  const auto read_gro = [&](const std::string& name, const std::string& text, const std::string& topology) {
    return read(name, text, {.prepare = {}, .model = {}, .topology = folder.write(name + ".top", topology)})
        .charges;
  };
  const std::string mol2 = std::string(mol2_head).replace(mol2_head.find(" 3 2"), 4, " 2 1") +
                           "1 C1 0.5 1.5 -2.5 C.3 1 MOH1 0.1450\n2 O1 1.9 1.5 -2.5 O.3 1 MOH1 -0.5\n";
  const std::string xyz = "2\nProperties=species:S:1:pos:R:3:charge:R:1\nO 0 0 0 -0.8\nH 0 0.7 -0.5 0.4\n";
  for (const auto& [plain, same] :
       {std::pair{read_gro("a.gro", gro, top), read_gro("b.gro", windows(gro), windows(top))},
        std::pair{read("a.mol2", mol2).charges, read("b.mol2", windows(mol2)).charges},
        std::pair{read("a.xyz", xyz).charges, read("b.xyz", windows(xyz)).charges}}) {
    ASSERT_EQ(plain.size(), same.size());
    EXPECT_GE(plain.size(), 2U);
    EXPECT_EQ(plain.x, same.x);
    EXPECT_EQ(plain.z, same.z);
    EXPECT_EQ(plain.charge, same.charge);
    EXPECT_EQ(plain.radius, same.radius);
    for (std::size_t i = 0; i < plain.labels.size(); ++i) {
      EXPECT_EQ(plain.labels[i].atom, same.labels[i].atom);
      EXPECT_EQ(plain.labels[i].residue, same.labels[i].residue);
    }
    EXPECT_EQ(plain.cell.has_value(), same.cell.has_value());
  }
}

TEST_F(ChargedFiles, GroWithMoreDecimalsAndATopologyOfOneMolecule) {
  const auto itp = folder.write("one.itp", ion);
  const auto charges = read("ions.gro",
                            "ions\n2\n    1NA      NA    1   1.00001   2.00002  -3.00003\n"
                            "    2NA      NA    2   4.00000   5.00000   6.00000\n10 10 10\n",
                            {.prepare = {}, .model = {}, .topology = itp})
                           .charges;
  ASSERT_EQ(charges.size(), 2U);
  EXPECT_NEAR(charges.z[0], -30.0003, 1e-9);
  EXPECT_EQ(total_charge(charges), 2);
}

TEST_F(ChargedFiles, GroWhoseTopologyDoesNotFit) {
  refused("lonely.gro", gro, "--topology", 0);
  const auto with = [&](const std::string& top) {
    return ChargedFileOptions{.prepare = {}, .model = {}, .topology = folder.write("t.top", top)};
  };
  const std::string all = tip4p + ion + "[ molecules ]\n";
  refused("a.gro", gro, "has 9 atoms, but t.top describes 8", 0, with(all + "SOL 2\n"));
  refused("b.gro", gro, "more than its 9 atoms", 0, with(all + "SOL 2\nNA 2\n"));
  refused("c.gro", gro, "\"OW\" of \"SOL\" is \"NA\"", 3, with(all + "NA 1\nSOL 2\n"));
  refused("d.gro", gro, "\"SOL\" has no [ moleculetype ], and \"amber.ff/tip3p.itp\"", 1,
          with("#include \"amber.ff/tip3p.itp\"\n" + ion + "[ molecules ]\nSOL 2\nNA 1\n"));
  refused("e.gro", gro, "found 6", 4, with("[ moleculetype ]\nNA 1\n[ atoms ]\n1 NA 1 NA NA 1\n"));
  refused("f.gro", gro, "charge", 4, with("[ moleculetype ]\nNA 1\n[ atoms ]\n1 NA 1 NA NA 1 qNA\n"));
  refused("g.gro", gro, "#endif", 1, with("#ifdef X\n"));
  refused("h.gro", gro, "include one another", 1, with("#include \"t.top\"\n"));
  refused("i.gro", gro, "no [ moleculetype ]", 0, with("; nothing\n"));
  refused("j.gro", gro, "not one kind of molecule", 0, with("[ moleculetype ]\nNA 1\n"));
  // Nobody counts to a billion for molecules without atoms.
  refused("k.gro", gro, "describes 0", 0, with("[ moleculetype ]\nX 1\n[ molecules ]\nX 1000000000\n"));
  const auto good = with(all + "SOL 2\nNA 1\n");
  refused("l.gro", "title\n99999999\n", "can hold at most", 2, good);
  refused("m.gro", gro.substr(0, 200), "can hold at most", 2, good);
  refused("n.gro", "t\n 1\n    1NA      NA    1   1.000     inf   1.000\n1 1 1\n", "y", 3, good);
  refused("o.gro", "t\n 1\n    1NA      NA    1   1.000   1.000   1.000\n1 1\n", "found 2", 4, good);
}

TEST(ElementsOfNames, AtomsAreCalledAsInResiduesAndIonsAndCofactors) {
  const auto element = [](const std::string& atom, const std::string& residue) {
    AtomLabel label;
    label.atom = atom;
    label.residue = residue;
    return element_of(label);
  };
  EXPECT_EQ(element("CA", "ALA"), 6);
  EXPECT_EQ(element("CA", "CA"), 20);
  EXPECT_EQ(element("1HB2", "ALA"), 1);
  EXPECT_EQ(element("HG", "SER"), 1);
  EXPECT_EQ(element("HG", "HG"), 80);
  EXPECT_EQ(element("NA", "HEM"), 7);
  EXPECT_EQ(element("FE", "HEM"), 26);
  EXPECT_EQ(element("CL1", "LIG"), 17);
  EXPECT_EQ(element("SOD", "SOD"), 11);
  EXPECT_EQ(element("POT", "POT"), 19);
  EXPECT_EQ(element("OW", "SOL"), 8);
  EXPECT_EQ(element("MW", "SOL"), 0);
  EXPECT_EQ(element("", ""), 0);
}

// Cells

TEST_F(ChargedFiles, CellsOfCrystalsAreKept) {
  const std::string atom = "HETATM    1 NA    NA A   1       1.000   2.000   3.000  1.00  0.00          NA\n";
  const auto cell = [&](const std::string& name, const std::string& text) {
    return read(name, text).charges.cell;
  };
  const auto monoclinic =
      cell("m.pdb", "CRYST1   30.000   40.000   50.000  90.00 110.00  90.00 P 1 21 1      2\n" + atom);
  ASSERT_TRUE(monoclinic);
  EXPECT_NEAR(monoclinic->determinant(), 30 * 40 * 50 * std::sin(110 * std::numbers::pi / 180), 1e-6);
  EXPECT_NEAR(monoclinic->col(0).dot(monoclinic->col(2)), 30 * 50 * std::cos(110 * std::numbers::pi / 180),
              1e-6);
  EXPECT_EQ(monoclinic->col(1), Eigen::Vector3d(0, 40, 0));
  // What entries without a crystal have there.
  EXPECT_FALSE(
      cell("n.pdb", "CRYST1    1.000    1.000    1.000  90.00  90.00  90.00 P 1           1\n" + atom));
  EXPECT_FALSE(cell("o.pdb", atom));
  EXPECT_TRUE(cell("p.pqr",
                   "CRYST1   30.000   40.000   50.000  90.00  90.00  90.00 P 1\nATOM 1 A ION 1 0 0 0 1 1\n"));
  EXPECT_FALSE(cell("q.pdb", "CRYST1   30.000   40.000\n" + atom));
  const std::string loop =
      "loop_\n_atom_site.group_PDB\n_atom_site.type_symbol\n_atom_site.label_atom_id\n_atom_site.label_comp_"
      "id\n"
      "_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site."
      "Cartn_z\n"
      "HETATM NA NA NA A 1 1 2 3\n";
  const auto hexagonal =
      cell("r.cif",
           "data_r\n_cell.entry_id R\n_cell.length_a 60.1(2)\n_cell.length_b 60.1\n_cell.length_c 20\n"
           "_cell.angle_alpha 90\n_cell.angle_beta 90\n_cell.angle_gamma 120\n" +
               loop);
  ASSERT_TRUE(hexagonal);
  EXPECT_NEAR(hexagonal->determinant(), 60.1 * 60.1 * 20 * std::sqrt(0.75), 1e-6);
  EXPECT_FALSE(cell("s.cif", "data_s\n_cell.length_a ?\n" + loop));
}

}  // namespace
}  // namespace isolume::structures
