#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/commands/recorder.h"
#include "core/commands/registry.h"
#include "core/jobs/job_runner.h"

namespace isolume::commands {
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

TEST(CommandLine, SplitsAtBlanksAndKeepsQuotedWordsWhole) {
  EXPECT_EQ(split("  orbitals.select\t homo "), (Words{"orbitals.select", "homo"}));
  EXPECT_EQ(split(R"(file.open "a path/with blanks.molden" x)"),
            (Words{"file.open", "a path/with blanks.molden", "x"}));
  EXPECT_EQ(split(R"(a "" b)"), (Words{"a", "", "b"}));
  EXPECT_EQ(split(R"(pre"fix ed"post)"), (Words{"prefix edpost"}));
  EXPECT_EQ(split(R"(a\ b "q\"uote" "C:\new")"), (Words{"a b", "q\"uote", "C:\\new"}));
  EXPECT_TRUE(split(" \t ").empty());
}

TEST(CommandLine, AnOpenQuoteIsAnErrorThatSaysSo) {
  EXPECT_NE(message_of([] { split("file.open \"half"); }).find("quote"), std::string::npos);
}

TEST(CommandLine, QuoteIsTheInverseOfSplit) {
  for (const std::string word :
       {"plain", "two words", "", "a\"b", "back\\slash", "tab\there", "C:\\new dir\\", "ψ=0.5", "#0072b2"}) {
    EXPECT_EQ(split("x " + quote(word)), (Words{"x", word}));
  }
}

Arguments given(std::vector<Argument> declared, const Words& words) {
  return {{.name = "lab.do", .title = "Do", .help = "", .arguments = std::move(declared)}, words};
}

TEST(Arguments, HaveTheirTypes) {
  const auto all =
      given({number("x", "").unit("mm"), counted("slice", ""), choice("plane", "", {"axial", "coronal"}),
             colour("colour", "", "label"), text("words", "").repeatable()},
            {"-2.5e-1", "7", "coronal", "label", "two", "words"});
  EXPECT_EQ(all.number("x"), -0.25);
  EXPECT_EQ(all.integer("slice"), 7);
  EXPECT_EQ(all.text("plane"), "coronal");
  EXPECT_EQ(all.text("colour"), "label");
  EXPECT_EQ(all.text("words"), "two words");
  EXPECT_EQ(all.texts("words"), (Words{"two", "words"}));
}

TEST(Arguments, OptionalOnesGoByWhatTheyAllow) {
  const auto declared = [] {
    return std::vector{path("path", ""), choice("background", "", {"transparent"}).optional(),
                       integer("dpi", "").range(1, 2400).optional(std::int64_t{300}),
                       text("size", "").optional()};
  };
  const auto three = given(declared(), {"a.png", "320x200", "150", "transparent"});
  EXPECT_TRUE(three.has("background"));
  EXPECT_EQ(three.integer("dpi"), 150);
  EXPECT_EQ(three.text("size"), "320x200");
  const auto all = given(declared(), {"a.png", "transparent", "150"});
  EXPECT_TRUE(all.has("background"));
  EXPECT_EQ(all.integer("dpi"), 150);
  const auto one = given(declared(), {"a.png", "150"});
  EXPECT_FALSE(one.has("background"));
  EXPECT_EQ(one.integer("dpi"), 150);
  EXPECT_EQ(given(declared(), {"a.png"}).integer("dpi"), 300);
}

TEST(Arguments, AWrongOneIsNamedWithWhatIsAllowed) {
  EXPECT_EQ(message_of([] { given({number("fraction", "").range(0, 1)}, {"2"}); }),
            "lab.do: fraction: \"2\" is not possible. Give a number from 0 to 1.");
  EXPECT_EQ(message_of([] { given({number("x", "").unit("mm")}, {"left"}); }),
            "lab.do: x: \"left\" is not possible. Give a number in mm.");
  EXPECT_EQ(message_of([] { given({number("factor", "").at_least(0.1)}, {"0"}); }),
            "lab.do: factor: \"0\" is not possible. Give a number of at least 0.1.");
  EXPECT_EQ(message_of([] {
              given({path("path", ""), counted("label", "").optional()}, {"a", "b"});
            }),
            "lab.do: label: \"b\" is not possible. Give a whole number from 1 to 1e9.");
  EXPECT_EQ(message_of([] {
              given({counted("atom", "").repeatable()}, {"1", "two"});
            }),
            "lab.do: atom: \"two\" is not possible. Give a whole number from 1 to 1e9.");
  EXPECT_EQ(message_of([] {
              given({text("key", ""), text("value", "")}, {"a"});
            }),
            "lab.do needs arguments: lab.do KEY VALUE");
  EXPECT_EQ(message_of([] { given({}, {"now"}); }), "lab.do takes no arguments, but was given \"now\".");
  EXPECT_EQ(message_of([] {
              given({text("key", "")}, {"a", "b"});
            }),
            "lab.do takes no more than KEY, but was given \"b\", too.");
}

TEST(Declaration, SaysHowItIsUsedForPeopleAndForPrograms) {
  const Declaration declaration{
      .name = "lab.do",
      .title = "Do",
      .help = "Does it.",
      .arguments = {choice("plane", "Which one.", {"axial", "coronal"}),
                    colour("colour", "", "label").optional(),
                    number("width", "How wide.").unit("mm").at_least(0).optional(2.0).repeatable()}};
  EXPECT_EQ(declaration.usage(), "axial|coronal [#RRGGBB|label] [WIDTH...]");
  const Declaration points{.name = "lab.draw",
                           .title = "Draw",
                           .help = "Draws.",
                           .arguments = {text("points", "Where.").shown_as("X Y ...").repeatable()}};
  EXPECT_EQ(points.usage(), "X Y ...") << "dots stand for all that follow";
  const auto json = to_json(declaration);
  EXPECT_EQ(json["name"], "lab.do");
  ASSERT_EQ(json["arguments"].size(), 3U);
  EXPECT_EQ(json["arguments"][0]["choices"], nlohmann::ordered_json({"axial", "coronal"}));
  EXPECT_EQ(json["arguments"][1]["type"], "colour");
  EXPECT_EQ(json["arguments"][2].dump(),
            R"({"name":"width","type":"number","unit":"mm","range":[0.0,null],"help":"How wide.",)"
            R"("optional":true,"repeatable":true,"default":2.0})");
}

class RegistryTest : public testing::Test {
 protected:
  Command recording(std::string name, std::vector<Argument> arguments = {}) {
    Command command;
    command.name = std::move(name);
    command.arguments = std::move(arguments);
    command.run = [this](const Arguments& all) {
      received = all.texts("words");
      ++calls;
    };
    return command;
  }
  /// What `start` said in the end, or "under way".
  std::string started(std::string_view line) {
    std::string said = "under way";
    registry.start(line, [&said](const Outcome& outcome) {
      said = outcome.error.empty() ? outcome.result.dump() : outcome.error;
    });
    return said;
  }

  Registry registry;
  Words received;
  int calls = 0;
};

TEST_F(RegistryTest, HandsTheWordsOver) {
  registry.add(recording("file.open", {path("words", "").optional()}));
  registry.run("file.open \"a b\"");
  EXPECT_EQ(received, (Words{"a b"}));
  registry.run("file.open");
  EXPECT_TRUE(received.empty());
  EXPECT_EQ(calls, 2);
}

TEST_F(RegistryTest, ANameIsDeclaredOnceAndBoundOnce) {
  registry.declare({{.name = "a.b", .title = "", .help = ""}});
  EXPECT_THROW(registry.declare({{.name = "a.b", .title = "", .help = ""}}), std::logic_error);
  EXPECT_THROW(registry.bind("a.c", [](const Arguments&) {}), std::logic_error);
  registry.bind("a.b", [](const Arguments&) {});
  EXPECT_THROW(registry.bind("a.b", [](const Arguments&) {}), std::logic_error);
}

TEST_F(RegistryTest, WhatIsDeclaredAndNotBoundSaysWhyItCannotRun) {
  registry.declare({{.name = "view.reset", .title = "", .help = ""}});
  registry.explain_unbound("it needs a window.");
  EXPECT_EQ(message_of([&] { registry.run("view.reset"); }),
            "view.reset cannot run here: it needs a window.");
}

TEST_F(RegistryTest, AnUnknownNameGivesTheNearestOnes) {
  registry.add(recording("orbitals.select"));
  registry.add(recording("view.reset"));
  const std::string message = message_of([&] { registry.run("orbitals.selct homo"); });
  EXPECT_NE(message.find("\"orbitals.selct\""), std::string::npos) << message;
  EXPECT_NE(message.find("Did you mean orbitals.select?"), std::string::npos) << message;
  EXPECT_NE(message_of([&] { registry.run("reset"); }).find("view.reset"), std::string::npos);
  EXPECT_EQ(message_of([&] { registry.run("zzzzzzzzzzzzzzz"); }).find("Did you mean"), std::string::npos);
}

TEST_F(RegistryTest, WhatIsUnavailableSaysWhyAndDoesNotRun) {
  Command command = recording("orbitals.next");
  command.unavailable = [] { return "Open a wavefunction first."; };
  registry.add(std::move(command));
  EXPECT_EQ(message_of([&] { registry.run("orbitals.next"); }),
            "orbitals.next is not available now: Open a wavefunction first.");
  EXPECT_THROW(registry.run("   "), Error);
  EXPECT_EQ(calls, 0);
}

TEST_F(RegistryTest, GivesResultsAndErrorsWhenItEnds) {
  Command command = recording("lab.sum", {counted("number", "").repeatable()});
  command.run = [](const Arguments& all) {
    int sum = 0;
    for (const int each : all.integers("number")) sum += each;
    return nlohmann::json{{"sum", sum}};
  };
  registry.add(std::move(command));
  EXPECT_EQ(registry.run("lab.sum 1 2 39")["sum"], 42);
  EXPECT_EQ(started("lab.sum 1 2 39"), R"({"sum":42})");
  EXPECT_EQ(started("lab.sum x"),
            "lab.sum: number: \"x\" is not possible. Give a whole number from 1 to 1e9.");
  EXPECT_NE(started("lab.\"").find("quote"), std::string::npos);
}

/// Work on other threads: the command has ended when the last of its jobs has, jobs of jobs among them.
TEST(Await, ACommandEndsWithTheLastWorkThatItStarted) {
  jobs::JobRunner runner;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::function<void()>> calls;
  Registry registry([&](std::function<void()> call) {
    const std::scoped_lock lock(mutex);
    calls.push_back(std::move(call));
    changed.notify_one();
  });
  std::atomic<int> done = 0;
  Command command;
  command.name = "lab.work";
  command.arguments = {choice("fails", "", {"fails"}).optional()};
  command.run = [&](const Arguments& all) {
    runner.submit("First", "lab.channel", [&, fails = all.has("fails")](const jobs::Progress&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++done;
      runner.submit("Second", "lab.other", [&, fails](const jobs::Progress&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++done;
        if (fails) throw Error("It went wrong.");
        report({{"done", done.load()}});
      });
    });
  };
  registry.add(std::move(command));
  for (const std::string line : {"lab.work", "lab.work fails"}) {
    done = 0;
    std::optional<Outcome> outcome;
    registry.start(line, [&outcome](const Outcome& its) { outcome = its; });
    EXPECT_FALSE(outcome);
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return !calls.empty(); }));
    EXPECT_EQ(done, 2);
    ASSERT_EQ(calls.size(), 1U);
    calls.front()();
    calls.clear();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->error, line == "lab.work" ? "" : "It went wrong.");
    EXPECT_EQ(outcome->result.is_null(), line != "lab.work");
  }
}

TEST(Await, SupersededWorkHoldsACommandNoLonger) {
  jobs::JobRunner runner;
  Registry registry;
  Command command;
  command.name = "lab.wait";
  command.run = [&](const Arguments&) {
    runner.submit("Wait", "lab.channel", [](const jobs::Progress& progress) {
      for (;;) {
        progress.check();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  };
  registry.add(std::move(command));
  std::atomic<int> ended = 0;
  for (int i = 0; i < 3; ++i) registry.start("lab.wait", [&ended](const Outcome&) { ++ended; });
  while (ended < 2) std::this_thread::yield();
  EXPECT_EQ(ended, 2);
  runner.cancel_channel("lab.channel");
  while (ended < 3) std::this_thread::yield();
  runner.wait_idle();
}

class RecorderTest : public RegistryTest {
 protected:
  RecorderTest() {
    registry.add(recording("lab.greet", {text("words", "").repeatable().optional()}));
    Command nested = recording("lab.twice");
    nested.run = [this](const Arguments&) {
      registry.run("lab.greet one");
      registry.note("lab.greet", Words{"noted"});
      registry.run("lab.greet two");
    };
    registry.add(std::move(nested));
    Command failing = recording("lab.fail");
    failing.run = [](const Arguments&) { throw Error("No."); };
    registry.add(std::move(failing));
    Command later = recording("lab.fail-later");
    later.run = [](const Arguments&) { jobs::Activity::current()->fail("No."); };
    registry.add(std::move(later));
    Command silent = recording("lab.look");
    silent.recorded = false;
    silent.run = [this](const Arguments&) { registry.note("lab.greet", Words{"seen"}); };
    registry.add(std::move(silent));
    registry.add(recording("lab.open", {path("words", "").asked_for()}));
  }
  Recorder recorder{registry};
};

TEST_F(RecorderTest, WritesDownWhatWasDoneOnce) {
  registry.run("lab.greet before");
  recorder.start();
  registry.run("lab.greet \"dear world\"");
  registry.run("lab.twice");
  EXPECT_THROW(registry.run("lab.fail"), Error);
  registry.run("lab.fail-later");
  registry.run("lab.look");
  registry.run("lab.open");
  registry.run("lab.open a.file");
  registry.note("lab.greet", Words{"by hand"});
  recorder.stop();
  registry.run("lab.greet after");
  EXPECT_EQ(recorder.lines(), (Words{"lab.greet \"dear world\"", "lab.twice", "lab.greet seen",
                                     "lab.open a.file", "lab.greet \"by hand\""}));
}

TEST_F(RecorderTest, AMovementIsWrittenOnceWithItsEnd) {
  recorder.start();
  recorder.begin_gesture();
  for (const char* value : {"1", "2", "3"}) registry.run(std::string("lab.greet a ") + value);
  registry.run("lab.greet b 4");
  recorder.end_gesture();
  recorder.begin_gesture();
  registry.run("lab.greet b 5");
  recorder.end_gesture();
  registry.run("lab.greet b 6");
  registry.note("lab.greet", Words{"7"}, true);
  registry.note("lab.greet", Words{"8"}, true);
  EXPECT_EQ(recorder.lines(),
            (Words{"lab.greet a 3", "lab.greet b 4", "lab.greet b 5", "lab.greet b 6", "lab.greet 8"}));
}

}  // namespace
}  // namespace isolume::commands
