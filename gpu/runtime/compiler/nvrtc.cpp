#include <algorithm>
#include <optional>

#include <cuda.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include "gpu/runtime/compiler/compiler_backend.h"
#include "gpu/runtime/cuda_library.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
namespace {

/// The functions of NVRTC in use.
struct Nvrtc {
  // This program's own version first: an older one knows fewer devices, a newer one may need a newer driver.
  CudaLibrary library{"nvrtc", {CUDART_VERSION / 1000, 13, 12}};
  decltype(nvrtcVersion)* version;
  decltype(nvrtcGetNumSupportedArchs)* architecture_count;
  decltype(nvrtcGetSupportedArchs)* architectures;
  decltype(nvrtcCreateProgram)* create;
  decltype(nvrtcDestroyProgram)* destroy;
  decltype(nvrtcCompileProgram)* compile;
  decltype(nvrtcGetProgramLogSize)* log_size;
  decltype(nvrtcGetProgramLog)* log;
  decltype(nvrtcGetCUBINSize)* cubin_size;
  decltype(nvrtcGetCUBIN)* cubin;
  decltype(nvrtcGetPTXSize)* ptx_size;
  decltype(nvrtcGetPTX)* ptx;
  decltype(nvrtcGetErrorString)* error_string;

  Nvrtc() {
    library.find(version, "nvrtcVersion");
    library.find(architecture_count, "nvrtcGetNumSupportedArchs");
    library.find(architectures, "nvrtcGetSupportedArchs");
    library.find(create, "nvrtcCreateProgram");
    library.find(destroy, "nvrtcDestroyProgram");
    library.find(compile, "nvrtcCompileProgram");
    library.find(log_size, "nvrtcGetProgramLogSize");
    library.find(log, "nvrtcGetProgramLog");
    library.find(cubin_size, "nvrtcGetCUBINSize");
    library.find(cubin, "nvrtcGetCUBIN");
    library.find(ptx_size, "nvrtcGetPTXSize");
    library.find(ptx, "nvrtcGetPTX");
    library.find(error_string, "nvrtcGetErrorString");

    // NVRTC loads its second library through the system's loader, which may not know the toolkit's folder.
    int major = 0;
    int minor = 0;
    require(version(&major, &minor), "asking for its version");
    library.load_neighbour(fmt::format("libnvrtc-builtins.so.{}.{}", major, minor));
  }

  void require(nvrtcResult result, std::string_view what) const {
    if (result == NVRTC_SUCCESS) return;
    throw Error(fmt::format("NVRTC: {} failed: {}.", what, error_string(result)));
  }
  std::string version_text() const {
    int major = 0;
    int minor = 0;
    require(version(&major, &minor), "asking for its version");
    return fmt::format("NVRTC {}.{}", major, minor);
  }
};

const Nvrtc& nvrtc() {
  static const Nvrtc loaded;  // tried again at the next call if it throws
  return loaded;
}

/// What NVRTC compiles for a target: its machine code or, for a target unknown to it, PTX of the nearest
/// older one, which the driver translates.
struct Architecture {
  int number = 0;  ///< 90 for compute capability 9.0
  bool machine_code = true;
  std::string option() const {
    return fmt::format("--gpu-architecture={}_{}", machine_code ? "sm" : "compute", number);
  }
};

Architecture architecture_for(const CompileTarget& target) {
  int count = 0;
  nvrtc().require(nvrtc().architecture_count(&count), "counting architectures");
  std::vector<int> known(static_cast<std::size_t>(count));
  nvrtc().require(nvrtc().architectures(known.data()), "listing architectures");
  const int wanted = target.compute_major * 10 + target.compute_minor;
  std::optional<int> nearest;
  for (const int number : known) {
    if (number <= wanted) nearest = std::max(nearest.value_or(number), number);
  }
  if (!nearest) {
    throw Error(fmt::format("{} cannot compile for compute capability {}.{}.", nvrtc().version_text(),
                            target.compute_major, target.compute_minor));
  }
  return {*nearest, *nearest == wanted};
}

/// One compilation.
class Program {
 public:
  explicit Program(const KernelSource& source) {
    nvrtc().require(nvrtc().create(&program_, source.code.c_str(), source.name.c_str(), 0, nullptr, nullptr),
                    "taking the source");
  }
  ~Program() { nvrtc().destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  bool compile(const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    for (const std::string& option : options) texts.push_back(option.c_str());
    const nvrtcResult result = nvrtc().compile(program_, static_cast<int>(texts.size()), texts.data());
    if (result != NVRTC_ERROR_COMPILATION && result != NVRTC_ERROR_INVALID_OPTION) {
      nvrtc().require(result, "compiling");
    }
    return result == NVRTC_SUCCESS;
  }
  std::string log() const { return text(nvrtc().log_size, nvrtc().log); }
  std::string machine_code() const { return text(nvrtc().cubin_size, nvrtc().cubin); }
  std::string ptx() const { return text(nvrtc().ptx_size, nvrtc().ptx); }

 private:
  std::string text(nvrtcResult (*size)(nvrtcProgram, std::size_t*),
                   nvrtcResult (*get)(nvrtcProgram, char*)) const {
    std::size_t bytes = 0;
    nvrtc().require(size(program_, &bytes), "asking for a result");
    std::string text(bytes, '\0');
    nvrtc().require(get(program_, text.data()), "fetching a result");
    return text;
  }

  nvrtcProgram program_ = nullptr;
};

/// The functions of the driver in use, found at run time: nothing links libcuda.
struct Driver {
  decltype(&cuModuleLoadData) load;
  decltype(&cuModuleUnload) unload;
  decltype(&cuModuleGetFunction) get_function;
  decltype(&cuLaunchKernel) launch;

  Driver() {
    find(load, "cuModuleLoadData");
    find(unload, "cuModuleUnload");
    find(get_function, "cuModuleGetFunction");
    find(launch, "cuLaunchKernel");
  }

 private:
  template <class Function>
  static void find(Function& function, const char* name) {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    const auto status = cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found);
#else
    const auto status = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
#endif
    require_success(status, "looking for the driver's functions");
    if (found != cudaDriverEntryPointSuccess || address == nullptr) {
      throw Error(fmt::format("The NVIDIA driver has no function {}. Install a newer driver.", name));
    }
    function = reinterpret_cast<Function>(address);
  }
};

const Driver& driver() {
  static const Driver found;
  return found;
}

/// The driver's error numbers equal the runtime's.
void require_driver_success(CUresult result, std::string_view what) {
  require_success(static_cast<cudaError_t>(result), what);
}

}  // namespace

namespace compiler_backend {

/// Without NVRTC, the toolkit version of this build: kernels compiled by it earlier, here or on another
/// machine, are valid.
std::string identity() {
  try {
    return nvrtc().version_text();
  } catch (const Error&) {
    return fmt::format("NVRTC {}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  }
}

std::string file() {
  return nvrtc().library.file();
}

CompiledImage compile(const KernelSource& source, const CompileTarget& target) {
  const Architecture architecture = architecture_for(target);
  std::vector<std::string> options = {"--std=c++20", architecture.option()};
  options.insert(options.end(), source.options.begin(), source.options.end());
  Program program(source);
  const bool compiled = program.compile(options);
  std::string log = program.log();
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  if (!compiled) {
    throw Error(fmt::format("{}: {} rejects it: {}", source.name, nvrtc().version_text(), log));
  }
  return {architecture.machine_code ? program.machine_code() : program.ptx(), std::move(log), false};
}

}  // namespace compiler_backend

struct KernelModule::Loaded {
  const GpuDevice& device;
  CUmodule module = nullptr;

  explicit Loaded(const GpuDevice& on) : device(on) {}
  ~Loaded() {
    // Unloading waits for the device.
    if (module == nullptr || device.given_up() || cudaSetDevice(device.index()) != cudaSuccess) return;
    driver().unload(module);
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
};

KernelModule::KernelModule(const GpuDevice& device, const CompiledImage& image) {
  device.make_current();
  auto loaded = std::make_shared<Loaded>(device);
  require_driver_success(driver().load(&loaded->module, image.code.c_str()), "loading a compiled kernel");
  loaded_ = std::move(loaded);
}

void* KernelModule::find_kernel(const std::string& name) const {
  CUfunction function = nullptr;
  require_driver_success(driver().get_function(&function, loaded_->module, name.c_str()),
                         fmt::format("looking for the compiled kernel {}", name));
  return function;
}

void KernelModule::launch(void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes, const Stream& stream,
                          void** arguments) const {
  stream.make_current();
  require_driver_success(
      driver().launch(static_cast<CUfunction>(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z,
                      static_cast<unsigned>(shared_bytes), stream.get(), arguments, nullptr),
      "launching a compiled kernel");
}

}  // namespace isolume::gpu
