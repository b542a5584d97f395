#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/labs/orbitals/orbital_scene.h"
#include "app/scene/surface.h"
#include "core/jobs/job_runner.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"
#include "core/molecules/document.h"
#include "core/orbitals/engine_registry.h"
#include "core/orbitals/parameters.h"

namespace isolume::labs::orbitals {

/// Which resolutions a request asks for. A preview has about a third of the points along each axis, fewer for
/// large boxes, so that it is there within 100 ms.
enum class Detail { preview_then_refined, preview, refined };

struct PictureRequest {
  std::shared_ptr<const molecules::Document> document;
  isolume::orbitals::FieldParameters field;
  ViewParameters view;
  std::size_t file_field = 0;  ///< which field of a document without wavefunction (a cube file)
  Detail detail = Detail::preview_then_refined;
};

/// A field of a document with the surfaces wanted from it: what the scene shows and the readings tell.
struct Picture {
  std::shared_ptr<const molecules::Document> document;
  std::shared_ptr<const lattice::ScalarField> field;
  scene::Lobes lobes;
  bool both_signs = false;  ///< the field has positive and negative parts
  bool amplitude = false;   ///< the electron density is the field's square, not the field itself
  bool refined = false;     ///< at the spacing that was asked for, not a preview
  bool from_file = false;   ///< read, not computed
  FieldSummary summary;
  double isovalue = 0;            ///< of the lobes, in the field's unit
  double enclosed = 0;            ///< fraction of |density| at or above it
  std::string engine;             ///< "CPU, AVX-512, 2 threads", "2 x NVIDIA H100, separable kernel"
  double field_milliseconds = 0;  ///< what the field took when it was computed; 0 for one from a file
  double surface_milliseconds = 0;
};

/// "homo", or "1" where nothing is occupied.
std::string first_orbital(const molecules::OrbitalSet& set);

/// The parameters to begin with: the first orbital of the first set, at the default
/// spacing or, for a large molecule, the one that keeps the field to some ten million points.
isolume::orbitals::FieldParameters first_parameters(const molecules::Document& document);

/// Computes field and surfaces at full resolution on the caller's thread; large surfaces by `surfaces`,
/// unless it is null or the request wants the CPU. Throws Error, ResourceError, Cancelled.
Picture compute_picture(const PictureRequest& request, const isolume::orbitals::EngineRegistry& engines,
                        const jobs::Progress& progress = {}, gpu::SurfaceEngine* surfaces = nullptr);

/// The request for the same picture of so many pixels' height, of which one is `angstrom_per_pixel` wide, on
/// a lattice so fine that its steps are not seen, as far as that takes a few seconds and some hundred
/// megabytes. Nothing when the picture's own lattice will do.
std::optional<PictureRequest> finer_request(const PictureRequest& request, const Picture& picture,
                                            double angstrom_per_pixel);

/// Puts a picture and its molecule into a scene. On the thread that renders.
void show_picture(OrbitalScene& scene, const Picture& picture, const ViewParameters& view, bool dark);

/// "HOMO (20) | 80 x 74 x 52 points at 0.10 Å (refined) | CPU, AVX-512, 2 threads | 3.1 ms field, 8.2 ms
/// surface | isovalue 0.031 bohr⁻³ᐟ² encloses 85 %".
std::string readings(const Picture& picture);

/// Keeps the picture up with the newest request, as jobs: the field as a preview, then refined, each with its
/// surfaces. A request that differs only in the view re-contours the field that is there and never recomputes
/// it (unless its surface would leave the box). The last fields are kept, so that stepping back is immediate.
class FieldPipeline {
 public:
  /// Called on a job's thread, in the order in which pictures are to be shown.
  using Deliver = std::function<void(const Picture&)>;

  FieldPipeline(jobs::JobRunner& jobs, std::shared_ptr<const isolume::orbitals::EngineRegistry> engines,
                Deliver deliver, std::size_t cache_bytes = std::size_t{512} << 20);
  /// Cancels what runs (without waiting for it); nothing is delivered once this has returned.
  ~FieldPipeline();
  FieldPipeline(const FieldPipeline&) = delete;
  FieldPipeline& operator=(const FieldPipeline&) = delete;

  /// Returns at once. Supersedes the request before; a preview of it that is under way is still shown.
  void request(PictureRequest request);
  /// Later requests are computed by these; fields that are there stay, as all engines give the same.
  void set_engines(std::shared_ptr<const isolume::orbitals::EngineRegistry> engines,
                   std::shared_ptr<gpu::SurfaceEngine> surfaces = nullptr);
  /// Cancels what runs and forgets the kept fields.
  void clear();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace isolume::labs::orbitals
