#include "app/stage/lobes_scene.h"

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/opengl/colours.h"
#include "app/opengl/mesh.h"
#include "app/stage/ball_and_stick.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/shown_number.h"
#include "core/base/units.h"
#include "core/graph/inbox.h"
#include "core/graph/node.h"
#include "core/orbitals/orbital_source.h"
#include "core/simulation/clock.h"
#include "core/surfaces/isosurface.h"

namespace isolume::stage {
namespace {

constexpr std::uint32_t blue = 0x0072b2, orange = 0xd55e00;

struct LobesLook {
  std::string superposition = "homo:1,lumo:1";
  double isovalue = 0.03;
  double spacing_angstrom = 0.12;
  double opacity = 0.85;
  double exposure = 1.6;
};

const parameters::Schema<LobesLook>& lobes_schema() {
  using L = LobesLook;
  using parameters::field;
  static const parameters::Schema<L> schema(
      {field("superposition", &L::superposition, "Orbitals")
           .group("Field")
           .help("Orbitals and weights, as ORBITAL:WEIGHT,..., e.g. homo:1,lumo:1 or 20:1,21:0.5."),
       field("spacing", &L::spacing_angstrom, "Spacing")
           .unit("angstrom")
           .range(0.03, 1)
           .usual(0.06, 0.4)
           .logarithmic()
           .group("Field")
           .help("Distance between neighbouring grid points of the field."),
       field("isovalue", &L::isovalue, "Isovalue")
           .unit("bohr^-3/2")
           .range(1e-4, 1)
           .usual(0.003, 0.2)
           .logarithmic()
           .group("Picture")
           .help("The lobes are the isosurfaces at this value and at its negative."),
       field("opacity", &L::opacity, "Opacity").range(0.05, 1).group("Picture").help("Opacity of the lobes."),
       field("exposure", &L::exposure, "Exposure")
           .range(0.01, 100)
           .usual(0.1, 10)
           .logarithmic()
           .group("Picture")
           .help("Exposure: higher values saturate to white sooner.")});
  return schema;
}

/// All that lobes depend on.
struct Wanted {
  std::string superposition;
  double spacing_angstrom = 0, isovalue = 0, femtoseconds = 0;
  bool operator==(const Wanted&) const = default;
};

/// The lobes at one time, and the duration of their computation.
struct Lobes {
  surfaces::Mesh positive, negative;
  double field_ms = 0, surface_ms = 0;
  std::size_t points = 0;
};

orbitals::FieldParameters parameters_of(const Wanted& wanted) {
  orbitals::FieldParameters field;
  field.field = orbitals::FieldKind::superposition;
  field.superposition = wanted.superposition;
  field.spacing_angstrom = wanted.spacing_angstrom;
  field.time_femtoseconds = wanted.femtoseconds;
  return field;
}

std::shared_ptr<const Lobes> lobes_of(const orbitals::DocumentPointer& document,
                                      const orbitals::EnginesPointer& engines, const Wanted& wanted,
                                      const jobs::Progress& progress) {
  const auto source = orbitals::make_source(document, parameters_of(wanted), wanted.isovalue, 0, engines);
  const fields::MadeField made = source->compute(source->grid(), progress);
  auto lobes = std::make_shared<Lobes>();
  lobes->field_ms = made.milliseconds;
  lobes->points = made.field->grid.point_count();
  const auto computed = std::chrono::steady_clock::now();
  lobes->positive = surfaces::isosurface(*made.field, wanted.isovalue, progress);
  lobes->negative = surfaces::isosurface(*made.field, -wanted.isovalue, progress);
  lobes->surface_ms = milliseconds_since(computed);
  return lobes;
}

class LobesScene final : public Scene {
 public:
  explicit LobesScene(const LobesPlot& plot);

  parameters::ParameterSet& parameters() override { return parameters_; }
  Camera first_camera() const override { return first_camera_; }
  void advance(double seconds) override;
  void go_to(double seconds) override;
  void draw(const opengl::Eye& eye) override;
  float exposure() const override { return static_cast<float>(look_.exposure); }

  bool playing() const override { return clock_.playing(); }
  void play() override { clock_.play(); }
  void pause() override { clock_.pause(); }
  bool reversed() const override { return clock_.reversed(); }
  void set_reversed(bool reversed) override { clock_.set_reversed(reversed); }
  void set_speed(double speed) override { clock_.set_speed(speed); }
  double speed() const override { return clock_.speed(); }
  void step(int frames) override {
    clock_.pause();
    clock_.set_time(clock_.time() + frames * clock_.range()->high / seconds_around / 30);
  }
  Moment moment() const override { return {clock_.time(), 0, clock_.range()->high, "fs"}; }
  void seek(double time) override {
    clock_.pause();
    clock_.set_time(time);
  }
  void restart() override { clock_.set_time(0); }

  std::vector<std::string> caption(const Camera& camera) const override;
  std::vector<const Series*> graphs() const override { return {&field_times_, &surface_times_}; }
  std::optional<Legend> legend() const override;
  std::uint64_t picture() const override { return picture_; }
  std::int64_t computed() const override { return computed_; }
  bool settled() const override { return lobes_.settled() && asked_ == wanted(); }
  std::string trouble() const override { return trouble_; }

 private:
  static constexpr double seconds_around = 8;  ///< period of the superposition on the screen

  /// Refuses orbitals that the molecule does not have.
  class Parameters final : public parameters::ParameterSet {
   public:
    explicit Parameters(LobesScene& scene) : scene_(scene) {}
    std::vector<parameters::Description> descriptions() const override {
      return scene_.look_set_.descriptions();
    }
    parameters::Value get(std::string_view key) const override { return scene_.look_set_.get(key); }
    void set(std::string_view key, const parameters::Value& value) override {
      const LobesLook before = scene_.look_;
      scene_.look_set_.set(key, value);
      try {
        scene_.set_loop();
      } catch (...) {
        scene_.look_ = before;
        throw;
      }
      ++scene_.picture_;
    }

   private:
    LobesScene& scene_;
  };

  Wanted wanted() const {
    return {look_.superposition, look_.spacing_angstrom, look_.isovalue, clock_.time()};
  }
  void set_loop();
  void take(const Lobes& lobes);

  LobesPlot plot_;
  orbitals::DocumentPointer document_;
  orbitals::EnginesPointer engines_;
  LobesLook look_;
  parameters::StructParameters<LobesLook> look_set_{lobes_schema(), look_};
  Parameters parameters_{*this};
  simulation::Clock clock_;
  Camera first_camera_;

  std::uint64_t picture_ = 0;
  std::int64_t computed_ = 0;
  std::string trouble_;
  std::size_t grid_points_ = 0, triangles_ = 0;

  opengl::MeshShader shader_;
  opengl::Mesh positive_, negative_;
  std::vector<std::pair<opengl::Mesh, opengl::Vector3>> atoms_;
  Series field_times_{"Field", "ms"}, surface_times_{"Lobes", "ms"};

  graph::Inbox inbox_;
  jobs::JobRunner jobs_;
  graph::Graph graph_{jobs_, [this](auto action) { inbox_.post(std::move(action)); }};
  std::optional<Wanted> asked_;  ///< of the lobes
  graph::Node<Wanted, Lobes> lobes_{graph_,
                                    {.name = "Lobes",
                                     .channel = "lobes",
                                     .inputs = [this]() -> std::optional<Wanted> {
                                       // Those that are on their way are shown, as the next moment would always replace them.
                                       return lobes_.settled() ? asked_ = wanted() : std::nullopt;
                                     },
                                     .compute =
                                         [this](const Wanted& wanted, const jobs::Progress& progress) {
                                           return lobes_of(document_, engines_, wanted, progress);
                                         },
                                     .taken =
                                         [this](const auto& lobes) {
                                           if (lobes) take(*lobes);
                                         }}};
};

LobesScene::LobesScene(const LobesPlot& plot) : plot_(plot) {
  document_ = std::make_shared<const molecules::Document>(molecules::read_document(resource(plot.file)));
  if (!document_->wavefunction)
    throw Error(fmt::format("{} holds no orbitals. Use a Molden, FCHK or WFX file.", plot.file));
  auto engines = std::make_shared<orbitals::EngineRegistry>();
  engines->add(orbitals::make_cpu_engine());
  engines_ = std::move(engines);
  jobs_.observe([this](const jobs::JobStatus& job) {
    if (job.state == jobs::JobState::failed) inbox_.post([this, error = job.error] { trouble_ = error; });
  });
  look_.superposition = plot.superposition;
  look_.isovalue = plot.isovalue;
  clock_.set_at_end(simulation::Clock::AtEnd::loop);
  set_loop();
  const molecules::Molecule& nuclei = document_->wavefunction->molecule;
  for (const ColouredMesh& each : ball_and_stick(nuclei)) {
    atoms_.emplace_back(opengl::Mesh(), opengl::light_of(each.colour));
    atoms_.back().first.set(each.mesh.points, each.mesh.normals, each.mesh.triangles);
  }
  const molecules::Box box = molecules::nuclei_box(nuclei);
  const Eigen::Vector3f middle =
      (0.5 * units::angstrom_per_bohr * (box.low_bohr + box.high_bohr)).cast<float>();
  const double size = units::angstrom_per_bohr * (box.high_bohr - box.low_bohr).norm();
  constexpr double around_nuclei = 5;  // angstrom
  first_camera_.focus = {middle.x(), middle.y(), middle.z()};
  first_camera_.distance = static_cast<float>(1.1 * (size + around_nuclei));
  first_camera_.elevation = 0.5F;
  first_camera_.azimuth = -1.2F;
  go_to(0);
}

/// Sets the loop of these orbitals; throws Error if the molecule does not have them.
void LobesScene::set_loop() {
  const double loop = orbitals::loop_femtoseconds(parameters_of(wanted()), *document_->wavefunction);
  clock_.set_rate(loop / seconds_around);
  clock_.set_range(simulation::Clock::Range{0, loop});
}

void LobesScene::take(const Lobes& lobes) {
  positive_.set(lobes.positive.points, lobes.positive.normals, lobes.positive.triangles);
  negative_.set(lobes.negative.points, lobes.negative.normals, lobes.negative.triangles);
  grid_points_ = lobes.points;
  triangles_ = lobes.positive.triangle_count() + lobes.negative.triangle_count();
  trouble_.clear();
  ++picture_;
  ++computed_;
  field_times_.add(static_cast<float>(lobes.field_ms));
  surface_times_.add(static_cast<float>(lobes.surface_ms));
}

void LobesScene::advance(double seconds) {
  clock_.advance(seconds);
  inbox_.run();
  graph_.update();
}

void LobesScene::go_to(double seconds) {
  clock_.set_time(std::fmod(seconds / seconds_around, 1.0) * clock_.range()->high);
  for (advance(0); !settled(); advance(0)) inbox_.wait();
  if (!trouble_.empty()) throw Error(trouble_);
}

void LobesScene::draw(const opengl::Eye& eye) {
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LESS);
  shader_.use(eye);
  for (const auto& [mesh, colour] : atoms_) {
    shader_.set_colour(colour, 1);
    mesh.draw();
  }
  // The first pass writes only the depth of the lobes, so that only their nearest side is blended.
  glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
  positive_.draw();
  negative_.draw();
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glDepthFunc(GL_LEQUAL);
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  shader_.set_colour(opengl::light_of(blue), static_cast<float>(look_.opacity));
  positive_.draw();
  shader_.set_colour(opengl::light_of(orange), static_cast<float>(look_.opacity));
  negative_.draw();
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
}

std::optional<Legend> LobesScene::legend() const {
  return Legend{.title = "Orbital [bohr⁻³ᐟ²]",
                .colours = {opengl::light_of(blue), opengl::light_of(orange)},
                .names = {"+" + shown_reading(look_.isovalue, 3), shown_reading(-look_.isovalue, 3)}};
}

std::vector<std::string> LobesScene::caption(const Camera& camera) const {
  const std::string rate =
      clock_.playing()
          ? fmt::format("{:.3f} fs per second", clock_.range()->high / seconds_around * clock_.speed())
          : "paused";
  return {plot_.title,
          fmt::format("{} at {} bohr⁻³ᐟ², blue positive, orange negative", look_.superposition,
                      shown_reading(look_.isovalue, 3)),
          fmt::format("{:.3f} fs of {:.3f} fs, {}; picture height {:.3g} Å", clock_.time(),
                      clock_.range()->high, rate, camera.picture_height()),
          fmt::format("{} grid points in {:.0f} ms, {} triangles in {:.0f} ms", grid_points_,
                      field_times_.newest(), triangles_, surface_times_.newest())};
}

}  // namespace

std::unique_ptr<Scene> make_lobes_scene(const LobesPlot& plot) {
  return std::make_unique<LobesScene>(plot);
}

}  // namespace isolume::stage
