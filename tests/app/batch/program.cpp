#include "tests/app/batch/program.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace isolume::test {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

pid_t start(const std::vector<std::string>& arguments, const std::string& out, const std::string& err) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child > 0) return child;
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  const bool redirected = dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO) >= 0 &&
                          dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO) >= 0;
  std::vector<char*> argv{const_cast<char*>(ISOLUME_BATCH)};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (redirected) execv(ISOLUME_BATCH, argv.data());
  _exit(126);
}

Result run(const std::vector<std::string>& arguments, std::chrono::milliseconds interrupt_after) {
  const Scratch scratch;
  const std::string out = scratch.file("out");
  const std::string err = scratch.file("err");
  const pid_t child = start(arguments, out, err);
  if (interrupt_after.count() > 0) {
    std::this_thread::sleep_for(interrupt_after);
    kill(child, SIGINT);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(out), content(err)};
}

}  // namespace

Result run_batch(const std::vector<std::string>& arguments) {
  return run(arguments, {});
}

Result run_batch_interrupted(const std::vector<std::string>& arguments, std::chrono::milliseconds delay) {
  return run(arguments, delay);
}

int run_batch_stuck(const std::vector<std::string>& arguments, std::chrono::milliseconds delay) {
  const Scratch scratch;
  const std::string out = scratch.file("out");
  if (mkfifo(out.c_str(), 0600) != 0) throw std::runtime_error("mkfifo failed");
  const int pipe = open(out.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  const std::string filler(4096, ' ');
  while (write(pipe, filler.data(), filler.size()) > 0) {
  }
  const pid_t child = start(arguments, out, scratch.file("err"));
  std::this_thread::sleep_for(delay);
  kill(child, SIGINT);
  std::this_thread::sleep_for(delay);
  int status = 0;
  const bool has_ended = waitpid(child, &status, WNOHANG) != 0;
  if (!has_ended) {
    kill(child, SIGINT);
    waitpid(child, &status, 0);
  }
  close(pipe);
  return !has_ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Scratch::Scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "isolume test XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::string> Scratch::files() const {
  std::vector<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator(folder_))
    names.push_back(each.path().filename());
  return names;
}

}  // namespace isolume::test
