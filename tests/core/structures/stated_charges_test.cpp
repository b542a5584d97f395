// What a structure file states itself, and residues that resemble others. Expected values are those in the file, in the
// force field's table (resources/charges/amber.csv), and van der Waals radii of elements (Alvarez 2013).
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/structures/charged_file.h"
#include "core/structures/prepare.h"
#include "core/structures/structure.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

struct Line {
  std::string name, residue, element, charge = "";
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  int number = 1;
};
std::string text_of(const Line& line) {
  return fmt::format("HETATM    1 {:4} {:3} A{:4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00          {:>2}{:2}\n",
                     line.name, line.residue, line.number, line.place.x(), line.place.y(), line.place.z(),
                     line.element, line.charge);
}

/// A residue between two glycines: the backbone, CB and CG, and an atom 1.9 angstrom from CG.
std::string in_peptide(const std::string& residue, const std::string& atom, const std::string& element) {
  std::string text;
  for (int number = 1; number <= 3; ++number) {
    const double x = 3.8 * number;
    const std::string name = number == 2 ? residue : "GLY";
    const auto add = [&](const std::string& each, const std::string& symbol, const Eigen::Vector3d& place) {
      text += text_of({each, name, symbol, "", place, number});
    };
    add(" N", "N", {x, 0, 0});
    add(" CA", "C", {x + 1.2, 0.8, 0});
    add(" C", "C", {x + 2.5, 0, 0});
    add(" O", "O", {x + 2.5, -1.2, 0});
    if (number != 2) continue;
    add(" CB", "C", {x + 1.2, 1.7, 1.2});
    add(" CG", "C", {x + 1.2, 1.7, 2.7});
    add(atom, element, {x + 1.2, 3.2, 3.8});
  }
  return text;
}

class StatedCharges : public ::testing::Test {
 protected:
  ChargedFile read(const std::string& text, const ChargedFileOptions& options = {}) const {
    const bool is_cif = text.starts_with("data_");
    return read_charged_file(folder_.write(is_cif ? "s.cif" : "s.pdb", text), options);
  }
  isolume::testing::TemporaryFolder folder_;
};

bool says(const Remarks& remarks, RemarkKind kind, std::string_view part) {
  return std::ranges::any_of(remarks, [&](const auto& remark) {
    return remark.kind == kind && remark.text.find(part) != std::string::npos;
  });
}

std::size_t index_of(const Charges& charges, std::string_view atom) {
  const auto found = std::ranges::find(charges.labels, atom, &AtomLabel::atom);
  return static_cast<std::size_t>(found - charges.labels.begin());
}

TEST_F(StatedCharges, SelenocysteineHasSelenium) {
  for (const std::string element : {"SE", ""}) {
    const auto made = read(in_peptide("SEC", "SE", element));
    const auto at = index_of(made.charges, "SE");
    ASSERT_LT(at, made.charges.size());
    EXPECT_EQ(made.charges.labels[at].atomic_number, 34);
    EXPECT_NEAR(made.charges.radius[at], 1.82, 1e-9);
    EXPECT_FALSE(says(made.charges.remarks, RemarkKind::corrected, "")) << made.charges.remarks.text();
    EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "no parameters"))
        << made.charges.remarks.text();
  }
}

}  // namespace
}  // namespace isolume::structures
