#include <QPointer>
#include <QSplitter>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/labs/reconstruction/description.h"
#include "app/labs/reconstruction/projection_view.h"
#include "app/slices/linked_slices.h"
#include "app/slices/slice_export.h"
#include "app/slices/slice_model.h"
#include "app/slices/view_place.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/look/ask_for_file.h"
#include "core/dispatch/memory.h"
#include "core/graph/node.h"
#include "core/images/window.h"
#include "core/jobs/activity.h"
#include "core/parameters/narrowed.h"
#include "core/tomography/analytic.h"
#include "core/tomography/corrections.h"
#include "core/tomography/parameters.h"
#include "core/tomography/scan_files.h"

namespace isolume::labs::reconstruction {
namespace {

using namespace tomography;
using workbench::Arguments;
using workbench::guarded;
using workbench::said;
using workbench::Wanted;

/// An opened scan.
struct Opened {
  ScanFiles files;  ///< without projections: the phantom
  Projections projections;
  Remarks remarks;

  bool is_phantom() const { return files.projections.empty(); }
};
using OpenedPointer = std::shared_ptr<const Opened>;

struct TargetInputs {
  OpenedPointer opened;
  int size = 0;
  bool operator==(const TargetInputs&) const = default;
};
/// The grid of the volume.
struct Target {
  OpenedPointer opened;
  grid::Grid grid;
  FieldValues phantom;  ///< on the grid; empty for files
};
using TargetPointer = std::shared_ptr<const Target>;

struct UsedInputs {
  TargetPointer target;
  ScanParameters parameters;
  bool operator==(const UsedInputs&) const = default;
};
/// The data that are reconstructed.
struct Used {
  TargetPointer target;
  Projections projections;
};
using UsedPointer = std::shared_ptr<const Used>;

struct StackInputs {
  UsedPointer used;
  bool operator==(const StackInputs&) const = default;
};
struct FilterInputs {
  UsedPointer used;
  FilterParameters parameters;
  bool operator==(const FilterInputs&) const = default;
};
struct FilteredData {
  UsedPointer used;
  Filtered filtered;
};
using FilteredPointer = std::shared_ptr<const FilteredData>;

struct SliceInputs {
  FilteredPointer filtered;
  std::array<int, 3> at{};  ///< of the slices across each axis
  bool operator==(const SliceInputs&) const = default;
};
struct Slices {
  SliceInputs of;
  std::array<FieldValues, 3> values;
};
using SlicesPointer = std::shared_ptr<const Slices>;

struct VolumeInputs {
  UsedPointer used;
  FilteredPointer filtered;  ///< null for iterative methods
  MethodParameters parameters;
  bool operator==(const VolumeInputs& other) const {
    // What is filtered already depends on nothing else.
    return used == other.used && filtered == other.filtered &&
           (filtered != nullptr || parameters == other.parameters);
  }
};
struct Volume {
  VolumeInputs of;
  FieldValues values;
  int iteration = 0;
  double residual = 0;
  float least = 0, greatest = 0;
  double rmse = 0;  ///< to the phantom

  void measure() {
    const auto ends = std::ranges::minmax(values);
    least = ends.min;
    greatest = ends.max;
    const FieldValues& phantom = of.used->target->phantom;
    if (!phantom.empty()) rmse = tomography::rmse(values, phantom);
  }
};
using VolumePointer = std::shared_ptr<const Volume>;

struct PictureInputs {
  TargetPointer target;
  SlicesPointer slices;  ///< null: the volume is newer
  VolumePointer volume;  ///< null: none of this scan yet
  Shown shown = Shown::attenuation;
  bool operator==(const PictureInputs&) const = default;
};
struct Picture {
  PictureInputs of;
  std::shared_ptr<const images::Document> document;
  double rmse = 0;  ///< to the phantom
};

/// Writes a slice across an axis into a volume.
void put_slice(const FieldValues& slice, int axis, int index, const grid::Grid& grid, FieldValues& volume) {
  const auto nx = static_cast<std::size_t>(grid.dimensions[0]),
             ny = static_cast<std::size_t>(grid.dimensions[1]);
  const Region region = Region::slice(grid, axis, index);
  std::size_t from = 0;
  for (int z = region.first[2]; z < region.first[2] + region.count[2]; ++z) {
    for (int y = region.first[1]; y < region.first[1] + region.count[1]; ++y) {
      const std::size_t row = (static_cast<std::size_t>(z) * ny + static_cast<std::size_t>(y)) * nx +
                              static_cast<std::size_t>(region.first[0]);
      for (int x = 0; x < region.count[0]; ++x) volume[row + static_cast<std::size_t>(x)] = slice[from++];
    }
  }
}

std::shared_ptr<const images::Document> document_of(const grid::Grid& grid, FieldValues values,
                                                    const images::Window& window) {
  auto field = std::make_shared<grid::ScalarField>();
  field->grid = grid;
  field->values = std::move(values);
  auto document = std::make_shared<images::Document>();
  document->volume = images::volume_of(field);
  document->volume.unit = "1/mm";
  document->windows = {window};
  return document;
}

Picture draw(const PictureInputs& inputs) {
  const Target& target = *inputs.target;
  Picture picture{.of = inputs, .document = nullptr};
  FieldValues values(target.grid.point_count());
  if (inputs.volume != nullptr) {
    std::ranges::copy(inputs.volume->values, values.begin());
  } else {
    std::ranges::fill(values, 0.F);
  }
  if (inputs.slices != nullptr) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      put_slice(inputs.slices->values[axis], static_cast<int>(axis), inputs.slices->of.at[axis], target.grid,
                values);
    }
  }
  // Attenuation from air to bone, or what the data themselves reach.
  images::Window window{.centre = 0.01, .width = 0.024, .name = {}};
  if (!target.phantom.empty()) {
    window = {.centre = 0.005, .width = 0.008, .name = {}};
    if (inputs.slices == nullptr) picture.rmse = inputs.volume->rmse;
    if (inputs.shown == Shown::phantom) values = target.phantom;
    if (inputs.shown == Shown::difference) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] -= target.phantom[i];
      window = {.centre = 0, .width = 0.004, .name = {}};
    }
  }
  picture.document = document_of(target.grid, std::move(values), window);
  return picture;
}

OpenedPointer open_phantom(const jobs::Progress& progress) {
  CircularScan scan;
  scan.column_mm = scan.row_mm = 1.9;
  auto opened = std::make_shared<Opened>();
  opened->projections = project(shepp_logan(), circular(scan), progress);
  return opened;
}

OpenedPointer open_scan(const ScanFiles& files, const jobs::Progress& progress) {
  Scan scan = read_scan(files, progress);
  auto opened = std::make_shared<Opened>();
  opened->files = files;
  opened->projections = std::move(scan.projections);
  opened->remarks = std::move(scan.remarks);
  return opened;
}

Target target_of(const TargetInputs& inputs, const jobs::Progress& progress) {
  Target target{.opened = inputs.opened, .grid = {}, .phantom = {}};
  if (!inputs.opened->is_phantom()) {
    target.grid = seen_grid(inputs.opened->projections.geometry, inputs.size);
    return target;
  }
  // The volume, the phantom, the pictures before and after.
  dispatch::require_memory("The volume", 6 * sizeof(float) * std::pow(inputs.size, 3),
                           said(QObject::tr("Choose fewer voxels.")));
  constexpr double width_mm = 204.8;
  target.grid = grid::centred(Eigen::Vector3d::Zero(), {inputs.size, inputs.size, inputs.size},
                              width_mm / inputs.size, grid::LengthUnit::millimetre);
  target.grid.frame = grid::Frame::patient;
  target.phantom = voxelised(shepp_logan(), target.grid, 2, progress);
  return target;
}

class ReconstructionLab final : public QObject, public workbench::Lab {
 public:
  explicit ReconstructionLab(workbench::LabContext& context);

  QWidget* page() override;
  std::vector<workbench::LabPanel> panels() override { return {}; }
  void start() override { read({}); }
  void open(const std::filesystem::path& path) override { read({.projections = path, .geometry = {}}); }
  void open_again(const std::filesystem::path& path, const nlohmann::json& state) override {
    read({.projections = path,
          .geometry = state.value("geometry", std::string()),
          .flat = state.value("flat", std::string()),
          .dark = state.value("dark", std::string())});
  }
  std::function<nlohmann::json()> state() const override;
  void restore(const nlohmann::json& state) override {
    place_ = slices::view_place_of(state);
    if (picture_.value() != nullptr) go_to_place();
  }
  parameters::ParameterSet* parameters() override { return &narrowed_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override {
    narrowed_.assign(key, value);
    changed_ = std::chrono::steady_clock::now();
    data_.show(view_.data);
    graph_.update();
  }
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override;
  bool has_camera() const override { return false; }
  QString export_filter() const override { return QObject::tr("Volume (*.nii.gz *.nii *.nrrd *.mha)"); }
  void export_file(const std::filesystem::path& path) override { save(path); }

 private:
  void bind_commands();
  void find_axis();
  void read(const ScanFiles& files);
  void take(const OpenedPointer& opened);
  void show(const Picture& picture);
  void go_to_place();
  void save(const std::filesystem::path& path);
  /// Calls `then` with the final volume.
  void when_computed(std::function<void(const VolumePointer&)> then);
  std::array<int, 3> indices() const;
  bool filters() const { return method_.method == Method::fdk; }
  /// Null: none of this scan with these parameters yet.
  TargetPointer present_target() const { return target_.settled() ? target_.value() : nullptr; }
  UsedPointer present_used() const {
    const bool is_present =
        used_.settled() && used_.value() != nullptr && used_.value()->target == present_target();
    return is_present ? used_.value() : nullptr;
  }
  FilteredPointer present_filtered() const {
    const bool is_present = filters() && present_used() != nullptr && filtered_.settled() &&
                            filtered_.value() != nullptr && filtered_.value()->used == present_used();
    return is_present ? filtered_.value() : nullptr;
  }
  /// Whether the volume is that of the present data.
  bool has_volume() const {
    const VolumePointer& volume = volume_.value();
    return volume != nullptr && present_used() != nullptr && volume->of.used == present_used() &&
           volume->of.filtered == present_filtered();
  }

  workbench::LabContext& context_;
  OpenedPointer opened_;
  ScanParameters scan_;
  MethodParameters method_;
  ViewParameters view_;
  parameters::StructParameters<ScanParameters> scan_set_{scan_schema(), scan_};
  parameters::StructParameters<MethodParameters> method_set_{method_schema(), method_};
  parameters::StructParameters<ViewParameters> view_set_{view_schema(), view_};
  parameters::CombinedParameters all_{{&scan_set_, &method_set_, &view_set_}};
  parameters::NarrowedParameters narrowed_{
      all_, {}, [this](parameters::Description& each) {
        if (each.key == "views" && opened_ != nullptr)
          each.usual = parameters::Range{0, static_cast<double>(opened_->projections.geometry.views.size())};
      }};
  slices::SliceModel model_;
  QPointer<slices::LinkedSlices> views_ = new slices::LinkedSlices(model_, nullptr);
  ProjectionView data_;
  TargetPointer shown_;                              ///< the grid of the shown picture
  Shown shown_as_ = Shown::attenuation;              ///< of the shown picture
  std::uint64_t opening_ = 0;                        ///< the job that opens a scan
  std::vector<std::function<void()>> waiting_;       ///< for the first scan
  std::chrono::steady_clock::time_point changed_{};  ///< when something has changed last
  std::optional<slices::ViewPlace> place_;           ///< of a session, until its picture is there
  graph::Graph graph_{context_.jobs,
                      [this](auto action) { context_.on_gui_thread(guarded(this, std::move(action))); }};
  graph::Node<TargetInputs, Target> target_{
      graph_,
      {.name = said(QObject::tr("Grid")),
       .channel = "reconstruction.grid",
       .inputs = [this]() -> std::optional<TargetInputs> {
         if (opened_ == nullptr) return std::nullopt;
         return TargetInputs{opened_, view_.size};
       },
       .compute =
           [](const TargetInputs& inputs, const jobs::Progress& progress) {
             return std::make_shared<const Target>(target_of(inputs, progress));
           }}};
  graph::Node<UsedInputs, Used> used_{
      graph_,
      {.name = said(QObject::tr("Projections")),
       .channel = "reconstruction.used",
       .inputs = [this]() -> std::optional<UsedInputs> {
         if (present_target() == nullptr) return std::nullopt;
         return UsedInputs{present_target(), scan_};
       },
       .compute =
           [](const UsedInputs& inputs, const jobs::Progress& progress) {
             return std::make_shared<const Used>(Used{
                 inputs.target, prepared(inputs.target->opened->projections, inputs.parameters, progress)});
           }}};
  graph::Node<FilterInputs, FilteredData> filtered_{
      graph_,
      {.name = said(QObject::tr("Filter")),
       .channel = "reconstruction.filter",
       .inputs = [this]() -> std::optional<FilterInputs> {
         if (!filters() || present_used() == nullptr) return std::nullopt;
         return FilterInputs{present_used(), method_.filter()};
       },
       .compute =
           [](const FilterInputs& inputs, const jobs::Progress& progress) {
             return std::make_shared<const FilteredData>(
                 FilteredData{inputs.used, filter(inputs.used->projections, inputs.parameters, progress)});
           },
       .taken =
           [this](const FilteredPointer& filtered) {
             if (filtered == nullptr) return;
             Remarks remarks = filtered->used->target->opened->remarks;
             remarks.add(filtered->filtered.remarks);
             context_.show_warning(QString::fromStdString(remarks.text()));
           }}};
  graph::Node<SliceInputs, Slices> slices_{
      graph_,
      {.name = said(QObject::tr("Slices")),
       .channel = "reconstruction.slices",
       .inputs = [this]() -> std::optional<SliceInputs> {
         if (present_filtered() == nullptr || has_volume()) return std::nullopt;
         return SliceInputs{present_filtered(), indices()};
       },
       .compute =
           [](const SliceInputs& inputs, const jobs::Progress& progress) {
             auto slices = std::make_shared<Slices>();
             slices->of = inputs;
             const grid::Grid& grid = inputs.filtered->used->target->grid;
             for (std::size_t axis = 0; axis < 3; ++axis) {
               const Region region = Region::slice(grid, static_cast<int>(axis), inputs.at[axis]);
               slices->values[axis].resize(region.size());
               back_project(inputs.filtered->filtered, grid, region, slices->values[axis], progress);
             }
             return slices;
           }}};
  graph::Node<PictureInputs, Picture> picture_{
      graph_,
      {.name = said(QObject::tr("Picture")),
       .channel = "reconstruction.picture",
       .inputs = [this]() -> std::optional<PictureInputs> {
         if (present_target() == nullptr) return std::nullopt;
         const VolumePointer& volume = volume_.value();
         const VolumePointer of_scan =
             volume != nullptr && volume->of.used->target == target_.value() ? volume : nullptr;
         if (has_volume()) return PictureInputs{target_.value(), nullptr, volume, view_.shown};
         const SlicesPointer& slices = slices_.value();
         if (filters() && slices != nullptr && slices->of.filtered == present_filtered())
           return PictureInputs{target_.value(), slices, of_scan, view_.shown};
         return std::nullopt;
       },
       .compute = [](const PictureInputs& inputs,
                     const jobs::Progress&) { return std::make_shared<const Picture>(draw(inputs)); },
       .taken =
           [this](const auto& picture) {
             if (picture != nullptr) show(*picture);
           }}};
  graph::Node<VolumeInputs, Volume> volume_{
      graph_,
      {.name = said(QObject::tr("Volume")),
       .channel = "reconstruction.volume",
       .inputs = [this]() -> std::optional<VolumeInputs> {
         if (present_used() == nullptr) return std::nullopt;
         if (!filters()) return VolumeInputs{present_used(), nullptr, method_};
         // What is seen comes first.
         const SlicesPointer& slices = slices_.value();
         const bool is_seen =
             slices != nullptr && slices->of.filtered == present_filtered() && slices_.settled();
         if (present_filtered() == nullptr || !(is_seen || has_volume())) return std::nullopt;
         return VolumeInputs{present_used(), present_filtered(), method_};
       },
       .approach =
           [](const VolumeInputs& inputs, const auto& show, const jobs::Progress& progress) {
             const grid::Grid& grid = inputs.used->target->grid;
             auto volume = std::make_shared<Volume>();
             volume->of = inputs;
             if (inputs.filtered != nullptr) {
               volume->values.resize(grid.point_count());
               back_project(inputs.filtered->filtered, grid, Region::whole(grid), volume->values, progress);
               volume->measure();
               return volume;
             }
             reconstruct_iteratively(
                 inputs.used->projections, grid, inputs.parameters.iterative(),
                 [&](const Iterate& iterate) {
                   volume = std::make_shared<Volume>(Volume{.of = inputs,
                                                            .values = iterate.volume.with_x_fastest(),
                                                            .iteration = iterate.iteration,
                                                            .residual = iterate.residual});
                   volume->measure();
                   show(volume);
                 },
                 progress);
             if (volume->values.empty()) {  // no data above 0
               volume->values.resize(grid.point_count(), 0.F);
               volume->measure();
             }
             return volume;
           }}};
  graph::Node<StackInputs, images::Document> stack_{
      graph_,
      {.name = said(QObject::tr("Projections")),
       .channel = "reconstruction.stack",
       .inputs = [this]() -> std::optional<StackInputs> {
         // After what is reconstructed from them.
         if (present_used() == nullptr || !(picture_.settled() && picture_.value() != nullptr))
           return std::nullopt;
         return StackInputs{present_used()};
       },
       .compute =
           [](const StackInputs& inputs, const jobs::Progress&) {
             const Projections& used = inputs.used->projections;
             grid::Grid grid{.dimensions = {used.geometry.columns, used.geometry.rows,
                                            static_cast<int>(used.geometry.views.size())},
                             .unit = grid::LengthUnit::millimetre};
             // A sinogram of few views is as high as one of many.
             grid.step(2, 2) = static_cast<double>(grid.dimensions[0]) / grid.dimensions[2];
             FieldValues values = stacked(used);
             const auto [least, greatest] = std::ranges::minmax(values);
             return document_of(
                 grid, std::move(values),
                 images::window_over({static_cast<double>(least), static_cast<double>(greatest)}));
           },
       .taken =
           [this](const auto& stack) {
             if (stack != nullptr) data_.show(stack);
           }}};
};

ReconstructionLab::ReconstructionLab(workbench::LabContext& context) : context_(context) {
  bind_commands();
  connect(&model_, &slices::SliceModel::cursor_changed, this, [this] {
    changed_ = std::chrono::steady_clock::now();
    graph_.update();
    context_.state_changed();
  });
  connect(&views_->large(), &slices::SliceView::window_changed, this, [this] { context_.state_changed(); });
}

QWidget* ReconstructionLab::page() {
  auto* across = new QSplitter(Qt::Horizontal);
  across->addWidget(views_);
  across->addWidget(data_.widget());
  across->setStretchFactor(0, 3);
  across->setStretchFactor(1, 1);
  across->setChildrenCollapsible(false);
  across->setSizes({300, 120});
  return across;
}

void ReconstructionLab::bind_commands() {
  auto& commands = context_.commands;
  commands.bind("reconstruction.projections.open", [this](const Arguments& arguments) {
    if (!arguments.has("path")) {
      return workbench::ask_and_run(
          context_, *this, *views_->window(),
          {QObject::tr("Open projections"),
           QObject::tr(
               "Projections (*.mha *.mhd *.nii *.nii.gz *.nrrd *.nhdr *.tif *.tiff *.npy);;All files (*)"),
           Wanted::file},
          "reconstruction.projections.open");
    }
    const auto given = [&](const char* name) {
      return arguments.has(name) ? std::filesystem::path(arguments.text(name)) : std::filesystem::path();
    };
    read({.projections = given("path"),
          .geometry = given("geometry"),
          .flat = given("flat"),
          .dark = given("dark")});
  });
  commands.bind("reconstruction.phantom.open", [this](const Arguments&) { read({}); });
  const auto without_scan = [this] {
    return opened_ == nullptr && opening_ == 0 ? said(QObject::tr("Open projections first.")) : std::string();
  };
  commands.bind(
      "reconstruction.volume.save",
      [this](const Arguments& arguments) {
        if (!arguments.has("path")) {
          return workbench::ask_and_run(context_, *this, *views_->window(),
                                        {QObject::tr("Save volume"), export_filter(), Wanted::new_file},
                                        "reconstruction.volume.save");
        }
        save(arguments.text("path"));
      },
      without_scan);
  commands.bind(
      "reconstruction.axis.find", [this](const Arguments&) { find_axis(); },
      [this] { return opened_ == nullptr ? said(QObject::tr("Open projections first.")) : std::string(); });
  commands.bind(
      "reconstruction.result",
      [this](const Arguments&) {
        when_computed([](const VolumePointer& volume) {
          nlohmann::json result{{"views", volume->of.used->projections.geometry.views.size()},
                                {"least", volume->least},
                                {"greatest", volume->greatest}};
          if (volume->iteration > 0) result["residual"] = volume->residual;
          if (!volume->of.used->target->phantom.empty()) result["rmse"] = volume->rmse;
          jobs::Activity::current()->set_result(std::move(result));
        });
      },
      without_scan);
}

void ReconstructionLab::find_axis() {
  if (opened_ == nullptr) throw Error(said(QObject::tr("Open projections first.")));
  context_.jobs.submit(said(QObject::tr("Find axis of rotation")), "reconstruction.axis",
                       [this, opened = opened_](const jobs::Progress& progress) {
                         const double pixels = find_axis_shift(opened->projections, progress);
                         context_.on_gui_thread(guarded(this, [this, opened, pixels] {
                           if (opened != opened_) return;
                           context_.set_parameters(QObject::tr("Find axis of rotation"),
                                                   {{"axis-shift", fmt::format("{:.2f}", pixels)}});
                         }));
                       });
}

void ReconstructionLab::read(const ScanFiles& files) {
  const std::string name =
      files.projections.empty() ? said(QObject::tr("Phantom")) : files.projections.filename().string();
  const auto job = std::make_shared<std::uint64_t>(0);  // the newest alone counts
  opening_ = *job = context_.jobs.submit(
      said(QObject::tr("Open %1"), name), "reconstruction.open",
      [this, files, job](const jobs::Progress& progress) {
        try {
          context_.on_gui_thread(guarded(
              this,
              [this, job,
               opened = files.projections.empty() ? open_phantom(progress) : open_scan(files, progress)] {
                if (*job == opening_) take(opened);
              }));
        } catch (...) {
          context_.on_gui_thread(guarded(this, [this, job] {
            if (*job != opening_) return;
            opening_ = 0;
            waiting_.clear();
            context_.availability_changed();
          }));
          throw;
        }
      });
  context_.availability_changed();
}

void ReconstructionLab::take(const OpenedPointer& opened) {
  graph_.forget();
  opened_ = opened;
  context_.document_opened(opened->files.projections,
                           opened->is_phantom()
                               ? QObject::tr("Phantom")
                               : QString::fromStdString(opened->files.projections.filename().string()));
  context_.show_warning(QString::fromStdString(opened->remarks.text()));
  changed_ = std::chrono::steady_clock::now();
  context_.availability_changed();
  graph_.update();
  for (const auto& then : std::exchange(waiting_, {})) then();
}

std::array<int, 3> ReconstructionLab::indices() const {
  const Target& target = *target_.value();
  const auto& size = target.grid.dimensions;
  std::array<int, 3> at{size[0] / 2, size[1] / 2, size[2] / 2};
  if (shown_ == target_.value() && model_.image() != nullptr) {
    const Eigen::Vector3d cursor = target.grid.index_at(model_.cursor_mm());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double index = std::round(cursor[static_cast<Eigen::Index>(axis)]);
      at[axis] = static_cast<int>(std::clamp(index, 0.0, size[axis] - 1.0));
    }
  }
  return at;
}

void ReconstructionLab::show(const Picture& picture) {
  const bool is_same_scan = shown_ == picture.of.target;
  const bool is_same_scale = is_same_scan && shown_as_ == picture.of.shown;
  shown_ = picture.of.target;
  shown_as_ = picture.of.shown;
  is_same_scan ? model_.exchange_image(picture.document) : model_.set_image(picture.document);
  if (!is_same_scale && views_) views_->set_window(picture.document->windows.front());
  go_to_place();
  QStringList texts;
  const Geometry& geometry = (picture.of.slices != nullptr ? picture.of.slices->of.filtered->used->projections
                                                           : picture.of.volume->of.used->projections)
                                 .geometry;
  texts << QObject::tr("%1 views").arg(geometry.views.size());
  if (picture.of.slices != nullptr) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - changed_).count();
    texts << QObject::tr("three slices in %1 ms").arg(1e3 * seconds, 0, 'f', 0);
  } else {
    if (picture.of.volume->iteration > 0) {
      texts << QObject::tr("iteration %1").arg(picture.of.volume->iteration)
            << QObject::tr("residual %1").arg(picture.of.volume->residual, 0, 'g', 3);
    }
    if (!picture.of.target->phantom.empty())
      texts << QObject::tr("RMSE to the phantom %1 per mm").arg(picture.rmse, 0, 'g', 3);
  }
  context_.show_status(texts.join(QStringLiteral(", ")));
}

void ReconstructionLab::go_to_place() {
  if (place_) slices::go_to(*place_, model_, views_);
  place_.reset();
}

std::function<nlohmann::json()> ReconstructionLab::state() const {
  nlohmann::json state = slices::to_json(slices::place_of(model_, views_));
  if (opened_ != nullptr) {
    state["geometry"] = opened_->files.geometry.string();
    state["flat"] = opened_->files.flat.string();
    state["dark"] = opened_->files.dark.string();
  }
  return [state] { return state; };
}

void ReconstructionLab::when_computed(std::function<void(const VolumePointer&)> then) {
  if (opened_ == nullptr) {
    if (opening_ == 0) throw Error(said(QObject::tr("Open projections first.")));
    // If the job has ended, its scan is on the way to this thread.
    context_.jobs.join(opening_);
    waiting_.push_back([this, then = std::move(then), activity = jobs::Activity::current()] {
      const jobs::Activity::Scope scope(activity);
      when_computed(then);
    });
    return;
  }
  const auto compute = [this, then = std::move(then)] {
    volume_.when_settled([then](const VolumePointer& volume) {
      if (volume != nullptr) then(volume);
    });
  };
  target_.when_settled([this, compute](const TargetPointer&) {
    used_.when_settled([this, compute](const UsedPointer&) {
      if (!filters()) return compute();
      filtered_.when_settled([this, compute](const FilteredPointer&) {
        if (has_volume()) return compute();
        slices_.when_settled([compute](const SlicesPointer&) { compute(); });
      });
    });
  });
}

void ReconstructionLab::save(const std::filesystem::path& path) {
  when_computed([this, path](const VolumePointer& volume) {
    context_.jobs.submit(said(QObject::tr("Write %1"), path.filename().string()), {},
                         [this, volume, path](const jobs::Progress&) {
                           const auto field = std::make_shared<grid::ScalarField>();
                           field->grid = volume->of.used->target->grid;
                           field->values = volume->values;
                           field->unit = "1/mm";
                           const Remarks remarks = images::write_volume(images::volume_of(field), path);
                           context_.on_gui_thread(guarded(this, [this, remarks] {
                             if (!remarks.empty())
                               context_.show_warning(QString::fromStdString(remarks.text()));
                           }));
                         });
  });
}

void ReconstructionLab::write_image(const std::filesystem::path& path, int width, int height,
                                    bool transparent, int dpi) {
  slices::check_opaque(transparent);
  when_computed([this, path, width, height, dpi](const VolumePointer&) {
    picture_.when_settled([this, path, width, height, dpi](const auto& picture) {
      if (picture == nullptr || !views_) return;
      slices::write_slice_picture(context_,
                                  {.image = picture->document,
                                   .slice = model_.slice(),
                                   .window = views_->large().window(),
                                   .interpolation = views_->large().interpolation()},
                                  path, width, height, dpi);
    });
  });
}

}  // namespace

workbench::LabEntry lab_entry() {
  return {.description = description(), .make = workbench::make_lab<ReconstructionLab>};
}

}  // namespace isolume::labs::reconstruction
