// Compiles kernels for the emulator: the host's compiler builds a library, which is loaded into the program.

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/program.h"
#include "gpu/runtime/compiler/compiler_backend.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
namespace {

namespace fs = std::filesystem;

const std::string compiler = ISOLUME_HOST_COMPILER;

/// Splits texts separated by semicolons, as CMake writes lists.
std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(';'), list.size());
    parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs the compiler in the folder with its output in the file `log`. Returns false if it fails.
bool run_compiler(std::vector<std::string> arguments, const ScratchFolder& folder, const fs::path& log) {
  arguments.insert(arguments.begin(), compiler);
  try {
    return run_program(std::move(arguments), folder.path(), log);
  } catch (const NotStarted& problem) {
    throw Error(
        fmt::format("{}: the compiler cannot be started ({}), so that no kernels can be compiled for "
                    "the emulated GPU. Install it.",
                    compiler, problem.what()));
  }
}

}  // namespace

namespace compiler_backend {

std::string identity() {
  // Kernels and emulator must be compiled alike.
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return fmt::format("{}; emulator in {} of {}", compiler, program.string(),
                     fs::last_write_time(program, ignored).time_since_epoch().count());
}

std::string file() {
  return compiler;
}

CompiledImage compile(const KernelSource& source, const CompileTarget&) {
  const ScratchFolder scratch("isolume-kernel-");
  const std::string code = scratch.file("kernel.cpp"), object = scratch.file("kernel.o"),
                    library = scratch.file("kernel.so"), log = scratch.file("log");
  std::ofstream(code) << "#include <cuda_runtime.h>\n#line 1 \"" << source.name << "\"\n" << source.code;

  std::vector<std::string> options = {"-std=c++20", "-O1", "-fPIC", "-DISOLUME_GPU_EMULATED"};
  for (const std::string& folder : split(ISOLUME_EMULATOR_INCLUDES)) options.push_back("-I" + folder);
  for (const std::string& option : split(ISOLUME_EMULATED_KERNEL_OPTIONS)) options.push_back(option);
  for (const std::string& option : source.options) {
    if (option.starts_with("-D")) options.push_back(option);
    if (option == "--ftz=true") options.emplace_back("-DISOLUME_FLUSH_TO_ZERO");
  }
  options.insert(options.end(), {"-c", code, "-o", object});
  // Linked separately, without the options, which would add the sanitizer's library.
  const bool compiled = run_compiler(options, scratch, log) &&
                        run_compiler({"-shared", object, "-o", library}, scratch, scratch.file("link log"));
  if (!compiled) throw Error(fmt::format("{}: {} rejects it: {}", source.name, compiler, read_file(log)));
  return {read_file(library), read_file(log), false};
}

}  // namespace compiler_backend

/// Never unloaded: a hanging device may still have its kernels in the queue. The file stays open, because the
/// emulator reads the kernels' names from it.
struct KernelModule::Loaded {
  void* library = nullptr;
};

KernelModule::KernelModule(const GpuDevice& device, const CompiledImage& image) {
  device.make_current();
  const int file = memfd_create("isolume kernel", 0);
  if (file < 0 ||
      write(file, image.code.data(), image.code.size()) != static_cast<ssize_t>(image.code.size())) {
    if (file >= 0) close(file);
    throw Error(fmt::format("GPU: no memory for a compiled kernel ({}).", std::strerror(errno)));
  }
  void* const library = dlopen(fmt::format("/proc/self/fd/{}", file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    close(file);
    throw Error(fmt::format("GPU: loading a compiled kernel failed: {}.", dlerror()));
  }
  loaded_ = std::make_shared<const Loaded>(Loaded{library});
}

void* KernelModule::find_kernel(const std::string& name) const {
  void* const kernel = dlsym(loaded_->library, name.c_str());
  if (kernel == nullptr) throw Error(fmt::format("GPU: looking for the compiled kernel {} failed.", name));
  return kernel;
}

}  // namespace isolume::gpu
