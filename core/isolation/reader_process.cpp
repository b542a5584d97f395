#include "core/isolation/reader_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/version.h"

namespace isolume::isolation {

namespace fs = std::filesystem;

fs::path reader_program() {
  std::vector<fs::path> places;
  if (const char* given = std::getenv("ISOLUME_READER")) places.emplace_back(given);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) places.push_back(program.parent_path() / "isolume-reader");
  places.emplace_back(ISOLUME_BUILT_READER);
  std::string tried;
  for (const fs::path& place : places) {
    if (::access(place.c_str(), X_OK) == 0) return place;
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  throw Error(fmt::format(
      "The program isolume-reader that belongs to Isolume was not found: {}. Install again, or set "
      "ISOLUME_READER to where it is.",
      tried));
}

namespace {

/// Does not return EINTR. Whether the process is gone.
bool is_gone(pid_t process, int& status, int options) {
  pid_t found = 0;
  do {
    found = ::waitpid(process, &status, options);
  } while (found < 0 && errno == EINTR);
  return found != 0;  // -1: somebody else has taken its status
}

/// Processes that could not end at once, as their file is on a drive that does not answer: asked again by the next one.
class Stragglers {
 public:
  void add(pid_t process) {
    const std::scoped_lock lock(mutex_);
    processes_.push_back(process);
  }
  void collect() {
    const std::scoped_lock lock(mutex_);
    std::erase_if(processes_, [](pid_t each) {
      int status = 0;
      return is_gone(each, status, WNOHANG);
    });
  }
  static Stragglers& all() {
    static Stragglers stragglers;
    return stragglers;
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> processes_;
};

/// With the socket as its descriptor 3 and nothing else of this program: no file, no signal of the terminal.
pid_t spawn(const fs::path& program, const std::string& library, const fs::path& file, int socket) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  constexpr int of_child = 3;
  posix_spawn_file_actions_adddup2(&files, socket, of_child);
  posix_spawn_file_actions_addclosefrom_np(&files, of_child + 1);
  if (std::getenv("ISOLUME_READER_STDERR") == nullptr)
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  std::array<std::string, 3> words{program.string(), library, file.string()};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t process = -1;
  const int problem =
      ::posix_spawn(&process, program.c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (problem != 0) {
    throw Error(fmt::format("{} could not be started ({}). Install again.", program.string(),
                            std::strerror(problem)));
  }
  return process;
}

std::string ending_of(int status, const std::string& library) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return fmt::format("the {} library does not come to an end with it, so it is damaged", library);
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("signal {}, {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                              : fmt::format("exit status {}", WEXITSTATUS(status));
  return fmt::format("the {} library crashed when it read it ({}), so it is damaged", library, how);
}

}  // namespace

ReaderProcess::ReaderProcess(std::string library, const fs::path& file, std::stop_token stop)
    : library_(std::move(library)), stop_(std::move(stop)) {
  Stragglers::all().collect();
  const fs::path program = reader_program();
  std::array<int, 2> ends = {};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(fmt::format("{} could not be started ({}). Close some documents.", program.string(),
                            std::strerror(errno)));
  channel_ = Channel(Descriptor(ends[0]));
  const Descriptor of_child(ends[1]);
  process_ = spawn(program, library_, file, of_child.get());
}

ReaderProcess::~ReaderProcess() {
  end();
}

/// Whatever it is doing: it writes nothing. Returns its status.
int ReaderProcess::end() {
  if (process_ < 0) return 0;
  channel_.close();
  ::kill(process_, SIGKILL);
  const pid_t process = std::exchange(process_, -1);
  int status = 0;
  for (int i = 0; i < 1000; ++i) {
    if (is_gone(process, status, WNOHANG)) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Stragglers::all().add(process);
  return status;
}

/// The other end of the channel is closed: the process has ended, or is about to.
void ReaderProcess::fail_as_it_ended() {
  if (process_ >= 0) {
    int status = 0;
    for (int i = 0; i < 200 && process_ >= 0; ++i) {
      if (is_gone(process_, status, WNOHANG)) process_ = -1;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (process_ >= 0) status = end();
    channel_.close();
    ending_ = ending_of(status, library_);
  }
  throw Refused(ending_);
}

Message ReaderProcess::receive() {
  try {
    auto message = channel_.receive([this] {
      if (stop_.stop_requested()) throw Cancelled();
    });
    if (!message) fail_as_it_ended();
    return std::move(*message);
  } catch (const Cancelled&) {
    end();
    ending_ = "reading it was cancelled";
    throw;
  }
}

/// The next window of numbers, or more requests for such.
std::uint64_t ReaderProcess::wanted(const Message& message, const char* what) {
  const auto found = message.text.find(what);
  if (found != message.text.end() && found->is_number_unsigned()) return found->get<std::uint64_t>();
  if (const auto refused = message.text.find("refused");
      refused != message.text.end() && refused->is_string())
    throw Refused(refused->get<std::string>());
  fail_as_it_misbehaves();
}

/// What a library can do to the process that it is in.
void ReaderProcess::fail_as_it_misbehaves() {
  end();
  ending_ = fmt::format("the {} library went wrong when it read it, so it is damaged", library_);
  throw Refused(ending_);
}

void ReaderProcess::copy_numbers(const Message& announced, std::span<std::byte> numbers) {
  const std::uint64_t window = wanted(announced, "window");
  if (wanted(announced, "numbers") != numbers.size() || window == 0 ||
      !holds(announced.descriptor, 2 * window)) {
    fail_as_it_misbehaves();
  }
  // While one window is copied the other one is filled.
  SharedMemory memory(announced.descriptor, 2 * window);
  bool is_first = true;
  for (std::size_t done = 0; done < numbers.size(); is_first = !is_first) {
    const std::size_t count = std::min<std::size_t>(window, numbers.size() - done);
    if (wanted(receive(), "filled") != count) fail_as_it_misbehaves();
    std::memcpy(numbers.data() + done, memory.data() + (is_first ? 0 : window), count);
    done += count;
    channel_.send({{"free", true}});
  }
}

nlohmann::json ReaderProcess::call(const nlohmann::json& request, std::span<std::byte> numbers) {
  const std::scoped_lock lock(mutex_);
  if (process_ < 0 || !channel_.send(request)) fail_as_it_ended();
  Message message = receive();
  if (message.text.contains("numbers")) {
    copy_numbers(message, numbers);
    message = receive();
  }
  const auto answer = message.text.find("answer");
  if (answer == message.text.end()) wanted(message, "answer");  // throws
  return *answer;
}

}  // namespace isolume::isolation
