#include "core/flames/editing.h"

#include <gtest/gtest.h>

#include "core/flames/variations.h"

namespace isolume::flames {
namespace {

TEST(Editing, ParametersAreThoseOfTheChosenFunctionAndVariation) {
  Editing editing;
  parameters::StructParameters<Editing> set(editing_schema(), editing);
  set.set_text("function", "2");
  set.set_text("weight", "0.25");
  set.set_text("map-c", "0.75");
  set.set_text("variation", "julian");
  EXPECT_EQ(std::get<double>(set.get("amount")), 0);
  EXPECT_EQ(std::get<double>(set.get("parameter-1")), 2) << "the standard power";
  set.set_text("amount", "0.5");
  set.set_text("parameter-1", "-3");
  const Function& second = editing.flame.functions[1];
  EXPECT_EQ(second.weight, 0.25);
  EXPECT_EQ(second.affine.c, 0.75);
  ASSERT_EQ(second.terms.size(), 2U);
  EXPECT_EQ(second.terms[1], (Term{Variation::julian, 0.5, {-3, 1}}));
  EXPECT_EQ(editing.flame.functions[0], gasket().functions[0]);
  EXPECT_THROW(set.set_text("weight", "-1"), Error);
}

TEST(Editing, DescriptionsFollowWhatIsChosen) {
  Editing editing;
  editing.variation = Variation::ngon;
  const auto narrowed = [&](const char* key) {
    auto description = editing_schema().at(key).description;
    narrow(editing, description);
    return description;
  };
  EXPECT_EQ(narrowed("function").low, 1);
  EXPECT_EQ(narrowed("function").high, 3);
  EXPECT_EQ(narrowed("parameter-1").label, "Sides");
  EXPECT_EQ(narrowed("parameter-4").label, "Corners");
  editing.flame.final_transform = Function{.terms = {Term{}}};
  EXPECT_EQ(narrowed("function").low, 0);
  const parameters::StructParameters<Editing> set(editing_schema(), editing);
  EXPECT_TRUE(parameters::relevant(narrowed("parameter-4"), set));
  editing.variation = Variation::curl;
  EXPECT_TRUE(parameters::relevant(narrowed("parameter-2"), set));
  EXPECT_FALSE(parameters::relevant(narrowed("parameter-3"), set));
}

TEST(Editing, PaletteOfTheFileReturns) {
  Editing editing;
  Flame flame = gasket();
  flame.palette.fill({1, 2, 3});
  set_flame(editing, flame);
  parameters::StructParameters<Editing> set(editing_schema(), editing);
  set.set_text("palette", "ocean");
  EXPECT_NE(editing.flame.palette[128], (Rgb{1, 2, 3}));
  set.set_text("palette", "own");
  EXPECT_EQ(editing.flame.palette[128], (Rgb{1, 2, 3}));
  set.set_text("background", "#ff8000");
  EXPECT_NEAR(editing.flame.tone.background[1], 128 / 255.0, 1e-12);
  EXPECT_EQ(std::get<std::string>(set.get("background")), "#ff8000");
}

}  // namespace
}  // namespace isolume::flames
