#include <fmt/format.h>

#include "core/base/error.h"
#include "core/nbody/files/hdf5_file.h"

namespace isolume::nbody {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) {
  throw Error(fmt::format("{}: this program does not write HDF5. Use isolume-batch-full.", path.string()));
}

}  // namespace

std::unique_ptr<Hdf5Writer> write_hdf5(const std::filesystem::path& path) {
  refuse(path);
}

std::unique_ptr<Hdf5Writer> write_hdf5(const std::filesystem::path& path, PartialFile::Start /*start*/) {
  refuse(path);
}

}  // namespace isolume::nbody
