"""Writes vtk-*.vti: v = i + 10 j + 100 k on 5 x 4 x 3 points, steps 0.5, 0.75 and 1.25 angstrom, first point (-1.5, 2.25, 10);
in vtk-base64.vti the axes x and y are turned by 90 degrees about z, and indices begin at (2, -1, 3).

python3-vtk9 of Debian 12 (VTK 9.1.0)
"""
import vtk

def image(kind, first=(0, 0, 0), turned=False):
    image = vtk.vtkImageData()
    image.SetExtent(first[0], first[0] + 4, first[1], first[1] + 3, first[2], first[2] + 2)
    image.SetSpacing(0.5, 0.75, 1.25)
    image.SetOrigin(-1.5, 2.25, 10)
    if turned:
        image.SetDirectionMatrix(0, -1, 0, 1, 0, 0, 0, 0, 1)
    charge = vtk.vtkFloatArray()
    charge.SetName("charge")
    field = vtk.vtkFloatArray()
    field.SetName("field")
    field.SetNumberOfComponents(3)
    values = kind()
    values.SetName("potential <phi> (mV)")
    for k in range(3):
        for j in range(4):
            for i in range(5):
                values.InsertNextValue(i + 10 * j + 100 * k)
                charge.InsertNextValue(-7)
                field.InsertNextTuple3(1, 2, 3)
    field.GetRange(-1)  # VTK tells it of arrays with components, as elements within theirs
    for array in field, charge:
        image.GetPointData().AddArray(array)
    image.GetPointData().SetScalars(values)
    return image

def write(name, image, change):
    writer = vtk.vtkXMLImageDataWriter()
    writer.SetFileName(name)
    writer.SetInputData(image)
    change(writer)
    writer.Write()

def text(writer):
    writer.SetDataModeToAscii()

def inline(writer):
    writer.SetDataModeToBinary()
    writer.SetBlockSize(64)

def base64(writer):
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOn()
    writer.SetHeaderTypeToUInt64()

def raw(writer):
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOff()
    writer.SetCompressorTypeToNone()
    writer.SetByteOrderToBigEndian()

write("vtk-text.vti", image(vtk.vtkDoubleArray), text)
write("vtk-inline.vti", image(vtk.vtkDoubleArray), inline)
write("vtk-base64.vti", image(vtk.vtkFloatArray, (2, -1, 3), True), base64)
write("vtk-raw.vti", image(vtk.vtkFloatArray), raw)
