"""Writes RT structure sets as other programs do, with pydicom.

usage: make_objects.py CASE FOLDER      writes FOLDER/structures.dcm

They belong to the image of made_document.h's axial().
"""
import sys
from pathlib import Path

from pydicom.dataset import Dataset, FileDataset, FileMetaDataset

RTSTRUCT = "1.2.840.10008.5.1.4.1.1.481.3"
IMPLICIT, EXPLICIT = "1.2.840.10008.1.2", "1.2.840.10008.1.2.1"
ORIGIN, SPACING, SLICES = (-31.5, 12.25, 100.0), (0.8, 1.25, 3.0), 6


def dataset(syntax=IMPLICIT):
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = RTSTRUCT, "1.2.3.4.5"
    meta.TransferSyntaxUID = syntax
    ds = FileDataset(None, {}, file_meta=meta, preamble=b"\0" * 128)
    ds.is_little_endian, ds.is_implicit_VR = True, syntax == IMPLICIT
    ds.SOPClassUID, ds.SOPInstanceUID, ds.Modality = RTSTRUCT, "1.2.3.4.5", "RTSTRUCT"
    ds.PatientName, ds.PatientID = "Doe^Jane", "1"
    return ds


def square(k, low=10, high=30, hole=None):
    """Points in mm on slice k, which need not be whole; corners at pixels."""
    corners = [(low, low), (high, low), (high, high), (low, high)]
    if hole:
        inner = [(hole[0], hole[0]), (hole[0], hole[1]), (hole[1], hole[1]), (hole[1], hole[0])]
        corners = [corners[0], inner[0], *inner[1:], inner[0], corners[0], *corners[1:]]
    return [ORIGIN[axis] + SPACING[axis] * (*corner, k)[axis] for corner in corners for axis in range(3)]


def contour(data, kind="CLOSED_PLANAR", count=None):
    item = Dataset()
    if kind:
        item.ContourGeometricType = kind
    item.NumberOfContourPoints = len(data) // 3 if count is None else count
    item.ContourData = [f"{value:.10g}" for value in data]
    return item


def structures(contours, name="Lung", number=3, syntax=IMPLICIT):
    ds = dataset(syntax)
    roi = Dataset()
    roi.ROINumber, roi.ROIName = number, name
    ds.StructureSetROISequence = [roi]
    drawn = Dataset()
    drawn.ReferencedROINumber, drawn.ROIDisplayColor, drawn.ContourSequence = number, [255, 0, 128], contours
    ds.ROIContourSequence = [drawn]
    return ds


def plain():
    return structures([contour(square(k)) for k in range(SLICES)])


def shifted(part):
    return structures([contour(square(k + part)) for k in range(SLICES)])


def repeated_first_point():
    data = square(2)
    return structures([contour(data + data[:3])])


def without_type_and_names():
    ds = structures([contour(square(1), kind=None)])
    del ds.StructureSetROISequence
    return ds


def empty_contours():
    empty = contour([])
    return structures([empty, contour(square(0))])


def no_contours():
    ds = structures([])
    del ds.ROIContourSequence
    return ds


def exclusive():
    return structures([contour(square(2, 15, 20), "CLOSEDPLANAR_XOR"), contour(square(2), "CLOSEDPLANAR_XOR")])


def keyhole():
    return structures([contour(square(2, hole=(15, 20)))])


def oblique():
    data = square(2)
    data[2] += 4.0
    return structures([contour(data), contour(square(3))])


def wrong_count():
    return structures([contour(square(2), count=77)])


def not_three_each():
    return structures([contour(square(2)[:-1]), contour(square(3))])


def other_frame():
    ds = plain()
    frame = Dataset()
    frame.FrameOfReferenceUID = "1.2.3.99"
    ds.ReferencedFrameOfReferenceSequence = [frame]
    return ds


def latin1():
    ds = structures([contour(square(2))], name="Hüfte")
    ds.SpecificCharacterSet = "ISO_IR 100"
    return ds


def wrong_character_set():
    """Bytes of Latin-1 that call themselves UTF-8."""
    ds = structures([contour(square(2))])
    ds.SpecificCharacterSet = "ISO_IR 192"
    ds.StructureSetROISequence[0].add_new(0x30060026, "UN", "Hüfte ".encode("latin-1"))
    return ds


def explicit():
    return structures([contour(square(2))], syntax=EXPLICIT)


def large_number():
    return structures([contour(square(2))], number=123456)


def write(ds, folder):
    ds.save_as(Path(folder) / "structures.dcm", write_like_original=False)


CASES = {each.__name__: each for each in
         (plain, repeated_first_point, without_type_and_names, empty_contours, no_contours, exclusive, keyhole, oblique,
          wrong_count, not_three_each, other_frame, latin1, wrong_character_set, explicit, large_number)}
CASES |= {"shifted_0.4": lambda: shifted(0.4), "shifted_0.6": lambda: shifted(0.6)}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CASES:
        sys.exit(__doc__)
    write(CASES[sys.argv[1]](), sys.argv[2])
