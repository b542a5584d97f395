#include "core/base/stop_signals.h"

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "tests/temporary_folder.h"

namespace isolume {
namespace {

constexpr int stopped = 5;  ///< exit code of a child that was asked to stop

/// A process of its own that talks by characters. It ends when `live` returns.
class Child {
 public:
  using Say = std::function<void(char)>;
  explicit Child(const std::function<int(const Say& say, int hears)>& live) {
    std::array<int, 2> up{}, down{};
    if (::pipe(up.data()) != 0 || ::pipe(down.data()) != 0) throw Error("no pipes");
    process_ = ::fork();
    if (process_ == 0) {
      const Say say = [&up](char letter) { static_cast<void>(!::write(up[1], &letter, 1)); };
      ::_exit(live(say, down[0]));
    }
    hears_ = up[0];
    says_ = down[1];
    ::close(up[1]);
    ::close(down[0]);
  }
  ~Child() {
    ::close(hears_);
    ::close(says_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  char heard() const {
    char letter = 0;
    return ::read(hears_, &letter, 1) == 1 ? letter : 0;
  }
  void say() const { static_cast<void>(!::write(says_, "g", 1)); }
  void send(int signal) const { ::kill(process_, signal); }
  /// Its exit code; 128 + signal where a signal ended it.
  int end() const {
    int status = 0;
    ::waitpid(process_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t process_ = 0;
  int hears_ = -1, says_ = -1;
};

int wait_for_ever() {
  for (;;) ::pause();
}

TEST(StopSignals, AskOnceAndEndAtOnceTheSecondTimeWithoutLeavingFiles) {
  const testing::TemporaryFolder folder;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Child child([&](const Child::Say& say, int) {
      const StopSignals signals([&say] { say('s'); });
      AtomicFile file(folder / "out");
      file.stream() << "half" << std::flush;
      say('r');
      return wait_for_ever();
    });
    ASSERT_EQ(child.heard(), 'r');
    child.send(signal);
    EXPECT_EQ(child.heard(), 's') << signal;
    child.send(signal);
    EXPECT_EQ(child.end(), 130) << signal;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << signal;
  }
}

TEST(StopSignals, LeaveIgnoredWhatAParentHasIgnored) {
  const Child child([](const Child::Say& say, int hears) {
    ::signal(SIGHUP, SIG_IGN);
    const StopSignals signals([] { ::_exit(stopped); });
    say('r');
    char letter = 0;
    return ::read(hears, &letter, 1) == 1 ? 0 : 1;
  });
  ASSERT_EQ(child.heard(), 'r');
  child.send(SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // it would have ended
  child.say();
  EXPECT_EQ(child.end(), 0);
}

TEST(StopSignals, MakeAFileBeyondTheLimitAnErrorInWords) {
  const testing::TemporaryFolder folder;
  const Child child([&](const Child::Say&, int) {
    const StopSignals signals([] {});
    rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      AtomicFile file(folder / "out");
      file.stream() << std::string(1000, 'x');
      file.commit();
    } catch (const Error& error) {
      return std::string(error.what()).find("out: could not be written") != std::string::npos ? stopped : 1;
    }
    return 0;
  });
  EXPECT_EQ(child.end(), stopped);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace isolume
