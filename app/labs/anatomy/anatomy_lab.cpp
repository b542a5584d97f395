#include <QLabel>
#include <QPointer>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/labs/anatomy/choices.h"
#include "app/labs/anatomy/description.h"
#include "app/labs/anatomy/image_filters.h"
#include "app/labs/anatomy/image_labels.h"
#include "app/labs/anatomy/image_masks.h"
#include "app/labs/anatomy/landmark_editor.h"
#include "app/labs/anatomy/neuron_editor.h"
#include "app/labs/anatomy/overlays.h"
#include "app/labs/anatomy/registration_panel.h"
#include "app/labs/anatomy/scribbles.h"
#include "app/labs/anatomy/space_contents.h"
#include "app/slices/linked_slices.h"
#include "app/slices/position_text.h"
#include "app/slices/slice_export.h"
#include "app/slices/slice_model.h"
#include "app/slices/view_place.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/engines.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/look/ask_for_file.h"
#include "core/anatomy/alignment.h"
#include "core/anatomy/describe.h"
#include "core/anatomy/surface_term.h"
#include "core/anatomy/transform_files.h"
#include "core/graph/node.h"
#include "core/images/window.h"
#include "core/parameters/narrowed.h"
#include "gpu/anatomy/engines.h"

namespace isolume::labs::anatomy {
namespace {

using namespace isolume::anatomy;
using workbench::Arguments;
using workbench::guarded;
using workbench::said;
using workbench::Wanted;

/// Index of the voxel that a position lies in; nothing outside.
std::optional<std::size_t> voxel_at(const grid::Grid& grid, const Eigen::Vector3d& position) {
  const Eigen::Vector3d nearest = grid.index_at(position).array().round();
  std::size_t at = 0;
  for (int axis = 2; axis >= 0; --axis) {
    const int count = grid.dimensions[static_cast<std::size_t>(axis)];
    if (!(nearest[axis] >= 0 && nearest[axis] < count)) return std::nullopt;
    at = at * static_cast<std::size_t>(count) + static_cast<std::size_t>(nearest[axis]);
  }
  return at;
}

using PairPointer = std::shared_ptr<const Pair>;
using PlacementPointer = std::shared_ptr<const Placement>;
using AlignmentPointer = std::shared_ptr<const Alignment>;

/// What is shown until there is something new: no result depends on it.
template <class Value>
struct Before {
  std::shared_ptr<const Value> value;
  bool operator==(const Before&) const { return true; }
};
/// What computes: a result that is there stays when engines are found.
struct Engines {
  std::shared_ptr<const FluidEngines> all;
  bool operator==(const Engines&) const { return true; }
};
struct PlacementInputs {
  PairPointer pair;
  LinearParameters parameters;
  LandmarkPairs landmarks;
  MaskPair masks;
  Before<Placement> before;
  bool operator==(const PlacementInputs&) const = default;
};
struct AlignmentInputs {
  PlacementPointer placement;
  DeformationParameters parameters;
  LandmarkPairs landmarks;
  TermParameters terms;
  LabelSides labels;
  Before<Alignment> before;
  Engines engines;
  bool operator==(const AlignmentInputs&) const = default;
};
/// Places the surfaces and deforms.
AlignmentPointer find_alignment(const AlignmentInputs& inputs,
                                const std::function<void(AlignmentPointer)>& show,
                                const jobs::Progress& progress) {
  FurtherTerms further{.surfaces = {}, .classes = inputs.terms.classes, .probabilities = {}, .remarks = {}};
  const Placement& placement = *inputs.placement;
  if (inputs.labels.fixed != nullptr && placement.finished) {
    const auto pairs = surface_pairs(inputs.labels.fixed->labels, inputs.labels.moving->labels, {},
                                     further.remarks, progress.part(0, 0.1));
    further.surfaces = placed_on(pairs, placement.pair->grid, placement.found.map, inputs.terms);
  }
  return align(inputs.placement, inputs.parameters, show,
               further.surfaces.empty() ? progress : progress.part(0.1, 1), inputs.landmarks,
               inputs.before.value.get(), {.engines = inputs.engines.all}, further);
}

struct PictureInputs {
  PairPointer pair;
  PlacementPointer placement;  ///< null: there is none yet
  AlignmentPointer alignment;  ///< null: there is none yet
  Comparison comparison;
  bool operator==(const PictureInputs&) const = default;
};
struct ShownPicture {
  PictureInputs of;
  std::shared_ptr<const images::Document> image, second;  ///< second: null unless both are shown apart
};

/// What the picture itself depends on: all else is drawn over it.
Comparison in_picture(const Comparison& comparison) {
  Comparison kept{.shown = comparison.shown, .morph = comparison.morph};
  if (kept.shown == Shown::checkerboard) kept.squares = comparison.squares;
  return kept;
}

std::string name_of(const std::filesystem::path& path) {
  return path.empty() ? said(QObject::tr("Phantom")) : path.filename().string();
}

ShownPicture draw(const PictureInputs& inputs) {
  auto document = std::make_shared<images::Document>();
  document->path = inputs.pair->fixed_path;
  document->volume =
      picture_of(*inputs.pair, inputs.placement.get(), inputs.alignment.get(), inputs.comparison);
  document->windows = {images::window_over(shown_values(document->volume, inputs.comparison))};
  std::shared_ptr<images::Document> second;
  if (inputs.comparison.shown == Shown::wipe || inputs.comparison.shown == Shown::flicker) {
    second = std::make_shared<images::Document>();
    second->volume =
        second_of(*inputs.pair, inputs.placement.get(), inputs.alignment.get(), inputs.comparison);
  }
  return {inputs, std::move(document), std::move(second)};
}

class AnatomyLab final : public QObject, public workbench::Lab {
 public:
  explicit AnatomyLab(workbench::LabContext& context);

  QWidget* page() override { return views_; }
  std::vector<workbench::LabPanel> panels() override {
    panel_ = new RegistrationPanel(masks_.make_rows());
    return {{QT_TRANSLATE_NOOP("declared", "Registration"), panel_, Qt::RightDockWidgetArea},
            {QT_TRANSLATE_NOOP("declared", "Filters"), filters_.make_panel(), Qt::RightDockWidgetArea},
            {QT_TRANSLATE_NOOP("declared", "Landmarks"), landmarks_->make_panel(), Qt::RightDockWidgetArea},
            {QT_TRANSLATE_NOOP("declared", "Labels"), labels_.make_panel(), Qt::RightDockWidgetArea},
            {QT_TRANSLATE_NOOP("declared", "Regions"), scribbles_.make_panel(), Qt::RightDockWidgetArea},
            {QT_TRANSLATE_NOOP("declared", "Neurons"), neurons_.make_panel(), Qt::RightDockWidgetArea}};
  }
  void start() override { start_with_phantom(); }
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) override;
  /// The fixed image of a new pair, or the moving one where that is missing.
  void open(const std::filesystem::path& path) override {
    const bool is_missing = pair_ != nullptr && !pair_->fixed_path.empty() && !pair_->has_moving();
    is_missing ? read(pair_->fixed_path, path) : read(path, {});
  }
  void open_again(const std::filesystem::path& path, const nlohmann::json& state) override {
    if (path.empty()) return start_with_phantom();
    read(path, state.value("moving", std::string()));
  }
  std::function<nlohmann::json()> state() const override;
  void restore(const nlohmann::json& state) override;
  parameters::ParameterSet* parameters() override { return &all_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override {
    filters_.parameters().has(key) ? filters_.set(key, value) : all_.assign(key, value);
    graph_.update();
    overlays_->set_comparison(comparison_);
    scribbles_.show_parameters();
    neurons_.show_parameters();
    show_probe();
    space_.show();
    masks_.set_dimming(live_style_.dimming);
  }
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override;
  bool has_camera() const override { return false; }
  bool can_sweep(std::string_view key) const override { return comparison_set_.has(key); }
  QString export_filter() const override { return QObject::tr("Warped image (*.nii.gz *.nii *.nrrd *.mha)"); }
  void export_file(const std::filesystem::path& path) override;

 private:
  void start_with_phantom();
  void bind_commands();
  void show_probe();
  /// Labels and regions that are drawn over the slices; nothing while they are not final.
  std::optional<std::vector<NumberedMap>> drawn_labels() const;
  void save_label_surfaces(const std::filesystem::path& path);
  /// `filter` of new files.
  void ask(const QString& title, Wanted wanted, const std::string& command,
           const QString& filter = QObject::tr("Displacements (*.nii.gz *.nii *.nrrd *.mha)"));
  void read(const std::filesystem::path& fixed, const std::filesystem::path& moving);
  void take(const PairPointer& pair);
  void show(const ShownPicture& picture);
  void go_to_place();
  void save_field(const std::filesystem::path& path);
  void save_linear(const std::filesystem::path& path);
  /// Calls `then` with the finished linear map; an Error without a moving image.
  void when_placed(std::function<void(const PlacementPointer&)> then);
  /// Calls `then` with the finished alignment; an Error without a moving image.
  void when_aligned(std::function<void(const AlignmentPointer&)> then);
  /// Null: there is none of this pair yet.
  PlacementPointer present_placement() const {
    const PlacementPointer& placement = placement_.value();
    return placement != nullptr && placement->pair == pair_ ? placement : nullptr;
  }
  AlignmentPointer present_alignment() const {
    const AlignmentPointer& alignment = alignment_.value();
    const bool fits = alignment != nullptr && alignment->placement == present_placement();
    return fits ? alignment : nullptr;
  }
  bool matches_labels() const {
    return live_style_.uses_labels && follows_surfaces(deformation_.model) && labels_.has_both();
  }
  /// Null: no surfaces of labels are brought together.
  LabelSides labels_in_use() const { return matches_labels() ? labels_.sides() : LabelSides{}; }
  /// Those that the present registration does not depend on have their usual values.
  TermParameters terms_in_use() const {
    TermParameters terms = matches_labels() ? terms_ : TermParameters();
    terms.classes = deformation_.model == DeformationModel::fluid ? terms_.classes : 0;
    return terms;
  }
  /// What was found before on the same grid, for images of the same kind: what is shown while another map is searched.
  PlacementPointer placement_before() const {
    const PlacementPointer& placement = placement_.value();
    const bool fits = live_style_.continues && placement != nullptr && placement->pair->grid == pair_->grid;
    return fits ? placement : nullptr;
  }
  AlignmentPointer alignment_before() const {
    const AlignmentPointer& alignment = alignment_.value();
    const bool fits = live_style_.continues && alignment != nullptr && alignment->pair().grid == pair_->grid;
    return fits ? alignment : nullptr;
  }
  /// What is shown stays until the deformation found before has been applied to the new images or placement.
  bool is_between() const {
    return shown_.pair != nullptr && pair_->has_moving() && alignment_before() != nullptr &&
           present_alignment() == nullptr && !(placement_.settled() && alignment_.settled());
  }
  std::string without_moving() const {
    return pair_ == nullptr || !pair_->has_moving() ? said(QObject::tr("Open a moving image first.")) : "";
  }

  workbench::LabContext& context_;
  PairPointer pair_;  ///< with its filters applied
  LinearParameters linear_;
  DeformationParameters deformation_;
  Comparison comparison_;
  parameters::StructParameters<LinearParameters> linear_set_{linear_schema(), linear_};
  std::shared_ptr<const FluidEngines> engines_ = workbench::one_engine(make_cpu_fluid_engine());
  parameters::StructParameters<DeformationParameters> deformation_set_{deformation_schema(), deformation_};
  parameters::NarrowedParameters narrowed_deformation_{
      deformation_set_, {}, [this](auto& each) { engines_->narrow(each); }};
  parameters::StructParameters<Comparison> comparison_set_{comparison_schema(), comparison_};
  TermParameters terms_;
  parameters::StructParameters<TermParameters> term_set_{matching_schema(), terms_};
  LiveStyle live_style_;
  parameters::StructParameters<LiveStyle> live_set_{live_schema(), live_style_};
  slices::SliceModel model_;
  QPointer<slices::LinkedSlices> views_ = new slices::LinkedSlices(model_, &context_.view);
  Overlays* overlays_ = new Overlays(*views_);
  LandmarkEditor* landmarks_ = new LandmarkEditor(context_, *views_, model_, *overlays_);
  QPointer<RegistrationPanel> panel_;
  QLabel* probe_ = new QLabel;              ///< taken by the views
  std::optional<Eigen::Vector2d> pointer_;  ///< on the large view's slice
  PictureInputs shown_;
  std::string shown_filters_;               ///< ImageFilters::names() of the shown pair
  std::optional<slices::ViewPlace> place_;  ///< of a session, until its picture is there
  graph::Graph graph_{context_.jobs,
                      [this](auto action) { context_.on_gui_thread(guarded(this, std::move(action))); }};
  ImageFilters filters_{context_, graph_, [this] { return views_->window(); },
                        [this](const PairPointer& pair) {
                          pair_ = pair;
                          context_.availability_changed();
                        }};
  Scribbles scribbles_{context_, graph_, *views_, *overlays_, [this] { return pair_; }};
  NeuronEditor neurons_{context_, graph_, *views_, model_, *overlays_, [this] { return pair_; }};
  SpaceContents space_{context_.view,
                       graph_,
                       *views_,
                       model_,
                       [this]() -> std::optional<ShownState> {
                         if (pair_ == nullptr || is_between()) return std::nullopt;
                         return ShownState{pair_, present_placement(), present_alignment()};
                       },
                       [this] { return comparison_; },
                       [this] { return drawn_labels(); }};
  ImageMasks masks_{context_, graph_, *views_, [this] {
                      return MaskInputs{{}, pair_, present_placement(), present_alignment()};
                    }};
  parameters::CombinedParameters all_{{&linear_set_, &narrowed_deformation_, &live_set_, &term_set_,
                                       &comparison_set_, &space_.parameters(), &scribbles_.parameters(),
                                       &neurons_.parameters(), &filters_.parameters()}};
  graph::Node<PlacementInputs, Placement> placement_{
      graph_,
      {.name = said(QObject::tr("Linear registration")),
       .channel = "anatomy.linear",
       .inputs = [this]() -> std::optional<PlacementInputs> {
         if (pair_ == nullptr || !pair_->has_moving()) return std::nullopt;
         // Fewer pairs do not determine where the search begins.
         const bool is_used =
             linear_.similarity == Similarity::landmarks || determine_rotation(landmarks_->pairs());
         return PlacementInputs{pair_,
                                linear_,
                                is_used ? landmarks_->points() : LandmarkPairs(),
                                masks_.masks(),
                                {placement_before()}};
       },
       .approach =
           [](const PlacementInputs& inputs, const auto& show, const jobs::Progress& progress) {
             const auto& before = inputs.before.value;
             return place(inputs.pair, inputs.parameters, show, progress, inputs.landmarks, inputs.masks,
                          before != nullptr ? &before->found.map : nullptr);
           },
       .taken =
           [this](const PlacementPointer& placement) {
             if (panel_) panel_->show_placement(placement);
             landmarks_->show_map(placement, nullptr);
             if (placement != nullptr && placement->finished && !placement->remarks.empty())
               context_.show_warning(QString::fromStdString(placement->remarks.text()));
           }}};
  graph::Node<AlignmentInputs, Alignment> alignment_{
      graph_,
      {.name = said(QObject::tr("Registration")),
       .channel = "anatomy.registration",
       .inputs = [this]() -> std::optional<AlignmentInputs> {
         if (present_placement() == nullptr) return std::nullopt;
         if (!placement_.settled() && alignment_before() == nullptr) return std::nullopt;
         return AlignmentInputs{placement_.value(), deformation_,    landmarks_->points(),
                                terms_in_use(),     labels_in_use(), {alignment_before()},
                                {engines_}};
       },
       .approach = find_alignment,
       .taken =
           [this](const AlignmentPointer& alignment) {
             if (panel_) panel_->show_alignment(alignment);
             landmarks_->show_map(present_placement(), present_alignment());
             if (alignment != nullptr) context_.show_status(QString::fromStdString(text_of(*alignment)));
             if (alignment == nullptr || !alignment->finished) return;
             Remarks remarks = remarks_of(alignment->report);
             for (const Remark& each : alignment->remarks) remarks.add(each.kind, each.text, each.count);
             if (!remarks.empty()) context_.show_warning(QString::fromStdString(remarks.text()));
           }}};
  ImageLabels labels_{context_,
                      graph_,
                      *views_,
                      *overlays_,
                      [this] { return pair_; },
                      [this]() -> std::optional<LabelInputs> {
                        if (pair_ == nullptr || is_between()) return std::nullopt;
                        return LabelInputs{
                            {}, {}, pair_, present_placement(), present_alignment(), comparison_.morph};
                      },
                      [this](std::function<void()> then) {
                        when_aligned([then = std::move(then)](const AlignmentPointer&) { then(); });
                      }};
  graph::Node<PictureInputs, ShownPicture> picture_{
      graph_,
      {.name = said(QObject::tr("Picture")),
       .channel = "anatomy.picture",
       .inputs = [this]() -> std::optional<PictureInputs> {
         if (pair_ == nullptr || is_between()) return std::nullopt;
         return PictureInputs{pair_, present_placement(), present_alignment(), in_picture(comparison_)};
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
  overlays_->setParent(this);
  landmarks_->setParent(this);
  connect(landmarks_, &LandmarkEditor::changed, this, [this] { graph_.update(); });
  connect(&labels_, &ImageLabels::changed, this, [this] { show_probe(); });
  connect(&labels_, &ImageLabels::place_chosen, this, [this](const Eigen::Vector3d& centre_mm) {
    if (views_) views_->go_to(centre_mm);
  });
  connect(&masks_, &ImageMasks::changed, this, [this] { graph_.update(); });
  connect(overlays_, &Overlays::wipe_dragged, this, [this](double fraction) {
    context_.commands.run("parameter.set", std::vector<std::string>{"wipe", fmt::format("{:.3f}", fraction)});
  });
  probe_->setObjectName("anatomy.probe");
  views_->add_below_large(probe_);
  views_->large().set_pointer_text_shown(false);  // the probe has the values of both images
  connect(&views_->large(), &slices::SliceView::moved, this, [this](const Eigen::Vector2d& place, auto) {
    pointer_ = place;
    show_probe();
  });
  connect(&views_->large(), &slices::SliceView::left_view, this, [this] {
    pointer_.reset();
    show_probe();
  });
  connect(&views_->large(), &slices::SliceView::slice_changed, this, [this] { show_probe(); });
  connect(&model_, &slices::SliceModel::cursor_changed, this, [this] {
    show_probe();
    space_.show();
    context_.state_changed();
  });
  connect(&views_->large(), &slices::SliceView::window_changed, this, [this] {
    graph_.update();  // the volume in space has the same grey levels
    context_.state_changed();
  });
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
      "anatomy.linear.save",
      [this](const Arguments& arguments) {
        if (!arguments.has("path")) {
          return ask(QObject::tr("Save linear map"), Wanted::new_file, "anatomy.linear.save",
                     QObject::tr("Transforms of ITK (*.tfm *.txt *.mat *.h5)"));
        }
        save_linear(arguments.text("path"));
      },
      [this] { return without_moving(); });
  commands.bind(
      "anatomy.result",
      [this](const Arguments&) {
        when_aligned([](const AlignmentPointer& alignment) {
          jobs::Activity::current()->set_result(
              {{"linear", json_of(alignment->placement->found, alignment->placement->parameters)},
               {"difference_before", alignment->mismatch_before},
               {"difference_after", alignment->mismatch_after},
               {"least_jacobian", alignment->least_jacobian},
               {"folded", alignment->folded},
               {"surfaces", json_of(alignment->surfaces)},
               {"largest_displacement_mm",
                largest_displacement_mm(alignment->displacement, alignment->pair().grid)}});
        });
      },
      [this] { return without_moving(); });
  commands.bind("anatomy.label-surfaces.save", [this](const Arguments& arguments) {
    if (!arguments.has("path")) {
      return ask(QObject::tr("Save surfaces of labels"), Wanted::new_file, "anatomy.label-surfaces.save",
                 QObject::tr("Surfaces (*.stl *.ply *.vtp)"));
    }
    save_label_surfaces(arguments.text("path"));
  });
}

void AnatomyLab::ask(const QString& title, Wanted wanted, const std::string& command, const QString& filter) {
  const QString images =
      QObject::tr("Images (*.nii *.nii.gz *.nrrd *.nhdr *.mha *.mhd *.hdr *.dcm);;All files (*)");
  workbench::ask_and_run(context_, *this, *views_->window(),
                         {title, wanted == Wanted::new_file ? filter : images, wanted}, command);
}

void AnatomyLab::read(const std::filesystem::path& fixed, const std::filesystem::path& moving) {
  context_.jobs.submit(said(QObject::tr("Open %1"), (moving.empty() ? fixed : moving).filename().string()),
                       "anatomy.open", [this, fixed, moving](const jobs::Progress& progress) {
                         context_.on_gui_thread(guarded(
                             this, [this, pair = read_pair(fixed, moving, progress)] { take(pair); }));
                       });
}

void AnatomyLab::take(const PairPointer& pair) {
  placement_.forget();
  alignment_.forget();
  space_.forget();
  picture_.forget();
  shown_ = {};
  const PairPointer before = filters_.opened();
  filters_.open(pair);
  pair_ = pair;
  scribbles_.open(before.get(), *pair);
  neurons_.open(before.get(), *pair);
  landmarks_->open(before.get(), *pair);
  masks_.open(before.get(), *pair);
  labels_.open(before.get(), *pair);
  const QString fixed = QString::fromStdString(name_of(pair->fixed_path));
  context_.document_opened(
      pair->fixed_path,
      pair->moving_path.empty()
          ? fixed
          : QObject::tr("%1 to %2").arg(QString::fromStdString(name_of(pair->moving_path)), fixed));
  context_.show_warning(QString::fromStdString(pair->remarks.text()));
  if (!pair->has_moving())
    context_.show_status(QObject::tr("Now open the moving image: Anatomy > Images > Open moving image"));
  if (panel_) panel_->show_placement(nullptr);
  context_.availability_changed();
  graph_.update();
}

void AnatomyLab::start_with_phantom() {
  take(phantom_pair());
  const std::map<std::int64_t, std::string> names{{1, said(QObject::tr("Skull"))},
                                                  {2, said(QObject::tr("Fluid"))},
                                                  {3, said(QObject::tr("Cortex"))},
                                                  {4, said(QObject::tr("White matter"))},
                                                  {5, said(QObject::tr("Ventricles"))}};
  context_.jobs.submit(said(QObject::tr("Labels of the phantom")), "anatomy.open",
                       [this, names](const jobs::Progress&) {
                         const auto of = [&](bool is_moving) {
                           return std::make_shared<const NamedLabels>(
                               NamedLabels{.path = {}, .labels = phantom_labels(is_moving), .names = names});
                         };
                         context_.on_gui_thread(guarded(this, [this, moving = of(true), fixed = of(false)] {
                           if (pair_ == nullptr || !pair_->fixed_path.empty()) return;
                           labels_.take(ImageLabels::Side::fixed, fixed);
                           labels_.take(ImageLabels::Side::moving, moving);
                         }));
                       });
}

std::optional<std::vector<NumberedMap>> AnatomyLab::drawn_labels() const {
  if (!placement_.settled() || !alignment_.settled() || !labels_.are_settled() || !scribbles_.are_found())
    return std::nullopt;
  std::vector<NumberedMap> maps;
  if (auto labels = overlays_->drawn_labels()) maps.push_back(std::move(*labels));
  if (auto regions = scribbles_.drawn_regions()) maps.push_back(std::move(*regions));
  return maps;
}

void AnatomyLab::save_label_surfaces(const std::filesystem::path& path) {
  const auto write = [this, path] {
    const auto maps = drawn_labels();
    if (!maps || maps->empty()) {
      throw Error(
          said(QObject::tr("No labels are drawn over the slices. Open labels, choose them in the group "
                           "View, or paint regions.")));
    }
    context_.jobs.submit(
        said(QObject::tr("Write %1"), path.filename().string()), {},
        [inputs = LabelSurfaceInputs{*maps, pair_->grid}, path](const jobs::Progress& progress) {
          scene::write_label_meshes(label_surfaces(inputs, progress)->meshes, path);
        });
  };
  const auto when_found = [this, write] { scribbles_.when_found(write); };
  const auto when_carried = [this, when_found] { labels_.when_carried(when_found); };
  if (!without_moving().empty()) return filters_.when_applied(when_carried);
  when_aligned([when_carried](const AlignmentPointer&) { when_carried(); });
}

/// Values of both images under the pointer, or at the crosshair.
void AnatomyLab::show_probe() {
  if (!views_ || shown_.pair == nullptr) return;
  const slices::SliceView& large = views_->large();
  const Eigen::Vector3d position = pointer_ ? large.plane().position(*pointer_) : model_.cursor_mm();
  const Pair& pair = *shown_.pair;
  const std::optional<std::size_t> at = voxel_at(pair.grid, position);
  if (!at) return probe_->clear();
  QStringList texts{slices::position_text(position, 1),
                    QObject::tr("fixed %1").arg(static_cast<double>(pair.fixed[*at]), 0, 'g', 4)};
  if (pair.has_moving()) {
    const FieldValues& warped = shown_.alignment != nullptr   ? shown_.alignment->warped
                                : shown_.placement != nullptr ? shown_.placement->moving
                                                              : pair.moving;
    texts << QObject::tr("warped %1").arg(static_cast<double>(warped[*at]), 0, 'g', 4);
  }
  if (const std::string label = overlays_->label_at(pair.grid.index_at(position)); !label.empty())
    texts << QString::fromStdString(label);
  probe_->setText(texts.join(QStringLiteral("   ")));
}

void AnatomyLab::show(const ShownPicture& picture) {
  const bool same_grid = shown_.pair != nullptr && shown_.pair->grid == picture.of.pair->grid;
  // The scale of values stays while filters get other parameters, and not where others are applied.
  const std::string filters = filters_.names();
  const bool same_scale = same_grid && shown_.comparison.shown == picture.of.comparison.shown &&
                          (shown_.pair == picture.of.pair || shown_filters_ == filters);
  shown_filters_ = filters;
  shown_ = picture.of;
  overlays_->set_picture(picture.second, picture.of.alignment);
  same_grid ? model_.exchange_image(picture.image) : model_.set_image(picture.image);
  if (!same_scale && views_) views_->set_window(picture.image->windows.front());
  go_to_place();
  show_probe();
}

void AnatomyLab::devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) {
  workbench::prepare_engines(
      context_, "anatomy", this,
      [devices] { return std::make_shared<const FluidEngines>(gpu::make_fluid_engines(devices)); },
      [this](const auto& engines) {
        engines_ = engines;
        context_.parameters_changed();
      });
}

std::function<nlohmann::json()> AnatomyLab::state() const {
  nlohmann::json state = slices::to_json(slices::place_of(model_, views_));
  state["moving"] = pair_ == nullptr ? std::string() : pair_->moving_path.string();
  state["landmarks"] = landmarks_->state();
  state["regions"] = scribbles_.state();
  state["neurons"] = neurons_.state();
  state["masks"] = masks_.state();
  state.update(labels_.state());
  return [state] { return state; };
}

void AnatomyLab::restore(const nlohmann::json& state) {
  place_ = slices::view_place_of(state);
  if (const auto landmarks = state.find("landmarks"); landmarks != state.end())
    landmarks_->restore(*landmarks);
  if (const auto regions = state.find("regions"); regions != state.end()) scribbles_.restore(*regions);
  if (const auto neurons = state.find("neurons"); neurons != state.end()) neurons_.restore(*neurons);
  labels_.restore(state);
  if (const auto masks = state.find("masks"); masks != state.end()) masks_.restore(*masks);
  if (shown_.pair == pair_) go_to_place();
}

void AnatomyLab::go_to_place() {
  if (place_) slices::go_to(*place_, model_, views_);
  place_.reset();
}

void AnatomyLab::when_placed(std::function<void(const PlacementPointer&)> then) {
  if (const std::string why = without_moving(); !why.empty()) throw Error(why);
  filters_.when_applied([this, then = std::move(then)] {
    placement_.when_settled([then](const PlacementPointer& placement) {
      if (placement != nullptr) then(placement);
    });
  });
}

void AnatomyLab::when_aligned(std::function<void(const AlignmentPointer&)> then) {
  when_placed([this, then = std::move(then)](const PlacementPointer&) {
    alignment_.when_settled([then](const AlignmentPointer& alignment) {
      if (alignment != nullptr) then(alignment);
    });
  });
}

void AnatomyLab::save_linear(const std::filesystem::path& path) {
  when_placed([this, path](const PlacementPointer& placement) {
    context_.jobs.submit(
        said(QObject::tr("Write %1"), path.filename().string()), {},
        [placement, path](const jobs::Progress&) { write_linear(placement->found.map, path); });
  });
}

void AnatomyLab::save_field(const std::filesystem::path& path) {
  when_aligned([this, path](const AlignmentPointer& alignment) {
    context_.jobs.submit(said(QObject::tr("Write %1"), path.filename().string()), {},
                         [alignment, path](const jobs::Progress&) {
                           write_displacements(alignment->pair().grid, whole_displacement(*alignment), path);
                         });
  });
}

void AnatomyLab::export_file(const std::filesystem::path& path) {
  when_aligned([this, path](const AlignmentPointer& alignment) {
    context_.jobs.submit(said(QObject::tr("Write %1"), path.filename().string()), {},
                         [this, alignment, path](const jobs::Progress&) {
                           const Remarks remarks = isolume::anatomy::write_image(
                               alignment->pair().grid, warped_image(*alignment), path);
                           context_.on_gui_thread(guarded(this, [this, remarks] {
                             if (!remarks.empty())
                               context_.show_warning(QString::fromStdString(remarks.text()));
                           }));
                         });
  });
}

void AnatomyLab::write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                             int dpi) {
  slices::check_opaque(transparent);
  const auto draw = [this, path, width, height, dpi](const std::shared_ptr<const ShownPicture>& picture) {
    if (picture == nullptr || !views_) return;
    const slices::SliceView& large = views_->large();
    slices::write_slice_picture(context_,
                                {.image = picture->image,
                                 .slice = model_.slice(),
                                 .window = large.window(),
                                 .interpolation = large.interpolation(),
                                 .kept =
                                     [under = overlays_->over_picture(), masks = masks_.over_picture(),
                                      over = scribbles_.over_picture(), neurons = neurons_.over_picture()](
                                         QPainter& painter, const slices::SliceView& view) {
                                       under(painter, view);
                                       masks(painter, view);
                                       over(painter, view);
                                       neurons(painter, view);
                                     }},
                                path, width, height, dpi);
  };
  const auto write = [this, draw] {
    picture_.when_settled([this, draw](const auto& picture) {
      const auto when_found = [this, draw, picture] {
        scribbles_.when_found(
            [this, draw, picture] { neurons_.when_found([draw, picture] { draw(picture); }); });
      };
      if (comparison_.labels == isolume::anatomy::ShownLabels::none) return when_found();
      labels_.when_carried(when_found);
    });
  };
  if (!without_moving().empty()) return filters_.when_applied(write);
  when_aligned([write](const AlignmentPointer&) { write(); });
}

}  // namespace

workbench::LabEntry lab_entry() {
  return {
      .description = description(), .make = workbench::make_lab<AnatomyLab>, .described = described_filters};
}

}  // namespace isolume::labs::anatomy
