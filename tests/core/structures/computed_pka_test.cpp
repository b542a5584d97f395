#include "core/structures/computed_pka.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/structures/decisions.h"
#include "core/structures/pqr.h"
#include "core/structures/prepare.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

namespace fs = std::filesystem;

const fs::path references = fs::path(ISOLUME_TEST_REFERENCES) / "electrostatics";

std::string state_of(const Preparation& made, const std::string& residue) {
  for (const auto& each : made.states)
    if (each.residue == residue) return each.state + ": " + each.why;
  return {};
}

Preparation with_propka(const fs::path& file, double ph = 7, const jobs::Progress& progress = {}) {
  PrepareOptions options;
  options.ph = ph;
  options.pka = PkaSource::propka;
  return prepare(read_structure(file), options, progress);
}

/// PATH is a folder of the test's while this lives, with propka3 as given, if it is. The result for a structure is kept:
/// each test needs one of its own.
class Programs {
 public:
  explicit Programs(const std::string& propka = {}) : before_(std::getenv("PATH")) {
    if (!propka.empty())
      fs::permissions(folder_.write("propka3", "#!/bin/sh\n" + propka), fs::perms::owner_all);
    ::setenv("PATH", (folder_.path().string() + (propka.empty() ? "" : ":" + before_)).c_str(), 1);
  }
  ~Programs() { ::setenv("PATH", before_.c_str(), 1); }
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

 private:
  testing::TemporaryFolder folder_;
  std::string before_;
};

std::string refusal(const std::string& propka) {
  const Programs programs(propka);
  try {
    with_propka(references / "1AJJ.pdb.gz");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// pdb2pqr took the states of its file from PROPKA at pH 7. Of those by pKa one differs from the standard ones: Glu A 192
// with 7.23 is neutral, its copy in chain B with 6.83 is not.
TEST(ComputedPka, OfPropkaGivesTheStatesAndTheChargeOfPdb2pqr) {
  if (std::system("command -v propka3 > /dev/null") != 0) GTEST_SKIP() << "PROPKA is not installed";
  const auto made = with_propka(references / "1AFS.pdb.gz");
  EXPECT_TRUE(made.pka_program.starts_with("PROPKA 3.")) << made.pka_program;
  EXPECT_EQ(state_of(made, "GLU A 192"), "GLH: pH 7.00 is below its pKa by " + made.pka_program + " of 7.23");
  EXPECT_EQ(state_of(made, "GLU B 192"), "");
  EXPECT_EQ(made.titrated, std::vector<std::string>{"GLU A 192"});
  EXPECT_TRUE(made.without_computed_pka.empty());
  const auto rows = decisions_of(made, residues_of(made.charges));
  const auto of_b = std::ranges::find_if(rows, [](const DecisionRow& row) {
    return row.kind == DecisionKind::pka && row.residues.front() == "GLU B 192";
  });
  ASSERT_NE(of_b, rows.end()) << "whatever the state";
  EXPECT_EQ(of_b->what, "6.83");
  EXPECT_NEAR(total_charge(made.charges), total_charge(read_pqr(references / "1AFS.pqr.gz")), 1e-6);
  const auto remarks = remarks_of(made);
  EXPECT_TRUE(std::ranges::any_of(remarks, [&](const Remark& each) {
    return each.text.find("computed from the structure: GLU A 192") != std::string::npos;
  }));
}

TEST(ComputedPka, AtAnotherPhIsThatOfTheSameRun) {
  if (std::system("command -v propka3 > /dev/null") != 0) GTEST_SKIP() << "PROPKA is not installed";
  const auto made = with_propka(references / "1AFS.pdb.gz", 6.5);
  const Programs none;
  const auto later = with_propka(references / "1AFS.pdb.gz", 6.0);
  EXPECT_GT(later.titrated.size(), made.titrated.size()) << "Glu 59 of both chains has 6.2";
}

TEST(ComputedPka, SaysWhatIsMissingOrFailed) {
  EXPECT_EQ(refusal(""),
            "The program propka3 could not be started (No such file or directory). Install PROPKA (Debian: "
            "python3-propka), or use standard pKa values.");
  EXPECT_EQ(refusal("echo all wrong; echo; exit 1"), "PROPKA failed (all wrong). Use standard pKa values.");
  EXPECT_EQ(refusal("echo nothing > structure.pka"),
            "PROPKA wrote no summary of pKa values. Use standard pKa values.");
}

TEST(ComputedPka, AResidueThatTheProgramDoesNotKnowHasItsStandardOneAndIsNamed) {
  const Programs programs(
      "printf 'propka3.9.9  today\\nSUMMARY OF THIS PREDICTION\\n   ASP  45 A     8.25       3.80\\n---\\n"
      "   ASP   4 A     8.25       3.80\\n' > structure.pka");
  const auto made = with_propka(references / "1FAS.cif.gz");
  EXPECT_EQ(made.pka_program, "PROPKA 3.9.9");
  EXPECT_EQ(made.pka, (std::vector<std::pair<std::string, double>>{{"ASP A 45", 8.25}}));
  EXPECT_FALSE(made.without_computed_pka.empty());
  const auto remarks = remarks_of(made);
  EXPECT_TRUE(std::ranges::any_of(remarks, [](const Remark& each) {
    return each.text.starts_with(
        "PROPKA 3.9.9 has no pKa of these residues; their standard pKa in water was used");
  }));
}

TEST(ComputedPka, EndsWhenItIsCancelled) {
  const Programs programs("sleep 100");
  std::stop_source stop;
  std::jthread later([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  EXPECT_THROW(with_propka(references / "1LCD.pdb.gz", 7, {stop.get_token(), nullptr}), Cancelled);
}

}  // namespace
}  // namespace isolume::structures
