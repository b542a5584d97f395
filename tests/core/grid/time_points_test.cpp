#include "core/grid/time_points.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace isolume::grid {
namespace {

TEST(TimePoints, OfASingleFieldHaveNeitherNamesNorTimes) {
  const TimePoints single;
  EXPECT_EQ(single.count(), 1);
  EXPECT_FALSE(single.has_several());
  EXPECT_EQ(single.name(), "");
  EXPECT_FALSE(single.time_s());
}

TEST(TimePoints, HaveANameAndWhereItIsKnownATime) {
  TimePoints phases{.names = numbered("phase", 3), .index = 2, .step_s = {}};
  EXPECT_EQ(phases.names, (std::vector<std::string>{"phase 1 of 3", "phase 2 of 3", "phase 3 of 3"}));
  EXPECT_EQ(phases.count(), 3);
  EXPECT_TRUE(phases.has_several());
  EXPECT_EQ(phases.name(), "phase 3 of 3");
  EXPECT_FALSE(phases.time_s());
  phases.step_s = 0.04;
  EXPECT_DOUBLE_EQ(phases.time_s().value(), 0.08);
}

TEST(TimePoints, AreCountedFrom1InErrors) {
  EXPECT_NO_THROW(require_time_point("heart.nii", 2, 3));
  for (const auto& [index, number] : {std::pair(-1, "0"), std::pair(3, "4")}) {
    try {
      require_time_point("heart.nii", index, 3);
      ADD_FAILURE() << index;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                std::string("heart.nii: there is no time point ") + number + "; it has 3.");
    }
  }
}

}  // namespace
}  // namespace isolume::grid
