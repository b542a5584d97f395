#include "app/labs/livewire/batch/batch_outputs.h"

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/dicom/contours/read_contours.h"
#include "core/dicom/contours/slice_positions.h"

namespace isolume::batch {

void add_outputs(CLI::App& command, Context& context, std::vector<std::string>& outputs) {
  add_option(
      command, context, &outputs,
      commands::path(
          "output",
          "A file to write; may be repeated: contour.csv, .measures.csv, .json or .svg, mask.nrrd, "
          ".nii, .nii.gz, .mha or NAME.seg.nrrd, surface.stl, .ply or .vtp, NAME.rtstruct.dcm, NAME.seg.dcm")
          .optional()
          .repeatable());
}

const labs::livewire::ContourFormat& format_of(Context& context, const std::string& path) {
  try {
    return labs::livewire::contour_format_of(path);
  } catch (const Error&) {
    need_full_program(context);
    throw;
  }
}

void check_outputs_against(const images::Document& image, const std::string& file,
                           std::span<const std::string> outputs) {
  for (const auto& path : outputs) {
    if (dicom::kind_of(path) == dicom::DicomKind::image)
      throw Error(fmt::format("{}: this is a DICOM image. Give the output another name.", path));
    const auto& format = labs::livewire::contour_format_of(path);
    if (format.needs_dicom && !image.dicom) {
      throw InputError(file, 0, fmt::format("this is not a DICOM image, and {} must refer to one", path),
                       "Write a mask (.nrrd) instead.");
    }
    if (format.needs_grid) dicom::require_regular_grid(image, path);
  }
}

void write_outputs(Context& context, const labs::livewire::Drawing& drawing,
                   std::span<const std::string> outputs, const jobs::Progress& progress) {
  for (const auto& path : outputs) {
    progress.check();
    const auto tell = [&](const Remarks& told) { report(context, path, told); };
    labs::livewire::write_drawing(drawing, path, tell, progress);
  }
}

}  // namespace isolume::batch
