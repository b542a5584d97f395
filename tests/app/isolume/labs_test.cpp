// What must hold of all labs of the program together.
#include "app/isolume/labs.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace isolume::workbench {
namespace {

/// A lab's parameters come from several places; of two with one key the second could never be set.
TEST(Labs, ParametersHaveKeysOfTheirOwn) {
  const auto all = labs();
  EXPECT_GT(all.size(), 2U);
  for (const auto& lab : all) {
    std::set<std::string> keys;
    ASSERT_TRUE(lab.description.parameters) << lab.description.name;
    for (const auto& each : lab.description.parameters())
      EXPECT_TRUE(keys.insert(each.key).second) << lab.description.name << ": " << each.key;
    for (const auto& each : lab.description.parameters()) {
      const auto& when = each.relevant_when.key;
      EXPECT_TRUE(when.empty() || keys.contains(when))
          << lab.description.name << ": " << each.key << " depends on " << when;
    }
  }
}

TEST(Labs, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const auto& lab : labs())
    EXPECT_TRUE(names.insert(lab.description.name).second) << lab.description.name;
}

}  // namespace
}  // namespace isolume::workbench
