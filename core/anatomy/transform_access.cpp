#include "core/anatomy/transform_access.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <itkAffineTransform.h>
#include <itkCenteredAffineTransform.h>
#include <itkCenteredEuler3DTransform.h>
#include <itkComposeScaleSkewVersor3DTransform.h>
#include <itkCompositeTransform.h>
#include <itkDisplacementFieldTransform.h>
#include <itkEuler3DTransform.h>
#include <itkFixedCenterOfRotationAffineTransform.h>
#include <itkHDF5TransformIO.h>
#include <itkMatlabTransformIO.h>
#include <itkObjectFactoryBase.h>
#include <itkQuaternionRigidTransform.h>
#include <itkScaleSkewVersor3DTransform.h>
#include <itkScaleTransform.h>
#include <itkScaleVersor3DTransform.h>
#include <itkSimilarity3DTransform.h>
#include <itkTransformFactory.h>
#include <itkTransformFileReader.h>
#include <itkTransformFileWriter.h>
#include <itkTranslationTransform.h>
#include <itkTxtTransformIO.h>
#include <itkVersion.h>
#include <itkVersorRigid3DTransform.h>

#include "core/base/counted.h"
#include "core/base/error.h"

namespace isolume::anatomy {
namespace {

using Linear = itk::AffineTransform<double, 3>;
using MatrixAndOffset = itk::MatrixOffsetTransformBase<double, 3, 3>;
using InThreeDimensions = itk::Transform<double, 3, 3>;
using Composite = itk::CompositeTransform<double, 3>;
using Field = itk::DisplacementFieldTransform<double, 3>;
using FormatPointer = itk::TransformIOBaseTemplate<double>::Pointer;

FormatPointer format_named(const std::string& name) {
  if (name == "text") return itk::TxtTransformIOTemplate<double>::New().GetPointer();
  if (name == "matlab") return itk::MatlabTransformIOTemplate<double>::New().GetPointer();
  return itk::HDF5TransformIOTemplate<double>::New().GetPointer();
}

/// Whether a transform got as many parameters as it has. ITK's classes read those that are not there from any memory,
/// and keep their identity if there are none at all.
struct Checked {
  Checked() = default;
  virtual ~Checked() = default;
  Checked(const Checked&) = delete;
  Checked& operator=(const Checked&) = delete;
  bool is_complete = false;
};

template <class Base>
class CheckedTransform final : public Base, public Checked {
 public:
  using Self = CheckedTransform;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);

  void SetParameters(const typename Base::ParametersType& parameters) override {
    if (parameters.Size() != this->GetNumberOfParameters()) {
      throw Error(fmt::format("its {} has {}, and {} are needed", this->GetNameOfClass(),
                              counted(parameters.Size(), "parameter"), this->GetNumberOfParameters()));
    }
    is_complete = true;
    Base::SetParameters(parameters);
  }
};

/// Makes the checked classes by the names of theirs.
class CheckedFactory final : public itk::ObjectFactoryBase {
 public:
  using Self = CheckedFactory;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);

  const char* GetITKSourceVersion() const override { return ITK_SOURCE_VERSION; }
  const char* GetDescription() const override { return "transforms with checked parameters"; }

 private:
  CheckedFactory() {
    // ANTs writes MatrixOffsetTransformBase, which ITK does not register.
    add<Field, Linear, MatrixAndOffset, itk::Euler3DTransform<double>, itk::CenteredEuler3DTransform<double>,
        itk::VersorTransform<double>, itk::VersorRigid3DTransform<double>,
        itk::QuaternionRigidTransform<double>, itk::Similarity3DTransform<double>,
        itk::ScaleVersor3DTransform<double>, itk::ScaleSkewVersor3DTransform<double>,
        itk::ComposeScaleSkewVersor3DTransform<double>, itk::TranslationTransform<double, 3>,
        itk::ScaleTransform<double, 3>, itk::CenteredAffineTransform<double, 3>,
        itk::FixedCenterOfRotationAffineTransform<double, 3>>();
  }
  template <class... Transforms>
  void add() {
    (add_one<CheckedTransform<Transforms>>(), ...);
  }
  template <class Transform>
  void add_one() {
    const std::string name = Transform::New()->GetTransformTypeAsString();
    RegisterOverride(name.c_str(), name.c_str(), "", true, itk::CreateObjectFunction<Transform>::New());
  }
};

/// ITK's own factories, which come second, make what is refused by name.
void register_transforms() {
  itk::TransformFactoryBase::RegisterDefaultTransforms();
  itk::ObjectFactoryBase::RegisterFactory(CheckedFactory::New(),
                                          itk::ObjectFactoryBase::InsertionPositionEnum::INSERT_AT_FRONT);
}

/// The parts of a transform in the order in which they are applied to points: a composite applies its last one first.
/// Throws for one that is neither linear nor a displacement field, and for one without its parameters.
void add_steps(const InThreeDimensions& transform, std::vector<InThreeDimensions::ConstPointer>& steps) {
  if (const auto* composite = dynamic_cast<const Composite*>(&transform)) {
    for (itk::SizeValueType i = composite->GetNumberOfTransforms(); i > 0; --i)
      add_steps(*composite->GetNthTransformConstPointer(i - 1), steps);
    return;
  }
  const auto* checked = dynamic_cast<const Checked*>(&transform);
  const std::string name = transform.GetNameOfClass();
  const bool is_field = dynamic_cast<const Field*>(&transform) != nullptr;
  if (!is_field && (!transform.IsLinear() || (checked == nullptr && transform.GetNumberOfParameters() > 0)))
    throw Error(fmt::format("its {} is neither a linear transform nor a displacement field", name));
  if (checked != nullptr && !checked->is_complete) throw Error(fmt::format("its {} has no parameters", name));
  steps.emplace_back(&transform);
}

/// A field's counts, its origin, spacings, and directions by rows, as numbers one after the other.
nlohmann::json json_of(const Field& field) {
  nlohmann::json numbers = nlohmann::json::array();
  for (const double each : field.GetFixedParameters()) numbers.push_back(each);
  return {{"field", numbers}};
}

/// The matrix by rows, and the offset: a point p is mapped to matrix * p + offset.
nlohmann::json json_of(const InThreeDimensions& transform) {
  if (const auto* field = dynamic_cast<const Field*>(&transform)) return json_of(*field);
  nlohmann::json matrix = nlohmann::json::array(), offset = nlohmann::json::array();
  if (const auto* known = dynamic_cast<const MatrixAndOffset*>(&transform)) {
    for (unsigned row = 0; row < 3; ++row) {
      for (unsigned column = 0; column < 3; ++column) matrix.push_back(known->GetMatrix()(row, column));
      offset.push_back(known->GetOffset()[row]);
    }
  } else {
    const auto mapped = [&](int axis) {
      InThreeDimensions::InputPointType point;
      point.Fill(0);
      if (axis >= 0) point[static_cast<unsigned>(axis)] = 1;
      return transform.TransformPoint(point);
    };
    const auto origin = mapped(-1);
    for (unsigned row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) matrix.push_back(mapped(column)[row] - origin[row]);
      offset.push_back(origin[row]);
    }
  }
  return {{"matrix", matrix}, {"offset", offset}};
}

/// The first line of an exception of ITK, without the place in its source. It may quote any bytes of the file.
std::string reason_of(const itk::ExceptionObject& error) {
  std::string text = error.GetDescription();
  if (text.starts_with("ITK ERROR: ")) text.erase(0, text.find(": ", 11) + 2);
  text = text.substr(0, text.find('\n'));
  if (text.starts_with("Transform IO: ")) return "it is not in the format of its suffix";
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  std::ranges::replace_if(
      text, [](char each) { return each < 0x20 || each > 0x7e; }, '?');
  return text;
}

class ServedTransforms final : public isolation::ServedReader {
 public:
  explicit ServedTransforms(std::filesystem::path path) : path_(std::move(path)) {}

  nlohmann::json answer(const nlohmann::json& request, isolation::NumberSink& numbers) override {
    if (request.at("do") == "field") return put_field(request.at("step"), numbers);
    try {
      const FormatPointer format = format_named(request.at("format"));
      if (request.at("do") == "write") return write(request, *format);
      return read(*format);
    } catch (const itk::ExceptionObject& error) {
      throw Error(fmt::format("ITK refuses it ({})", reason_of(error)));
    } catch (const std::logic_error&) {  // of strings that ITK takes apart
      throw Error("ITK cannot make sense of it");
    }
  }

 private:
  nlohmann::json read(itk::TransformIOBaseTemplate<double>& format) {
    register_transforms();
    isolation::allow_time(std::filesystem::file_size(path_));
    const auto reader = itk::TransformFileReaderTemplate<double>::New();
    reader->SetFileName(path_.string());
    reader->SetTransformIO(&format);
    reader->Update();
    const auto& transforms = *reader->GetModifiableTransformList();
    if (transforms.size() != 1)
      throw Error(fmt::format("it holds {} transforms that no CompositeTransform joins", transforms.size()));
    const auto& transform = *transforms.front();
    const std::string name = transform.GetNameOfClass();
    if (transform.GetInputSpaceDimension() != 3 || transform.GetOutputSpaceDimension() != 3) {
      throw Error(fmt::format("its {} is for {} dimensions, and 3 are needed", name,
                              transform.GetInputSpaceDimension()));
    }
    const auto* known = dynamic_cast<const InThreeDimensions*>(&transform);
    if (known == nullptr) throw Error(fmt::format("its {} is not a transform of positions", name));
    add_steps(*known, steps_);
    if (steps_.empty()) throw Error(fmt::format("its {} is empty", name));
    nlohmann::json steps = nlohmann::json::array();
    for (const auto& each : steps_) steps.push_back(json_of(*each));
    return steps;
  }

  /// The displacements in mm as float32, three for each voxel.
  nlohmann::json put_field(std::size_t step, isolation::NumberSink& numbers) const {
    const auto& parameters = steps_.at(step)->GetParameters();
    constexpr std::uint64_t window = std::uint64_t{4} << 20;
    numbers.put(sizeof(float) * parameters.Size(), window, [&](std::uint64_t begin, std::span<std::byte> to) {
      auto* values = reinterpret_cast<float*>(to.data());
      for (std::size_t i = 0; i < to.size() / sizeof(float); ++i)
        values[i] = static_cast<float>(parameters[begin / sizeof(float) + i]);
    });
    return true;
  }

  nlohmann::json write(const nlohmann::json& request, itk::TransformIOBaseTemplate<double>& format) const {
    const auto transform = Linear::New();
    Linear::MatrixType matrix;
    Linear::OffsetType offset;
    for (unsigned row = 0; row < 3; ++row) {
      for (unsigned column = 0; column < 3; ++column)
        matrix(row, column) = request.at("matrix").at(3 * row + column);
      offset[row] = request.at("offset").at(row);
    }
    transform->SetMatrix(matrix);
    transform->SetOffset(offset);
    const auto writer = itk::TransformFileWriterTemplate<double>::New();
    writer->SetFileName(path_.string());
    writer->SetTransformIO(&format);
    writer->SetInput(transform);
    writer->Update();
    return true;
  }

  std::filesystem::path path_;
  std::vector<InThreeDimensions::ConstPointer> steps_;
};

}  // namespace

std::unique_ptr<isolation::ServedReader> serve_transforms(const std::filesystem::path& path) {
  return std::make_unique<ServedTransforms>(path);
}

}  // namespace isolume::anatomy
