#include "app/labs/anatomy/neuron_paths.h"

#include <limits>
#include <numeric>
#include <utility>

#include <vtkAppendPolyData.h>
#include <vtkCellArray.h>
#include <vtkDoubleArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkTriangleFilter.h>
#include <vtkTubeFilter.h>
#include <vtkUnsignedCharArray.h>

#include "app/labs/anatomy/painted_regions.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::labs::anatomy {
namespace {

/// A neuron's centre line as a tube with its radii.
vtkSmartPointer<vtkPolyData> tube_of(const neurons::Neuron& neuron, std::uint32_t colour) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkDoubleArray> radii;
  vtkNew<vtkCellArray> lines;
  lines->InsertNextCell(static_cast<int>(neuron.sections.size()));
  for (const neurons::Section& each : neuron.sections) {
    lines->InsertCellPoint(points->InsertNextPoint(each.centre.data()));
    radii->InsertNextValue(each.radius);
  }
  vtkNew<vtkPolyData> line;
  line->SetPoints(points);
  line->SetLines(lines);
  line->GetPointData()->SetScalars(radii);
  vtkNew<vtkTubeFilter> tube;
  tube->SetInputData(line);
  tube->SetNumberOfSides(20);
  tube->SetVaryRadiusToVaryRadiusByAbsoluteScalar();
  tube->CappingOn();
  vtkNew<vtkTriangleFilter> triangles;
  triangles->SetInputConnection(tube->GetOutputPort());
  triangles->PassLinesOff();
  triangles->Update();
  vtkSmartPointer<vtkPolyData> mesh = triangles->GetOutput();
  vtkNew<vtkUnsignedCharArray> colours;
  colours->SetName("colour");
  colours->SetNumberOfComponents(3);
  const std::array<unsigned char, 3> bytes{static_cast<unsigned char>(colour >> 16 & 0xff),
                                           static_cast<unsigned char>(colour >> 8 & 0xff),
                                           static_cast<unsigned char>(colour & 0xff)};
  for (vtkIdType i = 0; i < mesh->GetNumberOfPoints(); ++i) colours->InsertNextTypedTuple(bytes.data());
  mesh->GetPointData()->SetScalars(colours);
  return mesh;
}

}  // namespace

nlohmann::json json_of(const MarkedNeurons& marked) {
  nlohmann::json all = nlohmann::json::array();
  for (const MarkedNeuron& neuron : marked) {
    nlohmann::json marks = nlohmann::json::array();
    for (const neurons::Mark& each : neuron.marks)
      marks.push_back({each.position.x(), each.position.y(), each.position.z(), each.radius});
    all.push_back({{"axis", neuron.axis}, {"marks_mm", std::move(marks)}});
  }
  return all;
}

MarkedNeurons marked_neurons_of(const nlohmann::json& json) {
  MarkedNeurons marked;
  for (const nlohmann::json& each : json) {
    MarkedNeuron neuron{.axis = each.at("axis").get<int>(), .marks = {}};
    for (const nlohmann::json& p : each.at("marks_mm")) {
      neuron.marks.push_back(
          {{p.at(0).get<double>(), p.at(1).get<double>(), p.at(2).get<double>()}, p.at(3).get<double>()});
    }
    if (neuron.axis < 0 || neuron.axis > 2 || neuron.marks.empty())
      throw Error(workbench::said(QObject::tr("A neuron of the session has no marks, or no axis.")));
    marked.push_back(std::move(neuron));
  }
  return marked;
}

std::shared_ptr<const NeuronPaths> find_neurons(const NeuronInputs& inputs, const jobs::Progress& progress) {
  const isolume::anatomy::Pair& pair = *inputs.pair;
  auto result = std::make_shared<NeuronPaths>();
  result->unit = pair.grid.unit;
  result->neurons.resize(inputs.marked->size());
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<std::size_t> numbers;
    std::vector<neurons::Marks> marks;
    for (std::size_t n = 0; n < inputs.marked->size(); ++n) {
      if ((*inputs.marked)[n].axis != axis) continue;
      numbers.push_back(n + 1);
      marks.push_back((*inputs.marked)[n].marks);
    }
    if (numbers.empty()) continue;
    const bool are_several = inputs.marked->size() > 1;
    neurons::Followed found = neurons::follow({pair.grid, pair.fixed, axis}, marks, inputs.parameters,
                                              progress.part(axis / 3.0, (axis + 1) / 3.0),
                                              are_several ? numbers : std::vector<std::size_t>());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      result->neurons[numbers[i] - 1] = std::move(found.neurons[i]);
    result->remarks.add(found.remarks);
  }
  isolume::anatomy::Labels& labels = result->labels;
  labels.grid = pair.grid;
  labels.indices = neurons::numbers_of({pair.grid, pair.fixed, 2}, result->neurons);
  labels.values.resize(result->neurons.size() + 1);
  std::iota(labels.values.begin(), labels.values.end(), std::int64_t{0});
  auto map = std::make_shared<slices::LabelMap>();
  map->counts = pair.grid.dimensions;
  map->colours.push_back(0xff000000U);
  vtkNew<vtkAppendPolyData> tubes;
  for (std::size_t n = 0; n < result->neurons.size(); ++n) {
    map->colours.push_back(colour_of_label(static_cast<int>(n) + 1));
    if (result->neurons[n].sections.size() > 1)
      tubes->AddInputData(tube_of(result->neurons[n], map->colours.back()));
  }
  map->numbers.resize(labels.indices.size());
  for (std::size_t i = 0; i < labels.indices.size(); ++i) {
    map->numbers[i] = labels.indices[i] == 0 ? std::numeric_limits<float>::quiet_NaN()
                                             : static_cast<float>(labels.indices[i]);
  }
  result->map = std::move(map);
  result->tubes = vtkSmartPointer<vtkPolyData>::New();
  if (tubes->GetNumberOfInputConnections(0) > 0) {
    tubes->Update();
    result->tubes = tubes->GetOutput();
  }
  return result;
}

}  // namespace isolume::labs::anatomy
