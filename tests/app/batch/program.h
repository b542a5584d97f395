#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace isolume::test {

/// What a program said and how it ended.
struct Result {
  int code = -1;  ///< exit code; 128 + signal where a signal ended it
  std::string out;
  std::string err;
};

/// Runs a program, given by its path, with arguments.
Result run_program(const std::vector<std::string>& words);
/// Runs the real isolume-batch without any display.
Result run_batch(const std::vector<std::string>& arguments);
/// By another program, as "env NAME=VALUE" or "timeout 20".
Result run_batch_by(std::vector<std::string> starter, const std::vector<std::string>& arguments);
/// Sends a signal after `delay`.
Result run_batch_interrupted(const std::vector<std::string>& arguments, std::chrono::milliseconds delay,
                             int signal = SIGINT);
/// Sends a signal as soon as `when` is true, which is asked again and again until the program ends.
Result run_batch_signalled(const std::vector<std::string>& arguments, int signal,
                           const std::function<bool()>& when);
/// On so many ranks, by mpirun, which gets a SIGINT after `delay` where that is not 0. Needs an MPI.
Result run_batch_on_ranks(int ranks, const std::vector<std::string>& arguments,
                          std::chrono::milliseconds delay = {});
/// As a launcher starts one of two ranks, without the other.
Result run_batch_as_first_rank_of_two(const std::vector<std::string>& arguments);
/// Sends SIGINT after `delay` and again after `delay` to a program that cannot stop, since nobody takes its
/// output. Its exit code; -1 where the first signal ended it.
int run_batch_stuck(const std::vector<std::string>& arguments, std::chrono::milliseconds delay);

/// A folder of its own that goes with the test.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  /// Names of all files in it.
  std::vector<std::string> files() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace isolume::test
