"""Compares RT structure sets and segmentations with what they should hold, read by pydicom.

usage: check_objects.py rtstruct|segmentation FILE EXPECTED.json      ends with 1, and says why, where they differ
"""
import json
import sys

import numpy
import pydicom


def check(condition, what):
    if not condition:
        sys.exit(f"check_objects.py: {what}")


def check_rtstruct(ds, expected):
    check(ds.SOPClassUID == "1.2.840.10008.5.1.4.1.1.481.3", "SOP class")
    check(ds.SpecificCharacterSet == "ISO_IR 192", "character set")
    check(str(ds.PatientName) == expected["patient_name"], f"patient {ds.PatientName}")
    check(ds.StudyInstanceUID == expected["study"], "study")
    frame = ds.ReferencedFrameOfReferenceSequence[0]
    check(frame.FrameOfReferenceUID == expected["frame_of_reference"], "frame of reference")
    series = frame.RTReferencedStudySequence[0].RTReferencedSeriesSequence[0]
    check(series.SeriesInstanceUID == expected["series"], "series")
    check([each.ReferencedSOPInstanceUID for each in series.ContourImageSequence]
          == list(dict.fromkeys(expected["instances"])), "images of the series")
    names = {roi.ROINumber: roi.ROIName for roi in ds.StructureSetROISequence}
    observed = {each.ReferencedROINumber for each in ds.RTROIObservationsSequence}
    check(observed == set(names), "observations")
    wanted = list(expected["contours"])
    for roi in ds.ROIContourSequence:
        for contour in roi.ContourSequence:
            points = numpy.array(contour.ContourData, float).reshape(-1, 3)
            check(contour.NumberOfContourPoints == len(points), "number of points")
            matching = [each for each in wanted if each["label"] == roi.ReferencedROINumber
                        and len(each["points"]) == len(points) and numpy.allclose(each["points"], points, atol=1e-3)]
            check(len(matching) == 1, f"a contour of {names[roi.ReferencedROINumber]} with {len(points)} points")
            wanted.remove(matching[0])
            check(names[roi.ReferencedROINumber] == matching[0]["name"], "name")
            check(contour.ContourGeometricType == matching[0]["kind"], contour.ContourGeometricType)
            check_image(contour, matching[0]["slice"], expected)
    check(not wanted, f"{len(wanted)} contours are missing")


def check_image(contour, slice_id, expected):
    axis, k = slice_id
    if axis != 2:
        check("ContourImageSequence" not in contour, "an image of a contour across slices")
        return
    image = contour.ContourImageSequence[0]
    check(image.ReferencedSOPInstanceUID == expected["instances"][k], "instance of the slice")
    check(image.get("ReferencedFrameNumber", 0) == expected["frames"][k], "frame of the slice")


def check_segmentation(ds, expected):
    check(ds.SegmentationType == "BINARY" and ds.BitsAllocated == 1, "binary")
    check(str(ds.PatientName) == expected["patient_name"], f"patient {ds.PatientName}")
    names = {segment.SegmentNumber: segment.SegmentLabel for segment in ds.SegmentSequence}
    bits = numpy.unpackbits(numpy.frombuffer(ds.PixelData, numpy.uint8), bitorder="little")
    size = ds.Rows * ds.Columns
    shared = ds.SharedFunctionalGroupsSequence[0]
    check(numpy.allclose(shared.PlaneOrientationSequence[0].ImageOrientationPatient, expected["orientation"], atol=1e-6),
          "orientation")
    check(numpy.allclose(shared.PixelMeasuresSequence[0].PixelSpacing, expected["pixel_spacing"]), "spacing")
    check(ds.NumberOfFrames == len(expected["frames"]) == len(ds.PerFrameFunctionalGroupsSequence), "frames")
    for number, (group, wanted) in enumerate(zip(ds.PerFrameFunctionalGroupsSequence, expected["frames"])):
        segment = group.SegmentIdentificationSequence[0].ReferencedSegmentNumber
        check(names[segment] == wanted["name"], f"frame {number}: segment {names[segment]}")
        position = group.PlanePositionSequence[0].ImagePositionPatient
        check(numpy.allclose(position, wanted["position"], atol=1e-3), f"frame {number}: position {position}")
        source = group.DerivationImageSequence[0].SourceImageSequence[0]
        check(source.ReferencedSOPInstanceUID == wanted["instance"], f"frame {number}: source image")
        check(source.get("ReferencedFrameNumber", 0) == wanted["source_frame"], f"frame {number}: frame of the source")
        frame = bits[number * size:(number + 1) * size]
        check(numpy.flatnonzero(frame).tolist() == wanted["pixels"], f"frame {number}: pixels")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    ds = pydicom.dcmread(sys.argv[2])
    with open(sys.argv[3], encoding="utf-8") as file:
        expected = json.load(file)
    {"rtstruct": check_rtstruct, "segmentation": check_segmentation}[sys.argv[1]](ds, expected)


if __name__ == "__main__":
    main()
