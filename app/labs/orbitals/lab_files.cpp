#include <chrono>
#include <future>
#include <tuple>

#include <fmt/format.h>
#include <vtkImageData.h>
#include <vtkRenderer.h>

#include "app/labs/orbitals/lab.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/suffix.h"
#include "core/molecules/writers.h"

namespace isolume::labs::orbitals {
void OrbitalsLab::write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                              int dpi) {
  if (!document_) throw Error(workbench::said(QObject::tr("Open a file first.")));
  window_.require_no_failure();
  const scene::ImageOptions options{width, height, transparent, dpi};
  std::optional<PictureRequest> finer;
  const auto& shown = window_.picture();
  if (shown) finer = finer_request(wanted(), *shown, scene::view_height(*context_.view.renderer()) / height);
  if (!finer) return window_.write_image(path, options, shown);
  context_.jobs.submit(
      workbench::said(QObject::tr("Surface for %1"), path.filename().string()), {},
      [this, path, options, finer = *finer, engines = engines_](const jobs::Progress& progress) {
        const auto picture = compute_picture(finer, engines, progress);
        context_.on_gui_thread(guarded(this, [this, path, options, picture, document = finer.document] {
          if (document == document_) window_.write_image(path, options, picture);
        }));
      });
}

/// Frames of one turn of the loop, each as good as an exported image. The job computes and writes, the GUI
/// thread draws.
void OrbitalsLab::record(const std::filesystem::path& folder, int frames,
                         const scene::ImageOptions& options) {
  playback_.pause();
  const auto loop = *playback_.time().clock().range();
  std::vector<PictureRequest> requests(static_cast<std::size_t>(frames), wanted());
  for (int i = 0; i < frames; ++i)
    requests[static_cast<std::size_t>(i)].field.time_femtoseconds =
        loop.low + (loop.high - loop.low) * i / frames;
  context_.jobs.submit(
      workbench::said(QObject::tr("Record %1"), folder.filename().string()), "orbitals.record",
      [this, folder, options, requests = std::move(requests),
       engines = engines_](const jobs::Progress& progress) {
        std::filesystem::create_directories(folder);
        for (std::size_t i = 0; i < requests.size(); ++i) {
          const auto part = static_cast<double>(i) / static_cast<double>(requests.size());
          progress.report(part, workbench::said(QObject::tr("frame %1 of %2"), i + 1, requests.size()));
          const auto picture = compute_picture(requests[i], engines, progress.part(part, part));
          const auto image = draw_for_job(picture, requests[i].document, options, progress);
          scene::write_png(*image, options.dpi, folder / fmt::format("frame-{:04}.png", i + 1));
        }
        context_.on_gui_thread(guarded(this, [this, folder, count = requests.size()] {
          context_.show_status(tr("Written: %n frame(s) in %1", "", static_cast<int>(count))
                                   .arg(QString::fromStdString(folder.string())));
        }));
      });
}

/// On a job's thread: what the GUI thread draws of a picture. Throws Cancelled, also where its file has been closed
/// meanwhile.
vtkSmartPointer<vtkImageData> OrbitalsLab::draw_for_job(const scene::FieldPicture& picture,
                                                        const DocumentPointer& document,
                                                        const scene::ImageOptions& options,
                                                        const jobs::Progress& progress) {
  const auto promise = std::make_shared<std::promise<vtkSmartPointer<vtkImageData>>>();
  auto image = promise->get_future();
  context_.on_gui_thread(guarded(this, [this, promise, options, picture, document] {
    try {
      promise->set_value(document == document_ ? window_.draw(options, picture) : nullptr);
    } catch (...) {
      promise->set_exception(std::current_exception());
    }
  }));
  while (image.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) progress.check();
  auto result = image.get();
  if (result == nullptr) throw Cancelled();
  return result;
}

void OrbitalsLab::add_record_command() {
  context_.commands.bind(
      "orbitals.animation.record",
      [this](const Arguments& arguments) {
        const std::string size = arguments.text("size");
        scene::ImageOptions options;
        const auto pixels = parse_pixel_size(size, 16, 8192);
        if (!pixels) {
          throw Error(workbench::said(
              QObject::tr("Expected a size such as 1280x960, of 16 to 8192 pixels a side, found %1."),
              isolume::quoted(size)));
        }
        std::tie(options.width, options.height) = *pixels;
        record(arguments.text("folder"), arguments.integer("frames"), options);
      },
      [this] { return without_time(); });
}

QString OrbitalsLab::export_filter() const {
  return tr("Field as Gaussian cube (*.cube)") + ";;" + fields::FieldWindow::export_filter() + ";;" +
         tr("Wavefunction as Molden (*.molden)");
}

void OrbitalsLab::export_file(const std::filesystem::path& path) {
  const std::string suffix = suffix_of(path);
  if (suffix == ".cube" || suffix == ".cub") {
    export_cube(path);
  } else if (suffix == ".molden") {
    if (const auto why = without_orbitals(); !why.empty()) throw Error(why);
    window_.write(
        path,
        [path, document = document_, set = field_.set](const jobs::Progress&) {
          const auto& written = *document->wavefunction;
          molecules::write_molden(written, written.sets[static_cast<std::size_t>(set - 1)], path);
        },
        tr("geometry, basis set and orbitals; not energy, dipole moment, charge and multiplicity"));
  } else if (suffix == ".stl" || suffix == ".ply" || suffix == ".vtp" || suffix == ".gltf") {
    window_.export_file(path);
  } else {
    throw Error(workbench::said(
        QObject::tr(
            "%1: the suffix %2 names no format for export; use .cube, .stl, .ply, .vtp, .gltf or .molden."),
        path.string(), isolume::quoted(suffix)));
  }
}

/// The field at full resolution, whatever the view shows at this moment.
void OrbitalsLab::export_cube(const std::filesystem::path& path) {
  if (const auto why = without_field(); !why.empty()) throw Error(why);
  std::optional<scene::FieldPicture> ready = window_.picture();
  if (window_.awaiting() || (ready && !ready->refined)) ready.reset();
  const bool numbered = wavefunction() != nullptr && field_.field == science::FieldKind::orbital;
  const std::vector<int> numbers(numbered ? 1 : 0,
                                 numbered ? std::stoi(orbital_arguments(chosen_orbital()).front()) : 0);
  window_.write(path, [=, engines = engines_, request = wanted()](const jobs::Progress& progress) {
    const auto picture = ready ? *ready : compute_picture(request, engines, progress);
    const auto* field = picture.field.get();
    molecules::write_cube(request.document->molecule, {&field, 1}, numbers,
                          fmt::format("{}, {}", field->name, field->unit), path, progress);
  });
}

}  // namespace isolume::labs::orbitals
