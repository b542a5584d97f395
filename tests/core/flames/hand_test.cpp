#include "core/flames/hand.h"

#include <gtest/gtest.h>

#include "core/flames/edit_commands.h"

namespace isolume::flames {
namespace {

/// Does what the act says.
void act(Editing& editing, const Act& act) {
  if (act.command == "parameter.set") {
    editing.function = std::stoi(act.words.at(1));
  } else {
    edit(editing, act.command, act.words);
  }
}

TEST(Hand, DragsACornerOfTheTriangleThatItTakes) {
  Editing editing;  // the Sierpinski gasket, of which the first triangle is (0, 0), (1/2, 0), (0, 1/2)
  Hand hand;
  EXPECT_FALSE(hand.take_hold(editing.flame, 1, true, {0.51, 0}, 0.05)) << "it is the chosen one";
  act(editing, *hand.move(editing.flame, {0.6, 0.1}));
  act(editing, *hand.release(editing.flame, {0.75, 0.25}));
  EXPECT_EQ(editing.flame.functions[0].affine, (Affine{0.75, 0, 0, 0.25, 0.5, 0}));
  EXPECT_FALSE(hand.move(editing.flame, {0, 0})) << "it holds nothing any more";
}

TEST(Hand, ChoosesTheFunctionOfTheTriangleThatItTakes) {
  const Editing editing;
  Hand hand;
  const auto chosen = hand.take_hold(editing.flame, 1, true, {1, 0.01}, 0.05);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->command, "parameter.set");
  EXPECT_EQ(chosen->words, (std::vector<std::string>{"function", "2"}));
  EXPECT_FALSE(hand.release(editing.flame, {1, 0.01})) << "a click changes no map";
}

TEST(Hand, MovesThePictureWithThePointThatItHolds) {
  Editing editing;
  const View before = editing.flame.view;
  Hand hand;
  EXPECT_FALSE(hand.take_hold(editing.flame, 1, false, {0.25, 0.25}, 0.05)) << "no triangles are shown";
  // The hand is over another point of the view before each act, and over the same one after it.
  for (int k = 0; k < 3; ++k) act(editing, *hand.move(editing.flame, {0.35, 0.2}));
  EXPECT_NEAR(editing.flame.view.x, before.x - 3 * 0.1, 1e-9);
  EXPECT_NEAR(editing.flame.view.y, before.y + 3 * 0.05, 1e-9);
  EXPECT_EQ(editing.flame.view.scale, before.scale);
}

TEST(Hand, TheWheelKeepsThePointBelowIt) {
  Editing editing;
  const View before = editing.flame.view;
  act(editing, zoom(before, 2, {0.3, 0.4}));
  EXPECT_DOUBLE_EQ(editing.flame.view.scale, 2 * before.scale);
  EXPECT_NEAR((0.3 - editing.flame.view.x) * 2, 0.3 - before.x, 1e-9);
  EXPECT_NEAR((0.4 - editing.flame.view.y) * 2, 0.4 - before.y, 1e-9);
}

}  // namespace
}  // namespace isolume::flames
