#include "app/labs/orbitals/field_pipeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/scene/text_style.h"
#include "core/base/error.h"
#include "core/base/units.h"

namespace isolume::labs::orbitals {
namespace {

namespace science = isolume::orbitals;
using FieldPointer = std::shared_ptr<const lattice::ScalarField>;

/// A preview of at most this many points costs any engine far less than 100 ms.
constexpr double preview_points = 150'000;
/// Fields up to this size are contoured within a frame or two: no preview is needed while the isovalue
/// changes.
constexpr std::size_t quick_surface_points = 400'000;
/// A preview that was begun is shown although a newer request has come, unless it takes longer than this: a
/// held key steps through what it passes.
constexpr auto worth_showing_in_passing = std::chrono::milliseconds(250);
/// How long the isovalue must rest before the refined surface replaces the preview's.
constexpr auto settle_time = std::chrono::milliseconds(80);
constexpr std::size_t kept_fields = 12;
/// A field of this size is computed, contoured and drawn without a pause that hurts.
constexpr double comfortable_points = 10e6;
/// The box reaches to where the electron density falls to this, in e/bohr^3.
constexpr double density_at_box = 1e-5;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Smallest magnitude that must lie inside the box. Steps by factors of four, so that dragging the isovalue
/// to small values enlarges the box (and computes the field anew) only a few times.
double box_isovalue(const PictureRequest& request) {
  double level = science::is_amplitude(request.field.field) ? std::sqrt(density_at_box) : density_at_box;
  if (request.view.isovalue_mode == IsovalueMode::value) {
    while (request.view.isovalue < level && level > 1e-9) level /= 4;
  }
  return level;
}

constexpr std::string_view time_mark = "|time ";

/// Tells apart everything that changes the numbers of a field, and nothing else.
std::string field_key(const PictureRequest& request) {
  const auto* document = static_cast<const void*>(request.document.get());
  if (!request.document->wavefunction) return fmt::format("{}|file|{}", document, request.file_field);
  const auto wanted = science::to_request(request.field, *request.document->wavefunction);
  std::string key = fmt::format("{}|{}|set {}", document, science::to_string(wanted.kind), wanted.set);
  switch (wanted.kind) {
    case science::FieldKind::density_difference:
      key += fmt::format("|{} - {}", wanted.orbital, wanted.other_orbital);
      break;
    case science::FieldKind::superposition:
    case science::FieldKind::superposition_density:
      for (const auto& term : wanted.terms) key += fmt::format("|{} x {}", term.orbital, term.weight);
      break;
    case science::FieldKind::orbital:
    case science::FieldKind::orbital_density:
      key += fmt::format("|{}", wanted.orbital);
      break;
    default:
      break;
  }
  key += fmt::format("|{} {} {}|{} {} {} {}", request.field.spacing_angstrom, request.field.margin_angstrom,
                     box_isovalue(request), request.field.engine, request.field.kernel, request.field.devices,
                     request.field.threads);
  if (!wanted.terms.empty()) key += fmt::format("{}{}", time_mark, wanted.time_atomic_units);
  return key;
}

/// Whether two keys are of one superposition at two moments.
bool other_moment(std::string_view key, std::string_view other) {
  return key != other && key.find(time_mark) != key.npos &&
         key.substr(0, key.find(time_mark)) == other.substr(0, other.find(time_mark));
}

std::string work_of(const PictureRequest& request, const std::string& key) {
  return fmt::format("{} detail {}", key, static_cast<int>(request.detail));
}

/// A field with what is known of its making.
struct MadeField {
  FieldPointer field;
  std::string engine;
  double milliseconds = 0;
  /// Found when the first surface is, for all copies; touched by whoever draws.
  std::shared_ptr<std::optional<FieldSummary>> summary = std::make_shared<std::optional<FieldSummary>>();
};

lattice::Lattice refined_lattice(const PictureRequest& request, const molecules::Wavefunction& wavefunction) {
  science::BoxOptions box;
  box.spacing_bohr = request.field.spacing_angstrom * units::bohr_per_angstrom;
  box.margin_bohr = request.field.margin_angstrom * units::bohr_per_angstrom;
  box.isovalue = box_isovalue(request);
  return science::enclosing_lattice(wavefunction, science::to_request(request.field, wavefunction), box);
}

lattice::Lattice preview_lattice(const lattice::Lattice& refined) {
  const double points = static_cast<double>(refined.point_count());
  return lattice::coarsened(refined, std::max(3.0, std::cbrt(points / preview_points)));
}

MadeField compute_on(const lattice::Lattice& lattice, const PictureRequest& request,
                     const science::EngineRegistry& engines, const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto& wavefunction = *request.document->wavefunction;
  const auto& engine = engines.find(request.field.engine);
  science::EngineOptions options = science::to_engine_options(request.field);
  dispatch::Report report;
  options.report = &report;
  auto field = science::compute_field(wavefunction, science::to_request(request.field, wavefunction), lattice,
                                      engine, options, progress);
  MadeField made;
  made.milliseconds = milliseconds_since(start);
  made.field = std::make_shared<const lattice::ScalarField>(std::move(field));
  made.engine = science::who_computed(engine, options, report);
  report.job = made.field->name;
  engines.record(report);
  return made;
}

FieldPointer field_of_file(const PictureRequest& request) {
  const auto& document = *request.document;
  if (document.fields.empty()) {
    throw Error(fmt::format("{}: holds neither orbitals nor a field, only a molecule.",
                            document.path.filename().string()));
  }
  if (request.file_field >= document.fields.size()) {
    throw Error(fmt::format("{}: field {} was asked for, but the file has {}.",
                            document.path.filename().string(), request.file_field + 1,
                            document.fields.size()));
  }
  return document.fields[request.file_field];
}

Picture draw_surfaces(const PictureRequest& request, const MadeField& made, bool refined,
                      gpu::SurfaceEngine* gpu, const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Picture picture;
  picture.document = request.document;
  picture.field = made.field;
  picture.engine = made.engine;
  picture.field_milliseconds = made.milliseconds;
  picture.refined = refined;
  picture.from_file = request.document->wavefunction == nullptr;
  if (picture.from_file) {
    picture.both_signs = lattice::value_range(*made.field).low < 0;
    picture.amplitude = made.field->unit == science::field_unit(science::FieldKind::orbital);
  } else {
    picture.both_signs = science::is_signed(request.field.field);
    picture.amplitude = science::is_amplitude(request.field.field);
  }
  if (!*made.summary) *made.summary = summary_of(*made.field, picture.both_signs, picture.amplitude);
  picture.summary = **made.summary;
  const auto& view = request.view;
  picture.isovalue = view.isovalue_mode == IsovalueMode::value
                         ? view.isovalue
                         : lattice::isovalue_enclosing(*made.field, view.enclosed, picture.amplitude);
  picture.enclosed = lattice::fraction_enclosed(*made.field, picture.isovalue, picture.amplitude);
  progress.check();
  if (request.field.engine == "cpu") gpu = nullptr;
  picture.lobes = scene::contour_where_best(gpu, made.field, picture.isovalue, picture.both_signs, progress);
  picture.surface_milliseconds = milliseconds_since(start);
  return picture;
}

}  // namespace

std::string first_orbital(const molecules::OrbitalSet& set) {
  try {
    molecules::find_orbital(set, "homo", molecules::Spin::alpha);
    return "homo";
  } catch (const Error&) {
    return "1";
  }
}

science::FieldParameters first_parameters(const molecules::Document& document) {
  PictureRequest request;
  if (!document.wavefunction) return request.field;
  request.field.orbital = first_orbital(document.wavefunction->sets.front());
  const auto points = [&] {
    return static_cast<double>(refined_lattice(request, *document.wavefunction).point_count());
  };
  const double coarsening = std::cbrt(points() / comfortable_points);
  if (coarsening > 1) {
    const double spacing = request.field.spacing_angstrom * coarsening;
    request.field.spacing_angstrom = std::ceil(spacing * 100) / 100;
  }
  return request.field;
}

Picture compute_picture(const PictureRequest& request, const science::EngineRegistry& engines,
                        const jobs::Progress& progress, gpu::SurfaceEngine* surfaces) {
  MadeField made;
  if (request.document->wavefunction) {
    made = compute_on(refined_lattice(request, *request.document->wavefunction), request, engines,
                      progress.part(0, 0.7));
  } else {
    made.field = field_of_file(request);
  }
  return draw_surfaces(request, made, true, surfaces, progress.part(0.7, 1));
}

std::optional<PictureRequest> finer_request(const PictureRequest& request, const Picture& picture,
                                            double angstrom_per_pixel) {
  constexpr double unseen_pixels = 8;
  constexpr double most_refinement = 4;
  constexpr double most_points = 20e6;
  constexpr double most_milliseconds = 3000;
  constexpr double worth_it = 1.2;
  if (!request.document->wavefunction) return std::nullopt;  // a file's lattice is what there is
  const auto& lattice = picture.field->lattice;
  const double spacing = lattice.step.colwise().norm().mean() * units::angstrom_per_bohr;
  const double points = static_cast<double>(lattice.point_count());
  const double milliseconds = std::max(1.0, picture.field_milliseconds + picture.surface_milliseconds);
  const double affordable =
      spacing / std::cbrt(std::min(most_points / points, most_milliseconds / milliseconds));
  const double wanted =
      std::max(unseen_pixels * angstrom_per_pixel, request.field.spacing_angstrom / most_refinement);
  const double finer = std::min(request.field.spacing_angstrom, std::max(wanted, affordable));
  if (picture.refined && finer > spacing / worth_it) return std::nullopt;
  PictureRequest result = request;
  result.detail = Detail::refined;
  result.field.spacing_angstrom = finer;
  // The surface that is shown, not one that encloses just as much of the finer field.
  result.view.isovalue_mode = IsovalueMode::value;
  result.view.isovalue = picture.isovalue;
  return result;
}

void show_picture(OrbitalScene& scene, const Picture& picture, const ViewParameters& view, bool dark) {
  scene.set_molecule(picture.document->molecule);
  scene.set_field(picture.field, picture.both_signs);
  scene.set_lobes(picture.lobes, missing_surface(picture.lobes, picture.summary, picture.field->unit));
  scene.set_view(view, dark);
}

std::string readings(const Picture& picture) {
  const auto& lattice = picture.field->lattice;
  const auto spacing = lattice.step.colwise().norm() * units::angstrom_per_bohr;
  std::string text =
      fmt::format("{} | {} x {} x {} points at {:.2f} Å", picture.field->name, lattice.dimensions[0],
                  lattice.dimensions[1], lattice.dimensions[2], spacing.mean());
  if (picture.from_file) {
    text += fmt::format(" (from the file) | {:.1f} ms surface", picture.surface_milliseconds);
  } else {
    text += fmt::format(" ({}) | {} | ", picture.refined ? "refined" : "preview", picture.engine);
    text += fmt::format("{:.1f} ms field, {:.1f} ms surface", picture.field_milliseconds,
                        picture.surface_milliseconds);
  }
  return text + fmt::format(" | isovalue {:.3g}{}{} encloses {:.3g} %", picture.isovalue,
                            picture.field->unit.empty() ? "" : " ", scene::pretty_unit(picture.field->unit),
                            100 * picture.enclosed);
}

/// Shared with the jobs, which may outlive the pipeline by a moment.
struct FieldPipeline::State : std::enable_shared_from_this<FieldPipeline::State> {
  struct Fields {
    std::string key;
    std::optional<MadeField> preview;
    std::optional<MadeField> refined;

    bool any() const { return preview || refined; }
    std::size_t bytes() const {
      std::size_t values = 0;
      for (const auto* made : {&preview, &refined}) {
        if (*made) values += (*made)->field->values.size();
      }
      return values * sizeof(float);
    }
  };

  State(jobs::JobRunner& runner, std::shared_ptr<const science::EngineRegistry> registry, Deliver callback,
        std::size_t limit_bytes)
      : jobs(runner), deliver(std::move(callback)), cache_bytes(limit_bytes), engines(std::move(registry)) {}

  jobs::JobRunner& jobs;
  const Deliver deliver;
  const std::size_t cache_bytes;

  std::mutex drawing;   ///< held while surfaces are made and delivered: pictures leave one after the other
  bool closed = false;  ///< guarded by `drawing`

  std::mutex mutex;  ///< guards what follows
  std::shared_ptr<const science::EngineRegistry> engines;
  std::shared_ptr<gpu::SurfaceEngine> surfaces;  ///< null: on the CPU
  PictureRequest newest;
  std::string newest_key;
  bool newest_shown = false;
  std::list<Fields> kept;  ///< latest used first
  std::string field_work;  ///< what the field job in hand makes
  std::uint64_t field_job = 0;
  /// When the field job in hand began its preview, while it makes one; it takes up the newest request
  /// afterwards.
  std::optional<std::chrono::steady_clock::time_point> previewing_since;

  std::string channel(const char* step) const {
    return fmt::format("orbitals.{}.{}", step, static_cast<const void*>(this));
  }
  void start(PictureRequest request);
  bool complete(const PictureRequest& request, const Fields& there) const;
  void make_fields(PictureRequest request, std::string key, const jobs::Progress& progress);
  void make_preview(const PictureRequest& request, const std::string& key, const jobs::Progress& progress);
  bool take_up_newest(PictureRequest& request, std::string& key);
  void make_surfaces(const PictureRequest& request, const std::string& key, const jobs::Progress& progress);
  Fields& fields(const std::string& key);
  void store(const PictureRequest& request, const std::string& key, MadeField made, bool refined);
  void draw(const PictureRequest& wanted, const std::string& key, bool allow_refined,
            const jobs::Progress& progress);
  bool in_hand(const std::string& work) const;
};

/// The fields of a key, now the latest used. The caller holds `mutex`.
FieldPipeline::State::Fields& FieldPipeline::State::fields(const std::string& key) {
  const auto found =
      std::find_if(kept.begin(), kept.end(), [&](const Fields& each) { return each.key == key; });
  if (found == kept.end()) {
    kept.push_front(Fields{key, {}, {}});
  } else {
    kept.splice(kept.begin(), kept, found);
  }
  return kept.front();
}

void FieldPipeline::State::store(const PictureRequest& request, const std::string& key, MadeField made,
                                 bool refined) {
  const std::lock_guard guard(mutex);
  if (request.document != newest.document || other_moment(key, newest_key)) return;
  auto& place = fields(key);
  (refined ? place.refined : place.preview) = std::move(made);
  std::size_t bytes = 0, count = 0;
  for (auto each = kept.begin(); each != kept.end();) {
    bytes += each->bytes();
    const bool keep = count == 0 || (bytes <= cache_bytes && count < kept_fields);
    ++count;
    each = keep ? std::next(each) : kept.erase(each);
  }
}

bool FieldPipeline::State::in_hand(const std::string& work) const {
  if (work != field_work) return false;
  const auto active = jobs.active();
  return std::any_of(active.begin(), active.end(), [&](const auto& each) { return each.id == field_job; });
}

bool FieldPipeline::State::complete(const PictureRequest& request, const Fields& there) const {
  return there.refined || (request.detail == Detail::preview && there.preview);
}

void FieldPipeline::State::start(PictureRequest request) {
  const std::string key = field_key(request);
  const std::string work = work_of(request, key);
  const std::lock_guard guard(mutex);
  if (key != newest_key) {
    jobs.cancel_channel(channel("surface"));
    newest_shown = false;
  }
  const bool in_passing = previewing_since && request.document == newest.document &&
                          std::chrono::steady_clock::now() - *previewing_since < worth_showing_in_passing;
  if (request.document != newest.document) kept.clear();
  // Of a superposition in time one moment is kept, so that an animation leaves the other fields their places.
  kept.remove_if([&](const Fields& each) { return other_moment(each.key, key); });
  newest = request;
  newest_key = key;
  auto& there = fields(key);
  if (!request.document->wavefunction && !there.refined)
    there.refined = MadeField{.field = field_of_file(request), .engine = {}};
  if (complete(request, there)) {
    if (!in_passing) jobs.cancel_channel(channel("field"));
  } else if (!in_passing && !in_hand(work)) {
    field_work = work;
    const auto& wavefunction = *request.document->wavefunction;
    field_job = jobs.submit(
        science::field_name(wavefunction, science::to_request(request.field, wavefunction)), channel("field"),
        [self = shared_from_this(), request, key](const jobs::Progress& progress) {
          self->make_fields(request, key, progress);
        });
  }
  if (there.any()) {
    jobs.submit("Surface", channel("surface"),
                [self = shared_from_this(), request, key](const jobs::Progress& progress) {
                  self->make_surfaces(request, key, progress);
                });
  }
}

void FieldPipeline::State::make_fields(PictureRequest request, std::string key,
                                       const jobs::Progress& progress) {
  do {
    try {
      make_preview(request, key, progress);
    } catch (...) {
      const std::lock_guard guard(mutex);
      previewing_since.reset();
      throw;
    }
  } while (take_up_newest(request, key));
  if (request.detail == Detail::preview) return;
  std::shared_ptr<const science::EngineRegistry> present;
  {
    const std::lock_guard guard(mutex);
    if (key != newest_key) return;
    present = engines;
  }
  const auto lattice = refined_lattice(request, *request.document->wavefunction);
  store(request, key, compute_on(lattice, request, *present, progress.part(0.1, 0.8)), true);
  draw(request, key, true, progress.part(0.8, 1));
}

void FieldPipeline::State::make_preview(const PictureRequest& request, const std::string& key,
                                        const jobs::Progress& progress) {
  std::shared_ptr<const science::EngineRegistry> present;
  {
    const std::lock_guard guard(mutex);
    present = engines;
    if (request.detail == Detail::refined || fields(key).preview) return;
    previewing_since = std::chrono::steady_clock::now();
  }
  const auto lattice = preview_lattice(refined_lattice(request, *request.document->wavefunction));
  store(request, key, compute_on(lattice, request, *present, progress.part(0, 0.05)), false);
  draw(request, key, false, progress.part(0.05, 0.1));
}

/// After a preview: whether there is a newer request that needs a field; it becomes the job's own.
bool FieldPipeline::State::take_up_newest(PictureRequest& request, std::string& key) {
  const std::lock_guard guard(mutex);
  const bool was_previewing = std::exchange(previewing_since, std::nullopt).has_value();
  if (!was_previewing || key == newest_key || request.document != newest.document) return false;
  if (complete(newest, fields(newest_key))) return false;
  request = newest;
  key = newest_key;
  field_work = work_of(request, key);
  return true;
}

void FieldPipeline::State::make_surfaces(const PictureRequest& request, const std::string& key,
                                         const jobs::Progress& progress) {
  bool preview_first = false;
  {
    const std::lock_guard guard(mutex);
    const auto& there = fields(key);
    preview_first = newest.detail == Detail::preview_then_refined && there.preview && there.refined &&
                    there.refined->field->values.size() > quick_surface_points;
  }
  if (preview_first) {
    draw(request, key, false,
         {});  // not to be cancelled, so that a long drag shows every surface it has time for
    const auto rested = std::chrono::steady_clock::now() + settle_time;
    while (std::chrono::steady_clock::now() < rested) {
      progress.check();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  draw(request, key, true, progress);
}

/// Draws and delivers the best field there is of `key`, as the newest request wants it. Where that is for
/// another field, a preview is shown in passing, but nothing after that field's first picture.
void FieldPipeline::State::draw(const PictureRequest& wanted, const std::string& key, bool allow_refined,
                                const jobs::Progress& progress) {
  const std::lock_guard turn(drawing);
  PictureRequest request = wanted;
  std::optional<MadeField> made;
  std::shared_ptr<gpu::SurfaceEngine> present;
  bool refined = false;
  {
    const std::lock_guard guard(mutex);
    const bool in_passing = key != newest_key;
    if (in_passing && (allow_refined || newest_shown || wanted.document != newest.document)) return;
    if (!in_passing) request = newest;
    present = surfaces;
    const auto& there = fields(key);
    refined = there.refined && (allow_refined || !there.preview);
    made = refined ? there.refined : there.preview;
  }
  if (closed || !made) return;
  const auto picture = draw_surfaces(request, *made, refined, present.get(), progress);
  progress.check();
  {
    const std::lock_guard guard(mutex);
    if (key == newest_key) newest_shown = true;
  }
  deliver(picture);
}

FieldPipeline::FieldPipeline(jobs::JobRunner& jobs, std::shared_ptr<const science::EngineRegistry> engines,
                             Deliver deliver, std::size_t cache_bytes)
    : state_(std::make_shared<State>(jobs, std::move(engines), std::move(deliver), cache_bytes)) {}

FieldPipeline::~FieldPipeline() {
  clear();
  const std::lock_guard turn(state_->drawing);
  state_->closed = true;
}

void FieldPipeline::request(PictureRequest request) {
  state_->start(std::move(request));
}

void FieldPipeline::set_engines(std::shared_ptr<const science::EngineRegistry> engines,
                                std::shared_ptr<gpu::SurfaceEngine> surfaces) {
  const std::lock_guard guard(state_->mutex);
  state_->engines = std::move(engines);
  state_->surfaces = std::move(surfaces);
}

void FieldPipeline::clear() {
  state_->jobs.cancel_channel(state_->channel("field"));
  state_->jobs.cancel_channel(state_->channel("surface"));
  const std::lock_guard guard(state_->mutex);
  state_->newest = {};
  state_->newest_key.clear();
  state_->kept.clear();
}

}  // namespace isolume::labs::orbitals
