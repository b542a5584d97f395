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

using Environment = std::vector<std::pair<const char*, const char*>>;

/// `words`: the program and its arguments.
pid_t start(const std::vector<std::string>& words, const Environment& environment, const std::string& out,
            const std::string& err) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child > 0) return child;
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  const bool redirected = dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO) >= 0 &&
                          dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO) >= 0;
  for (const auto& [name, value] : environment) setenv(name, value, 1);
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  if (redirected) execv(argv.front(), argv.data());
  _exit(126);
}

std::vector<std::string> batch(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{ISOLUME_BATCH};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

Result run(const std::vector<std::string>& words, const Environment& environment,
           std::chrono::milliseconds interrupt_after, int signal = SIGINT) {
  const Scratch scratch;
  const std::string out = scratch.file("out");
  const std::string err = scratch.file("err");
  const pid_t child = start(words, environment, out, err);
  if (interrupt_after.count() > 0) {
    std::this_thread::sleep_for(interrupt_after);
    kill(child, signal);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(out), content(err)};
}

}  // namespace

Result run_program(const std::vector<std::string>& words) {
  return run(words, {}, {});
}

Result run_batch(const std::vector<std::string>& arguments) {
  return run(batch(arguments), {}, {});
}

Result run_batch_by(std::vector<std::string> starter, const std::vector<std::string>& arguments) {
  const auto words = batch(arguments);
  starter.insert(starter.end(), words.begin(), words.end());
  return run(starter, {}, {});
}

Result run_batch_interrupted(const std::vector<std::string>& arguments, std::chrono::milliseconds delay,
                             int signal) {
  return run(batch(arguments), {}, delay, signal);
}

Result run_batch_signalled(const std::vector<std::string>& arguments, int signal,
                           const std::function<bool()>& when) {
  const Scratch scratch;
  const std::string out = scratch.file("out");
  const std::string err = scratch.file("err");
  const pid_t child = start(batch(arguments), {}, out, err);
  int status = 0;
  for (bool sent = false; waitpid(child, &status, sent ? 0 : WNOHANG) == 0;) {
    sent = when();
    if (sent) kill(child, signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(out), content(err)};
}

#ifdef ISOLUME_MPIRUN
Result run_batch_on_ranks(int ranks, const std::vector<std::string>& arguments,
                          std::chrono::milliseconds delay) {
  std::vector<std::string> words{ISOLUME_MPIRUN, "-n", std::to_string(ranks)};
  const auto program = batch(arguments);
  words.insert(words.end(), program.begin(), program.end());
  // Tests run as root in containers, on fewer processors than ranks, without ssh, and without leave to read each
  // other's memory.
  const Environment environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                   {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                   {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                   {"OMPI_MCA_hwloc_base_binding_policy", "none"},
                                   {"OMPI_MCA_plm", "isolated"},
                                   {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}};
  return run(words, environment, delay);
}
#endif

Result run_batch_as_first_rank_of_two(const std::vector<std::string>& arguments) {
  return run(batch(arguments), {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}, {});
}

int run_batch_stuck(const std::vector<std::string>& arguments, std::chrono::milliseconds delay) {
  const Scratch scratch;
  const std::string out = scratch.file("out");
  if (mkfifo(out.c_str(), 0600) != 0) throw std::runtime_error("mkfifo failed");
  const int pipe = open(out.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  const std::string filler(4096, ' ');
  while (write(pipe, filler.data(), filler.size()) > 0) {
  }
  const pid_t child = start(batch(arguments), {}, out, scratch.file("err"));
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
