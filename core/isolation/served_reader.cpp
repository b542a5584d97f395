#include "core/isolation/served_reader.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <optional>
#include <string>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/error.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ISOLUME_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ISOLUME_SANITIZED
#endif
#endif

namespace isolume::isolation {
namespace {

/// The other side holds the connection here.
constexpr int socket_number = 3;

/// What libraries take for their own, not for the numbers, which go through windows.
constexpr std::uint64_t most_memory = std::uint64_t{2} << 30;
/// Of the processor, for an answer, and for the numbers of a window.
constexpr rlim_t most_seconds = 5;
constexpr std::uint64_t least_bytes_a_second = std::uint64_t{10} << 20;

/// Sanitizers take more addresses than there is memory.
void limit_memory() {
#ifndef ISOLUME_SANITIZED
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + most_memory;
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

/// From now on, for so many bytes of numbers.
void limit_time(std::uint64_t bytes) {
  rusage used = {};
  rlimit limit = {};
  if (::getrusage(RUSAGE_SELF, &used) != 0 || ::getrlimit(RLIMIT_CPU, &limit) != 0) return;
  limit.rlim_cur = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + most_seconds +
                   bytes / least_bytes_a_second;
  ::setrlimit(RLIMIT_CPU, &limit);
}

/// Nobody listens any more. Libraries that are in the middle of something are not asked to clean up.
[[noreturn]] void leave() {
  ::_exit(0);
}

std::string refusal(const std::exception& error) {
  constexpr std::size_t longest = 400;
  return std::string(error.what()).substr(0, longest);
}

}  // namespace

void NumberSink::put(std::uint64_t bytes, std::uint64_t window,
                     const std::function<void(std::uint64_t begin, std::span<std::byte> to)>& fill) {
  window = std::max<std::uint64_t>(1, std::min(window, bytes));
  SharedMemory memory(2 * window);
  if (!channel_.send({{"numbers", bytes}, {"window", window}}, &memory.descriptor())) leave();
  std::uint64_t number = 0;
  const auto until_free = [&] {
    if (!channel_.receive()) leave();
  };
  for (std::uint64_t begin = 0; begin < bytes; begin += window, ++number) {
    if (number >= 2) until_free();
    const std::uint64_t count = std::min(window, bytes - begin);
    limit_time(count);
    fill(begin, {memory.data() + number % 2 * window, count});
    if (!channel_.send({{"filled", count}})) leave();
  }
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(number, 2); ++i) until_free();
}

void allow_time(std::uint64_t bytes) {
  limit_time(bytes);
}

int serve(const std::function<std::unique_ptr<ServedReader>()>& open) {
  ::prctl(PR_SET_DUMPABLE, 0);  // a crash is expected: it leaves no core
  limit_memory();
  Channel channel{Descriptor(socket_number)};
  NumberSink numbers(channel);
  std::unique_ptr<ServedReader> reader;
  while (const std::optional<Message> request = channel.receive()) {
    if (request->text.contains("free")) continue;  // of numbers that broke off
    limit_time(0);
    nlohmann::json reply;
    try {
      if (!reader) reader = open();
      reply["answer"] = reader->answer(request->text, numbers);
    } catch (const std::bad_alloc&) {
      reply["refused"] = "reading it takes more memory than any sound file does";
    } catch (const std::exception& error) {
      reply["refused"] = refusal(error);
    }
    if (!channel.send(reply)) break;
  }
  leave();
}

}  // namespace isolume::isolation
