#include "app/scene/files/grid_image.h"

#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>

namespace isolume::scene {

vtkSmartPointer<vtkImageData> grid_image(const grid::ScalarField& field) {
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetDimensions(field.grid.dimensions.data());
  vtkNew<vtkFloatArray> values;
  // VTK's filters only read their input.
  values->SetArray(const_cast<float*>(field.values.data()), static_cast<vtkIdType>(field.values.size()), 1);
  image->GetPointData()->SetScalars(values);
  return image;
}

}  // namespace isolume::scene
