// isolume-batch: what starts without VTK, Qt, FFmpeg, HDF5 and MPI. Commands that need them continue as isolume-batch-full.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <stop_token>

#include <fmt/format.h>
#include <unistd.h>

#include "app/batch/batch.h"
#include "core/base/error.h"
#include "core/base/stop_signals.h"

namespace {

[[noreturn]] void become_full_program(char** arguments) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "isolume-batch-full";
  ::execv(program.c_str(), arguments);
  throw isolume::Error(
      fmt::format("{}: this part of Isolume, which draws and writes HDF5, could not be started ({}). Install "
                  "Isolume again.",
                  program.string(), std::strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  std::stop_source stop;
  const isolume::StopSignals signals([&stop] { stop.request_stop(); });
  return isolume::batch::run(isolume::batch::labs(), {argv + 1, argv + argc}, std::cout, std::cerr,
                             isatty(STDERR_FILENO) != 0, stop.get_token(),
                             [argv] { become_full_program(argv); });
}
