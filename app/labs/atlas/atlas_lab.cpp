#include <QImage>
#include <QPointer>
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/labs/atlas/choices.h"
#include "app/labs/atlas/description.h"
#include "app/labs/atlas/subjects_panel.h"
#include "app/slices/linked_slices.h"
#include "app/slices/slice_export.h"
#include "app/slices/slice_model.h"
#include "app/slices/view_place.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/engines.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/look/ask_for_file.h"
#include "core/anatomy/ages.h"
#include "core/anatomy/subjects.h"
#include "core/graph/node.h"
#include "core/images/window.h"
#include "core/parameters/narrowed.h"
#include "gpu/anatomy/engines.h"

namespace isolume::labs::atlas {
namespace {

using namespace isolume::anatomy;
using workbench::Arguments;
using workbench::guarded;
using workbench::said;
using workbench::Wanted;

using SubjectsPointer = std::shared_ptr<const Subjects>;
using PlacedPointer = std::shared_ptr<const PlacedSubjects>;
using AveragePointer = std::shared_ptr<const Average>;

struct PlacedInputs {
  SubjectsPointer subjects;
  LinearModel linear = LinearModel::affine;
  bool operator==(const PlacedInputs&) const = default;
};
/// What computes: an average that is there stays when engines are found.
struct Engines {
  std::shared_ptr<const FluidEngines> all;
  bool operator==(const Engines&) const { return true; }
};
struct AverageInputs {
  PlacedPointer placed;
  std::vector<double> weights;
  AtlasParameters parameters;
  Engines engines;
  bool operator==(const AverageInputs&) const = default;
};
struct PictureInputs {
  PlacedPointer placed;
  AveragePointer average;  ///< null: the first image is shown until there is one
  Shown shown = Shown::mean;
  std::size_t image = 0;
  bool operator==(const PictureInputs&) const = default;
};
struct Picture {
  PictureInputs of;
  std::shared_ptr<const images::Document> document;
};
struct Thumbnails {
  std::vector<QImage> pictures;
};

std::shared_ptr<const images::Document> document_of(const grid::Grid& grid, FieldValues values) {
  auto field = std::make_shared<grid::ScalarField>();
  field->grid = grid;
  field->values = std::move(values);
  auto document = std::make_shared<images::Document>();
  document->volume = images::volume_of(field);
  constexpr double low = 0.01, high = 0.998;
  document->windows = {images::percentile_window(document->volume, low, high)};
  return document;
}

std::shared_ptr<const Picture> draw(const PictureInputs& inputs) {
  const PlacedSubjects& placed = *inputs.placed;
  FieldValues values;
  if (inputs.shown == Shown::image || inputs.average == nullptr) {
    values = subject_values(placed, inputs.average.get(), std::min(inputs.image, placed.values.size() - 1));
  } else {
    values = inputs.shown == Shown::mean ? inputs.average->mean : inputs.average->deviation;
  }
  return std::make_shared<const Picture>(Picture{inputs, document_of(placed.grid, std::move(values))});
}

/// The axial slice through the grid's centre, the patient's left at the right: nearest voxels, black to white.
QImage thumbnail(const grid::Grid& grid, const FieldValues& values) {
  constexpr int side = 96;
  const auto& counts = grid.dimensions;
  const Eigen::Vector3d last(counts[0] - 1, counts[1] - 1, counts[2] - 1);
  const Eigen::Vector3d centre = grid.position(last / 2);
  const double pixel_mm = grid.spacing().cwiseProduct(last).maxCoeff() / side;
  const auto [low, high] = std::ranges::minmax(values);
  QImage picture(side, side, QImage::Format_Grayscale8);
  picture.fill(Qt::black);
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const Eigen::Vector3d away((column + 0.5 - side / 2.0) * pixel_mm, (row + 0.5 - side / 2.0) * pixel_mm,
                                 0);
      const Eigen::Vector3d index = grid.index_at(centre + away).array().round();
      if ((index.array() < 0).any() || (index.array() > last.array()).any()) continue;
      const auto at = static_cast<std::size_t>(index.x() + counts[0] * (index.y() + counts[1] * index.z()));
      const float part = high > low ? (values[at] - low) / (high - low) : 0;
      picture.scanLine(row)[column] = static_cast<uchar>(255 * part + 0.5F);
    }
  }
  return picture;
}

std::shared_ptr<const Thumbnails> thumbnails(const PlacedPointer& placed, const jobs::Progress& progress) {
  auto all = std::make_shared<Thumbnails>();
  for (const FieldValues& each : placed->values) {
    progress.check();
    all->pictures.push_back(thumbnail(placed->grid, each));
  }
  return all;
}

class AtlasLab final : public QObject, public workbench::Lab {
 public:
  explicit AtlasLab(workbench::LabContext& context) : context_(context) {
    bind_commands();
    connect(&model_, &slices::SliceModel::cursor_changed, this, [this] { context_.state_changed(); });
    connect(&views_->large(), &slices::SliceView::window_changed, this, [this] { context_.state_changed(); });
  }

  QWidget* page() override { return views_; }
  std::vector<workbench::LabPanel> panels() override;
  void start() override {
    take(std::make_shared<const Subjects>(phantom_subjects()));
    ages_ = phantom_ages();
    graph_.update();
    show_rows();
  }
  void open(const std::filesystem::path& path) override {
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed)) return read({path}, false);
    read({path}, has_files());
  }
  void open_again(const std::filesystem::path& path, const nlohmann::json& state) override {
    if (path.empty()) return start();
    std::vector<std::filesystem::path> paths;
    for (const auto& each : state.at("images")) paths.emplace_back(each.get<std::string>());
    std::error_code failed;
    const bool is_folder = std::filesystem::is_directory(path, failed);
    read(std::move(paths), false, is_folder ? path : std::filesystem::path());
  }
  std::function<nlohmann::json()> state() const override;
  void restore(const nlohmann::json& state) override {
    place_ = slices::view_place_of(state);
    if (const std::string ages = state.value("ages", std::string()); !ages.empty()) read_ages_of(ages, false);
    if (shown_.placed != nullptr && shown_.placed->subjects == subjects_) go_to_place();
  }
  parameters::ParameterSet* parameters() override { return &all_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override {
    if (key == "weights") weights_of(std::get<std::string>(value), subjects_->size());
    all_.assign(key, value);
    if (key == "by-age" && choices_.by_age && ages_.empty())
      context_.show_status(QObject::tr("Open the ages of the images: Atlas > Images > Open ages"));
    graph_.update();
    show_rows();
  }
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) override {
    workbench::prepare_engines(
        context_, "atlas", this,
        [devices] { return std::make_shared<const FluidEngines>(gpu::make_fluid_engines(devices)); },
        [this](const auto& engines) {
          engines_ = engines;
          context_.parameters_changed();
        });
  }
  bool has_camera() const override { return false; }
  bool can_sweep(std::string_view key) const override { return key == "image"; }
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override;
  QString export_filter() const override { return QObject::tr("Mean (*.nii.gz *.nii *.nrrd *.mha)"); }
  void export_file(const std::filesystem::path& path) override { write_values(path, &Average::mean); }

 private:
  bool has_files() const { return subjects_ != nullptr && !subjects_->front().path.empty(); }
  std::string without_files() const {
    return has_files() ? std::string() : said(QObject::tr("Open images first."));
  }
  std::vector<double> chosen_weights() const {
    return subjects_ == nullptr ? std::vector<double>() : weights_of(choices_.weights, subjects_->size());
  }
  /// Those of the kernel; 1 each where ages do not count.
  std::vector<double> age_weights() const {
    if (subjects_ == nullptr) return {};
    if (!choices_.by_age || ages_.empty()) return std::vector<double>(subjects_->size(), 1);
    return kernel_weights(ages_, choices_.age, choices_.kernel_years);
  }
  std::vector<double> weights() const {
    std::vector<double> all = chosen_weights(), by_age = age_weights();
    for (std::size_t i = 0; i < all.size(); ++i) all[i] *= by_age[i];
    return all;
  }
  void bind_commands();
  void set_weights(const std::vector<double>& weights) {
    context_.commands.run("parameter.set", std::vector<std::string>{"weights", text_of(weights)});
  }
  /// Folders stand for their images. `adds`: to those that are open. `folder`: as take(), of images that are listed.
  void read(std::vector<std::filesystem::path> paths, bool adds, const std::filesystem::path& folder = {});
  /// `shows`: the average at the mean age.
  void read_ages_of(const std::filesystem::path& path, bool shows);
  /// What images keep while others are added or removed.
  struct Kept {
    std::vector<double> weights, ages;
    std::filesystem::path ages_path;
    bool by_age = false;
  };
  Kept kept() const { return {chosen_weights(), ages_, ages_path_, choices_.by_age}; }
  /// `folder`: that whose images they all are; empty: none.
  void take(const SubjectsPointer& subjects, const std::filesystem::path& folder = {}) {
    take(subjects, folder, Kept());
  }
  void take(const SubjectsPointer& subjects, const std::filesystem::path& folder, const Kept& kept);
  void show_rows();
  void show_course();
  void show(const Picture& picture);
  void go_to_place() {
    if (place_) slices::go_to(*place_, model_, views_);
    place_.reset();
  }
  void when_averaged(std::function<void(const AveragePointer&)> then) {
    placed_.when_settled([this, then = std::move(then)](const PlacedPointer&) {
      average_.when_settled([then](const AveragePointer& average) {
        if (average != nullptr) then(average);
      });
    });
  }
  /// Writes the mean, or another image of the finished average.
  void write_values(const std::filesystem::path& path, FieldValues Average::*values);
  void write_displacements_to(const std::filesystem::path& folder);
  /// Null: there is none of these images yet.
  PlacedPointer present_placed() const {
    const PlacedPointer& placed = placed_.value();
    return placed != nullptr && placed->subjects == subjects_ ? placed : nullptr;
  }
  AveragePointer present_average() const {
    const AveragePointer& average = average_.value();
    return average != nullptr && average->placed == present_placed() ? average : nullptr;
  }

  workbench::LabContext& context_;
  SubjectsPointer subjects_;
  std::vector<double> ages_;         ///< of the images; empty: they are not known
  std::filesystem::path ages_path_;  ///< empty: no file
  AtlasChoices choices_;
  AtlasParameters deformation_;
  std::shared_ptr<const FluidEngines> engines_ = workbench::one_engine(make_cpu_fluid_engine());
  parameters::StructParameters<AtlasChoices> choices_set_{choices_schema(), choices_};
  parameters::StructParameters<AtlasParameters> deformation_set_{atlas_schema(), deformation_};
  parameters::NarrowedParameters narrowed_deformation_{
      deformation_set_, {}, [this](auto& each) { engines_->narrow(each); }};
  parameters::CombinedParameters all_{{&choices_set_, &narrowed_deformation_}};
  slices::SliceModel model_;
  QPointer<slices::LinkedSlices> views_ = new slices::LinkedSlices(model_, nullptr);
  QPointer<SubjectsPanel> panel_;
  PictureInputs shown_;
  std::optional<slices::ViewPlace> place_;  ///< of a session, until its picture is there
  graph::Graph graph_{context_.jobs,
                      [this](auto action) { context_.on_gui_thread(guarded(this, std::move(action))); }};
  graph::Node<PlacedInputs, PlacedSubjects> placed_{
      graph_,
      {.name = said(QObject::tr("Linear registration")),
       .channel = "atlas.linear",
       .inputs = [this]() -> std::optional<PlacedInputs> {
         if (subjects_ == nullptr || subjects_->size() < 2) return std::nullopt;
         return PlacedInputs{subjects_, choices_.linear};
       },
       .compute =
           [](const PlacedInputs& inputs, const jobs::Progress& progress) {
             return place_subjects(inputs.subjects, {.model = inputs.linear}, progress);
           },
       .taken =
           [this](const PlacedPointer& placed) {
             if (placed != nullptr) context_.show_warning(QString::fromStdString(placed->remarks.text()));
           }}};
  graph::Node<AverageInputs, Average> average_{
      graph_,
      {.name = said(QObject::tr("Average")),
       .channel = "atlas.average",
       .inputs = [this]() -> std::optional<AverageInputs> {
         if (present_placed() == nullptr || !placed_.settled()) return std::nullopt;
         return AverageInputs{placed_.value(), weights(), deformation_, {engines_}};
       },
       .approach =
           [](const AverageInputs& inputs, const auto& show, const jobs::Progress& progress) {
             return average(inputs.placed, inputs.weights, inputs.parameters, show, progress,
                            inputs.engines.all);
           },
       .taken =
           [this](const AveragePointer& average) {
             show_course();
             if (average == nullptr || !average->finished) return;
             const Remarks remarks = remarks_of(average->atlas.report);
             if (!remarks.empty()) context_.show_warning(QString::fromStdString(remarks.text()));
             if (!average->atlas.report.shares.empty()) engines_->record(average->atlas.report);
           }}};
  graph::Node<PlacedPointer, Thumbnails> thumbnails_{graph_,
                                                     {.name = said(QObject::tr("Thumbnails")),
                                                      .channel = "atlas.thumbnails",
                                                      .inputs = [this]() -> std::optional<PlacedPointer> {
                                                        if (present_placed() == nullptr) return std::nullopt;
                                                        return present_placed();
                                                      },
                                                      .compute = thumbnails,
                                                      .taken = [this](const auto&) { show_rows(); }}};
  graph::Node<PictureInputs, Picture> picture_{
      graph_,
      {.name = said(QObject::tr("Picture")),
       .channel = "atlas.picture",
       .inputs = [this]() -> std::optional<PictureInputs> {
         if (present_placed() == nullptr) return std::nullopt;
         return PictureInputs{present_placed(), present_average(), choices_.shown,
                              static_cast<std::size_t>(choices_.image) - 1};
       },
       .compute = [](const PictureInputs& inputs, const jobs::Progress&) { return draw(inputs); },
       .taken =
           [this](const auto& picture) {
             if (picture != nullptr) show(*picture);
           }}};
};

std::vector<workbench::LabPanel> AtlasLab::panels() {
  panel_ = new SubjectsPanel;
  connect(panel_, &SubjectsPanel::asked, this,
          [this](const std::string& command) { context_.commands.run(command, std::vector<std::string>{}); });
  connect(panel_, &SubjectsPanel::gesture_begun, this, [this] { context_.begin_gesture(); });
  connect(panel_, &SubjectsPanel::gesture_ended, this, [this] { context_.end_gesture(); });
  connect(panel_, &SubjectsPanel::weighted, this, [this](int index, double weight) {
    std::vector<double> all = chosen_weights();
    all.at(static_cast<std::size_t>(index)) = weight;
    set_weights(all);
  });
  connect(panel_, &SubjectsPanel::chosen, this, [this](int index) {
    if (choices_.shown == Shown::image)
      context_.commands.run("parameter.set", std::vector<std::string>{"image", std::to_string(index + 1)});
  });
  connect(panel_, &SubjectsPanel::removal_asked, this, [this](int index) {
    context_.commands.run("atlas.image.remove", std::vector<std::string>{std::to_string(index + 1)});
  });
  return {{QT_TRANSLATE_NOOP("declared", "Images"), panel_, Qt::RightDockWidgetArea}};
}

void AtlasLab::bind_commands() {
  auto& commands = context_.commands;
  const auto ask = [this](const char* name, const QString& title, Wanted wanted, const QString& files) {
    workbench::ask_and_run(context_, *this, *views_->window(), {title, files, wanted}, name);
  };
  const auto paths_of = [](const Arguments& arguments) {
    std::vector<std::filesystem::path> paths;
    for (const std::string& each : arguments.texts("path")) paths.emplace_back(each);
    return paths;
  };
  const QString image_files =
      QObject::tr("Images (*.nii *.nii.gz *.nrrd *.nhdr *.mha *.mhd *.hdr *.dcm);;All files (*)");
  commands.bind("atlas.images.open", [this, ask, paths_of](const Arguments& arguments) {
    if (!arguments.has("path"))
      return ask("atlas.images.open", QObject::tr("Open folder of images"), Wanted::folder, {});
    read(paths_of(arguments), false);
  });
  commands.bind("atlas.images.add", [this, ask, paths_of, image_files](const Arguments& arguments) {
    if (!arguments.has("path"))
      return ask("atlas.images.add", QObject::tr("Add image"), Wanted::file, image_files);
    read(paths_of(arguments), has_files());
  });
  commands.bind(
      "atlas.image.remove",
      [this](const Arguments& arguments) {
        const auto number = static_cast<std::size_t>(arguments.integer("number"));
        if (number > subjects_->size())
          throw Error(said(QObject::tr("There is no image %1; there are %2."), number, subjects_->size()));
        if (subjects_->size() == 1)
          throw Error(said(QObject::tr("It is the only image. Open others in its place.")));
        Subjects others = *subjects_;
        Kept of_others = kept();
        const auto removed = static_cast<std::ptrdiff_t>(number - 1);
        others.erase(others.begin() + removed);
        of_others.weights.erase(of_others.weights.begin() + removed);
        if (!of_others.ages.empty()) of_others.ages.erase(of_others.ages.begin() + removed);
        take(std::make_shared<const Subjects>(std::move(others)), {}, of_others);
      },
      [this] { return without_files(); });
  commands.bind(
      "atlas.ages.open",
      [this, ask](const Arguments& arguments) {
        if (!arguments.has("path"))
          return ask("atlas.ages.open", QObject::tr("Open ages"), Wanted::file,
                     QObject::tr("Tables (*.csv);;All files (*)"));
        read_ages_of(arguments.text("path"), true);
      },
      [this] { return without_files(); });
  const QString outputs = QObject::tr("Images (*.nii.gz *.nii *.nrrd *.mha)");
  commands.bind("atlas.deviation.save", [this, ask, outputs](const Arguments& arguments) {
    if (!arguments.has("path"))
      return ask("atlas.deviation.save", QObject::tr("Save standard deviation"), Wanted::new_file, outputs);
    write_values(arguments.text("path"), &Average::deviation);
  });
  commands.bind("atlas.displacements.save", [this, ask](const Arguments& arguments) {
    if (!arguments.has("path"))
      return ask("atlas.displacements.save", QObject::tr("Save displacements"), Wanted::target_folder, {});
    write_displacements_to(arguments.text("path"));
  });
  commands.bind("atlas.result", [this](const Arguments&) {
    when_averaged(
        [](const AveragePointer& average) { jobs::Activity::current()->set_result(average->numbers); });
  });
}

void AtlasLab::read(std::vector<std::filesystem::path> paths, bool adds,
                    const std::filesystem::path& folder) {
  const std::string title = said(QObject::tr("Open %1"), paths.front().filename().string());
  context_.jobs.submit(
      title, "atlas.open",
      [this, paths = std::move(paths), folder,
       before = adds ? subjects_ : nullptr](const jobs::Progress& progress) {
        std::vector<std::filesystem::path> images;
        for (const std::filesystem::path& path : paths) {
          std::error_code failed;
          const bool is_folder = std::filesystem::is_directory(path, failed);
          const auto found = is_folder ? images_in(path) : std::vector{path};
          images.insert(images.end(), found.begin(), found.end());
        }
        Subjects subjects = before != nullptr ? *before : Subjects();
        for (Subject& each : read_subjects(images, progress)) subjects.push_back(std::move(each));
        std::error_code failed;
        const bool is_folder =
            before == nullptr && paths.size() == 1 && std::filesystem::is_directory(paths.front(), failed);
        context_.on_gui_thread(
            guarded(this, [this, all = std::make_shared<const Subjects>(std::move(subjects)), before,
                           of = is_folder ? paths.front() : folder] {
              if (before == nullptr || before != subjects_) return take(all, of);
              Kept of_all = kept();
              of_all.weights.resize(all->size(), 1);
              of_all.ages.clear();  // those of the others are read again, with those of the new ones
              take(all, of, of_all);
              if (!ages_path_.empty()) read_ages_of(ages_path_, false);
            }));
      });
}

void AtlasLab::read_ages_of(const std::filesystem::path& path, bool shows) {
  context_.jobs.submit(
      said(QObject::tr("Open %1"), path.filename().string()), "atlas.ages",
      [this, path, shows, subjects = subjects_](const jobs::Progress&) {
        std::vector<std::string> images;
        for (const Subject& each : *subjects)
          images.push_back(each.path.empty() ? each.name : each.path.string());
        context_.on_gui_thread(
            guarded(this, [this, path, shows, subjects, ages = ages_of(read_ages(path), images)] {
              if (subjects_ != subjects) return;
              ages_ = ages;
              ages_path_ = path;
              context_.state_changed();
              if (shows) {
                const double mean = mean_age(ages_, std::vector<double>(ages_.size(), 1));
                context_.set_parameters(QObject::tr("Open ages"),
                                        {{"age", fmt::format("{:.1f}", mean)}, {"by-age", "true"}});
              }
              graph_.update();
              show_rows();
            }));
      });
}

void AtlasLab::take(const SubjectsPointer& subjects, const std::filesystem::path& folder, const Kept& kept) {
  placed_.forget();
  average_.forget();
  thumbnails_.forget();
  picture_.forget();
  choices_.weights = text_of(kept.weights);
  choices_.by_age = kept.by_age;
  ages_ = kept.ages;
  ages_path_ = kept.ages_path;
  subjects_ = subjects;
  const std::size_t count = subjects->size();
  const Subject& first = subjects->front();
  // The recent documents list a folder, which opens all of its images again.
  context_.document_opened(folder.empty() ? first.path : folder,
                           first.path.empty()
                               ? QObject::tr("Phantoms")
                               : QObject::tr("%1 and %n more", nullptr, static_cast<int>(count) - 1)
                                     .arg(QString::fromStdString(first.name)));
  Remarks remarks;
  for (const Subject& each : *subjects) {
    for (const Remark& remark : each.image->remarks)
      remarks.add(remark.kind, fmt::format("{}: {}", each.name, remark.text), remark.count);
  }
  context_.show_warning(QString::fromStdString(remarks.text()));
  if (count < 2) context_.show_status(QObject::tr("Now add the other images: Atlas > Images > Add image"));
  context_.availability_changed();
  show_course();
  graph_.update();
}

void AtlasLab::show_rows() {
  if (!panel_ || subjects_ == nullptr) return;
  const auto& pictures = thumbnails_.value();
  const AveragePointer average = present_average();
  const bool is_finished = average != nullptr && average->finished;
  const std::vector<double> all = chosen_weights(), by_age = age_weights();
  const std::vector<std::string> names = short_names(*subjects_);
  std::vector<SubjectRow> rows;
  for (std::size_t i = 0; i < subjects_->size(); ++i) {
    const bool has_picture = pictures != nullptr && i < pictures->pictures.size();
    const bool has_age = !ages_.empty();
    rows.push_back({.name = QString::fromStdString(names[i]),
                    .file = QString::fromStdString((*subjects_)[i].name),
                    .picture = has_picture ? pictures->pictures[i] : QImage(),
                    .age = has_age ? std::optional(ages_[i]) : std::nullopt,
                    .age_weight = has_age && choices_.by_age ? std::optional(by_age[i]) : std::nullopt,
                    .weight = all[i],
                    .moved_mm = is_finished ? average->moved_mm[i] : std::nullopt});
  }
  panel_->show_subjects(rows);
}

void AtlasLab::show_course() {
  const AveragePointer average = present_average();
  const QString text = average == nullptr ? QString() : QString::fromStdString(text_of(*average));
  if (average != nullptr) context_.show_status(text);
  if (panel_) panel_->show_course(text, average == nullptr ? std::vector<double>() : average->spreads);
  if (average == nullptr || average->finished) show_rows();
}

void AtlasLab::show(const Picture& picture) {
  const bool same_grid = shown_.placed != nullptr && shown_.placed->grid == picture.of.placed->grid;
  const bool same_scale = same_grid && shown_.shown == picture.of.shown &&
                          (shown_.average == nullptr) == (picture.of.average == nullptr);
  shown_ = picture.of;
  same_grid ? model_.exchange_image(picture.document) : model_.set_image(picture.document);
  if (!same_scale && views_) views_->set_window(picture.document->windows.front());
  go_to_place();
}

std::function<nlohmann::json()> AtlasLab::state() const {
  nlohmann::json state = slices::to_json(slices::place_of(model_, views_));
  state["images"] = nlohmann::json::array();
  if (has_files()) {
    for (const Subject& each : *subjects_) state["images"].push_back(each.path.string());
  }
  if (!ages_path_.empty()) state["ages"] = ages_path_.string();
  return [state] { return state; };
}

void AtlasLab::write_values(const std::filesystem::path& path, FieldValues Average::*values) {
  when_averaged([this, path, values](const AveragePointer& average) {
    context_.jobs.submit(said(QObject::tr("Write %1"), path.filename().string()), {},
                         [this, path, average, values](const jobs::Progress&) {
                           const Remarks remarks =
                               isolume::anatomy::write_image(average->placed->grid, (*average).*values, path);
                           context_.on_gui_thread(guarded(this, [this, remarks] {
                             if (!remarks.empty())
                               context_.show_warning(QString::fromStdString(remarks.text()));
                           }));
                         });
  });
}

void AtlasLab::write_displacements_to(const std::filesystem::path& folder) {
  when_averaged([this, folder](const AveragePointer& average) {
    context_.jobs.submit(
        said(QObject::tr("Write %1"), folder.filename().string()), {},
        [folder, average](const jobs::Progress& progress) {
          for (std::size_t i = 0; i < average->averaged.size(); ++i) {
            progress.report(static_cast<double>(i) / static_cast<double>(average->averaged.size()));
            const std::size_t index = average->averaged[i];
            const std::string name = (*average->placed->subjects)[index].name;
            write_displacements(average->placed->grid, whole_displacement(*average, index),
                                folder / fmt::format("{}-{}-displacements.nii.gz", index + 1,
                                                     name.substr(0, name.find('.'))));
          }
        });
  });
}

void AtlasLab::write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                           int dpi) {
  slices::check_opaque(transparent);
  when_averaged([this, path, width, height, dpi](const AveragePointer&) {
    picture_.when_settled([this, path, width, height, dpi](const auto& picture) {
      if (picture == nullptr || !views_) return;
      const slices::SliceView& large = views_->large();
      slices::write_slice_picture(context_,
                                  {.image = picture->document,
                                   .slice = model_.slice(),
                                   .window = large.window(),
                                   .interpolation = large.interpolation()},
                                  path, width, height, dpi);
    });
  });
}

}  // namespace

workbench::LabEntry lab_entry() {
  return {.description = description(), .make = workbench::make_lab<AtlasLab>};
}

}  // namespace isolume::labs::atlas
