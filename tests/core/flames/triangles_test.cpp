#include "core/flames/triangles.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/commands/arguments.h"
#include "core/flames/edit_commands.h"
#include "core/flames/game.h"

namespace isolume::flames {
namespace {

TEST(Triangles, CornersAreTheImagesOfTheUnitTriangle) {
  const Affine map{0.5, -0.2, 0.3, 0.1, 0.7, -0.4};
  const Triangle triangle = triangle_of(map);
  const PlanePoint units[] = {{0, 0}, {1, 0}, {0, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(triangle[i].x, image(map, units[i]).x, 1e-15);
    EXPECT_NEAR(triangle[i].y, image(map, units[i]).y, 1e-15);
    EXPECT_NEAR(inverse(map, triangle[i]).x, units[i].x, 1e-12);
  }
}

TEST(Triangles, DraggedCornersFollowTheHand) {
  const Affine map{0.5, -0.2, 0.3, 0.1, 0.7, -0.4};
  for (int corner = 0; corner < 3; ++corner) {
    const Triangle after = triangle_of(dragged(map, corner, {9, 9}, {1.5, 2.5}));
    EXPECT_NEAR(after[static_cast<std::size_t>(corner)].x, 1.5, 1e-15) << corner;
    EXPECT_NEAR(after[static_cast<std::size_t>(corner)].y, 2.5, 1e-15) << corner;
    if (corner > 0) {
      EXPECT_EQ(after[0].x, 0.3) << "the origin stays";
    }
  }
  const Affine moved = dragged(map, inside_of_triangle, {1, 1}, {1.25, 0.5});
  EXPECT_EQ(moved, (Affine{0.5, -0.2, 0.55, 0.1, 0.7, -0.9}));
}

TEST(Triangles, GripIsTheNearestCornerThenTheChosenTriangle) {
  Flame flame = gasket();
  flame.functions[0].affine = {1, 0, 0, 0, 1, 0};
  flame.functions[1].affine = {1, 0, 0.1, 0, 1, 0.1};
  flame.functions[2].affine = {1, 0, 5, 0, 1, 5};
  EXPECT_EQ(grip_at(flame, 1, {0.11, 0.1}, 0.05)->function, 2);
  EXPECT_EQ(grip_at(flame, 1, {0.11, 0.1}, 0.05)->corner, 0);
  EXPECT_EQ(grip_at(flame, 2, {0.3, 0.3}, 0.05)->function, 2) << "both hold the place";
  EXPECT_EQ(grip_at(flame, 1, {0.3, 0.3}, 0.05)->function, 1);
  EXPECT_EQ(grip_at(flame, 3, {0.3, 0.3}, 0.05)->corner, inside_of_triangle);
  EXPECT_FALSE(grip_at(flame, 1, {-3, 0}, 0.05).has_value());
}

TEST(Triangles, PanAndZoomKeepThePointOfTheHand) {
  const View view{.width = 400, .height = 300, .x = 1, .y = 2, .scale = 50, .rotation = 20};
  const auto at = [](const View& of, PlanePoint place) { return image(to_pixels(of), place); };
  const PlanePoint place{1.7, 2.4};
  const View closer = zoomed(view, 3, place);
  EXPECT_EQ(closer.scale, 150);
  EXPECT_NEAR(at(closer, place).x, at(view, place).x, 1e-9);
  EXPECT_NEAR(at(closer, place).y, at(view, place).y, 1e-9);
  const View moved = panned(view, place, {1.2, 2.0});
  EXPECT_NEAR(at(moved, place).x, at(view, {1.2, 2.0}).x, 1e-9);
}

Editing edited(std::string_view command, const std::vector<std::string>& words, Editing editing = {}) {
  edit(editing, command, words);
  return editing;
}

TEST(EditCommands, ChangeTheFlame) {
  const Editing added = edited("flames.function.add", {});
  EXPECT_EQ(added.flame.functions.size(), 4U);
  EXPECT_EQ(added.function, 4);
  EXPECT_EQ(edited("flames.function.delete", {}, added).flame, gasket());
  const Editing final_added = edited("flames.function.final", {});
  EXPECT_EQ(final_added.function, 0);
  EXPECT_TRUE(final_added.flame.final_transform.has_value());
  EXPECT_EQ(edited("flames.function.delete", {}, final_added).flame, gasket());
  EXPECT_EQ(edited("flames.function.final", {}, final_added).flame, gasket());
  EXPECT_EQ(edited("flames.map.set", {"2", "1", "2", "3", "4", "5", "6"}).flame.functions[1].affine,
            (Affine{1, 2, 3, 4, 5, 6}));
  EXPECT_THROW(edited("flames.map.set", {"9", "1", "2", "3", "4", "5", "6"}), Error);
  EXPECT_EQ(edited("flames.view.set", {"1", "2", "3"}).flame.view.scale, 3);
  const Editing random = edited("flames.flame.randomise", {"5"});
  EXPECT_EQ(random.flame, edited("flames.flame.randomise", {"5"}).flame);
  EXPECT_NE(edited("flames.flame.randomise", {}, random).flame, random.flame) << "the next seed";
  EXPECT_NE(edited("flames.flame.mutate", {"0.2"}, random).flame, random.flame);
  EXPECT_THROW(edited("flames.nothing", {}), Error);
}

TEST(EditCommands, LeaveAFlameThatCannotBeIteratedAsItIs) {
  Editing editing;
  editing.flame.functions.resize(1);
  EXPECT_THROW(edit(editing, "flames.function.delete", {}), Error);
  EXPECT_EQ(editing.flame.functions.size(), 1U);
}

TEST(EditCommands, KeepTheFlameThatIsShown) {
  Editing editing;
  editing.second = gasket();
  editing.second->functions[0].affine.c = 1;
  editing.time = 0.5;  // half of the way there and back
  const Editing kept = edited("flames.flame.interpolate", {}, editing);
  EXPECT_EQ(kept.flame.functions[0].affine.c, 1);
  EXPECT_EQ(kept.time, 0);
}

TEST(EditCommands, AStateBringsEverythingBack) {
  Editing editing;
  set_flame(editing, gasket());
  editing.flame.functions[1].affine.c = 0.7;
  editing.palette = PaletteChoice::ocean;
  editing.flame.palette = made_palette(editing.palette);
  editing.second = gasket();
  editing.time = 0.25;
  editing.function = 2;
  Editing other;
  other.palette = editing.palette;
  other.function = 2;
  set_state(other, state_of(editing));
  EXPECT_EQ(other.flame, editing.flame);
  EXPECT_EQ(other.own_palette, editing.own_palette);
  EXPECT_EQ(other.second, editing.second);
  EXPECT_EQ(other.time, 0.25);
  EXPECT_EQ(other.function, 2);
}

}  // namespace
}  // namespace isolume::flames
