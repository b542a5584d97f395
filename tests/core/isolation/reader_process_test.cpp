#include "core/isolation/reader_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace isolume::isolation {
namespace {

using ::testing::HasSubstr;

class AReader : public ::testing::Test {
 protected:
  AReader() {
    ::setenv("ISOLUME_READER", ISOLUME_MISBEHAVING_READER, 1);
    reader.emplace("TEST", "file");
  }
  ~AReader() override {
    reader.reset();
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
    EXPECT_EQ(errno, ECHILD);
    ::unsetenv("ISOLUME_READER");
  }
  std::string refusal(const nlohmann::json& request, std::span<std::byte> numbers = {}) {
    try {
      reader->call(request, numbers);
    } catch (const Refused& why) {
      return why.what();
    }
    return "nothing was thrown";
  }
  std::string refusal(const char* wanted) { return refusal({{"do", wanted}}); }
  bool is_there() const { return ::kill(reader->process(), 0) == 0; }

  std::optional<ReaderProcess> reader;
};

TEST_F(AReader, Answers) {
  const nlohmann::json request{{"do", "answer"}, {"text", std::string("a\0\xff", 3)}, {"number", 0.1}};
  EXPECT_EQ(reader->call(request), request);
  EXPECT_EQ(refusal("refuse"), "it is not what it should be");
  EXPECT_EQ(reader->call(request), request) << "it goes on";
}

TEST_F(AReader, HandsOverNumbersInWindows) {
  for (const std::size_t count : {1u, 7u, 8u, 9u, 16u, 17u, 100u}) {
    std::vector<double> numbers(count);
    reader->call({{"do", "numbers"}, {"count", count}, {"window", 8}},
                 std::as_writable_bytes(std::span(numbers)));
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(numbers[i], static_cast<double>(i)) << count;
  }
}

TEST_F(AReader, HandsOverNoNumbersWhereThereAreNone) {
  reader->call({{"do", "numbers"}, {"count", 0}, {"window", 8}});
}

TEST_F(AReader, MayBreakOff) {
  std::vector<double> numbers(100);
  EXPECT_EQ(refusal({{"do", "break off"}, {"count", 100}, {"window", 8}},
                    std::as_writable_bytes(std::span(numbers))),
            "it breaks off");
  EXPECT_EQ(refusal("refuse"), "it is not what it should be") << "it goes on";
}

TEST_F(AReader, WithOtherNumbersThanWereWantedIsWrong) {
  std::vector<double> numbers(99);
  EXPECT_THAT(
      refusal({{"do", "numbers"}, {"count", 100}, {"window", 8}}, std::as_writable_bytes(std::span(numbers))),
      HasSubstr("the TEST library went wrong"));
}

TEST_F(AReader, MayCrash) {
  EXPECT_THAT(refusal("crash"),
              HasSubstr("the TEST library crashed when it read it (signal 11, Segmentation fault)"));
  EXPECT_THAT(refusal("refuse"), HasSubstr("crashed")) << "and stays so";
}

TEST_F(AReader, MayEnd) {
  EXPECT_THAT(refusal("leave"), HasSubstr("(exit status 3)"));
}

TEST_F(AReader, MayNotComeToAnEnd) {
  EXPECT_THAT(refusal("loop"), HasSubstr("does not come to an end"));
}

TEST_F(AReader, GetsNoMoreMemoryThanItMayHave) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  EXPECT_THAT(refusal("take memory"), HasSubstr("damaged"));
#else
  EXPECT_THAT(refusal("take memory"), HasSubstr("more memory than any sound file"));
#endif
}

TEST_F(AReader, EndsWhereItIsCancelled) {
  std::stop_source stop;
  reader.emplace("TEST", "file", stop.get_token());
  const int process = reader->process();
  const std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop.request_stop();
  });
  EXPECT_THROW(reader->call({{"do", "sleep"}}), Cancelled);
  EXPECT_EQ(::kill(process, 0), -1) << "it is gone";
  EXPECT_THAT(refusal("refuse"), HasSubstr("cancelled"));
}

TEST_F(AReader, EndsWithItsOwner) {
  const int process = reader->process();
  EXPECT_TRUE(is_there());
  reader.reset();
  EXPECT_EQ(::kill(process, 0), -1);
}

TEST_F(AReader, GetsNoSignalOfTheTerminalAndNoFile) {
  const int left_open = ::open("/dev/null", O_RDONLY);  // and not closed on exec
  reader.emplace("TEST", "file");
  EXPECT_EQ(reader->call({{"do", "signals"}}), true) << "it is in a group of its own";
  EXPECT_EQ(reader->call({{"do", "descriptors"}}), 4) << "input, output, errors, and the socket";
  ::close(left_open);
}

TEST_F(AReader, IsAskedByThreadsOneAfterTheOther) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) EXPECT_EQ(reader->call({{"do", "answer"}, {"of", i}})["of"], i);
    });
  }
}

TEST(TheReader, IsNamedWhereItIsNotThere) {
  EXPECT_EQ(reader_program().filename(), "isolume-reader");
  ::setenv("ISOLUME_READER", "/bin/false", 1);
  EXPECT_THROW(ReaderProcess("TEST", "file").call({{"do", "answer"}}), Refused);
  ::unsetenv("ISOLUME_READER");
}

}  // namespace
}  // namespace isolume::isolation
