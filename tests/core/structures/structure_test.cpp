#include "core/structures/structure.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/text.h"
#include "core/structures/links.h"
#include "core/structures/prepare.h"
#include "core/structures/residue_tables.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

class StructureFiles : public ::testing::Test {
 protected:
  std::filesystem::path written(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  void expect_bad(const std::string& name, const std::string& text, const std::string& part,
                  std::size_t line) const {
    try {
      read_structure(written(name, text));
      ADD_FAILURE() << "taken, though: " << part;
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(part), std::string::npos) << what;
      EXPECT_NE(what.find(name), std::string::npos) << what;
      EXPECT_EQ(error.line(), line) << what;
    }
  }

 private:
  isolume::testing::TemporaryFolder folder_;
};

/// A line of a PDB file.
std::string pdb_line(const std::string& record, const std::string& atom, char alternative,
                     const std::string& residue, char chain, const std::string& number,
                     const std::string& place, double occupancy = 1, const std::string& serial = "    1") {
  std::string line =
      record + serial + " " + atom + alternative + residue + " " + chain + number + "   " + place;
  line.resize(54, ' ');
  line += occupancy == 1 ? "  1.00" : occupancy == 0.6 ? "  0.60" : "  0.40";
  return line + " 10.00\n";
}
const std::string here = "   1.000   2.000   3.000", there = "   4.000   5.000   6.000";

const std::string cif_heading =
    "data_X\n#\nloop_\n_atom_site.group_PDB\n_atom_site.type_symbol\n_atom_site.label_atom_id\n_atom_site."
    "label_alt_id\n"
    "_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.pdbx_PDB_ins_"
    "code\n"
    "_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.occupancy\n";

TEST_F(StructureFiles, AlternativesInsertionCodesAndModels) {
  const std::string text = "MODEL        1\n" + pdb_line("ATOM  ", " N  ", ' ', "SER", 'A', "  52A", here) +
                           pdb_line("ATOM  ", " CA ", 'A', "SER", 'A', "  52A", here, 0.4) +
                           pdb_line("ATOM  ", " CA ", 'B', "SER", 'A', "  52A", there, 0.6) +
                           pdb_line("ATOM  ", " CB ", 'A', "SER", 'A', "  52A", here, 0.4) +
                           pdb_line("ATOM  ", " N  ", ' ', "GLY", 'A', "  52 ", here) +
                           "ENDMDL\nMODEL        7\n" +
                           pdb_line("ATOM  ", " N  ", ' ', "SER", 'A', "  52A", there) + "ENDMDL\n";
  const auto file = written("s.pdb", text);
  const auto structure = read_structure(file);
  EXPECT_EQ(structure.model, 1);
  EXPECT_EQ(structure.models, 2);
  ASSERT_EQ(structure.residues.size(), 2U);
  EXPECT_EQ(name_of(structure.residues[0]), "SER A 52A");
  EXPECT_EQ(name_of(structure.residues[1]), "GLY A 52");
  EXPECT_EQ(structure.residues[0].find("CA")->place, Eigen::Vector3d(4, 5, 6));
  // What only the other alternative has is better than a hole.
  EXPECT_EQ(structure.residues[0].find("CB")->place, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(structure.alternatives, 1);
  EXPECT_EQ(read_structure(file, 7).residues.front().atoms.front().place, Eigen::Vector3d(4, 5, 6));
  try {
    read_structure(file, 2);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("models 1 to 7"), std::string::npos) << error.what();
  }
}

TEST_F(StructureFiles, PdbAndMmcifOfOneStructureAreTheSame) {
  const auto pdb =
      read_structure(written("s.ent", pdb_line("ATOM  ", " CA ", ' ', "SER", 'A', "  -2 ", here) +
                                          pdb_line("HETATM", "CA  ", ' ', " CA", 'A', " 501 ", there)));
  const auto cif = read_structure(written(
      "s.cif",
      cif_heading + "ATOM C CA . SER A -2 ? 1.000 2 3.0 1.0\nHETATM CA CA . CA A 501 ? 4 5 6 1\n#\n"));
  ASSERT_EQ(pdb.residues.size(), 2U);
  ASSERT_EQ(cif.residues.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(name_of(pdb.residues[i]), name_of(cif.residues[i]));
    EXPECT_EQ(pdb.residues[i].is_hetero, cif.residues[i].is_hetero);
    EXPECT_EQ(pdb.residues[i].atoms[0].place, cif.residues[i].atoms[0].place);
    EXPECT_EQ(pdb.residues[i].atoms[0].atomic_number, cif.residues[i].atoms[0].atomic_number);
  }
  EXPECT_EQ(pdb.residues[0].atoms[0].atomic_number, 6);
  EXPECT_EQ(pdb.residues[1].atoms[0].atomic_number, 20);
}

TEST_F(StructureFiles, Hybrid36AndWindowsLineEndsAndManyChains) {
  std::string text = pdb_line("ATOM  ", " N  ", ' ', "GLY", 'A', "9999 ", here, 1, "99999") +
                     pdb_line("ATOM  ", " N  ", ' ', "GLY", 'A', "A000 ", here, 1, "A0000") +
                     pdb_line("ATOM  ", " N  ", ' ', "GLY", 'A', "a000 ", here, 1, "*****");
  const std::string chains = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (const char chain : chains) text += pdb_line("ATOM  ", " N  ", ' ', "GLY", chain, "   1 ", here);
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto structure = read_structure(written("s.pdb", windows));
  ASSERT_EQ(structure.residues.size(), 65U);
  EXPECT_EQ(structure.residues[0].number, 9999);
  EXPECT_EQ(structure.residues[1].number, 10000);
  EXPECT_EQ(structure.residues[2].number, 10000 + 26 * 36 * 36 * 36);
  EXPECT_EQ(structure.residues[64].chain, "9");
}

/// As large assemblies are written: chains called by two letters, and lines as Windows ends them.
TEST_F(StructureFiles, MmcifOf62ChainsWithWindowsLineEnds) {
  std::string text = cif_heading;
  for (int chain = 0; chain < 62; ++chain) {
    const std::string name = chain < 26 ? std::string(1, static_cast<char>('A' + chain))
                                        : std::string{static_cast<char>('A' + chain % 26), 'A'};
    const std::string unique = chain < 52 ? name : name + "2";
    for (const char* atom : {"N", "CA"})
      text += std::string("ATOM ") + atom[0] + " " + atom + " . GLY " + unique + " 1 ? " +
              std::to_string(3 * chain) + ".5 2.0 3.0 1\n";
  }
  text += "#\n";
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const auto& structure :
       {read_structure(written("s.cif", text)), read_structure(written("w.cif", windows))}) {
    ASSERT_EQ(structure.residues.size(), 62U);
    std::set<std::string> chains;
    for (const auto& residue : structure.residues) {
      chains.insert(residue.chain);
      ASSERT_EQ(residue.atoms.size(), 2U);
    }
    EXPECT_EQ(chains.size(), 62U);
    EXPECT_EQ(structure.residues[26].chain, "AA");
    EXPECT_EQ(structure.residues[61].chain, "JA2");
    EXPECT_EQ(structure.residues[61].atoms[1].place.x(), 183.5);
  }
}

TEST_F(StructureFiles, DamageIsToldWithItsLine) {
  const std::string good = pdb_line("ATOM  ", " CA ", ' ', "SER", 'A', "   1 ", here);
  expect_bad("a.pdb", good + "ATOM      2  CB  SER A   1      11.0", "column 36", 2);
  expect_bad("b.pdb", good + pdb_line("ATOM  ", " CB ", ' ', "SER", 'A', "   1 ", "     nan   2.000   3.000"),
             "nan", 2);
  expect_bad("c.pdb", good + pdb_line("ATOM  ", " CB ", ' ', "SER", 'A', "   1 ", "   1.000     inf   3.000"),
             "inf", 2);
  expect_bad("d.pdb", good + pdb_line("ATOM  ", " CB ", ' ', "SER", 'A', "   1 ", "   1.000           3.000"),
             "y", 2);
  expect_bad("e.pdb", good + pdb_line("ATOM  ", " CB ", ' ', "SER", 'A', " x 1 ", here),
             "number of a residue", 2);
  expect_bad("f.pdb", "HEADER    NOTHING\nEND\n", "no atoms", 0);
  expect_bad("g.cif", "data_X\n_entry.id X\n", "no atoms", 0);
  expect_bad("h.cif", cif_heading + "ATOM C CA . SER A 1 ? 1.0 2.0 3.0 1\nATOM C CB . SER A 1 ? 1.0",
             "9 of 12", 17);
  expect_bad("i.cif", cif_heading + "ATOM C CA . SER A 1 ? 1.0 nan 3.0 1\n", "Cartn_y", 16);
  expect_bad("j.cif", cif_heading + "ATOM C CA . SER A 1 ? 1.0 ? 3.0 1\n", "Cartn_y", 16);
  expect_bad("k.cif", cif_heading + "ATOM C CA . SER A 1e9x ? 1.0 2.0 3.0 1\n", "number of the residue", 16);
  expect_bad("l.cif", "data_X\n_a.b\n;text\nwithout end\n", "the file ends", 4);
  expect_bad("m.cif", "data_X\nloop_\n_atom_site.type_symbol\n_atom_site.Cartn_x\nC 1.0\n", "lack", 5);
}

TEST_F(StructureFiles, AnyCutOfAStructureIsReadOrRefused) {
  const std::string cif =
      cif_heading + "ATOM C CA . SER A 1 ? 1.0 2.0 3.0 1\nHETATM ZN ZN . ZN A 2 ? 1.5 2.5 3.5 1\n#\n";
  const std::string pdb =
      "MODEL        1\n" + pdb_line("ATOM  ", " CA ", 'A', "SER", 'A', "   1A", here) + "TER\nENDMDL\n";
  for (const auto& [name, text] : {std::pair{"s.cif", cif}, std::pair{"s.pdb", pdb}}) {
    for (std::size_t length = 1; length < text.size(); ++length) {
      try {
        EXPECT_FALSE(read_structure(written(name, text.substr(0, length))).residues.empty());
      } catch (const Error&) {
        continue;
      }
    }
  }
}

TEST_F(StructureFiles, TablesOfChargesHaveTheirColumnsByName) {
  struct Table {
    std::string text, remark;
  };
  for (const auto& [text, remark] : std::vector<Table>{
           {"residue,atom,radius,charge\nMG,MG,1.18,2.0\n", ""},
           {"\xEF\xBB\xBF"
            "Atom , CHARGE (e), Radius [nm],Residue\r\nMG,2.0,0.118,MG\r\n",
            "from nm to angstrom"},
           {"residue name;atom name;charge_e;radius_angstrom\nMG;MG;2.0;1.18\n", ""},
           {"\"residue\",\"atom\",\"charge\",\"radius\"\n\"MG\", \"MG\" ,\"2.0\",1.18\n", ""},
           {"residue,atom_index,atom,charge,radius,,epsilon\nMG,7,MG,2.0,1.18,x,0.1\n",
            "t.csv: columns that are not used: atom_index, number 6, epsilon."},
       }) {
    Remarks remarks;
    const auto table = read_given_charges(written("t.csv", text), remarks);
    EXPECT_EQ(table.at("MG").at("MG").charge, 2.0) << text;
    EXPECT_NEAR(table.at("MG").at("MG").radius, 1.18, 1e-12) << text;
    EXPECT_TRUE(remark.empty() ? remarks.empty() : contains(remarks.text(), remark))
        << text << remarks.text();
  }
  Remarks remarks;
  const auto quotes = read_given_charges(
      written("q.csv", "residue,atom,charge\nA,\"O5\"\",1\"\"\",0.5\nA,H5\",0.25\n"), remarks);
  EXPECT_EQ(quotes.at("A").at("O5\",1\"").charge, 0.5);
  EXPECT_EQ(quotes.at("A").at("H5\"").charge, 0.25);
  EXPECT_EQ(quotes.at("A").at("H5\"").radius, -1);
}

TEST_F(StructureFiles, TablesOfChargesThatAreNoneAreRefused) {
  Remarks remarks;
  const auto refused = [&](const std::string& name, const std::string& text, const std::string& part,
                           std::size_t line) {
    try {
      read_given_charges(written(name, text), remarks);
      ADD_FAILURE() << "taken, though: " << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_EQ(error.line(), line) << error.what();
    }
  };
  refused("a.csv", "TES,C1,0.1,1.9\n", "heading", 1);
  refused("b.csv", "residue,atom,charge,radius\nTES,C1\n", "found 2", 2);
  refused("c.csv", "residue,atom,charge,radius\nTES,C1,nan,1\n", "nan", 2);
  refused("d.csv", "residue,atom,charge,radius\nTES,C1,0.1,-1\n", "radius", 2);
  refused("e.csv", "residue,atom,charge\nTES,C1,0.1\nTES,C1,0.2\n", "twice", 3);
  refused("f.csv", "residue,atom,charge\n", "no atom", 1);
  refused("i.csv", "residue,atom,charge,radius (inch)\nTES,C1,0.1,1\n", "\"radius (inch)\" is not known", 1);
  refused("j.csv", "residue,atom,charge (nm)\nTES,C1,0.1\n", "\"charge (nm)\" is not known", 1);
  refused("k.csv", "atom,residue,radius\nC1,TES,1\n", "no column charge", 1);
  refused("l.csv", "residue,atom,charge,Charge\nTES,C1,1,2\n", "two columns are called charge", 1);
  refused("m.csv", "residue,atom,charge\nTES,C1,0.1,1.9\n", "expected 3 cells, as in the heading, found 4",
          2);
  refused("n.csv", "residue,atom,charge\n\"TES,C1,0.1\n", "does not end in its line", 2);
  refused("o.csv", "residue,atom,charge\n\"TES\"x,C1,0.1\n", "\"x\" follows a quoted cell", 2);
  refused("g.mol2", "@<TRIPOS>ATOM\n1 C1 0 0 0 C.3 1 TES\n", "found 8", 2);
  const auto component =
      read_given_charges(written("c.cif",
                                 "data_comp_LIG\nloop_\n_chem_comp_atom.comp_id\n_chem_comp_atom.atom_id\n"
                                 "_chem_comp_atom.partial_charge\nLIG C1 0.25\nLIG \"O1'\" -0.75\n#\n"),
                         remarks);
  EXPECT_EQ(component.at("LIG").at("C1").charge, 0.25);
  EXPECT_EQ(component.at("LIG").at("O1'").charge, -0.75);
  EXPECT_EQ(component.at("LIG").at("C1").radius, -1);
  refused("h.cif",
          "data_LIG\nloop_\n_chem_comp_atom.comp_id\n_chem_comp_atom.atom_id\n_chem_comp_atom.charge\n"
          "LIG C1 0\nLIG O1 -1\n",
          "LIG=-1", 0);
  const auto mol2 = read_given_charges(
      written("h.mol2",
              "@<TRIPOS>MOLECULE\nx\n@<TRIPOS>ATOM\n1 C1 0 0 0 C.3 1 TES1 0.25\n@<TRIPOS>BOND\n1 1 2 1\n"),
      remarks);
  EXPECT_EQ(mol2.at("TES").at("C1").charge, 0.25);
}

double charge_of(const ResidueParameters& atoms) {
  double sum = 0;
  for (const auto& [atom, parameters] : atoms) sum += parameters.charge;
  return sum;
}

/// What links change is no residue: "NAG/O4".
bool is_change(const std::string& name) {
  return name.find('/') != std::string::npos;
}

/// Every residue's charges are whole numbers, as those of the molecules that they describe; ends of nucleic acids are
/// so in pairs (5' and 3').
TEST(ParameterTables, ResiduesHaveWholeCharges) {
  for (const char* file : {"charges/amber.csv", "charges/charmm.csv"}) {
    const auto table = read_parameters(resource(file));
    EXPECT_GT(table.size(), 110U);
    const auto charge = [&](const std::string& name) { return charge_of(table.at(name)); };
    for (const auto& [name, atoms] : table) {
      if (is_change(name)) continue;
      double sum = charge(name);
      const std::string stem = name.substr(0, name.size() - 1);
      if (table.contains(stem + "N") && name.ends_with("5")) sum += charge(stem + "3");
      if (table.contains(stem + "N") && name.ends_with("3")) sum += charge(stem + "5");
      EXPECT_NEAR(sum, std::round(sum), 1e-6) << file << " " << name;
    }
    // What chemistry says.
    EXPECT_NEAR(charge("ARG"), 1, 1e-6);
    EXPECT_NEAR(charge("GLU"), -1, 1e-6);
    EXPECT_NEAR(charge("GLH"), 0, 1e-6);
    EXPECT_NEAR(charge("HIP"), 1, 1e-6);
    EXPECT_NEAR(charge("NLYS"), 2, 1e-6);
    EXPECT_NEAR(charge("CASP"), -2, 1e-6);
    EXPECT_NEAR(charge("DA"), -1, 1e-6);
    EXPECT_NEAR(charge("DA5") + charge("DT3"), -1, 1e-6);
    EXPECT_NEAR(charge("HOH"), 0, 1e-6);
    EXPECT_NEAR(charge("ZN"), 2, 1e-6);
    EXPECT_NEAR(charge("NAG"), 0, 1e-6);
    EXPECT_NEAR(charge("SIA"), -1, 1e-6);
  }
}

TEST(ParameterTables, CharmmHasTheAtomsOfAmber) {
  const auto charmm = read_parameters(resource("charges/charmm.csv"));
  const auto amber = read_parameters(resource("charges/amber.csv"));
  const std::set<std::string> lacking{"F", "BR", "IOD", "TL", "SIA/O4", "SIA/O7", "SLB/O4", "SLB/O7"};
  for (const auto& [name, atoms] : amber) {
    ASSERT_EQ(charmm.contains(name), !lacking.contains(name)) << name;
    if (lacking.contains(name) || is_change(name)) continue;
    for (const auto& [atom, parameters] : atoms)
      EXPECT_TRUE(charmm.at(name).contains(atom)) << name << " " << atom;
    EXPECT_EQ(charmm.at(name).size(), atoms.size()) << name;
    const bool end = name.ends_with("5") || name.ends_with("3");  // of a nucleic acid: whole in pairs alone
    if (!end) {
      EXPECT_NEAR(charge_of(charmm.at(name)), charge_of(atoms), 1e-6) << name;
    }
  }
}

/// Two residues that are linked have a whole charge together, whichever atoms of theirs are bonded.
TEST(ParameterTables, LinkedResiduesHaveWholeCharges) {
  const auto rules = read_hydrogen_rules(resource("charges/hydrogens.csv"));
  for (const char* file : {"charges/amber.csv", "charges/charmm.csv"}) {
    const auto table = read_parameters(resource(file));
    struct End {
      std::string residue, atom;
    };
    std::vector<End> carbons, others;
    for (const auto& [name, atoms] : table) {
      const auto slash = name.find('/');
      if (slash == std::string::npos || name.find('-') != std::string::npos) continue;
      const End end{name.substr(0, slash), name.substr(slash + 1)};
      (end.atom.front() == 'C' ? carbons : others).push_back(end);
    }
    ASSERT_EQ(carbons.size(), 19U);
    const auto linked = [&](const End& end, const End& to) {
      const std::string base =
          end.residue.size() == 4 ? end.residue.substr(1) : end.residue;  // NASN has the rules of ASN
      const LinkedAtom link{end.atom, to.atom, Eigen::Vector3d::Zero()};
      const auto made = linked_parameters(table, rules, end.residue, base, std::span(&link, 1));
      return made ? charge_of(made->parameters) : 0.5;
    };
    for (const auto& carbon : carbons) {
      // CHARMM has sialic acids at atoms 8 and 9 of their like alone.
      const bool is_sialic = carbon.atom == "C2";
      for (const auto& other : others) {
        if (other.residue.starts_with("S") && (other.atom == "O8" || other.atom == "O9") && !is_sialic)
          continue;
        if (is_sialic && other.atom == "ND2") continue;
        const double sum = linked(carbon, other) + linked(other, carbon);
        EXPECT_NEAR(sum, std::round(sum), 1e-6)
            << file << " " << carbon.residue << " " << other.residue << " " << other.atom;
      }
    }
  }
}

TEST(ParameterTables, ResiduesHaveWholeChargesInParseToo) {
  const auto table = read_parameters(resource("charges/parse.csv"));
  const auto amber = read_parameters(resource("charges/amber.csv"));
  for (const auto& [name, atoms] : table) {
    double sum = 0, of_amber = 0;
    for (const auto& [atom, parameters] : atoms) sum += parameters.charge;
    for (const auto& [atom, parameters] : amber.at(name)) {
      of_amber += parameters.charge;
      EXPECT_TRUE(atoms.contains(atom)) << name << " " << atom;
    }
    EXPECT_NEAR(sum, std::round(sum), 1e-6) << name;
    EXPECT_NEAR(sum, of_amber, 1e-6) << name;
  }
}

TEST(ParameterTables, EveryHydrogenOfEveryResidueHasARule) {
  const auto table = read_parameters(resource("charges/amber.csv"));
  const auto rules = read_hydrogen_rules(resource("charges/hydrogens.csv"));
  for (const auto& [residue, atoms] : table) {
    if (residue == "HOH" || residue == "HG" || is_change(residue))
      continue;  // water is placed otherwise; mercury
    std::string base = residue;
    if (base.size() == 4) base = base.substr(1);
    if (base.size() > 1 && std::string("53N").find(base.back()) != std::string::npos &&
        rules.contains(base.substr(0, base.size() - 1)))
      base.pop_back();
    for (const auto& [atom, parameters] : atoms) {
      if (atom.front() != 'H') continue;
      bool found = false;
      for (const auto& name :
           {base, "N" + base, std::string("*"), std::string("N*"), std::string("5*"), std::string("3*")}) {
        if (!rules.contains(name)) continue;
        for (const auto& rule : rules.at(name))
          found = found || std::ranges::find(rule.hydrogens, atom) != rule.hydrogens.end();
      }
      EXPECT_TRUE(found) << residue << " " << atom;
    }
  }
}

}  // namespace
}  // namespace isolume::structures
