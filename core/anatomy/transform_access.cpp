#include "core/anatomy/transform_access.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <itkAffineTransform.h>
#include <itkHDF5TransformIO.h>
#include <itkMatlabTransformIO.h>
#include <itkTransformFactory.h>
#include <itkTransformFileReader.h>
#include <itkTransformFileWriter.h>
#include <itkTxtTransformIO.h>

#include "core/base/error.h"

namespace isolume::anatomy {
namespace {

using Linear = itk::AffineTransform<double, 3>;
using MatrixAndOffset = itk::MatrixOffsetTransformBase<double, 3, 3>;
using InThreeDimensions = itk::Transform<double, 3, 3>;
using FormatPointer = itk::TransformIOBaseTemplate<double>::Pointer;

FormatPointer format_named(const std::string& name) {
  if (name == "text") return itk::TxtTransformIOTemplate<double>::New().GetPointer();
  if (name == "matlab") return itk::MatlabTransformIOTemplate<double>::New().GetPointer();
  return itk::HDF5TransformIOTemplate<double>::New().GetPointer();
}

/// The matrix by rows, and the offset: a point p is mapped to matrix * p + offset.
nlohmann::json json_of(const InThreeDimensions& transform) {
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

/// The lines of an exception of ITK, without the places in its source.
std::string reason_of(const itk::ExceptionObject& error) {
  std::string text = error.GetDescription();
  if (text.starts_with("ITK ERROR: ")) text.erase(0, text.find(": ", 11) + 2);
  text = text.substr(0, text.find('\n'));
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text;
}

class ServedTransforms final : public isolation::ServedReader {
 public:
  explicit ServedTransforms(std::filesystem::path path) : path_(std::move(path)) {}

  nlohmann::json answer(const nlohmann::json& request, isolation::NumberSink& /*numbers*/) override {
    try {
      const FormatPointer format = format_named(request.at("format"));
      if (request.at("do") == "write") return write(request, *format);
      return read(*format);
    } catch (const itk::ExceptionObject& error) {
      throw Error(fmt::format("ITK refuses it ({})", reason_of(error)));
    }
  }

 private:
  nlohmann::json read(itk::TransformIOBaseTemplate<double>& format) const {
    itk::TransformFactoryBase::RegisterDefaultTransforms();
    itk::TransformFactory<
        MatrixAndOffset>::RegisterTransform();  // ANTs writes it, and ITK does not register it
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
    if (known == nullptr || !known->IsLinear()) throw Error(fmt::format("its {} is not linear", name));
    return json_of(*known);
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
};

}  // namespace

std::unique_ptr<isolation::ServedReader> serve_transforms(const std::filesystem::path& path) {
  return std::make_unique<ServedTransforms>(path);
}

}  // namespace isolume::anatomy
