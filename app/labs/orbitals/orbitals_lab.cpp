#include "app/labs/orbitals/orbitals_lab.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QPointer>
#include <QTimer>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/labs/orbitals/field_pipeline.h"
#include "app/labs/orbitals/level_diagram.h"
#include "app/labs/orbitals/molecule_info.h"
#include "app/labs/orbitals/orbital_scene.h"
#include "app/labs/orbitals/orbital_table.h"
#include "app/labs/orbitals/panel_parameters.h"
#include "app/labs/orbitals/playback_bar.h"
#include "app/scene/camera.h"
#include "app/scene/image.h"
#include "app/scene/view_widget.h"
#include "app/workbench/command_registry.h"
#include "app/workbench/file_filter.h"
#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/base/units.h"
#include "core/molecules/document.h"
#include "core/molecules/geometry.h"
#include "core/molecules/writers.h"
#include "core/orbitals/parameters.h"
#include "core/parameters/narrowed.h"
#include "gpu/interop/make_surface_engine.h"
#include "gpu/orbitals/engines.h"

namespace isolume::labs::orbitals {
namespace {

namespace science = isolume::orbitals;
using Arguments = std::span<const std::string>;
using DocumentPointer = std::shared_ptr<const molecules::Document>;

constexpr int animation_interval_ms = 33;
constexpr int camera_rest_ms = 100;
constexpr double animation_step_femtoseconds = 0.005;
/// Fields that take longer than this are animated as previews.
constexpr double animation_budget_ms = 40;

std::string spin_text(molecules::Spin spin) {
  return spin == molecules::Spin::alpha ? "alpha" : "beta";
}

bool animated(science::FieldKind kind) {
  return kind == science::FieldKind::superposition || kind == science::FieldKind::superposition_density;
}

/// One argument, or Error with what was expected.
const std::string& argument(Arguments arguments, std::size_t index, const char* expected) {
  if (index >= arguments.size()) throw Error(fmt::format("Expected {}.", expected));
  return arguments[index];
}

int integer(const std::string& text) {
  parameters::Description description;
  description.key = "number";
  description.kind = parameters::Kind::integer;
  description.low = 1;
  description.high = 1e9;
  return static_cast<int>(std::get<std::int64_t>(parameters::parse(description, text)));
}

/// What there is before the devices are known.
std::shared_ptr<const science::EngineRegistry> cpu_engine_alone() {
  auto engines = std::make_shared<science::EngineRegistry>();
  engines->add(science::make_cpu_engine());
  return engines;
}

class WaitCursor {
 public:
  WaitCursor() { QGuiApplication::setOverrideCursor(Qt::WaitCursor); }
  ~WaitCursor() { QGuiApplication::restoreOverrideCursor(); }
  WaitCursor(const WaitCursor&) = delete;
  WaitCursor& operator=(const WaitCursor&) = delete;
};

class OrbitalsLab final : public QObject, public workbench::Lab {
 public:
  explicit OrbitalsLab(workbench::LabContext& context);

  std::vector<workbench::LabPanel> panels() override;
  QWidget* page() override;
  void open(const std::filesystem::path& path) override;
  parameters::ParameterSet* parameters() override;
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override;
  bool moving() const override { return animation_.isActive(); }
  void stop_moving() override { play(false); }
  QString export_filter() const override;
  void export_file(const std::filesystem::path& path) override;
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) override;
  void theme_changed(bool dark) override;
  void shown_changed(bool shown) override;

 private:
  const molecules::Wavefunction* wavefunction() const {
    return document_ ? document_->wavefunction.get() : nullptr;
  }
  const molecules::OrbitalSet& orbital_set() const;
  const molecules::Molecule& molecule() const;
  int frame_count() const;
  bool dark() const { return context_.dark && context_.dark(); }

  void narrow(parameters::Description& description) const;
  std::string shown_unit() const;  ///< of the field that was asked for

  void show_document(DocumentPointer document, const science::FieldParameters& parameters);
  void show_verdict() const;
  void show_orbital_lists();
  void follow_orbital();
  void request_picture(Detail detail = Detail::preview_then_refined);
  void show_picture(const Picture& picture);
  void fit_camera();
  void keep_in_view();
  void restyle();
  void follow_isovalue_mode(std::string_view key);
  void update_after(bool picture_changed, bool set_changed);
  void set_parameters(const QString& what, std::vector<std::pair<std::string, std::string>> values);
  void run(const std::string& command, const std::vector<std::string>& arguments);

  int chosen_orbital() const;
  std::vector<std::string> orbital_arguments(int orbital) const;
  void select_orbital(const std::string& text, molecules::Spin spin);
  void step_orbital(int step);
  void choose_frame(int frame);
  void choose_file_field(int field);
  void click(double x, double y);
  void measure(std::vector<int> atoms);
  bool eventFilter(QObject* watched, QEvent* event) override;
  void play(bool on);
  void follow_superposition();
  void advance_time();
  void draw_image(const std::filesystem::path& path, const scene::ImageOptions& options,
                  const std::optional<Picture>& picture);
  void write(const std::filesystem::path& path, jobs::JobRunner::Work work, const QString& what = {});
  void export_cube(const std::filesystem::path& path);

  void add(std::string name, std::string title, std::string help, std::string arguments, std::string shortcut,
           std::function<void(Arguments)> action, std::function<std::string()> unavailable,
           std::function<bool()> checked = nullptr, std::string keywords = {},
           std::function<std::vector<workbench::Offer>()> offers = nullptr);
  void add_orbital_commands();
  void add_field_commands();
  void add_view_commands();
  void add_frame_commands();
  std::vector<workbench::Offer> orbital_offers() const;
  void add_measure_commands();
  std::string without_orbitals() const;  ///< why commands on orbitals cannot run now; empty when they can
  std::string without_field() const;

  workbench::LabContext& context_;
  std::shared_ptr<const science::EngineRegistry> engines_;
  OrbitalScene scene_;
  FieldPipeline pipeline_;
  QPointer<OrbitalTable> table_;
  QPointer<LevelDiagram> diagram_;
  QPointer<MoleculeInfo> info_;
  QPointer<PlaybackBar> playback_;
  QTimer animation_;
  double loop_femtoseconds_ = 1;

  DocumentPointer document_;
  science::FieldParameters field_;
  ViewParameters view_;
  parameters::StructParameters<science::FieldParameters> field_set_{science::field_schema(), field_};
  parameters::StructParameters<ViewParameters> view_set_{view_schema(), view_};
  parameters::CombinedParameters all_parameters_{{&field_set_, &view_set_}};
  parameters::NarrowedParameters wavefunction_panel_{all_parameters_, panel_groups(),
                                                     [this](auto& each) { narrow(each); }};
  parameters::NarrowedParameters view_panel_{view_set_, panel_groups(), [this](auto& each) { narrow(each); }};
  std::size_t file_field_ = 0;
  int frame_ = 0;
  std::vector<int> measured_;  ///< atoms, from 0, in the order chosen
  std::optional<Picture> picture_;
  bool setting_several_ = false;  ///< parameters change together; the picture is asked for once, afterwards
  std::optional<scene::Stand> home_;  ///< where the camera was put for the first picture
  scene::Stand standing_;             ///< and for the last one
  QTimer camera_rest_;
  bool awaiting_ = false;            ///< a picture was requested and has not come yet
  double refined_milliseconds_ = 0;  ///< what the last refined picture took
};

/// What `on_gui_thread` runs is dropped when the lab is gone by then.
template <class Action>
auto guarded(OrbitalsLab* lab, Action action) {
  return [alive = QPointer<OrbitalsLab>(lab), action = std::move(action)] {
    if (alive) action();
  };
}

OrbitalsLab::OrbitalsLab(workbench::LabContext& context)
    : context_(context),
      engines_(cpu_engine_alone()),
      scene_(*context.view.renderer()),
      pipeline_(context.jobs, engines_,
                [this](const Picture& picture) {
                  context_.on_gui_thread(guarded(this, [this, picture] { show_picture(picture); }));
                }),
      table_(new OrbitalTable),
      diagram_(new LevelDiagram),
      info_(new MoleculeInfo),
      playback_(new PlaybackBar) {
  connect(table_, &OrbitalTable::orbital_chosen, this,
          [this](int orbital) { run("orbital.select", orbital_arguments(orbital)); });
  connect(table_, &OrbitalTable::set_chosen_by_person, this,
          [this](int set) { run("orbital.set", {std::to_string(set + 1)}); });
  connect(diagram_, &LevelDiagram::orbital_chosen, this,
          [this](int orbital) { run("orbital.select", orbital_arguments(orbital)); });
  connect(info_, &MoleculeInfo::field_chosen, this,
          [this](int field) { run("field.choose", {std::to_string(field + 1)}); });
  connect(info_, &MoleculeInfo::frame_chosen, this, &OrbitalsLab::choose_frame);
  connect(playback_, &PlaybackBar::asked, this,
          [this](bool play) { run(play ? "animation.play" : "animation.stop", {}); });
  animation_.setInterval(animation_interval_ms);
  camera_rest_.setSingleShot(true);
  camera_rest_.setInterval(camera_rest_ms);
  connect(&camera_rest_, &QTimer::timeout, this, &OrbitalsLab::keep_in_view);
  connect(&animation_, &QTimer::timeout, this, &OrbitalsLab::advance_time);
  scene_.on_slice_dragged([this](double position) { run("slice.move", {parameters::to_text(position)}); });
  add_orbital_commands();
  add_field_commands();
  add_view_commands();
  add_frame_commands();
  add_measure_commands();
  connect(&context.view, &scene::ViewWidget::clicked, this, &OrbitalsLab::click);
  context.view.installEventFilter(this);
}

std::vector<workbench::LabPanel> OrbitalsLab::panels() {
  return {{tr("Orbitals"), table_, Qt::LeftDockWidgetArea},
          {tr("Energy levels"), diagram_, Qt::LeftDockWidgetArea},
          {tr("Molecule"), info_, Qt::RightDockWidgetArea}};
}

QWidget* OrbitalsLab::page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(&context_.view, 1);
  column->addWidget(playback_);
  return page;
}

// Opening.

void OrbitalsLab::open(const std::filesystem::path& path) {
  const std::string name = fmt::format("Open {}", path.filename().string());
  context_.jobs.submit(name, "orbitals.open", [this, path](const jobs::Progress& progress) {
    auto document = std::make_shared<const molecules::Document>(molecules::read_document(path, progress));
    progress.check();
    const auto parameters = first_parameters(*document);
    context_.on_gui_thread(
        guarded(this, [this, document, parameters] { show_document(document, parameters); }));
  });
}

void OrbitalsLab::show_document(DocumentPointer document, const science::FieldParameters& parameters) {
  play(false);
  pipeline_.clear();
  document_ = std::move(document);
  picture_.reset();
  field_ = parameters;
  view_ = {};
  file_field_ = 0;
  frame_ = 0;
  measured_.clear();
  awaiting_ = false;
  scene_.clear();
  scene_.set_molecule(document_->molecule);
  restyle();
  fit_camera();
  show_orbital_lists();
  follow_superposition();
  info_->set_document(*document_);
  const QString name = QString::fromStdString(document_->path.filename().string());
  if (context_.document_opened) context_.document_opened(document_->path, name);
  if (wavefunction() != nullptr) table_->setFocus();  // the arrow keys step through the orbitals at once
  show_verdict();
  context_.show_status(
      tr("%1: %n atom(s)", "", static_cast<int>(document_->molecule.atoms.size())).arg(name));
  if (without_field().empty()) request_picture();
}

/// What a person must know of the file stands in a banner; what was put right goes to the log and the panel.
void OrbitalsLab::show_verdict() const {
  std::string banner;
  if (wavefunction() != nullptr) {
    const std::string verdict = orthonormality_text(document_->orthonormality);
    if (!document_->orthonormality.proven()) {
      banner = fmt::format("{}: {}", document_->path.filename().string(), verdict);
    } else {
      log::info("{}: {}", document_->path.filename().string(), verdict);
    }
  }
  for (const auto& warning : document_->warnings) {
    if (warning != document_->orthonormality.explanation) banner += (banner.empty() ? "" : "\n") + warning;
  }
  context_.show_warning(QString::fromStdString(banner));
}

void OrbitalsLab::show_orbital_lists() {
  const auto wavefunction_shown = document_ ? document_->wavefunction : nullptr;
  const auto set = static_cast<std::size_t>(field_.set - 1);
  table_->set_orbitals(wavefunction_shown, set);
  diagram_->set_orbitals(wavefunction_shown, set);
  follow_orbital();
}

void OrbitalsLab::follow_orbital() {
  if (wavefunction() == nullptr) return;
  const int orbital = chosen_orbital();
  table_->set_chosen(orbital);
  diagram_->set_chosen(orbital);
}

// The picture.

void OrbitalsLab::request_picture(Detail detail) {
  pipeline_.request({document_, field_, view_, file_field_, detail});
  awaiting_ = true;
}

void OrbitalsLab::show_picture(const Picture& picture) {
  if (picture.document != document_) return;
  picture_ = picture;
  awaiting_ = false;
  scene_.set_field(picture.field, picture.both_signs);
  scene_.set_lobes(picture.lobes, missing_surface(picture.lobes, picture.summary, picture.field->unit));
  restyle();
  keep_in_view();
  // Of isovalue and enclosed fraction one is given; the other follows and is shown, too.
  (view_.isovalue_mode == IsovalueMode::enclosed ? view_.isovalue : view_.enclosed) =
      view_.isovalue_mode == IsovalueMode::enclosed ? picture.isovalue : picture.enclosed;
  if (context_.parameters_changed) context_.parameters_changed();
  const std::string missing = scene_.missing_surface();
  context_.show_status(QString::fromStdString((missing.empty() ? "" : missing + " | ") + readings(picture)));
}

/// Turned by the molecule alone, so that every orbital of it is seen from the same side.
void OrbitalsLab::fit_camera() {
  scene::view_from(*context_.view.renderer(), "tilted");
  home_.reset();
}

/// The camera keeps its distance: that of the first picture. It steps back where lobes leave the view, and
/// comes back when they fit again; a person's own zoom is left alone, and so is a picture that is being
/// dragged.
void OrbitalsLab::keep_in_view() {
  if (QGuiApplication::mouseButtons() != Qt::NoButton) return camera_rest_.start();
  auto& renderer = *context_.view.renderer();
  const auto is_at = [&](const scene::Stand& place) {
    const scene::Stand now = scene::stand(renderer);
    const bool orthographic = scene::orthographic(renderer);
    const double is = orthographic ? now.scale : now.distance;
    const double should = orthographic ? place.scale : place.distance;
    return std::abs(is - should) <= 1e-6 * should;
  };
  if (!home_) {
    scene::reset_camera(renderer);
    home_ = standing_ = scene::stand(renderer);
  } else if (is_at(standing_)) {
    constexpr double to_the_edge = 1, with_room = 0.9;
    const scene::Stand needed = scene::stand_to_fit(renderer, to_the_edge);
    const bool fits =
        scene::orthographic(renderer) ? needed.scale <= home_->scale : needed.distance <= home_->distance;
    standing_ = fits ? *home_ : scene::stand_to_fit(renderer, with_room);
    if (!is_at(standing_)) scene::stand_at(renderer, standing_);
  }
  context_.view.request_render();
}

void OrbitalsLab::restyle() {
  scene_.set_view(view_, dark());
  context_.view.request_render();
}

parameters::ParameterSet* OrbitalsLab::parameters() {
  if (!document_) return nullptr;
  return wavefunction() != nullptr ? &wavefunction_panel_ : &view_panel_;
}

void OrbitalsLab::narrow(parameters::Description& description) const {
  if (wavefunction() != nullptr) narrow_to(*wavefunction(), *engines_, description);
  if (description.key == "time" && animated(field_.field)) description.usual = {0, loop_femtoseconds_};
  if (description.key != "isovalue") return;
  description.unit = shown_unit();
  if (!picture_) return;
  const auto& usual = picture_->summary.usual_isovalues;
  const parameters::Range allowed{std::max(usual.low, description.low),
                                  std::min(usual.high, description.high)};
  if (allowed.low < allowed.high) description.usual = allowed;
}

std::string OrbitalsLab::shown_unit() const {
  if (wavefunction() != nullptr) return std::string(science::field_unit(field_.field));
  return file_field_ < document_->fields.size() ? document_->fields[file_field_]->unit : std::string();
}

void OrbitalsLab::set_parameter(std::string_view key, const parameters::Value& value) {
  auto* set = parameters();
  if (set == nullptr) throw Error("Open a file first.");
  follow_isovalue_mode(key);
  const auto field_before = field_;
  const auto view_before = view_;
  set->set(key, value);
  if (setting_several_) return;
  try {
    update_after(field_set_.has(key) || key == "isovalue" || key == "enclosed" || key == "isovalue-mode",
                 field_before.set != field_.set);
  } catch (...) {
    field_ = field_before;
    view_ = view_before;
    throw;
  }
}

/// Whoever moves the isovalue wants the isovalue: the mode follows, as a change of its own that can be
/// undone.
void OrbitalsLab::follow_isovalue_mode(std::string_view key) {
  const bool by_value = view_.isovalue_mode == IsovalueMode::value;
  if (key == "isovalue" && !by_value) context_.commands.run("parameter.set isovalue-mode value");
  if (key == "enclosed" && by_value) context_.commands.run("parameter.set isovalue-mode enclosed");
}

/// The least that brings the picture up to the parameters: a style needs neither field nor surface anew.
void OrbitalsLab::update_after(bool picture_changed, bool set_changed) {
  if (!picture_changed) {
    restyle();
    return keep_in_view();  // a slice may reach beyond the surfaces
  }
  follow_superposition();
  if (without_field().empty()) request_picture();
  if (set_changed) show_orbital_lists();
  follow_orbital();
}

/// Changes parameters together, as one step of undo.
void OrbitalsLab::set_parameters(const QString& what,
                                 std::vector<std::pair<std::string, std::string>> values) {
  std::erase_if(values, [&](const auto& each) {
    return parameters::to_text(parameters()->get(each.first)) == each.second;
  });
  if (values.empty()) return;
  const int set_before = field_.set;
  setting_several_ = true;
  std::exception_ptr failure;
  try {
    context_.set_parameters(what, values);
  } catch (...) {
    failure = std::current_exception();
  }
  setting_several_ = false;
  update_after(true, set_before != field_.set);
  if (failure) std::rethrow_exception(failure);
}

/// For what people do with the mouse and the keys in the panels: an error becomes a line in the status bar.
void OrbitalsLab::run(const std::string& command, const std::vector<std::string>& arguments) {
  try {
    context_.commands.run(command, arguments);
  } catch (const Error& error) {
    context_.show_status(QString::fromUtf8(error.what()));
  }
}

// Orbitals.

const molecules::OrbitalSet& OrbitalsLab::orbital_set() const {
  return wavefunction()->sets[static_cast<std::size_t>(field_.set - 1)];
}

int OrbitalsLab::chosen_orbital() const {
  return molecules::find_orbital(orbital_set(), field_.orbital, field_.spin);
}

/// Number from 1 within the spin, and the spin: the arguments of `orbital.select`.
std::vector<std::string> OrbitalsLab::orbital_arguments(int orbital) const {
  const auto spin = orbital_set().orbitals[static_cast<std::size_t>(orbital)].spin;
  const auto same_spin = orbital_set().of_spin(spin);
  const auto place = std::find(same_spin.begin(), same_spin.end(), orbital) - same_spin.begin();
  return {std::to_string(place + 1), spin_text(spin)};
}

void OrbitalsLab::select_orbital(const std::string& text, molecules::Spin spin) {
  const auto found = orbital_arguments(molecules::find_orbital(orbital_set(), text, spin));
  std::vector<std::pair<std::string, std::string>> values{{"spin", found[1]}, {"orbital", found[0]}};
  const bool shows_orbital = field_.field == science::FieldKind::orbital ||
                             field_.field == science::FieldKind::orbital_density ||
                             field_.field == science::FieldKind::density_difference;
  if (!shows_orbital) values.emplace_back("field", "orbital");
  play(false);
  set_parameters(tr("Select orbital %1").arg(QString::fromStdString(found[0])), std::move(values));
}

void OrbitalsLab::step_orbital(int step) {
  const auto here = orbital_arguments(chosen_orbital());
  select_orbital(std::to_string(std::stoi(here[0]) + step),
                 here[1] == "beta" ? molecules::Spin::beta : molecules::Spin::alpha);
}

/// A document's first geometry is its molecule, its frames are the further ones.
int OrbitalsLab::frame_count() const {
  return 1 + static_cast<int>(document_->frames.size());
}

const molecules::Molecule& OrbitalsLab::molecule() const {
  return frame_ == 0 ? document_->molecule : document_->frames[static_cast<std::size_t>(frame_ - 1)];
}

void OrbitalsLab::choose_frame(int frame) {
  if (frame < 0 || frame >= frame_count()) {
    throw Error(fmt::format("There is no frame {}; the file has {}.", frame + 1, frame_count()));
  }
  frame_ = frame;
  scene_.set_molecule(molecule());
  scene_.set_measured(measured_);
  restyle();
  info_->set_frame(frame);
  const bool elsewhere = frame > 0 && (document_->wavefunction || !document_->fields.empty());
  context_.show_status(
      (elsewhere ? tr("Frame %1 of %2: orbitals and fields are those of frame 1") : tr("Frame %1 of %2"))
          .arg(frame + 1)
          .arg(frame_count()));
}

void OrbitalsLab::choose_file_field(int field) {
  if (field < 0 || field >= static_cast<int>(document_->fields.size())) {
    throw Error(fmt::format("There is no field {}; the file has {}.", field + 1, document_->fields.size()));
  }
  file_field_ = static_cast<std::size_t>(field);
  info_->set_chosen_field(field);
  request_picture();
}

// Measuring.

/// One more atom up to four; a fifth begins anew, and the last one, clicked again, is let go.
void OrbitalsLab::click(double x, double y) {
  const int atom = document_ ? scene_.atom_at(x, y) : -1;
  if (atom < 0) return;
  auto atoms = measured_;
  if (std::ranges::count(atoms, atom) > 0) {
    std::erase(atoms, atom);
  } else {
    if (atoms.size() == 4) atoms.clear();
    atoms.push_back(atom);
  }
  std::vector<std::string> numbers;
  for (const int each : atoms) numbers.push_back(std::to_string(each + 1));
  run(numbers.empty() ? "measure.clear" : "measure.atoms", numbers);
}

void OrbitalsLab::measure(std::vector<int> atoms) {
  const QString text = atoms.empty() ? tr("Nothing is measured")
                                     : QString::fromStdString(molecules::measure(molecule(), atoms));
  measured_ = std::move(atoms);
  scene_.set_measured(measured_);
  context_.view.request_render();
  context_.show_status(text);
}

/// Escape in the view ends measuring before it does anything else.
bool OrbitalsLab::eventFilter(QObject* watched, QEvent* event) {
  const bool key = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
  if (!key || measured_.empty() || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
    return QObject::eventFilter(watched, event);
  event->accept();
  if (event->type() == QEvent::KeyPress) run("measure.clear", {});
  return true;
}

// Animation.

void OrbitalsLab::play(bool on) {
  if (on == animation_.isActive()) return;
  if (on) {
    if (!animated(field_.field)) set_parameters(tr("Superposition"), {{"field", "superposition"}});
    awaiting_ = false;  // a frame that was cancelled will not come
    animation_.start();
  } else {
    animation_.stop();
    request_picture();
  }
  playback_->show_playing(on);
  if (context_.availability_changed) context_.availability_changed();
}

/// The line below the view is there while there is something to play.
void OrbitalsLab::follow_superposition() {
  const bool shown = wavefunction() != nullptr && animated(field_.field);
  playback_->setVisible(shown);
  if (!shown) return play(false);
  loop_femtoseconds_ = science::loop_femtoseconds(field_, *wavefunction());
  playback_->show_time(field_.time_femtoseconds, loop_femtoseconds_);
}

/// Steps the time without an entry in the undo list, and begins again at the end of the loop. A frame is left
/// out while the one before is not there yet.
void OrbitalsLab::advance_time() {
  if (awaiting_) return;
  const double time = std::fmod(field_.time_femtoseconds + animation_step_femtoseconds, loop_femtoseconds_);
  field_.time_femtoseconds = time < 0 ? time + loop_femtoseconds_ : time;
  playback_->show_time(field_.time_femtoseconds, loop_femtoseconds_);
  if (picture_ && picture_->refined)
    refined_milliseconds_ = picture_->field_milliseconds + picture_->surface_milliseconds;
  request_picture(refined_milliseconds_ < animation_budget_ms ? Detail::refined : Detail::preview);
}

// Files.

void OrbitalsLab::write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                              int dpi) {
  if (!document_) throw Error("Open a file first.");
  const scene::ImageOptions options{width, height, transparent, dpi};
  std::optional<PictureRequest> finer;
  if (picture_) {
    finer = finer_request({document_, field_, view_, file_field_, Detail::refined}, *picture_,
                          scene::view_height(*context_.view.renderer()) / height);
  }
  if (!finer) return draw_image(path, options, picture_);
  context_.jobs.submit(
      fmt::format("Surface for {}", path.filename().string()), {},
      [this, path, options, finer = *finer, engines = engines_](const jobs::Progress& progress) {
        const Picture picture = compute_picture(finer, *engines, progress);
        context_.on_gui_thread(guarded(this, [=, this] { draw_image(path, options, picture); }));
      });
}

void OrbitalsLab::draw_image(const std::filesystem::path& path, const scene::ImageOptions& options,
                             const std::optional<Picture>& picture) {
  if (!document_ || (picture && picture->document != document_)) return;  // another file was opened meanwhile
  vtkNew<vtkRenderer> renderer;
  // Nothing is drawn in it: it tells how large the picture will be.
  vtkNew<vtkGenericOpenGLRenderWindow> frame;
  frame->SetReadyForRendering(false);
  frame->SetSize(options.width, options.height);
  frame->AddRenderer(renderer);
  OrbitalScene scene(*renderer);
  if (picture) orbitals::show_picture(scene, *picture, view_, dark());
  scene.set_molecule(molecule());
  scene.set_measured(measured_);
  scene.set_view(view_, dark());
  scene::look_like(*context_.view.renderer(), *renderer);
  // VTK's fonts are shared by all scenes and not safe for threads: the picture is drawn here, while people
  // wait, and only packed elsewhere.
  log::debug("The window rests while the image of {} x {} pixels is drawn.", options.width, options.height);
  const WaitCursor cursor;
  const auto image = scene::render_offscreen(*renderer, options);
  QString what = tr("%1 × %2 pixels").arg(options.width).arg(options.height);
  if (picture && view_.surface) {
    const double spacing =
        picture->field->lattice.step_bohr.colwise().norm().mean() * units::angstrom_per_bohr;
    what += tr(", surface from points at %1 Å").arg(spacing, 0, 'f', 3);
  }
  write(
      path, [=](const jobs::Progress&) { scene::write_png(*image, options.dpi, path); }, what);
}

/// As a job; the status bar says when the file is there.
void OrbitalsLab::write(const std::filesystem::path& path, jobs::JobRunner::Work work, const QString& what) {
  context_.jobs.submit(fmt::format("Write {}", path.filename().string()), {},
                       [this, path, what, work = std::move(work)](const jobs::Progress& progress) {
                         work(progress);
                         context_.on_gui_thread(guarded(this, [this, path, what] {
                           const QString file = QString::fromStdString(path.string());
                           context_.show_status(what.isEmpty() ? tr("Written: %1").arg(file)
                                                               : tr("Written: %1 (%2)").arg(file, what));
                         }));
                       });
}

QString OrbitalsLab::export_filter() const {
  return tr(
      "Field as Gaussian cube (*.cube);;Surface for printing (*.stl);;Surface with colours (*.ply);;"
      "Surface for VTK (*.vtp);;Scene as glTF (*.gltf);;Wavefunction as Molden (*.molden)");
}

void OrbitalsLab::export_file(const std::filesystem::path& path) {
  const auto suffix = path.extension();
  if (suffix == ".cube" || suffix == ".cub") {
    export_cube(path);
  } else if (suffix == ".molden") {
    if (const auto why = without_orbitals(); !why.empty()) throw Error(why);
    write(path, [path, document = document_, set = field_.set](const jobs::Progress&) {
      const auto& written = *document->wavefunction;
      molecules::write_molden(written, written.sets[static_cast<std::size_t>(set - 1)], path);
    });
  } else if (suffix == ".stl" || suffix == ".ply" || suffix == ".vtp" || suffix == ".gltf") {
    write(path, [export_scene = scene_.prepare_export(path)](const jobs::Progress&) { export_scene(); });
  } else {
    throw Error(fmt::format(
        "{}: the suffix {} names no format for export; use .cube, .stl, .ply, .vtp, .gltf or .molden.",
        path.string(), isolume::quoted(suffix.string())));
  }
}

/// The field at full resolution, whatever the view shows at this moment.
void OrbitalsLab::export_cube(const std::filesystem::path& path) {
  if (const auto why = without_field(); !why.empty()) throw Error(why);
  std::optional<Picture> ready;
  if (picture_ && picture_->refined && !awaiting_) ready = picture_;
  const bool numbered = wavefunction() != nullptr && field_.field == science::FieldKind::orbital;
  const std::vector<int> numbers(numbered ? 1 : 0,
                                 numbered ? std::stoi(orbital_arguments(chosen_orbital()).front()) : 0);
  write(path, [=, engines = engines_,
               request = PictureRequest{document_, field_, view_, file_field_, Detail::refined}](
                  const jobs::Progress& progress) {
    const auto picture = ready ? *ready : compute_picture(request, *engines, progress);
    const auto* field = picture.field.get();
    molecules::write_cube(request.document->molecule, {&field, 1}, numbers,
                          fmt::format("{}, {}", field->name, field->unit), path, progress);
  });
}

void OrbitalsLab::devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) {
  context_.jobs.submit("Prepare the engines", "orbitals.engines", [this, devices](const jobs::Progress&) {
    auto engines = std::make_shared<const science::EngineRegistry>(gpu::make_orbital_engines(devices));
    auto surfaces = gpu::make_surface_engine(devices);
    context_.on_gui_thread(guarded(this, [this, engines, surfaces] {
      engines_ = engines;
      pipeline_.set_engines(engines, surfaces);
      if (document_ && context_.parameters_changed) context_.parameters_changed();  // engines to choose from
    }));
  });
}

void OrbitalsLab::theme_changed(bool) {
  if (document_) restyle();
}

void OrbitalsLab::shown_changed(bool shown) {
  if (!shown) play(false);
}

// Commands.

std::string OrbitalsLab::without_orbitals() const {
  return wavefunction() != nullptr ? "" : "Open a file with orbitals first.";
}

std::string OrbitalsLab::without_field() const {
  if (document_ && (document_->wavefunction || !document_->fields.empty())) return "";
  return "Open a file with orbitals or a field first.";
}

void OrbitalsLab::add(std::string name, std::string title, std::string help, std::string arguments,
                      std::string shortcut, std::function<void(Arguments)> action,
                      std::function<std::string()> unavailable, std::function<bool()> checked,
                      std::string keywords, std::function<std::vector<workbench::Offer>()> offers) {
  context_.commands.add({std::move(name), std::move(title), std::move(help), std::move(arguments),
                         std::move(shortcut), std::move(action), std::move(unavailable), std::move(checked),
                         std::move(keywords), std::move(offers)});
}

/// The orbitals that people name, those around the frontier: "Select orbital: HOMO-1 (20)".
std::vector<workbench::Offer> OrbitalsLab::orbital_offers() const {
  constexpr int steps_from_frontier = 50;
  std::vector<workbench::Offer> offers;
  const auto& set = orbital_set();
  const auto labels = molecules::frontier_labels(set);
  std::array<int, 2> numbers{};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto& orbital = set.orbitals[i];
    const int number = ++numbers[orbital.spin == molecules::Spin::alpha ? 0 : 1];
    const auto sign = labels[i].find_first_of("+-");
    if (sign != std::string::npos && std::stoi(labels[i].substr(sign + 1)) > steps_from_frontier) continue;
    const std::string spin = set.unrestricted() ? " " + spin_text(orbital.spin) : "";
    const double energy_ev = orbital.energy_hartree * units::ev_per_hartree;
    offers.push_back({std::to_string(number) + spin,
                      fmt::format("Select orbital: {} ({}{})", labels[i], number, spin),
                      std::isfinite(energy_ev) ? fmt::format("{:.2f} eV", energy_ev) : "",
                      {}});
  }
  return offers;
}

void OrbitalsLab::add_orbital_commands() {
  const auto unavailable = [this] { return without_orbitals(); };
  add(
      "orbital.select", "Select orbital", "Shows an orbital by number or by its place at the frontier.",
      "NUMBER | homo | lumo+1 ... [alpha | beta]", "",
      [this](Arguments arguments) {
        auto spin = field_.spin;
        if (arguments.size() > 1) {
          if (arguments[1] != "alpha" && arguments[1] != "beta") {
            throw Error(
                fmt::format("Expected alpha or beta as spin, found {}.", isolume::quoted(arguments[1])));
          }
          spin = arguments[1] == "beta" ? molecules::Spin::beta : molecules::Spin::alpha;
        }
        select_orbital(argument(arguments, 0, "an orbital: a number, homo, lumo+1"), spin);
      },
      unavailable, nullptr, "mo molecular", [this] { return orbital_offers(); });
  add(
      "orbital.set", "Choose orbital set", "Goes to another orbital set of the file, by its place from 1.",
      "PLACE", "",
      [this](Arguments arguments) {
        const int place = integer(argument(arguments, 0, "a place"));
        const auto& sets = wavefunction()->sets;
        if (place > static_cast<int>(sets.size())) {
          throw Error(fmt::format("There is no orbital set {}; the file has {}.", place, sets.size()));
        }
        play(false);
        set_parameters(tr("Orbital set"),
                       {{"set", std::to_string(place)},
                        {"spin", "alpha"},
                        {"orbital", first_orbital(sets[static_cast<std::size_t>(place - 1)])}});
      },
      unavailable);
  const auto add_simple = [&](const char* name, const char* title, const char* help, const char* shortcut,
                              auto action) {
    add(
        name, title, help, "", shortcut, [this, action](Arguments) { action(*this); }, unavailable);
  };
  add_simple("orbital.next", "Next orbital", "One orbital up.", "Ctrl+Up",
             [](OrbitalsLab& lab) { lab.step_orbital(1); });
  add_simple("orbital.previous", "Previous orbital", "One orbital down.", "Ctrl+Down",
             [](OrbitalsLab& lab) { lab.step_orbital(-1); });
  add_simple("orbital.homo", "Go to the HOMO", "The highest occupied orbital.", "Ctrl+Shift+H",
             [](OrbitalsLab& lab) { lab.select_orbital("homo", lab.field_.spin); });
  add_simple("orbital.lumo", "Go to the LUMO", "The lowest unoccupied orbital.", "Ctrl+Shift+L",
             [](OrbitalsLab& lab) { lab.select_orbital("lumo", lab.field_.spin); });
}

void OrbitalsLab::add_field_commands() {
  const auto unavailable = [this] { return without_orbitals(); };
  std::string kinds;
  for (const auto& choice : science::field_schema().at("field").description.choices) {
    kinds += (kinds.empty() ? "" : " | ") + choice.key;
  }
  add(
      "field.show", "Show field", "Shows an orbital, a density or a superposition.", kinds, "",
      [this, kinds](Arguments arguments) {
        play(false);
        set_parameters(tr("Show field"), {{"field", argument(arguments, 0, kinds.c_str())}});
      },
      unavailable);
  add(
      "field.choose", "Choose field of the file",
      "Shows one of the fields of a cube file, by its place from 1.", "PLACE", "",
      [this](Arguments arguments) { choose_file_field(integer(argument(arguments, 0, "a place")) - 1); },
      [this] { return document_ && !document_->wavefunction ? without_field() : "Open a cube file first."; });
  add(
      "animation.play", "Play superposition", "Lets time run in a superposition of orbitals.", "", "",
      [this](Arguments) { play(true); }, unavailable, [this] { return animation_.isActive(); },
      "animate movie time");
  // The key is taken from whatever has the keyboard only while something moves.
  add(
      "animation.stop", "Stop the superposition", "Stops the animation; Esc does it, too.", "", "Space",
      [this](Arguments) { play(false); },
      [this]() -> std::string { return animation_.isActive() ? "" : "Nothing is playing."; }, nullptr,
      "pause");
}

void OrbitalsLab::add_view_commands() {
  const auto unavailable = [this] { return without_field(); };
  add(
      "isovalue.enclose", "Enclose a fraction",
      "Chooses the isovalue that encloses this fraction of the density.", "FRACTION", "",
      [this](Arguments arguments) {
        context_.commands.run("parameter.set",
                              std::vector<std::string>{"enclosed", argument(arguments, 0, "0 to 1")});
      },
      unavailable, nullptr, "isovalue threshold contour level");
  add(
      "slice.toggle", "Slice plane", "Shows or hides the slice plane with its contour lines.", "",
      "Ctrl+Shift+X",
      [this](Arguments) {
        context_.commands.run("parameter.set",
                              std::vector<std::string>{"slice", view_.slice ? "false" : "true"});
      },
      unavailable, [this] { return view_.slice; }, "cut section");
  add(
      "slice.move", "Move slice", "Moves the slice plane along its axis.", "FRACTION of the box", "",
      [this](Arguments arguments) {
        context_.commands.run("parameter.set",
                              std::vector<std::string>{"slice-position", argument(arguments, 0, "0 to 1")});
      },
      unavailable);
}

void OrbitalsLab::add_measure_commands() {
  add(
      "measure.atoms", "Measure atoms",
      "One atom's name, the distance of two, the angle of three, the dihedral of four; by their numbers.",
      "NUMBER [NUMBER [NUMBER [NUMBER]]]", "",
      [this](Arguments arguments) {
        std::vector<int> atoms;
        for (const auto& each : arguments) atoms.push_back(integer(each) - 1);
        measure(std::move(atoms));
      },
      [this] { return document_ ? "" : "Open a file first."; });
  add(
      "measure.clear", "End measuring",
      "Takes the marks of measured atoms away. Esc in the view does the same.", "", "",
      [this](Arguments) { measure({}); }, [this] { return measured_.empty() ? "Nothing is measured." : ""; });
}

void OrbitalsLab::add_frame_commands() {
  const auto unavailable = [this]() -> std::string {
    return document_ && !document_->frames.empty() ? "" : "Open a file with several geometries first.";
  };
  add(
      "frame.next", "Next frame", "The next geometry of the file.", "", "",
      [this](Arguments) { choose_frame(frame_ + 1); }, unavailable);
  add(
      "frame.previous", "Previous frame", "The geometry before.", "", "",
      [this](Arguments) { choose_frame(frame_ - 1); }, unavailable);
}

}  // namespace

workbench::LabEntry lab_entry() {
  const auto tr = [](const char* text) { return OrbitalsLab::tr(text); };
  const QString files =
      tr("Wavefunctions, fields and molecules (*.molden *.molden.* *.input *.fchk *.fchk.gz *.fch *.fch.gz "
         "*.log *.log.gz *.out *.out.gz *.wfn *.wfn.gz *.wfx *.wfx.gz *.mwfn *.mwfn.gz *.mkl *.mkl.gz *.47 "
         "*.47.gz *.dat *.dat.gz *.xml *.xml.gz *.cjson *.cjson.gz *.json *.json.gz *.cube *.cube.gz *.cub "
         "*.cub.gz *.xyz "
         "*.xyz.gz *.pdb *.pdb.gz *.ent *.ent.gz *.cif *.cif.gz *.mol *.mol.gz *.sdf *.sdf.gz)");
  return {
      .name = "orbitals",
      .title = tr("Orbitals"),
      .summary = tr("Molecular orbitals, densities and their differences as live surfaces."),
      .file_filter = files,
      .samples = {{tr("Benzene"), tr("RHF/6-31G*: the degenerate π orbitals"), "samples/benzene.fchk.gz"},
                  {tr("Caffeine"), tr("B3LYP/6-31G*, 24 atoms"), "samples/caffeine.fchk.gz"},
                  {tr("C₆₀"), tr("RHF/6-31G*: 900 basis functions"), "samples/c60.molden.gz"},
                  {tr("Triplet O₂"), tr("UHF/6-311G*: α, β and spin density"),
                   "samples/oxygen-triplet.fchk.gz"},
                  {tr("Water, small basis"), tr("RHF/6-31G*, Cartesian d"), "samples/water-631gs.fchk.gz"},
                  {tr("Water, medium basis"), tr("RHF/def2-TZVP, up to f"), "samples/water-def2tzvp.fchk.gz"},
                  {tr("Water, large basis"), tr("RHF/cc-pVQZ, up to g"), "samples/water-ccpvqz.fchk.gz"}},
      .opens = [files](const std::filesystem::path& path) { return workbench::matches_filter(path, files); },
      .make = [](workbench::LabContext& context) { return std::make_unique<OrbitalsLab>(context); }};
}

}  // namespace isolume::labs::orbitals
