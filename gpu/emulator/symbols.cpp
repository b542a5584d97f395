#include "gpu/emulator/symbols.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

namespace isolume::gpu::emulator {
namespace {

template <class T>
std::vector<T> read(std::ifstream& file, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<T> values(bytes / sizeof(T));
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return file ? values : std::vector<T>{};
}

/// The mangled name of the function at `offset` from where the file was loaded.
std::string symbol_at(const char* path, std::uint64_t offset) {
  std::ifstream file(path, std::ios::binary);
  const auto header = read<ElfW(Ehdr)>(file, 0, sizeof(ElfW(Ehdr)));
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto sections = read<ElfW(Shdr)>(file, header[0].e_shoff, header[0].e_shnum * sizeof(ElfW(Shdr)));
  for (const auto& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const auto& strings = sections[section.sh_link];
    const auto names = read<char>(file, strings.sh_offset, strings.sh_size);
    for (const auto& symbol : read<ElfW(Sym)>(file, section.sh_offset, section.sh_size)) {
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && offset - symbol.st_value < symbol.st_size &&
          symbol.st_name < names.size()) {
        return names.data() + symbol.st_name;
      }
    }
  }
  return {};
}

/// Without the arguments and the words "(anonymous namespace)::".
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

}  // namespace isolume::gpu::emulator
