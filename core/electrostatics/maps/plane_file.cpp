#include "core/electrostatics/maps/plane_file.h"

#include <bit>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::electrostatics {
namespace {

std::array<std::size_t, 3> point_counts(const std::array<int, 3>& dimensions) {
  return {static_cast<std::size_t>(dimensions[0]), static_cast<std::size_t>(dimensions[1]),
          static_cast<std::size_t>(dimensions[2])};
}

}  // namespace

PlaneFile::PlaneFile(const std::filesystem::path& path, const std::array<int, 3>& dimensions,
                     std::size_t head_bytes)
    : file_(path), dimensions_(point_counts(dimensions)), head_bytes_(head_bytes) {
  static_assert(std::endian::native == std::endian::little);
}

void PlaneFile::write_at(std::size_t offset, const void* bytes, std::size_t count) {
  file_.stream().seekp(static_cast<std::streamoff>(offset));
  file_.stream().write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
}

void PlaneFile::put(const grid::ScalarField& planes, const jobs::Progress& progress) {
  const auto& [nx, ny, nz] = dimensions_;
  const std::size_t width = point_counts(planes.grid.dimensions)[0], rows = ny * nz;
  if (next_ + width > nx) throw Error("There are more numbers than the map has points.");
  // Whole rows are contiguous.
  const std::size_t together = width == nx ? ny : 1;
  for (std::size_t row = 0; row < rows; row += together) {
    if (row % ny == 0) {
      progress.check();
      progress.report(static_cast<double>(row) / static_cast<double>(rows), "writing the map");
    }
    write_at(head_bytes_ + (row * nx + next_) * sizeof(float), planes.values.data() + row * width,
             together * width * sizeof(float));
  }
  if (!file_.stream()) file_.commit();  // reports the reason before more is computed
  next_ += width;
}

void PlaneFile::commit(std::string_view head, std::string_view tail) {
  const auto& [nx, ny, nz] = dimensions_;
  if (next_ < nx) throw Error(fmt::format("{} numbers of the map are missing.", (nx - next_) * ny * nz));
  write_at(0, head.data(), head.size());
  write_at(head_bytes_ + nx * ny * nz * sizeof(float), tail.data(), tail.size());
  file_.commit();
}

}  // namespace isolume::electrostatics
