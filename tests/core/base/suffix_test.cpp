#include "core/base/suffix.h"

#include <gtest/gtest.h>

namespace isolume {
namespace {

TEST(Suffix, IsReadInSmallLettersAndCapitals) {
  EXPECT_EQ(suffix_of("/data/1ABC.PDB"), ".pdb");
  EXPECT_EQ(suffix_of("a.tar.Gz"), ".gz");
  EXPECT_EQ(suffix_of("/data.d/README"), "");
  EXPECT_EQ(suffix_of(".isolume"), "") << "a hidden file";
  EXPECT_TRUE(has_suffix("RUN.Plot.CSV", ".plot.csv"));
  EXPECT_FALSE(has_suffix("run.csv", ".plot.csv"));
}

}  // namespace
}  // namespace isolume
