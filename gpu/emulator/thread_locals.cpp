#include "gpu/emulator/thread_locals.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include <elf.h>
#include <link.h>

#include "gpu/emulator/elf_file.h"

// The dynamic linker's own type, by which compilers access variables of libraries.
struct tls_index {  // NOLINT: its name
  unsigned long module;
  unsigned long offset;
};
extern "C" void* __tls_get_addr(tls_index*);

namespace isolume::gpu::emulator {
namespace {

struct Module {
  std::size_t id = 0;
  std::string path;
  ThreadLocalBlock block;
};

int add_module(dl_phdr_info* info, std::size_t, void* modules) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS || info->dlpi_tls_modid == 0) continue;
    static_cast<std::vector<Module>*>(modules)->push_back(
        {info->dlpi_tls_modid,
         info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe",
         {0, header.p_memsz, header.p_filesz}});
  }
  return 0;
}

std::vector<Module> modules() {
  std::vector<Module> all;
  dl_iterate_phdr(&add_module, &all);
  for (Module& module : all) {
    module.block.begin = reinterpret_cast<std::uintptr_t>(thread_local_address({module.id, 0}));
  }
  return all;
}

struct Search {
  std::uintptr_t address = 0;
  Segment found;
};
int look_into(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_LOAD || search.address - begin >= header.p_memsz) continue;
    search.found = {begin, header.p_memsz};
    return 1;
  }
  return 0;
}

}  // namespace

std::uint64_t loaded_modules() {
  std::uint64_t changes = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<std::uint64_t*>(data) = info->dlpi_adds + info->dlpi_subs;
        return 1;
      },
      &changes);
  return changes;
}

Segment segment_of(std::uintptr_t address) {
  Search search{address, {}};
  dl_iterate_phdr(&look_into, &search);
  return search.found;
}

void* thread_local_address(ThreadLocalPlace place) {
  tls_index index{place.module, place.offset};
  return __tls_get_addr(&index);
}

std::optional<ThreadLocalPlace> find_thread_local(const void* address) {
  for (const Module& module : modules()) {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - module.block.begin;
    if (offset < module.block.bytes) return ThreadLocalPlace{module.id, offset};
  }
  return {};
}

std::vector<ThreadLocalVariable> thread_local_variables() {
  static std::mutex mutex;
  static std::map<std::string, std::vector<ElfFile::Symbol>> of_files;
  const std::lock_guard lock(mutex);
  std::vector<ThreadLocalVariable> variables;
  for (const Module& module : modules()) {
    const auto [symbols, is_new] = of_files.try_emplace(module.path);
    if (is_new) symbols->second = ElfFile(module.path).symbols(STT_TLS);
    for (const auto& symbol : symbols->second)
      variables.push_back({module.block.begin + symbol.value, symbol.bytes});
  }
  std::ranges::sort(variables, {}, &ThreadLocalVariable::begin);
  return variables;
}

std::vector<ThreadLocalBlock> thread_local_blocks() {
  std::vector<ThreadLocalBlock> blocks;
  for (const Module& module : modules()) blocks.push_back(module.block);
  return blocks;
}

}  // namespace isolume::gpu::emulator
