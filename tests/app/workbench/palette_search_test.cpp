#include "app/workbench/commands/palette_search.h"

#include <gtest/gtest.h>

namespace isolume::workbench {
namespace {

class PaletteSearchTest : public testing::Test {
 protected:
  PaletteSearchTest() {
    using commands::choice, commands::path, commands::text;
    add({.name = "file.export-image",
         .title = "Export image...",
         .help = "Writes the view as a PNG image.",
         .arguments = {path("path", "").optional()},
         .keywords = "save screenshot"});
    add({.name = "view.theme",
         .title = "Theme",
         .help = "Colours.",
         .arguments = {choice("theme", "", {"system", "light", "dark"})}});
    add({.name = "view.reset", .title = "Reset view", .help = "Fits all."}, {.shortcut = "Ctrl+0"});
    add({.name = "orbitals.select",
         .title = "Select orbital",
         .help = "By number.",
         .arguments = {text("orbital", "")}},
        {.offers = [] {
          std::vector<Offer> offers{{"22", "Select orbital: LUMO", {}, {}}};
          for (int i = 1; i < 15; ++i)
            offers.push_back({std::to_string(22 + i), "Select orbital: LUMO+" + std::to_string(i), {}, {}});
          return offers;
        }});
    add({.name = "parameter.set",
         .title = "Set parameter",
         .help = "Gives a value.",
         .arguments = {text("key", ""), text("value", "")}},
        {.offers = [] {
          return std::vector<Offer>{{"field spin-density", "Field: Spin density", {}, {}},
                                    {"field density", "Field: Electron density", {}, {}}};
        }});
    add({.name = "other.next", .title = "Next dark thing", .help = "Of another lab."},
        {.out_of_reach = [] { return "It belongs to another lab."; }});
  }
  void add(commands::Declaration declaration, WindowPart part = {}) {
    const std::string name = declaration.name;
    registry.declare({std::move(declaration)});
    registry.bind(
        name, [](const Arguments&) {}, nullptr, std::move(part));
  }
  std::vector<std::string> lines(std::string_view typed) {
    std::vector<std::string> found;
    for (const auto& entry : search_palette(palette_entries(registry), typed)) found.push_back(entry.line);
    return found;
  }
  std::string first(std::string_view typed) {
    const auto found = lines(typed);
    return found.empty() ? "" : found.front();
  }

  CommandRegistry registry;
};

TEST_F(PaletteSearchTest, FindsWhatPeopleType) {
  EXPECT_EQ(first("dark"), "view.theme dark");
  EXPECT_EQ(first("spin density"), "parameter.set field spin-density");
  EXPECT_EQ(first("density spin"), "parameter.set field spin-density");
  EXPECT_EQ(first("lumo+1"), "orbitals.select 23") << "a whole word comes before LUMO+10";
  EXPECT_EQ(first("png"), "file.export-image") << "by its help";
  EXPECT_EQ(first("screenshot"), "file.export-image") << "by a keyword";
  EXPECT_EQ(first("color"), "view.theme") << "as others spell it";
}

TEST_F(PaletteSearchTest, LettersInOrderCountOnlyWhereNoWordFits) {
  EXPECT_EQ(first("rstvw"), "view.reset");
  EXPECT_EQ(lines("png"), std::vector<std::string>{"file.export-image"});
  EXPECT_TRUE(lines("qqqq").empty());
}

TEST_F(PaletteSearchTest, WhatCannotRunComesLaterAndOffersNothing) {
  const auto found = lines("dark");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.back(), "other.next");
  EXPECT_EQ(lines("").back(), "other.next");
}

TEST_F(PaletteSearchTest, AParameterThatDependsOnAnotherOneComesAfterWhatMatchesAsWell) {
  add({.name = "parameter.show",
       .title = "Show parameter",
       .help = "Its editor.",
       .arguments = {commands::text("key", "")}},
      {.offers = [] {
        return std::vector<Offer>{{"first", "Spin: First", {}, {}, false}, {"field", "Field", {}, {}}};
      }});
  EXPECT_EQ(lines("spin"),
            (std::vector<std::string>{"parameter.set field spin-density", "parameter.show first"}));
  EXPECT_EQ(first("spin first"), "parameter.show first");
}

TEST_F(PaletteSearchTest, CommandsOfHiddenLabsComeAfterThoseOfTheShownOne) {
  const std::vector<Command> commands{
      {{.name = "nbody.theme", .title = "Theme of bodies", .help = "Looks."}},
      {{.name = "nbody.scene",
        .title = "Scene",
        .help = "Starts a simulation.",
        .arguments = {commands::choice("scene", "", {"solar-system", "cloud"})}}}};
  const auto entries = palette_entries(registry, {{"nbody", "N-body", commands}});
  const auto themes = search_palette(entries, "theme");
  EXPECT_EQ(themes.front().line, "view.theme");
  EXPECT_EQ(themes.back().line, "nbody.theme");
  const auto solar = search_palette(entries, "solar");
  ASSERT_EQ(solar.size(), 1U);
  EXPECT_EQ(solar.front().line, "nbody.scene solar-system");
  EXPECT_EQ(solar.front().lab, "nbody");
  EXPECT_EQ(solar.front().detail, "N-body");
  EXPECT_EQ(search_palette(entries, "scn").front().command->name, "nbody.scene")
      << "letters in order count, too";
}

TEST_F(PaletteSearchTest, WithoutWordsItListsTheCommandsWithTheirKeys) {
  const auto all = search_palette(palette_entries(registry), "  ");
  EXPECT_EQ(all.size(), registry.all().size());
  for (const auto& entry : all) {
    if (entry.line == "view.reset") {
      EXPECT_EQ(entry.detail, "Ctrl+0");
    }
  }
}

TEST_F(PaletteSearchTest, AfterAFullNameWhatIsTypedStandsForTheArguments) {
  EXPECT_EQ(lines("view.theme "),
            (std::vector<std::string>{"view.theme system", "view.theme light", "view.theme dark"}));
  EXPECT_EQ(lines("view.theme da"), (std::vector<std::string>{"view.theme dark", "view.theme da"}));
  EXPECT_EQ(first("parameter.set isovalue 0.03"), "parameter.set isovalue 0.03") << "as it was typed";
  EXPECT_EQ(first("orbitals.select 23"), "orbitals.select 23");
  EXPECT_EQ(first("orbitals.select 2"), "orbitals.select 22");
  EXPECT_EQ(first("orbitals.select homo-3"), "orbitals.select homo-3");
}

}  // namespace
}  // namespace isolume::workbench
