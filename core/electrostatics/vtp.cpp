// https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html
#include "core/electrostatics/vtp.h"

#include <bit>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "core/base/atomic_file.h"

namespace isolume::electrostatics {
namespace {

/// Numbers behind each other, each block with how many bytes it has in front.
class Appended {
 public:
  /// Returns the element that describes the block, which is added.
  template <class Number>
  std::string add(const char* type, std::string_view attributes, std::span<const Number> numbers) {
    const std::uint64_t bytes = numbers.size_bytes();
    const std::size_t offset = blocks_.size();
    blocks_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    blocks_.append(reinterpret_cast<const char*>(numbers.data()), bytes);
    return fmt::format("<DataArray type=\"{}\" {} format=\"appended\" offset=\"{}\"/>\n", type, attributes,
                       offset);
  }
  const std::string& blocks() const { return blocks_; }

 private:
  std::string blocks_;
};

}  // namespace

void write_vtp(const surfaces::Mesh& mesh, std::span<const double> values, const std::string& name,
               const std::filesystem::path& path) {
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
  file.stream() << xml << data.blocks() << "\n</AppendedData>\n</VTKFile>\n";
  file.commit();
}

}  // namespace isolume::electrostatics
