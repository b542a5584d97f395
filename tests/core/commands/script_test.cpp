#include "core/commands/script.h"

#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/commands/recorder.h"
#include "tests/temporary_folder.h"

namespace isolume::commands {
namespace {

class ScriptTest : public ::testing::Test {
 protected:
  ScriptTest() {
    Command say;
    say.name = "lab.say";
    say.arguments = {text("words", "").repeatable()};
    say.run = [this](const Arguments& all) { said.push_back(all.text("words")); };
    registry.add(std::move(say));
  }
  std::filesystem::path script(const std::string& content) {
    const auto path = folder.path() / "a.script";
    std::ofstream(path) << content;
    return path;
  }
  /// The error it ends with, without the folder.
  std::string run(const std::filesystem::path& path) {
    std::string error = "under way";
    run_script(
        read_script(path),
        [this](const std::string& line, auto then) { registry.start(line, std::move(then)); },
        [&error](const std::string& its) { error = its; });
    if (const auto at = error.find("a.script"); at != std::string::npos) error.erase(0, at);
    return error;
  }

  isolume::testing::TemporaryFolder folder;
  Registry registry;
  std::vector<std::string> said;
};

TEST_F(ScriptTest, RunsLineByLineAndPassesOverCommentsAndEmptyLines) {
  EXPECT_EQ(run(script("# first\n\nlab.say one\r\n  lab.say two words\n   # last\nlab.say three")), "");
  EXPECT_EQ(said, (std::vector<std::string>{"one", "two words", "three"}));
}

TEST_F(ScriptTest, StopsAtTheFirstErrorWithItsLine) {
  EXPECT_EQ(run(script("lab.say one\n\n# x\nlab.sy two\nlab.say three\n")),
            "a.script:4: There is no command named \"lab.sy\". Did you mean lab.say?");
  EXPECT_EQ(said, std::vector<std::string>{"one"});
}

TEST_F(ScriptTest, WaitsForWhatALineHasStarted) {
  jobs::Activity::Pointer held;
  Command begin;
  begin.name = "lab.begin";
  begin.run = [&held](const Arguments&) { held = jobs::Activity::current(); };
  registry.add(std::move(begin));
  std::string error = "under way";
  run_script(
      read_script(script("lab.begin\nlab.say then\nlab.begin\nlab.say never\n")),
      [this](const std::string& line, auto then) { registry.start(line, std::move(then)); },
      [&error](const std::string& its) { error = its; });
  EXPECT_TRUE(said.empty());
  jobs::Activity::Pointer first;
  first.swap(held);
  first.reset();
  EXPECT_EQ(said, std::vector<std::string>{"then"});
  EXPECT_EQ(error, "under way");
  held->fail("It broke.");
  first.swap(held);
  first.reset();
  EXPECT_EQ(error.substr(error.find("a.script")), "a.script:3: It broke.");
  EXPECT_EQ(said.size(), 1U);
}

TEST_F(ScriptTest, ManyLinesThatEndAtOnceNeedNoDeepStack) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "lab.say x\n";
  EXPECT_EQ(run(script(text)), "");
  EXPECT_EQ(said.size(), 200'000U);
}

TEST_F(ScriptTest, AByteOrderMarkIsNoPartOfALine) {
  EXPECT_EQ(run(script("\xEF\xBB\xBFlab.say one\n")), "");
  EXPECT_EQ(said, std::vector<std::string>{"one"});
}

TEST_F(ScriptTest, WhatIsNoScriptIsRefused) {
  EXPECT_THROW(read_script(folder.path() / "nothing"), InputError);
  EXPECT_THROW(read_script(folder.path()), InputError);
  EXPECT_THROW(read_script(script(std::string("a\0b", 3))), InputError);
}

TEST_F(ScriptTest, WhatWasRecordedRunsAgain) {
  const auto path = folder.path() / "recorded.script";
  {
    Recorder recorder(registry);
    recorder.start();
    for (const char* line :
         {R"(lab.say "two  blanks")", R"(lab.say "#0072b2" back\\slash)", R"(lab.say "q\"uote")"})
      registry.run(line);
    recorder.save(path);
  }
  const auto before = std::exchange(said, {});
  EXPECT_EQ(run(path), "");
  EXPECT_EQ(said, before);
  EXPECT_EQ(said.front(), "two  blanks");
}

TEST_F(ScriptTest, IsBeingRunOnceAtATime) {
  const RunningScripts scripts, copy = scripts;
  const auto path = script("lab.say a\n");
  std::filesystem::create_symlink(path, folder / "link");
  auto running = scripts.begin(path);
  EXPECT_THROW(static_cast<void>(copy.begin(path)), InputError);
  EXPECT_THROW(static_cast<void>(scripts.begin(folder / "link")), InputError) << "by another name";
  EXPECT_NO_THROW(static_cast<void>(scripts.begin(folder / "another")));
  running.reset();
  EXPECT_NO_THROW(static_cast<void>(scripts.begin(folder / "link")));
}

TEST_F(ScriptTest, DoesNotLeadDownWithoutEnd) {
  const RunningScripts scripts;
  std::vector<std::shared_ptr<void>> running;
  const auto begin_many = [&] {
    for (int i = 0; i < 1000; ++i) running.push_back(scripts.begin(folder / std::to_string(i)));
  };
  EXPECT_THROW(begin_many(), InputError);
}

}  // namespace
}  // namespace isolume::commands
