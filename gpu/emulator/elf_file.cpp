#include "gpu/emulator/elf_file.h"

#include <cstring>

#include <elf.h>

namespace isolume::gpu::emulator {

template <class T>
std::vector<T> ElfFile::read(std::uint64_t offset, std::uint64_t bytes) {
  std::vector<T> values(bytes / sizeof(T));
  file_.seekg(static_cast<std::streamoff>(offset));
  file_.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return file_ ? values : std::vector<T>{};
}

ElfFile::ElfFile(const std::string& path) : file_(path, std::ios::binary) {
  const auto header = read<ElfW(Ehdr)>(0, sizeof(ElfW(Ehdr)));
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return;
  sections_ = read<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum * sizeof(ElfW(Shdr)));
  if (header[0].e_shstrndx >= sections_.size()) return;
  const auto& names = sections_[header[0].e_shstrndx];
  section_names_ = read<char>(names.sh_offset, names.sh_size);
}

const ElfW(Shdr) * ElfFile::section(const std::string& name) {
  for (const auto& section : sections_) {
    if (section.sh_name < section_names_.size() && name == section_names_.data() + section.sh_name)
      return &section;
  }
  return nullptr;
}

std::vector<ElfFile::Symbol> ElfFile::symbols(unsigned char type) {
  std::vector<Symbol> found;
  for (const auto& section : sections_) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections_.size()) continue;
    const auto& strings = sections_[section.sh_link];
    const auto names = read<char>(strings.sh_offset, strings.sh_size);
    for (const auto& symbol : read<ElfW(Sym)>(section.sh_offset, section.sh_size)) {
      if (ELF64_ST_TYPE(symbol.st_info) != type || symbol.st_shndx == SHN_UNDEF ||
          symbol.st_name >= names.size())
        continue;
      found.push_back({names.data() + symbol.st_name, symbol.st_value, symbol.st_size});
    }
  }
  return found;
}

}  // namespace isolume::gpu::emulator
