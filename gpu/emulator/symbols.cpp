#include "gpu/emulator/symbols.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include "gpu/emulator/elf_file.h"

namespace isolume::gpu::emulator {
namespace {

/// The mangled name of the function at `offset` from the load address of the file.
std::string symbol_at(const char* path, std::uint64_t offset) {
  for (auto& symbol : ElfFile(path).symbols(STT_FUNC)) {
    if (offset - symbol.value < symbol.bytes) return std::move(symbol.name);
  }
  return {};
}

/// Removes the arguments and the words "(anonymous namespace)::".
std::string readable(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  std::string name = status == 0 ? demangled.get() : mangled;
  constexpr const char* nameless = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(nameless)) != std::string::npos;)
    name.erase(at, std::strlen(nameless));
  return name.substr(0, name.find('('));
}

/// __launch_bounds__(n) makes the compiler put n bytes of no-operation before a kernel's entry and list their
/// addresses.
int read_launch_bound(ElfFile& file, const void* kernel, const Dl_info& info) {
  const auto* const section = file.section("__patchable_function_entries");
  if (section == nullptr) return 0;
  const auto* const begin =
      reinterpret_cast<const std::uintptr_t*>(static_cast<const char*>(info.dli_fbase) + section->sh_addr);
  const auto entry = reinterpret_cast<std::uintptr_t>(kernel);
  std::uintptr_t nearest = 0;
  for (const std::uintptr_t listed : std::span(begin, section->sh_size / sizeof *begin)) {
    if (listed < entry) nearest = std::max(nearest, listed);
  }
  constexpr std::uintptr_t largest_block = 1024;
  if (nearest == 0 || entry - nearest > largest_block) return 0;
  const std::span between(reinterpret_cast<const std::uint8_t*>(nearest), entry - nearest);
  constexpr std::uint8_t no_operation = 0x90;
  // Otherwise they belong to an earlier kernel.
  const bool all = std::ranges::all_of(between, [](std::uint8_t byte) { return byte == no_operation; });
  return all ? static_cast<int>(between.size()) : 0;
}

bool is_in_section(ElfFile& file, const char* name, const void* address, const Dl_info& info) {
  const auto* const section = file.section(name);
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  return section != nullptr && offset - section->sh_addr < section->sh_size;
}

KernelCode read_code(const void* kernel) {
  Dl_info info{};
  if (dladdr(kernel, &info) == 0) return {};
  ElfFile file(info.dli_fname);
  return {read_launch_bound(file, kernel, info), is_in_section(file, "isolume_flush_to_zero", kernel, info)};
}

}  // namespace

std::string function_name(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0) return fmt::format("{}", address);
  const auto offset =
      reinterpret_cast<std::uint64_t>(address) - reinterpret_cast<std::uint64_t>(info.dli_fbase);
  std::string symbol = symbol_at(info.dli_fname, offset);
  if (symbol.empty() && info.dli_sname != nullptr) symbol = info.dli_sname;
  return symbol.empty() ? fmt::format("{}", address) : readable(symbol);
}

KernelCode kernel_code(const void* kernel) {
  static std::mutex mutex;
  static std::map<const void*, KernelCode> known;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(kernel);
  if (is_new) entry->second = read_code(kernel);
  return entry->second;
}

}  // namespace isolume::gpu::emulator
