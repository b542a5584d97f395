#include <QLabel>
#include <QPointer>
#include <QVBoxLayout>

#include "app/fields/chart.h"
#include "app/labs/anatomy/choices.h"
#include "app/labs/anatomy/description.h"
#include "app/pictures/qt_picture.h"
#include "app/slices/linked_slices.h"
#include "app/slices/slice_model.h"
#include "app/slices/slice_picture.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/look/ask_for_file.h"
#include "core/anatomy/alignment.h"
#include "core/anatomy/describe.h"
#include "core/graph/node.h"
#include "core/images/window.h"

namespace isolume::labs::anatomy {
namespace {

using namespace isolume::anatomy;
using workbench::Arguments;
using workbench::guarded;
using workbench::said;
using workbench::Wanted;

using PairPointer = std::shared_ptr<const Pair>;
using AlignmentPointer = std::shared_ptr<const Alignment>;

struct AlignmentInputs {
  PairPointer pair;
  FluidParameters parameters;
  bool operator==(const AlignmentInputs&) const = default;
};
struct PictureInputs {
  PairPointer pair;
  AlignmentPointer alignment;  ///< null: there is none yet
  Comparison comparison;
  bool operator==(const PictureInputs&) const = default;
};
struct ShownPicture {
  PictureInputs of;
  std::shared_ptr<const images::Document> image;
};

std::string name_of(const std::filesystem::path& path) {
  return path.empty() ? said(QObject::tr("Phantom")) : path.filename().string();
}

ShownPicture draw(const PictureInputs& inputs) {
  auto document = std::make_shared<images::Document>();
  document->path = inputs.pair->fixed_path;
  document->volume = picture_of(*inputs.pair, inputs.alignment.get(), inputs.comparison);
  document->windows = {images::window_over(shown_values(document->volume, inputs.comparison))};
  return {inputs, std::move(document)};
}

/// The numbers of a registration and the course of its mismatch.
class RegistrationPanel final : public QWidget {
 public:
  RegistrationPanel() : text_(new QLabel), chart_(new fields::Chart) {
    text_->setObjectName("anatomy.numbers");
    text_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text_);
    layout->addWidget(chart_, 1);
    show_alignment(nullptr);
  }
  void show_alignment(const AlignmentPointer& alignment) {
    if (alignment == nullptr || alignment->mismatches.size() < 2) {
      text_->setText(QObject::tr("Open a fixed and a moving image."));
      return chart_->set_empty(QObject::tr("No registration yet"));
    }
    text_->setText(QString::fromStdString(text_of(*alignment)));
    fields::Chart::Data curve;
    curve.low = 1;
    curve.high = static_cast<double>(alignment->mismatches.size());
    curve.values = alignment->mismatches;
    curve.x_name = QObject::tr("Iteration");
    curve.y_name = QObject::tr("Difference");
    chart_->set_data(std::move(curve));
  }

 private:
  QLabel* text_;
  fields::Chart* chart_;
};

class AnatomyLab final : public QObject, public workbench::Lab {
 public:
  explicit AnatomyLab(workbench::LabContext& context);

  QWidget* page() override { return views_; }
  std::vector<workbench::LabPanel> panels() override {
    panel_ = new RegistrationPanel;
    return {{QT_TRANSLATE_NOOP("declared", "Registration"), panel_, Qt::RightDockWidgetArea}};
  }
  void start() override { take(phantom_pair()); }
  /// The fixed image of a new pair, or the moving one where that is missing.
  void open(const std::filesystem::path& path) override {
    const bool is_missing = pair_ != nullptr && !pair_->fixed_path.empty() && pair_->moving.empty();
    is_missing ? read(pair_->fixed_path, path) : read(path, {});
  }
  void open_again(const std::filesystem::path& path, const nlohmann::json& state) override {
    if (path.empty()) return take(phantom_pair());
    read(path, state.value("moving", std::string()));
  }
  std::function<nlohmann::json()> state() const override;
  void restore(const nlohmann::json& state) override;
  parameters::ParameterSet* parameters() override { return &all_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override {
    all_.assign(key, value);
    graph_.update();
  }
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override;
  bool has_camera() const override { return false; }
  bool can_sweep(std::string_view) const override { return false; }
  QString export_filter() const override { return QObject::tr("Warped image (*.nii.gz *.nii *.nrrd *.mha)"); }
  void export_file(const std::filesystem::path& path) override;

 private:
  void bind_commands();
  void ask(const QString& title, Wanted wanted, const std::string& command);
  void read(const std::filesystem::path& fixed, const std::filesystem::path& moving);
  void take(const PairPointer& pair);
  void show(const ShownPicture& picture);
  void go_to_place();
  void save_field(const std::filesystem::path& path);
  /// Calls `then` with the finished alignment; an Error without a moving image.
  void when_aligned(std::function<void(const AlignmentPointer&)> then);
  std::string without_moving() const {
    return pair_ == nullptr || pair_->moving.empty() ? said(QObject::tr("Open a moving image first.")) : "";
  }

  workbench::LabContext& context_;
  PairPointer pair_;
  FluidParameters fluid_;
  Comparison comparison_;
  parameters::StructParameters<FluidParameters> fluid_set_{fluid_schema(), fluid_};
  parameters::StructParameters<Comparison> comparison_set_{comparison_schema(), comparison_};
  parameters::CombinedParameters all_{{&fluid_set_, &comparison_set_}};
  slices::SliceModel model_;
  QPointer<slices::LinkedSlices> views_ = new slices::LinkedSlices(model_, nullptr);
  QPointer<RegistrationPanel> panel_;
  PictureInputs shown_;
  struct Place {
    images::SliceId slice;
    Eigen::Vector3d cursor_mm;
    std::optional<images::Window> window;
  };
  std::optional<Place> place_;  ///< of a session, until its picture is there
  graph::Graph graph_{context_.jobs,
                      [this](auto action) { context_.on_gui_thread(guarded(this, std::move(action))); }};
  graph::Node<AlignmentInputs, Alignment> alignment_{
      graph_,
      {.name = said(QObject::tr("Registration")),
       .channel = "anatomy.registration",
       .inputs = [this]() -> std::optional<AlignmentInputs> {
         if (pair_ == nullptr || pair_->moving.empty()) return std::nullopt;
         return AlignmentInputs{pair_, fluid_};
       },
       .approach =
           [](const AlignmentInputs& inputs, const auto& show, const jobs::Progress& progress) {
             return align(inputs.pair, inputs.parameters, show, progress);
           },
       .taken =
           [this](const AlignmentPointer& alignment) {
             if (panel_) panel_->show_alignment(alignment);
             if (alignment != nullptr) context_.show_status(QString::fromStdString(text_of(*alignment)));
           }}};
  graph::Node<PictureInputs, ShownPicture> picture_{
      graph_,
      {.name = said(QObject::tr("Picture")),
       .channel = "anatomy.picture",
       .inputs = [this]() -> std::optional<PictureInputs> {
         if (pair_ == nullptr) return std::nullopt;
         const auto& alignment = alignment_.value();
         const bool fits = alignment != nullptr && alignment->pair == pair_;
         return PictureInputs{pair_, fits ? alignment : nullptr, comparison_};
       },
       .compute = [](const PictureInputs& inputs,
                     const jobs::Progress&) { return std::make_shared<const ShownPicture>(draw(inputs)); },
       .taken =
           [this](const auto& picture) {
             if (picture != nullptr) show(*picture);
           }}};
};

AnatomyLab::AnatomyLab(workbench::LabContext& context) : context_(context) {
  bind_commands();
  connect(&model_, &slices::SliceModel::cursor_changed, this, [this] { context_.state_changed(); });
  connect(&views_->large(), &slices::SliceView::window_changed, this, [this] { context_.state_changed(); });
}

void AnatomyLab::bind_commands() {
  auto& commands = context_.commands;
  commands.bind("anatomy.fixed.open", [this](const Arguments& arguments) {
    if (!arguments.has("path"))
      return ask(QObject::tr("Open fixed image"), Wanted::file, "anatomy.fixed.open");
    read(arguments.text("path"), pair_ == nullptr ? std::filesystem::path() : pair_->moving_path);
  });
  commands.bind("anatomy.moving.open", [this](const Arguments& arguments) {
    if (!arguments.has("path"))
      return ask(QObject::tr("Open moving image"), Wanted::file, "anatomy.moving.open");
    if (pair_ == nullptr || pair_->fixed_path.empty())
      throw Error(said(QObject::tr("Open a fixed image first.")));
    read(pair_->fixed_path, arguments.text("path"));
  });
  const auto without_files = [this] {
    return pair_ != nullptr && !pair_->moving_path.empty() ? std::string()
                                                           : said(QObject::tr("Open two images first."));
  };
  commands.bind(
      "anatomy.images.swap", [this](const Arguments&) { read(pair_->moving_path, pair_->fixed_path); },
      without_files);
  commands.bind(
      "anatomy.field.save",
      [this](const Arguments& arguments) {
        if (!arguments.has("path"))
          return ask(QObject::tr("Save displacements"), Wanted::new_file, "anatomy.field.save");
        save_field(arguments.text("path"));
      },
      [this] { return without_moving(); });
  commands.bind(
      "anatomy.result",
      [this](const Arguments&) {
        when_aligned([](const AlignmentPointer& alignment) {
          jobs::Activity::current()->set_result(
              {{"difference_before", alignment->mismatch_before},
               {"difference_after", alignment->mismatch_after},
               {"least_jacobian", alignment->least_jacobian},
               {"folded", alignment->folded},
               {"largest_displacement_mm",
                largest_displacement_mm(alignment->displacement, alignment->pair->grid)}});
        });
      },
      [this] { return without_moving(); });
}

void AnatomyLab::ask(const QString& title, Wanted wanted, const std::string& command) {
  const bool is_new = wanted == Wanted::new_file;
  workbench::ask_for_file(
      *views_->window(), title,
      is_new ? QObject::tr("NIfTI (*.nii.gz *.nii)")
             : QObject::tr("Images (*.nii *.nii.gz *.nrrd *.nhdr *.mha *.mhd *.hdr *.dcm);;All files (*)"),
      is_new ? workbench::export_folder_key : workbench::folder_key, wanted,
      [this, command, alive = QPointer<QObject>(this)](const std::string& path) {
        if (alive) context_.commands.run(command, std::vector<std::string>{path});
      });
}

void AnatomyLab::read(const std::filesystem::path& fixed, const std::filesystem::path& moving) {
  context_.jobs.submit(said(QObject::tr("Open %1"), (moving.empty() ? fixed : moving).filename().string()),
                       "anatomy.open", [this, fixed, moving](const jobs::Progress& progress) {
                         context_.on_gui_thread(guarded(
                             this, [this, pair = read_pair(fixed, moving, progress)] { take(pair); }));
                       });
}

void AnatomyLab::take(const PairPointer& pair) {
  alignment_.forget();
  picture_.forget();
  shown_ = {};
  pair_ = pair;
  const QString fixed = QString::fromStdString(name_of(pair->fixed_path));
  context_.document_opened(
      pair->fixed_path,
      pair->moving_path.empty()
          ? fixed
          : QObject::tr("%1 to %2").arg(QString::fromStdString(name_of(pair->moving_path)), fixed));
  context_.show_warning(QString::fromStdString(pair->remarks.text()));
  if (pair->moving.empty())
    context_.show_status(QObject::tr("Now open the moving image: Anatomy > Images > Open moving image"));
  if (panel_) panel_->show_alignment(nullptr);
  context_.availability_changed();
  graph_.update();
}

void AnatomyLab::show(const ShownPicture& picture) {
  const bool same_grid = shown_.pair != nullptr && shown_.pair->grid == picture.of.pair->grid;
  const bool same_scale =
      same_grid && shown_.comparison.shown == picture.of.comparison.shown && shown_.pair == picture.of.pair;
  shown_ = picture.of;
  same_grid ? model_.exchange_image(picture.image) : model_.set_image(picture.image);
  if (!same_scale && views_) views_->set_window(picture.image->windows.front());
  go_to_place();
}

std::function<nlohmann::json()> AnatomyLab::state() const {
  const images::SliceId slice = model_.slice();
  const Eigen::Vector3d cursor = model_.cursor_mm();
  nlohmann::json state{{"moving", pair_ == nullptr ? std::string() : pair_->moving_path.string()},
                       {"slice", {{"axis", slice.axis}, {"index", slice.index}}},
                       {"cursor_mm", {cursor.x(), cursor.y(), cursor.z()}}};
  if (views_ && shown_.pair != nullptr) {
    const images::Window& window = views_->large().window();
    state["window"] = {{"centre", window.centre}, {"width", window.width}};
  }
  return [state] { return state; };
}

void AnatomyLab::restore(const nlohmann::json& state) {
  const auto& cursor = state.at("cursor_mm");
  place_ = Place{{state.at("slice").at("axis").get<int>(), state.at("slice").at("index").get<int>()},
                 {cursor.at(0).get<double>(), cursor.at(1).get<double>(), cursor.at(2).get<double>()},
                 std::nullopt};
  if (const auto window = state.find("window"); window != state.end()) {
    place_->window =
        images::Window{window->at("centre").get<double>(), window->at("width").get<double>(), {}};
    if (!(place_->window->width > 0)) throw Error(said(QObject::tr("The window's width is not above 0.")));
  }
  if (place_->slice.axis < 0 || place_->slice.axis > 2)
    throw Error(said(QObject::tr("There is no such axis.")));
  if (shown_.pair == pair_) go_to_place();
}

void AnatomyLab::go_to_place() {
  if (!place_) return;
  model_.set_slice(place_->slice);
  model_.set_cursor(place_->cursor_mm);
  if (place_->window && views_) views_->set_window(*place_->window);
  place_.reset();
}

void AnatomyLab::when_aligned(std::function<void(const AlignmentPointer&)> then) {
  if (const std::string why = without_moving(); !why.empty()) throw Error(why);
  alignment_.when_settled([then = std::move(then)](const AlignmentPointer& alignment) {
    if (alignment != nullptr) then(alignment);
  });
}

void AnatomyLab::save_field(const std::filesystem::path& path) {
  when_aligned([this, path](const AlignmentPointer& alignment) {
    context_.jobs.submit(said(QObject::tr("Write %1"), path.filename().string()), {},
                         [alignment, path](const jobs::Progress&) {
                           write_displacements(alignment->pair->grid, alignment->displacement, path);
                         });
  });
}

void AnatomyLab::export_file(const std::filesystem::path& path) {
  when_aligned([this, path](const AlignmentPointer& alignment) {
    context_.jobs.submit(said(QObject::tr("Write %1"), path.filename().string()), {},
                         [this, alignment, path](const jobs::Progress&) {
                           const Remarks remarks = isolume::anatomy::write_image(
                               alignment->pair->grid, warped_image(*alignment), path);
                           context_.on_gui_thread(guarded(this, [this, remarks] {
                             if (!remarks.empty())
                               context_.show_warning(QString::fromStdString(remarks.text()));
                           }));
                         });
  });
}

void AnatomyLab::write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                             int dpi) {
  if (transparent) {
    throw Error(said(QObject::tr(
        "A slice fills the image, so there is no background to make transparent. Leave out transparent.")));
  }
  const auto write = [this, path, width, height, dpi] {
    picture_.when_settled([this, path, width, height, dpi](const auto& picture) {
      if (picture == nullptr || !views_) return;
      const slices::SliceView& large = views_->large();
      const slices::SlicePicture wanted{.image = picture->image,
                                        .slice = model_.slice(),
                                        .window = large.window(),
                                        .interpolation = large.interpolation()};
      context_.jobs.submit(said(QObject::tr("Write %1"), path.filename().string()), {},
                           [path, dpi, drawn = slices::draw_slice_picture(wanted, width, height)](
                               const jobs::Progress&) { pictures::write_png(drawn, path, dpi); });
    });
  };
  if (!without_moving().empty()) return write();
  when_aligned([write](const AlignmentPointer&) { write(); });
}

}  // namespace

workbench::LabEntry lab_entry() {
  return {.description = description(), .make = workbench::make_lab<AnatomyLab>};
}

}  // namespace isolume::labs::anatomy
