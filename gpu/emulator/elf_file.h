#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <link.h>

namespace isolume::gpu::emulator {

/// A program or library on disk, in the linker's format.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path);

  const std::vector<ElfW(Shdr)>& sections() const { return sections_; }
  /// Null if there is none of that name.
  const ElfW(Shdr) * section(const std::string& name);

  struct Symbol {
    std::string name;
    std::uint64_t value = 0;
    std::uint64_t bytes = 0;
  };
  /// The symbols of the symbol table, including those that are not exported; `type` as STT_FUNC. None after
  /// strip.
  std::vector<Symbol> symbols(unsigned char type);

 private:
  template <class T>
  std::vector<T> read(std::uint64_t offset, std::uint64_t bytes);

  std::ifstream file_;
  std::vector<ElfW(Shdr)> sections_;
  std::vector<char> section_names_;
};

}  // namespace isolume::gpu::emulator
