#include "app/labs/reconstruction/description.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "core/images/document.h"
#include "core/images/file_format.h"
#include "core/parameters/descriptions_of.h"
#include "core/tomography/parameters.h"

namespace isolume::labs::reconstruction {
namespace {

commands::Argument optional_file(const char* name, const char* help) {
  return commands::path(name, help).optional();
}

std::vector<commands::Declaration> declared_commands() {
  return {
      {.name = "reconstruction.projections.open",
       .title = "Open projections...",
       .help =
           "Opens a stack of projections, with its geometry and, for intensities, its flat and dark fields.",
       .arguments = {commands::path("path", "The stack. If omitted, a dialog asks for it.").asked_for(),
                     optional_file("geometry",
                                   "JSON, or RTK's XML; if omitted, the file of the same name next to the "
                                   "stack."),
                     optional_file("flat",
                                   "Picture without an object; if omitted, the stack holds line integrals."),
                     optional_file("dark", "Picture without radiation.")},
       .menu = "scan",
       .keywords = "sinogram CT tomography"},
      {.name = "reconstruction.phantom.open",
       .title = "Open phantom",
       .help = "Opens the head phantom of Shepp and Logan, with projections that are simulated exactly.",
       .menu = "scan",
       .keywords = "simulate sample ellipsoids"},
      {.name = "reconstruction.axis.find",
       .title = "Find axis of rotation",
       .help = "Sets the axis of rotation from rays that are measured twice, from opposite sides.",
       .menu = "scan",
       .keywords = "centre of rotation COR alignment"},
      {.name = "reconstruction.volume.save",
       .title = "Save volume...",
       .help = "Writes the reconstructed attenuation in 1/mm.",
       .arguments = {commands::path("path",
                                    "The file: .nii.gz, .nii, .nrrd or .mha. If omitted, a dialog asks "
                                    "for it.")
                         .asked_for()},
       .menu = "result",
       .keywords = "export slices"},
      {.name = "reconstruction.result",
       .title = "Result of the reconstruction",
       .help = "Waits for the volume and gives its numbers.",
       .menu = "result",
       .recorded = false,
       .result = "views, least, greatest, rmse to the phantom, residual of the last iteration"}};
}

/// Whether one of the words is among the first of a file: other programs write other notes next to images.
bool begins_with_geometry(const std::filesystem::path& path, std::initializer_list<std::string_view> words) {
  std::string begin(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return begin.find(word) != std::string::npos; });
}

FileFormats stack_formats() {
  FileFormats all = images::image_formats();
  all.title = "Projections";
  // Other labs own the types of images.
  for (FileFormat& each : all.formats) each.mime_type.clear();
  all.formats.push_back({.title = "NumPy array", .suffixes = {".npy"}, .is_text = false});
  return all;
}

}  // namespace

const parameters::Schema<ViewParameters>& view_schema() {
  using parameters::field;
  using V = ViewParameters;
  static const parameters::Schema<V> schema({
      field("size", &V::size, "Voxels")
          .group("Reconstruction")
          .range(8, 1024)
          .usual(32, 256)
          .help("Voxels of the volume along x and y. They cover what all views see."),
      field("show", &V::shown, "Show",
            {{"attenuation", "Reconstruction"},
             {"difference", "Difference to the phantom"},
             {"phantom", "Phantom"}})
          .group("View")
          .help("Difference and phantom need the simulated scan."),
      field("data", &V::data, "Data", {{"projections", "Projections"}, {"sinogram", "Sinogram"}})
          .group("View")
          .help("Projections are pictures of the detector. A sinogram shows one row of it in all views."),
  });
  return schema;
}

LabDescription description() {
  return {.name = "reconstruction",
          .title = "Reconstruction",
          .summary = "CT slices from projections, updated live while you change how.",
          .commands = declared_commands(),
          .parameters =
              [] {
                return parameters::descriptions_of(tomography::scan_schema(), tomography::method_schema(),
                                                   view_schema());
              },
          .formats = {stack_formats()},
          .opens =
              [](const std::filesystem::path& path) {
                // A stack is an image like others, unless its geometry lies next to it.
                if (path.extension() != ".npy" && !images::is_image(path)) return false;
                std::filesystem::path stem = path;
                while (stem.has_extension() && (stem.extension() == ".gz" || stem.extension() == ".nii" ||
                                                stem.extension() == path.extension()))
                  stem.replace_extension();
                return begins_with_geometry(stem.string() + ".json", {"\"angles_deg\"", "\"views\""}) ||
                       begins_with_geometry(stem.string() + ".xml", {"RTKThreeDCircularGeometry"});
              }};
}

}  // namespace isolume::labs::reconstruction
