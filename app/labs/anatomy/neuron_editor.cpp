#include "app/labs/anatomy/neuron_editor.h"

#include <QPainter>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <vtkRenderer.h>

#include "app/labs/anatomy/painted_regions.h"
#include "app/slices/outlined_text.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/contract/value_change.h"
#include "app/workbench/look/ask_for_file.h"
#include "core/base/suffix.h"
#include "core/jobs/activity.h"
#include "core/neurons/swc.h"

namespace isolume::labs::anatomy {
namespace {

using workbench::Arguments;
using workbench::guarded;
using workbench::said;
using workbench::Wanted;

constexpr std::array neuron_axes{"first", "second", "third"};

QPointF at_widget(const slices::SliceView& view, const Eigen::Vector3d& position) {
  return view.to_widget(view.plane().place_at(position));
}

/// The centre line, projected onto the slice, and its circle where the slice crosses it.
void draw_neuron(QPainter& painter, const slices::SliceView& view, const neurons::Neuron& neuron,
                 std::size_t number) {
  QPolygonF line;
  const neurons::Section* here = nullptr;
  const images::SlicePlane& plane = view.plane();
  double nearest = 0.5 * plane.slice_spacing_mm;
  for (const neurons::Section& each : neuron.sections) {
    line << at_widget(view, each.centre);
    const double distance = std::abs(plane.distance_mm(each.centre));
    if (view.slice().axis == neuron.axis && distance <= nearest) here = &each, nearest = distance;
  }
  const QColor colour = QColor::fromRgb(colour_of_label(static_cast<int>(number) + 1));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(0, 0, 0, 150), 3));
  painter.drawPolyline(line);
  painter.setPen(QPen(colour, 1.5));
  painter.drawPolyline(line);
  if (here == nullptr) return;
  const QPointF centre = at_widget(view, here->centre);
  const double radius = here->radius * view.scale();
  for (const auto& [of, width] : {std::pair{QColor(Qt::black), 4.0}, std::pair{colour, 2.0}}) {
    painter.setPen(QPen(of, width));
    painter.drawEllipse(centre, radius, radius);
  }
  slices::draw_outlined(painter, centre + QPointF(radius + 2, -radius), Qt::AlignLeft | Qt::AlignBottom,
                        QString::number(number + 1));
}

/// A cross where a mark lies in the slice.
void draw_neuron_mark(QPainter& painter, const slices::SliceView& view, const neurons::Mark& mark) {
  if (std::abs(view.plane().distance_mm(mark.position)) > 0.5 * view.plane().slice_spacing_mm) return;
  constexpr double arm = 5;
  const QPointF at = at_widget(view, mark.position);
  for (const auto& [colour, width] : {std::pair{Qt::black, 4.0}, std::pair{Qt::white, 1.5}}) {
    painter.setPen(QPen(colour, width));
    painter.drawLine(at - QPointF(arm, arm), at + QPointF(arm, arm));
    painter.drawLine(at - QPointF(arm, -arm), at + QPointF(arm, -arm));
  }
}

}  // namespace

NeuronEditor::NeuronEditor(workbench::LabContext& context, graph::Graph& graph, slices::LinkedSlices& views,
                           slices::SliceModel& model, Overlays& overlays, std::function<PairPointer()> pair)
    : context_(context),
      graph_(graph),
      views_(&views),
      model_(model),
      overlays_(overlays),
      pair_(std::move(pair)),
      tubes_(*context.view.renderer()),
      paths_(graph, {.name = said(tr("Neurons")),
                     .channel = "anatomy.neurons",
                     .inputs = [this]() -> std::optional<NeuronInputs> {
                       if (pair_() == nullptr || marked_->empty()) return std::nullopt;
                       return NeuronInputs{pair_(), marked_, ribbon_};
                     },
                     .compute = find_neurons,
                     .taken = [this](const auto& found) { show(found); }}) {
  bind_commands();
  views.add_overlay(
      [this](QPainter& painter, const slices::SliceView& view) { layers_.paint(painter, view); },
      slices::SliceView::Drawn::kept);
  views.add_overlay([this](QPainter& painter, const slices::SliceView& view) {
    if (!press_ || !views_ || &view != &views_->large()) return;
    const double radius = (press_->to - press_->from).norm() * view.scale();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Qt::yellow, 2));
    painter.drawEllipse(at_widget(view, press_->from), radius, radius);
  });
  const slices::SliceView& large = views.large();
  connect(&large, &slices::SliceView::pressed, this, [this](const Eigen::Vector2d& place, auto) {
    if (style_.tool == NeuronTool::none || pair_() == nullptr) return;
    const Eigen::Vector3d position = views_->large().plane().position(place);
    press_ = Press{views_->large().slice().axis, position, position};
  });
  connect(&large, &slices::SliceView::dragged, this, [this](const Eigen::Vector2d& place, auto) {
    if (!press_) return;
    press_->to = views_->large().plane().position(place);
    views_->large().update();
  });
  connect(&large, &slices::SliceView::released, this, [this] { release(); });
  connect(&large, &slices::SliceView::slice_changed, this, [this] { press_.reset(); });
}

void NeuronEditor::Layers::paint(QPainter& painter, const slices::SliceView& view) {
  inside.paint(painter, view);
  if (paths != nullptr) {
    for (std::size_t n = 0; n < paths->neurons.size(); ++n) draw_neuron(painter, view, paths->neurons[n], n);
  }
  if (marked == nullptr) return;
  for (const MarkedNeuron& neuron : *marked) {
    for (const neurons::Mark& each : neuron.marks) draw_neuron_mark(painter, view, each);
  }
}

slices::SliceView::Overlay NeuronEditor::over_picture() const {
  return [layers = layers_](QPainter& painter, const slices::SliceView& view) mutable {
    layers.paint(painter, view);
  };
}

void NeuronEditor::release() {
  if (!press_) return;
  const Press press = *std::exchange(press_, std::nullopt);
  // A circle that is hardly drawn is a click.
  constexpr double least_pixels = 4;
  const double radius = (press.to - press.from).norm();
  const bool is_circle = radius * views_->large().scale() >= least_pixels;
  std::vector<std::string> words;
  const bool corrects = style_.tool == NeuronTool::correct;
  if (corrects) {
    const int number = panel_ ? panel_->selected() : 0;
    if (number == 0) return context_.show_warning(tr("Select a neuron in the table first."));
    words.push_back(std::to_string(number));
  } else {
    words.emplace_back(neuron_axes[static_cast<std::size_t>(press.axis)]);
  }
  for (const double each : press.from) words.push_back(fmt::format("{:.9g}", each));
  if (is_circle) words.push_back(fmt::format("{:.9g}", radius));
  context_.commands.run(corrects ? "anatomy.neuron.correct" : "anatomy.neuron.mark", words);
  views_->update_overlays();
}

void NeuronEditor::show_parameters() {
  // The regions' brush decides where this tool is off.
  if (style_.tool != NeuronTool::none) overlays_.set_draggable(false);
  if (panel_) panel_->show_tool(style_.tool);
  show(paths_.value());
}

NeuronsPanel* NeuronEditor::make_panel() {
  panel_ = new NeuronsPanel;
  connect(panel_, &NeuronsPanel::asked, this,
          [this](const std::string& command) { context_.commands.run(command, {}); });
  connect(panel_, &NeuronsPanel::removal_asked, this, [this](int number) {
    context_.commands.run("anatomy.neuron.remove", std::vector<std::string>{std::to_string(number)});
  });
  connect(panel_, &NeuronsPanel::tool_asked, this, [this](const std::string& tool) {
    const auto set = [this](const char* key, const std::string& value) {
      context_.commands.run("parameter.set", std::vector<std::string>{key, value});
    };
    if (tool != "none") set("brush", "none");  // one press has one meaning
    set("neuron-tool", tool);
  });
  connect(panel_, &NeuronsPanel::place_chosen, this, [this](const Eigen::Vector3d& centre) {
    if (views_) views_->go_to(centre);
  });
  return panel_;
}

void NeuronEditor::open(const isolume::anatomy::Pair* before, const isolume::anatomy::Pair& pair) {
  const bool is_same = before != nullptr && !pair.fixed_path.empty() && before->fixed_path == pair.fixed_path;
  press_.reset();
  paths_.forget();
  has_been_framed_ = false;
  if (!is_same) marked_ = std::make_shared<const MarkedNeurons>();
  layers_.marked = marked_;
  show(nullptr);
}

void NeuronEditor::bind_commands() {
  auto& commands = context_.commands;
  const auto without_image = [this] {
    return pair_() == nullptr ? said(tr("Open an image first.")) : std::string();
  };
  const auto without_neurons = [this] {
    return marked_->empty() ? said(tr("There are no neurons. Mark one first.")) : std::string();
  };
  const auto mark_of = [this](const Arguments& arguments, int across) {
    const bool is_given = arguments.has("x") && arguments.has("y") && arguments.has("z");
    const Eigen::Vector3d position =
        is_given ? Eigen::Vector3d(arguments.number("x"), arguments.number("y"), arguments.number("z"))
                 : model_.cursor_mm();
    const Eigen::Vector3d index = pair_()->grid.index_at(position);
    for (int axis = 0; axis < 3; ++axis) {
      if (!(index[axis] >= -0.5 &&
            index[axis] <= pair_()->grid.dimensions[static_cast<std::size_t>(axis)] - 0.5)) {
        throw Error(said(tr("The mark lies outside of the image. Give a position within it.")));
      }
    }
    const double radius = arguments.has("radius") ? arguments.number("radius") : 0;
    if (!(radius <= neurons::largest_mark_radius(pair_()->grid, across))) {
      throw Error(said(
          tr("The radius is larger than half of the diagonal of the slices. Give a smaller one, in mm.")));
    }
    return neurons::Mark{position, radius};
  };
  commands.bind(
      "anatomy.neuron.mark",
      [this, mark_of](const Arguments& arguments) {
        const std::string name = arguments.has("axis") ? arguments.text("axis") : "third";
        const int axis = name == "first" ? 0 : name == "second" ? 1 : 2;
        MarkedNeurons marked = *marked_;
        if (marked.size() >= most_neurons)
          throw Error(said(tr("There are %1 neurons, and no more are possible. Remove one."), most_neurons));
        marked.push_back({axis, {mark_of(arguments, axis)}});
        change(tr("Mark neuron"), std::move(marked));
      },
      without_image);
  commands.bind(
      "anatomy.neuron.correct",
      [this, mark_of](const Arguments& arguments) {
        MarkedNeurons marked = *marked_;
        MarkedNeuron& neuron = marked[index_of(arguments.integer("number"))];
        neuron.marks.push_back(mark_of(arguments, neuron.axis));
        change(tr("Correct neuron"), std::move(marked));
      },
      without_neurons);
  commands.bind(
      "anatomy.neuron.remove",
      [this](const Arguments& arguments) {
        MarkedNeurons marked = *marked_;
        marked.erase(marked.begin() + static_cast<std::ptrdiff_t>(index_of(arguments.integer("number"))));
        change(tr("Remove neuron"), std::move(marked));
      },
      without_neurons);
  commands.bind(
      "anatomy.neurons.clear", [this](const Arguments&) { change(tr("Remove all neurons"), {}); },
      without_neurons);
  commands.bind(
      "anatomy.neurons.save",
      [this](const Arguments& arguments) {
        if (arguments.has("path")) return save(arguments.text("path"));
        workbench::ask_and_run(
            context_, *this, *views_->window(),
            {tr("Save neurons"),
             tr("Centre lines (*.swc);;Table (*.csv);;Label map (*.nii.gz *.nii *.nrrd *.mha)"),
             Wanted::new_file},
            "anatomy.neurons.save");
      },
      without_neurons);
  commands.bind(
      "anatomy.neurons.result",
      [this](const Arguments&) {
        paths_.when_settled([](const std::shared_ptr<const NeuronPaths>& found) {
          if (found == nullptr) return;
          nlohmann::ordered_json all = nlohmann::ordered_json::array();
          for (const neurons::Neuron& each : found->neurons)
            all.push_back(neurons::json_of(each, found->unit));
          jobs::Activity::current()->set_result({{"neurons", std::move(all)}});
        });
      },
      without_neurons);
}

std::size_t NeuronEditor::index_of(std::int64_t number) const {
  if (number < 1 || static_cast<std::size_t>(number) > marked_->size())
    throw Error(said(tr("There is no neuron %1; there are %2."), number, marked_->size()));
  return static_cast<std::size_t>(number) - 1;
}

void NeuronEditor::change(const QString& what, MarkedNeurons marked) {
  context_.undo.push(new workbench::ValueChange<std::shared_ptr<const MarkedNeurons>>(
      what, marked_, std::make_shared<const MarkedNeurons>(std::move(marked)),
      [this](const auto& each) { put(*each); }));
}

void NeuronEditor::put(MarkedNeurons marked) {
  marked_ = std::make_shared<const MarkedNeurons>(std::move(marked));
  layers_.marked = marked_;
  if (marked_->empty()) {
    paths_.forget();
    show(nullptr);
  }
  if (views_) views_->update_overlays();
  context_.availability_changed();
  graph_.update();
}

void NeuronEditor::show(const std::shared_ptr<const NeuronPaths>& paths) {
  if (layers_.paths != paths && panel_) panel_->show_neurons(paths);
  if (layers_.paths != paths && paths != nullptr && !paths->remarks.empty())
    context_.show_warning(QString::fromStdString(paths->remarks.text()));
  layers_.paths = paths;
  layers_.inside.set_map(paths == nullptr ? nullptr : paths->map);
  const bool has_tubes = paths != nullptr && style_.has_tubes && paths->tubes->GetNumberOfPolys() > 0;
  tubes_.set(has_tubes ? paths->tubes : vtkSmartPointer<vtkPolyData>::New());
  if (has_tubes && !std::exchange(has_been_framed_, true)) frame_stack();
  context_.view.request_render();
  if (views_) views_->update_overlays();
}

/// Shows the box of the stack, so that further neurons lie within the picture.
void NeuronEditor::frame_stack() {
  const grid::Grid& grid = layers_.paths->labels.grid;
  Eigen::AlignedBox3d box;
  for (int corner = 0; corner < 8; ++corner) {
    Eigen::Vector3d index;
    for (int axis = 0; axis < 3; ++axis)
      index[axis] = (corner >> axis & 1) * (grid.dimensions[static_cast<std::size_t>(axis)] - 1);
    box.extend(grid.position(index));
  }
  const std::array<double, 6> bounds{box.min().x(), box.max().x(), box.min().y(),
                                     box.max().y(), box.min().z(), box.max().z()};
  context_.view.renderer()->ResetCamera(bounds.data());
}

void NeuronEditor::when_found(std::function<void()> then) {
  if (marked_->empty() || pair_() == nullptr) return then();
  paths_.when_settled([then = std::move(then)](const auto&) { then(); });
}

void NeuronEditor::save(const std::filesystem::path& path) {
  paths_.when_settled([this, path](const std::shared_ptr<const NeuronPaths>& found) {
    if (found == nullptr) return;
    context_.jobs.submit(said(tr("Write %1"), path.filename().string()), {},
                         [this, found, path](const jobs::Progress&) {
                           const std::string suffix = suffix_of(path);
                           if (suffix == ".swc") return write_swc(found->neurons, found->unit, path);
                           if (suffix == ".csv") return write_table(found->neurons, found->unit, path);
                           const Remarks remarks = write_labels(found->labels, path);
                           context_.on_gui_thread(guarded(this, [this, remarks] {
                             if (!remarks.empty())
                               context_.show_warning(QString::fromStdString(remarks.text()));
                           }));
                         });
  });
}

}  // namespace isolume::labs::anatomy

#include "moc_neuron_editor.cpp"
