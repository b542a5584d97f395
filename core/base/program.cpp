#include "core/base/program.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace isolume {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const std::string& prefix) {
  std::string name = (fs::temp_directory_path() / (prefix + "XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(fmt::format("{}: cannot be made ({}). Set TMPDIR to a folder that you may write to.", name,
                            std::strerror(errno)));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool run_program(std::vector<std::string> words, const fs::path& in, const fs::path& log,
                 const std::stop_token& stop) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addchdir_np(&files, in.c_str());
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, pointers.front(), &files, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw NotStarted(std::strerror(failed));
  int status = 0;
  if (!stop.stop_possible()) {
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  constexpr std::chrono::milliseconds pause(10);
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (stop.stop_requested()) {
      ::kill(process, SIGKILL);
      waitpid(process, &status, 0);
      throw Cancelled();
    }
    std::this_thread::sleep_for(pause);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace isolume
