#include "app/labs/anatomy/description.h"

#include "app/labs/anatomy/brush.h"
#include "app/labs/anatomy/choices.h"
#include "app/labs/anatomy/neuron_tool.h"
#include "core/images/document.h"
#include "core/images/file_format.h"
#include "core/neurons/ribbon.h"
#include "core/parameters/descriptions_of.h"
#include "core/regions/regions.h"

namespace isolume::labs::anatomy {
namespace {

commands::Argument image(const char* help) {
  return commands::choice("image", help, {"moving", "fixed"});
}

commands::Argument position(const char* name) {
  return commands::number(name, "Position; if omitted, that of the crosshair.").unit("mm").optional();
}

commands::Argument mark_radius() {
  return commands::number("radius", "Radius of a circle within the neuron; if omitted, it is searched.")
      .unit("mm")
      .at_least(0)
      .optional();
}

commands::Argument file(const char* help) {
  return commands::path("path", std::string(help) + " If omitted, a dialog asks for it.").asked_for();
}

std::vector<commands::Argument> stroke() {
  return {
      commands::integer("label", "Label that is painted; 0 is the background.").range(0, most_painted_labels),
      commands::number("radius", "Radius of the brush.").unit("mm").range(0.01, 1000),
      commands::choice("axis", "Axis of the image across the painted slice.", {"first", "second", "third"}),
      commands::text("coordinate", "x, y and z of each point of the stroke, in mm.")
          .repeatable()
          .shown_as("X Y Z X Y Z ...")};
}

std::vector<commands::Declaration> declared_commands() {
  return {
      {.name = "anatomy.fixed.open",
       .title = "Open fixed image...",
       .help = "Opens the image onto which the moving one is deformed; the moving image stays.",
       .arguments = {file("The image.")},
       .menu = "images",
       .keywords = "reference target atlas"},
      {.name = "anatomy.moving.open",
       .title = "Open moving image...",
       .help = "Opens the image that is deformed onto the fixed one.",
       .arguments = {file("The image.")},
       .menu = "images",
       .keywords = "source template registration"},
      {.name = "anatomy.images.swap",
       .title = "Swap images",
       .help = "Makes the moving image the fixed one, and the other way round.",
       .menu = "images",
       .keywords = "inverse exchange"},
      {.name = "anatomy.mask.open",
       .title = "Open mask...",
       .help = "Opens a mask of an image: the registration compares the images where it is not 0.",
       .arguments = {image("The image that the mask belongs to."), file("The mask: a label map.")},
       .menu = "images",
       .keywords = "region of interest lesion exclude weight"},
      {.name = "anatomy.mask.remove",
       .title = "Remove mask...",
       .help = "Compares the whole image again.",
       .arguments = {image("The image whose mask is removed.")},
       .menu = "images",
       .keywords = "region of interest"},
      {.name = "anatomy.filters.open",
       .title = "Open filters...",
       .help = "Gives an image the filters of a file; a panel shows and changes them.",
       .arguments = {image("The image that is filtered."), file("A chain of filters, as JSON.")},
       .menu = "filters",
       .keywords = "denoise smooth bias preprocessing"},
      {.name = "anatomy.filters.save",
       .title = "Save filters...",
       .help = "Writes the filters of an image, also for `isolume-batch anatomy filter --chain`.",
       .arguments = {image("The image whose filters are written."), file("The file: .json.")},
       .menu = "filters",
       .keywords = "chain pipeline batch"},
      {.name = "anatomy.filtered.save",
       .title = "Save filtered image...",
       .help = "Writes an image with its filters applied, on its own grid.",
       .arguments = {image("The image that is written."), file("The file: .nii.gz, .nii, .nrrd or .mha.")},
       .menu = "filters",
       .keywords = "export denoise smooth bias"},
      {.name = "anatomy.landmark.add",
       .title = "Add landmark",
       .help =
           "Adds a pair of points: of the fixed image at the crosshair or a position in mm (LPS), and of the "
           "moving "
           "image where the registration carries it. Drag its ring to the same point of the moving image.",
       .arguments = {position("x"), position("y"), position("z")},
       .menu = "landmarks",
       .keywords = "point fiducial pair correspondence"},
      {.name = "anatomy.landmark.move",
       .title = "Move landmark...",
       .help = "Sets a landmark's point in one of the images, in mm (LPS).",
       .arguments = {commands::counted("number", "The landmark."), image("The image whose point moves."),
                     commands::number("x", "Coordinate towards the patient's left.").unit("mm"),
                     commands::number("y", "Coordinate towards posterior.").unit("mm"),
                     commands::number("z", "Coordinate towards superior.").unit("mm")},
       .menu = "landmarks",
       .keywords = "point fiducial"},
      {.name = "anatomy.landmark.name",
       .title = "Name landmark...",
       .help = "Gives a landmark another name.",
       .arguments = {commands::counted("number", "The landmark."),
                     commands::text("name", "Its name.").repeatable()},
       .menu = "landmarks",
       .keywords = "rename fiducial"},
      {.name = "anatomy.landmark.remove",
       .title = "Remove landmark...",
       .help = "Removes a landmark from both images.",
       .arguments = {commands::counted("number", "The landmark.")},
       .menu = "landmarks",
       .keywords = "delete fiducial"},
      {.name = "anatomy.landmarks.clear",
       .title = "Remove all landmarks",
       .help = "Removes the landmarks of both images.",
       .menu = "landmarks",
       .keywords = "delete fiducials"},
      {.name = "anatomy.landmarks.open",
       .title = "Open landmarks...",
       .help = "Opens pairs from a table (.csv), or from two point lists of 3D Slicer (.mrk.json, .fcsv), "
               "and puts them in the place of the present ones.",
       .arguments = {file("The table, or the points of the fixed image."),
                     commands::path("moving", "The points of the moving image.").optional()},
       .menu = "landmarks",
       .keywords = "fiducials points import"},
      {.name = "anatomy.landmarks.save",
       .title = "Save landmarks...",
       .help = "Writes the landmarks of both images as a table, in mm (LPS).",
       .arguments = {file("The file: .csv.")},
       .menu = "landmarks",
       .keywords = "fiducials points export"},
      {.name = "anatomy.labels.open",
       .title = "Open labels of the moving image...",
       .help = "Opens a label map of the moving image, which the registration carries to the fixed one. "
               "Names come from a text file of the same name.",
       .arguments = {file("The label map: an image of whole numbers.")},
       .menu = "labels",
       .keywords = "atlas segmentation regions parcellation"},
      {.name = "anatomy.fixed-labels.open",
       .title = "Open labels of the fixed image...",
       .help = "Opens a label map of the fixed image, with which the carried labels are compared.",
       .arguments = {file("The label map: an image of whole numbers.")},
       .menu = "labels",
       .keywords = "segmentation regions dice overlap"},
      {.name = "anatomy.labels.save",
       .title = "Save carried labels...",
       .help = "Writes the labels of the moving image as the registration carries them to the fixed image's "
               "grid.",
       .arguments = {file("The file: .nii.gz, .nii, .nrrd or .mha.")},
       .menu = "labels",
       .keywords = "atlas segmentation export"},
      {.name = "anatomy.label-surfaces.save",
       .title = "Save surfaces of labels...",
       .help =
           "Writes the surfaces of the labels and regions that are drawn over the slices, in mm (LPS). Each has "
           "the volume of its voxels.",
       .arguments = {file("The file: .stl, .ply or .vtp.")},
       .menu = "labels",
       .keywords = "mesh segmentation 3D print export"},
      {.name = "anatomy.regions.paint",
       .title = "Paint seeds",
       .help = "Paints seeds of a region on a slice of the fixed image; labels spread from them.",
       .arguments = stroke(),
       .menu = "regions",
       .keywords = "segmentation graph cut scribble"},
      {.name = "anatomy.regions.correct",
       .title = "Correct labels",
       .help = "Changes labels of regions on a slice of the fixed image to that of the brush.",
       .arguments = stroke(),
       .menu = "regions",
       .keywords = "segmentation edit brush"},
      {.name = "anatomy.regions.clear",
       .title = "Clear regions",
       .help = "Removes all strokes, of seeds and of corrections.",
       .menu = "regions",
       .keywords = "segmentation remove"},
      {.name = "anatomy.regions.save",
       .title = "Save regions...",
       .help = "Writes the regions of the fixed image as a label map.",
       .arguments = {file("The file: .nii.gz, .nii, .nrrd or .mha.")},
       .menu = "regions",
       .keywords = "segmentation export labels"},
      {.name = "anatomy.regions.trace",
       .title = "Trace regions in Livewire",
       .help =
           "Opens the fixed image in Livewire with outlines of the regions, which are corrected by hand there.",
       .menu = "regions",
       .keywords = "contours outlines segmentation edit"},
      {.name = "anatomy.regions.result",
       .title = "Numbers of the regions",
       .help = "Waits for the regions and gives their volumes.",
       .menu = "regions",
       .recorded = false,
       .result = "method, sigma, energy, basins, text, labels [label, voxels, millilitres]"},
      {.name = "anatomy.neuron.mark",
       .title = "Mark neuron",
       .help = "Begins a neuron at a position in mm (LPS), and follows it through the slices across an axis.",
       .arguments = {commands::choice("axis", "Axis of the image across the slices; if omitted, the third.",
                                      {"first", "second", "third"})
                         .optional(),
                     position("x"), position("y"), position("z"), mark_radius()},
       .menu = "neurons",
       .keywords = "axon trace vessel airway electron microscopy ribbon"},
      {.name = "anatomy.neuron.correct",
       .title = "Correct neuron...",
       .help = "Marks a neuron once more: from that slice on, away from its first mark, it is followed anew.",
       .arguments = {commands::counted("number", "The neuron."), position("x"), position("y"), position("z"),
                     mark_radius()},
       .menu = "neurons",
       .keywords = "axon trace edit"},
      {.name = "anatomy.neuron.remove",
       .title = "Remove neuron...",
       .help = "Removes a neuron with its marks.",
       .arguments = {commands::counted("number", "The neuron.")},
       .menu = "neurons",
       .keywords = "axon delete"},
      {.name = "anatomy.neurons.clear",
       .title = "Remove all neurons",
       .help = "Removes all neurons with their marks.",
       .menu = "neurons",
       .keywords = "axon delete"},
      {.name = "anatomy.neurons.save",
       .title = "Save neurons...",
       .help = "Writes centre lines (.swc, micrometres), the table (.csv) or the inside as a label map.",
       .arguments = {file("The file: .swc, .csv, .nii.gz, .nii, .nrrd or .mha.")},
       .menu = "neurons",
       .keywords = "axon skeleton export SWC morphology"},
      {.name = "anatomy.neurons.result",
       .title = "Numbers of the neurons",
       .help = "Waits until all neurons have been followed and gives their lengths and widths.",
       .menu = "neurons",
       .recorded = false,
       .result = "neurons [sections, first_slice, last_slice, least_confidence, length_mm, mean_width_mm, "
                 "volume_mm3, voxels, ends]"},
      {.name = "anatomy.field.save",
       .title = "Save displacements...",
       .help = "Writes the displacements of the whole map in mm (LPS), as ITK and ANTs read them.",
       .arguments = {file("The file: .nii.gz, .nii, .nrrd or .mha.")},
       .menu = "result",
       .keywords = "warp transform deformation field"},
      {.name = "anatomy.linear.save",
       .title = "Save linear map...",
       .help = "Writes the linear map in mm (LPS) as ITK, ANTs and 3D Slicer read it.",
       .arguments = {file("The file: .tfm, .txt, .mat or .h5.")},
       .menu = "result",
       .keywords = "affine rigid transform matrix"},
      {.name = "anatomy.result",
       .title = "Result of the registration",
       .help = "Waits for the registration and gives its numbers.",
       .menu = "result",
       .recorded = false,
       .result = "linear {model, similarity, matrix, largest_move_mm}, difference_before, difference_after, "
                 "least_jacobian, folded voxels, surfaces [name, before {mean_mm, greatest_mm}, after], "
                 "largest_displacement_mm"},
  };
}

}  // namespace

LabDescription description() {
  return {.name = "anatomy",
          .title = "Anatomy",
          .summary = "Volumes that are deformed onto each other while you watch, and their averages.",
          .commands = declared_commands(),
          .parameters =
              [] {
                return parameters::descriptions_of(
                    isolume::anatomy::linear_schema(), isolume::anatomy::deformation_schema(),
                    matching_schema(), live_schema(), comparison_schema(), volume_schema(), surface_schema(),
                    label_schema(), brush_schema(), regions::region_schema(), neuron_schema(),
                    neurons::ribbon_schema(), filter_schema());
              },
          .formats = {images::image_formats()},
          .samples = {{"Neurons", "Synthetic microscopy, 24 slices, 8 neurons", "samples/neurons.nii.gz"}},
          .opens =
              [](const std::filesystem::path& path) {
                std::error_code failed;  // whether a folder holds images is for a job to find out
                return std::filesystem::is_directory(path, failed) || images::is_image(path);
              }};
}

}  // namespace isolume::labs::anatomy
