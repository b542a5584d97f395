#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "app/labs/orbitals/orbital_scene.h"
#include "app/labs/orbitals/orbital_source.h"
#include "app/scene/field_picture.h"
#include "core/fields/pipeline.h"
#include "core/jobs/job_runner.h"

namespace isolume::labs::orbitals {

using fields::Detail;

struct PictureRequest {
  DocumentPointer document;
  isolume::orbitals::FieldParameters field;
  ViewParameters view;
  std::size_t file_field = 0;  ///< which field of a document without wavefunction (a cube file)
  Detail detail = Detail::preview_then_refined;
};

/// A field of a document with the surfaces wanted from it.
struct Picture : scene::FieldPicture {
  DocumentPointer document;
};

/// "homo", or "1" where nothing is occupied.
std::string first_orbital(const molecules::OrbitalSet& set);

/// The parameters to begin with: the first orbital of the first set, at the default
/// spacing or, for a large molecule, the one that keeps the field to some ten million points.
isolume::orbitals::FieldParameters first_parameters(const DocumentPointer& document);

/// Computes field and surfaces at full resolution on the caller's thread; large surfaces by `surfaces`,
/// unless it is null or the request wants the CPU. Throws Error, ResourceError, Cancelled.
Picture compute_picture(const PictureRequest& request, const EnginesPointer& engines,
                        const jobs::Progress& progress = {}, gpu::SurfaceEngine* surfaces = nullptr);

/// The request for the same picture of so many pixels' height, of which one is `angstrom_per_pixel` wide, on
/// a lattice so fine that its steps are not seen, as far as that takes a few seconds and some hundred
/// megabytes. Nothing when the picture's own lattice will do.
std::optional<PictureRequest> finer_request(const PictureRequest& request, const Picture& picture,
                                            double angstrom_per_pixel);

/// Puts a picture and its molecule into a scene. On the thread that renders.
void show_picture(OrbitalScene& scene, const Picture& picture, const ViewParameters& view, bool dark);

/// Keeps the picture up with the newest request, as fields::Pipeline does. A request that differs only in the
/// view finds the surface of the field that is there, unless that would leave the box.
class FieldPipeline {
 public:
  /// Called on a job's thread, in the order in which pictures are to be shown.
  using Deliver = std::function<void(const Picture&)>;

  FieldPipeline(jobs::JobRunner& jobs, EnginesPointer engines, Deliver deliver,
                std::size_t cache_bytes = std::size_t{512} << 20);
  /// Returns at once. Supersedes the request before; a preview of it that is under way is still shown.
  void request(PictureRequest request);
  /// Later requests are computed by these; fields that are there stay, as all engines give the same.
  void set_engines(EnginesPointer engines, std::shared_ptr<gpu::SurfaceEngine> surfaces = nullptr);
  /// Cancels what runs and forgets the kept fields.
  void clear() { pipeline_.clear(); }

 private:
  EnginesPointer engines_;
  std::shared_ptr<gpu::SurfaceEngine> surfaces_;  ///< null: on the CPU
  const Deliver deliver_;
  fields::Pipeline pipeline_;
};

}  // namespace isolume::labs::orbitals
