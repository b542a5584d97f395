// https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html
#include "core/electrostatics/maps/vtp.h"

#include <bit>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/atomic_file.h"

namespace isolume::electrostatics {
namespace {

/// Blocks of appended data, each preceded by its size in bytes. The data must outlive this object.
class Appended {
 public:
  /// Returns the XML element that describes the added block.
  template <class Number>
  std::string add(const char* type, std::string_view attributes, std::span<const Number> numbers) {
    const std::size_t offset = bytes_;
    blocks_.emplace_back(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
    bytes_ += sizeof(std::uint64_t) + numbers.size_bytes();
    return fmt::format("<DataArray type=\"{}\" {} format=\"appended\" offset=\"{}\"/>\n", type, attributes,
                       offset);
  }
  void write(std::ostream& out, const jobs::Progress& progress) const {
    constexpr std::size_t most_at_once = std::size_t{4} << 20U;
    for (const std::string_view block : blocks_) {
      const std::uint64_t bytes = block.size();
      out.write(reinterpret_cast<const char*>(&bytes), sizeof bytes);
      for (std::size_t at = 0; at < block.size(); at += most_at_once) {
        progress.check();
        const auto part = block.substr(at, most_at_once);
        out.write(part.data(), static_cast<std::streamsize>(part.size()));
      }
    }
  }

 private:
  std::vector<std::string_view> blocks_;
  std::size_t bytes_ = 0;
};

}  // namespace

void write_vtp(const surfaces::Mesh& mesh, std::span<const double> values, const std::string& name,
               const std::filesystem::path& path, const jobs::Progress& progress) {
  static_assert(std::endian::native == std::endian::little);
  std::vector<std::uint32_t> ends(mesh.triangle_count());
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = static_cast<std::uint32_t>(3 * (i + 1));
  Appended data;
  std::string xml = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n<PointData Scalars=\"{}\" Normals=\"Normals\">\n",
      mesh.point_count(), mesh.triangle_count(), name);
  xml += data.add<double>("Float64", fmt::format("Name=\"{}\"", name), values);
  xml += data.add<float>("Float32", "Name=\"Normals\" NumberOfComponents=\"3\"", mesh.normals);
  xml += "</PointData>\n<Points>\n";
  xml += data.add<float>("Float32", "Name=\"Points\" NumberOfComponents=\"3\"", mesh.points);
  xml += "</Points>\n<Polys>\n";
  xml += data.add<std::uint32_t>("UInt32", "Name=\"connectivity\"", mesh.triangles);
  xml += data.add<std::uint32_t>("UInt32", "Name=\"offsets\"", ends);
  xml += "</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
  AtomicFile file(path);
  file.stream() << xml;
  data.write(file.stream(), progress);
  file.stream() << "\n</AppendedData>\n</VTKFile>\n";
  file.commit();
}

}  // namespace isolume::electrostatics
