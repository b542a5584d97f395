#include "gpu/emulator/compiler.h"

#include <array>
#include <cstdio>
#include <fstream>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/wait.h>

#include "core/base/error.h"

namespace isolume::gpu::emulator {
namespace {

namespace fs = std::filesystem;

/// Quoted for the shell.
std::string quoted_path(const fs::path& path) {
  std::string text = "'";
  for (const char c : path.string()) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Temporary files, deleted by the destructor.
struct Scratch {
  fs::path source;
  fs::path object;
  explicit Scratch(const fs::path& library) : source(library), object(library) {
    source += ".cpp";
    object += ".o";
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove(source, ignored);
    fs::remove(object, ignored);
  }
};

/// Runs a command and returns both of its outputs. Throws Error with them if the command fails.
std::string run(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw Error("The host's compiler cannot be started: no process can be created.");
  std::string text;
  std::array<char, 4096> piece;
  for (std::size_t read; (read = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    text.append(piece.data(), read);
  const int status = pclose(pipe);
  if (status == 0) return text;
  throw Error(fmt::format("The host's compiler ({}) refuses a kernel (status {}): {}", ISOLUME_HOST_COMPILER,
                          WIFEXITED(status) ? WEXITSTATUS(status) : status, text));
}

}  // namespace

std::string compiler_identity() {
  return ISOLUME_HOST_COMPILER_IDENTITY;
}

std::string compile(const std::string& source, const fs::path& library) {
  const Scratch scratch(library);
  std::ofstream file(scratch.source);
  file << "#include <cuda_runtime.h>\n#line 1 \"" << library.stem().string() << ".cu\"\n" << source;
  file.close();
  if (!file) throw Error(fmt::format("{}: cannot be written.", scratch.source.string()));
  const std::string begin = quoted_path(ISOLUME_HOST_COMPILER);
  std::string log = run(fmt::format(
      "{} -std=c++20 -O2 -fPIC {} -I{} -I{} -DISOLUME_GPU_EMULATED -c {} -o {}", begin,
      ISOLUME_KERNEL_OPTIONS, quoted_path(ISOLUME_SOURCE_FOLDER "/gpu/emulator/include"),
      quoted_path(ISOLUME_SOURCE_FOLDER), quoted_path(scratch.source), quoted_path(scratch.object)));
  log += run(fmt::format("{} -shared {} -o {}", begin, quoted_path(scratch.object), quoted_path(library)));
  return log;
}

Symbol load(const fs::path& library, const std::string& name) {
  void* const handle = dlopen(fs::absolute(library).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw Error(fmt::format("{}: cannot be loaded: {}.", library.string(), dlerror()));
  Symbol symbol;
  symbol.address = dlsym(handle, name.c_str());
  if (symbol.address == nullptr) throw Error(fmt::format("{}: has no symbol {}.", library.string(), name));
  // The size comes from the library's symbol table, by name: the address of constant memory depends on the
  // thread.
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  const char* names = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
  }
  // The string table follows the symbol table.
  for (const ElfW(Sym)* entry = symbols; static_cast<const void*>(entry) < static_cast<const void*>(names);
       ++entry) {
    if (name == names + entry->st_name) symbol.bytes = entry->st_size;
  }
  return symbol;
}

}  // namespace isolume::gpu::emulator
