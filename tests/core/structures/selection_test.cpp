#include "core/structures/selection.h"

#include <algorithm>
#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/structures/charged_file.h"
#include "core/structures/molecule_of.h"
#include "core/structures/pqr.h"

namespace isolume::structures {
namespace {

const std::string entries = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/";

/// Two chains of a protein with ligands and hydrogens.
const Charges& enzyme() {
  static const auto charges = read_charged_file(entries + "1AFS.pdb.gz").charges;
  return charges;
}

/// Atom by atom, in words of C++.
std::vector<bool> by_hand(const Charges& charges, const std::function<bool(std::size_t)>& test) {
  std::vector<bool> found(charges.size());
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = test(i);
  return found;
}

void expect_selected(const std::string& expression, const std::function<bool(const AtomLabel&)>& test) {
  const auto& charges = enzyme();
  const auto expected = by_hand(charges, [&](std::size_t i) { return test(charges.labels[i]); });
  EXPECT_EQ(select_atoms(charges, expression), expected) << expression;
  const auto count = std::ranges::count(expected, true);
  EXPECT_GT(count, 0) << expression;
  EXPECT_LT(count, static_cast<std::ptrdiff_t>(charges.size())) << expression;
}

TEST(Selection, IsByTheNamesOfAtoms) {
  expect_selected("chain A", [](const auto& label) { return label.chain == "A"; });
  expect_selected("residue LYS arg",
                  [](const auto& label) { return label.residue == "LYS" || label.residue == "ARG"; });
  expect_selected("name ca CB", [](const auto& label) { return label.atom == "CA" || label.atom == "CB"; });
  expect_selected("name HD11 H5''", [](const auto& label) { return label.atom == "HD11"; });
  expect_selected("element S P",
                  [](const auto& label) { return element_of(label) == 16 || element_of(label) == 15; });
  expect_selected("HYDROGEN", [](const auto& label) { return element_of(label) == 1; });
  expect_selected("number 10-20 31",
                  [](const auto& l) { return (l.number >= 10 && l.number <= 20) || l.number == 31; });
  expect_selected("hetero", [](const auto& label) { return label.is_hetero; });
  expect_selected("protein",
                  [](const auto& label) { return label.residue != "NAP" && label.residue != "TES"; });
  expect_selected("backbone and not name N", [](const auto& label) {
    return label.residue != "NAP" && label.residue != "TES" &&
           (label.atom == "CA" || label.atom == "C" || label.atom == "O" || label.atom == "OXT");
  });
}

TEST(Selection, IsCombinedInTheUsualOrder) {
  expect_selected("chain A and residue LYS or chain B and residue ARG", [](const auto& label) {
    return (label.chain == "A" && label.residue == "LYS") || (label.chain == "B" && label.residue == "ARG");
  });
  expect_selected("chain A and(residue LYS or chain B)and not hydrogen", [](const auto& label) {
    return label.chain == "A" && label.residue == "LYS" && element_of(label) != 1;
  });
  expect_selected("not chain A or residue LYS",
                  [](const auto& label) { return label.chain != "A" || label.residue == "LYS"; });
  expect_selected("not (not chain \"A\")", [](const auto& label) { return label.chain == "A"; });
}

TEST(Selection, WithinADistanceIsThatOfAllPairs) {
  const auto& charges = enzyme();
  std::vector<std::size_t> steroid;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    if (charges.labels[i].residue == "TES") steroid.push_back(i);
  }
  for (const double reach : {0.5, 3.2, 5.0, 17.0}) {
    const auto expected = by_hand(charges, [&](std::size_t i) {
      return std::ranges::any_of(
          steroid, [&](std::size_t j) { return (charges.place(i) - charges.place(j)).norm() <= reach; });
    });
    EXPECT_EQ(select_atoms(charges, "within " + std::to_string(reach) + " of residue TES"), expected)
        << reach;
  }
  // It applies to what stands next: here to the chain alone.
  const auto near = select_atoms(charges, "within 3 of residue TES"),
             both = select_atoms(charges, "within 3 of residue TES and chain B");
  for (std::size_t i = 0; i < near.size(); ++i) EXPECT_EQ(both[i], near[i] && charges.labels[i].chain == "B");
}

TEST(Selection, IncludesTheDistanceItself) {
  Charges charges;
  for (const double x : {0.0, 3.0, 6.5})
    add_atom(charges, {x, 0, 0}, 0, 1, {.atom = x == 0 ? "O" : "C", .residue = "LIG", .chain = ""});
  EXPECT_EQ(select_atoms(charges, "within 3 of name O"), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(select_atoms(charges, "within 2.999 of name O"), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(select_atoms(charges, "chain \"\""), (std::vector<bool>{true, true, true}));
}

TEST(Selection, ResiduesAreCompleted) {
  const auto& charges = enzyme();
  const auto inner = select_atoms(charges, "within 4 of residue TES"),
             whole = select_atoms(charges, "residues of within 4 of residue TES");
  std::set<std::pair<std::string, int>> residues;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    if (inner[i]) residues.emplace(charges.labels[i].chain, charges.labels[i].number);
  }
  const auto expected = by_hand(charges, [&](std::size_t i) {
    return residues.contains({charges.labels[i].chain, charges.labels[i].number});
  });
  EXPECT_EQ(whole, expected);
  EXPECT_GT(std::ranges::count(whole, true), std::ranges::count(inner, true));
}

TEST(Selection, NumbersMayHaveCodesAndMinus) {
  Charges charges;
  const std::vector<std::pair<int, char>> places{{-5, ' '}, {-1, ' '}, {52, ' '},
                                                 {52, 'A'}, {52, 'B'}, {53, ' '}};
  for (const auto& [number, code] : places) {
    add_atom(charges, {0, 0, 0}, 0, 1,
             {.atom = "CA", .residue = "GLY", .chain = "A", .number = number, .insertion = code});
  }
  const auto selected = [&](const char* text) {
    std::string marks;
    for (const bool each : select_atoms(charges, text)) marks += each ? '1' : '0';
    return marks;
  };
  EXPECT_EQ(selected("number 52"), "001110");
  EXPECT_EQ(selected("number 52A"), "000100");
  EXPECT_EQ(selected("number 52A-53"), "000111");
  EXPECT_EQ(selected("number -5--1"), "110000");
  EXPECT_EQ(selected("number -1-52"), "011110");
}

TEST(Selection, AtomsAreAtTheirPlacesInTheFile) {
  const auto& charges = enzyme();
  EXPECT_EQ(select_atoms(charges, "atom 1 7-9 20"),
            by_hand(charges, [](std::size_t i) { return i == 0 || (i >= 6 && i <= 8) || i == 19; }));
  // Of fewer atoms those that there are: a session's expression is read before its file.
  EXPECT_EQ(select_atoms(charges, "atom 99999999"), std::vector<bool>(charges.size()));
  EXPECT_EQ(select_atoms(charges, "atom 2-99999999"), by_hand(charges, [](std::size_t i) { return i >= 1; }));
}

TEST(Selection, OfManyAtomsCanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const jobs::Progress cancelled(stop.get_token(), nullptr);
  for (const char* expression : {"chain A", "within 5 of all"})
    EXPECT_THROW(select_atoms(enzyme(), expression, cancelled), Cancelled) << expression;
  EXPECT_NO_THROW(check_selection("within 5 of chain A"));
}

TEST(Selection, WithoutNamesHasAtomsAllTheSame) {
  const Charges bare{{0, 1}, {0, 0}, {0, 0}, {1, -1}, {1, 1}, {}};
  EXPECT_EQ(select_atoms(bare, "all"), (std::vector<bool>{true, true}));
  EXPECT_EQ(select_atoms(bare, "protein or water or hydrogen"), (std::vector<bool>{false, false}));
}

TEST(Selection, ThatMakesNoSenseNamesTheColumn) {
  const auto expect_bad = [](const std::string& text, const std::string& part) {
    try {
      select_atoms(enzyme(), text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_bad("", "column 1: found the end");
  expect_bad("chain A and", "column 12: found the end");
  expect_bad("chain A adn chain B or", "column 13: found \"chain\". Expected is and, or, or the end");
  expect_bad("lysine", "column 1: found \"lysine\". Expected is one of these: chain");
  expect_bad("chain A )", "column 9: found \")\"");
  expect_bad("(chain A", "column 9: found the end. Expected is and, or, or )");
  expect_bad("chain and", "column 7: found \"and\"");
  expect_bad("within x of all", "column 8");
  expect_bad("within 500 of all", "0.1 to 100 angstrom");
  expect_bad("within 5 hetero", "column 10: found \"hetero\". Expected is of");
  expect_bad("number 20-10", "column 8");
  expect_bad("number 10 ten", "column 11");
  expect_bad("atom 0", "column 6: \"0\" is not an atom number");
  expect_bad("atom 3 9-7", "column 8");
  expect_bad("atom 5x", "column 6");
  expect_bad("element Xx", "column 9: \"Xx\" is not an element symbol");
  expect_bad("chain \"A", "column 7: this quote has no end");
  expect_bad(std::string(100000, '('), "column 101");
}

}  // namespace
}  // namespace isolume::structures
