#include "app/labs/atlas/description.h"

#include "app/labs/atlas/choices.h"
#include "core/anatomy/atlas_parameters.h"
#include "core/images/document.h"
#include "core/images/file_format.h"
#include "core/parameters/descriptions_of.h"

namespace isolume::labs::atlas {
namespace {

std::vector<commands::Declaration> declared_commands() {
  return {
      {.name = "atlas.images.open",
       .title = "Open folder of images...",
       .help = "Opens the images that are averaged, in the place of the present ones. The first one's grid "
               "is that of the mean.",
       .arguments = {commands::path(
                         "path",
                         "A folder with images, or the images. If omitted, a dialog asks for a folder.")
                         .repeatable()
                         .asked_for()},
       .menu = "images",
       .keywords = "template population group subjects"},
      {.name = "atlas.images.add",
       .title = "Add image...",
       .help = "Adds an image to those that are averaged.",
       .arguments = {commands::path("path", "The images. If omitted, a dialog asks for one.")
                         .repeatable()
                         .asked_for()},
       .menu = "images",
       .keywords = "subject"},
      {.name = "atlas.image.remove",
       .title = "Remove image...",
       .help = "Removes an image from those that are averaged.",
       .arguments = {commands::counted("number", "The image.")},
       .menu = "images",
       .keywords = "subject delete"},
      {.name = "atlas.ages.open",
       .title = "Open ages...",
       .help = "Opens the ages of the images, and shows the average at the mean age.",
       .arguments = {commands::path(
                         "path",
                         "A table (.csv) with the columns image and age. If omitted, a dialog asks for it.")
                         .asked_for()},
       .menu = "images",
       .keywords = "regression kernel growth ageing years"},
      {.name = "atlas.deviation.save",
       .title = "Save standard deviation...",
       .help = "Writes the standard deviation of the images about their mean.",
       .arguments = {commands::path(
                         "path", "The file: .nii.gz, .nii, .nrrd or .mha. If omitted, a dialog asks for it.")
                         .asked_for()},
       .menu = "result",
       .keywords = "variance export"},
      {.name = "atlas.displacements.save",
       .title = "Save displacements...",
       .help = "Writes the displacements of each image's whole map in mm (LPS), as ITK and ANTs read them: a "
               "file NAME-displacements.nii.gz for each.",
       .arguments = {commands::path("path", "The folder. If omitted, a dialog asks for it.").asked_for()},
       .menu = "result",
       .keywords = "warp transform deformation field export"},
      {.name = "atlas.result",
       .title = "Result of the average",
       .help = "Waits for the average and gives its numbers.",
       .menu = "result",
       .recorded = false,
       .result =
           "images, spread {before, after}, jacobian {least, folded, mended}, largest_displacements_mm; of "
           "flows also distances_mm; of images that do not fit the memory also stream"},
  };
}

}  // namespace

LabDescription description() {
  return {.name = "atlas",
          .title = "Atlas",
          .summary =
              "The average of many images that are deformed onto each other, growing sharp while you watch.",
          .commands = declared_commands(),
          .parameters = [] { return parameters::descriptions_of(choices_schema(), anatomy::atlas_schema()); },
          .formats = {images::image_formats()},
          .opens =
              [](const std::filesystem::path& path) {
                std::error_code failed;
                return std::filesystem::is_directory(path, failed) || images::is_image(path);
              }};
}

}  // namespace isolume::labs::atlas
