#include "app/workbench/command_registry.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace isolume::workbench {
namespace {

using Words = std::vector<std::string>;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

struct Fixture : testing::Test {
  CommandRegistry registry;
  Words received;
  int calls = 0;

  Command recording(std::string name, std::string arguments) {
    return {.name = std::move(name),
            .title = "",
            .help = "",
            .arguments = std::move(arguments),
            .shortcut = "",
            .run = [this](std::span<const std::string> given) {
              received.assign(given.begin(), given.end());
              ++calls;
            }};
  }
};
using CommandRegistryTest = Fixture;

TEST(CommandLine, SplitsAtBlanksAndKeepsQuotedWordsWhole) {
  EXPECT_EQ(CommandRegistry::split("  orbital.select\t homo "), (Words{"orbital.select", "homo"}));
  EXPECT_EQ(CommandRegistry::split(R"(file.open "a path/with blanks.molden" x)"),
            (Words{"file.open", "a path/with blanks.molden", "x"}));
  EXPECT_EQ(CommandRegistry::split(R"(a "" b)"), (Words{"a", "", "b"}));
  EXPECT_EQ(CommandRegistry::split(R"(pre"fix ed"post)"), (Words{"prefix edpost"}));
  EXPECT_EQ(CommandRegistry::split(R"(a\ b "q\"uote" "C:\new")"), (Words{"a b", "q\"uote", "C:\\new"}));
  EXPECT_TRUE(CommandRegistry::split(" \t ").empty());
}

TEST(CommandLine, AnOpenQuoteIsAnErrorThatSaysSo) {
  EXPECT_NE(message_of([] { CommandRegistry::split("file.open \"half"); }).find("quote"), std::string::npos);
}

TEST(CommandLine, QuoteIsTheInverseOfSplit) {
  for (const std::string word :
       {"plain", "two words", "", "a\"b", "back\\slash", "tab\there", "C:\\new dir\\", "ψ=0.5"}) {
    EXPECT_EQ(CommandRegistry::split("x " + CommandRegistry::quote(word)), (Words{"x", word}));
  }
}

TEST_F(CommandRegistryTest, HandsTheWordsOver) {
  registry.add(recording("file.open", "[PATH]"));
  registry.run("file.open \"a b\"");
  EXPECT_EQ(received, (Words{"a b"}));
  registry.run("file.open");
  EXPECT_TRUE(received.empty());
  EXPECT_EQ(calls, 2);
}

TEST_F(CommandRegistryTest, RefusesANameThatIsTaken) {
  registry.add(recording("a.b", ""));
  EXPECT_THROW(registry.add(recording("a.b", "")), std::logic_error);
}

TEST_F(CommandRegistryTest, AnUnknownNameGivesTheNearestOnes) {
  registry.add(recording("orbital.select", "N"));
  registry.add(recording("view.reset", ""));
  const std::string message = message_of([&] { registry.run("orbital.selct homo"); });
  EXPECT_NE(message.find("\"orbital.selct\""), std::string::npos) << message;
  EXPECT_NE(message.find("Did you mean orbital.select?"), std::string::npos) << message;
  EXPECT_NE(message_of([&] { registry.run("reset"); }).find("view.reset"), std::string::npos);
  EXPECT_EQ(message_of([&] { registry.run("zzzzzzzzzzzzzzz"); }).find("Did you mean"), std::string::npos);
}

TEST_F(CommandRegistryTest, WhatIsUnavailableSaysWhyAndDoesNotRun) {
  Command command = recording("orbital.next", "");
  command.unavailable = [] { return "Open a wavefunction first."; };
  registry.add(std::move(command));
  EXPECT_EQ(message_of([&] { registry.run("orbital.next"); }),
            "orbital.next is not available now: Open a wavefunction first.");
  EXPECT_EQ(calls, 0);
}

TEST_F(CommandRegistryTest, MissingAndUnwantedArgumentsAreErrors) {
  registry.add(recording("parameter.set", "KEY VALUE"));
  registry.add(recording("view.reset", ""));
  EXPECT_NE(message_of([&] { registry.run("parameter.set"); }).find("KEY VALUE"), std::string::npos);
  EXPECT_NE(message_of([&] { registry.run("view.reset now"); }).find("\"now\""), std::string::npos);
  EXPECT_THROW(registry.run("   "), Error);
  EXPECT_EQ(calls, 0);
}

TEST_F(CommandRegistryTest, RemovesByPrefixEvenFromWithinACommand) {
  Command closing = recording("lab.close", "");
  closing.run = [this](std::span<const std::string>) {
    registry.remove("lab.");
    ++calls;
  };
  registry.add(std::move(closing));
  registry.add(recording("lab.other", ""));
  registry.add(recording("labour.day", ""));
  registry.run("lab.close");
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(registry.all().size(), 1U);
  EXPECT_EQ(registry.all().front()->name, "labour.day");
}

}  // namespace
}  // namespace isolume::workbench
