"""Writes RT structure sets and segmentations as other programs do, with pydicom.

usage: make_objects.py CASE FOLDER      writes FOLDER/structures.dcm or FOLDER/segments.dcm

They belong to the image of made_document.h's axial().
"""
import sys
from pathlib import Path

import numpy
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset

RTSTRUCT = "1.2.840.10008.5.1.4.1.1.481.3"
CT = "1.2.840.10008.5.1.4.1.1.2"
SEGMENTATION = "1.2.840.10008.5.1.4.1.1.66.4"
IMPLICIT, EXPLICIT = "1.2.840.10008.1.2", "1.2.840.10008.1.2.1"
ORIGIN, SPACING, SLICES = (-31.5, 12.25, 100.0), (0.8, 1.25, 3.0), 6


def dataset(syntax=IMPLICIT, sop_class=RTSTRUCT):
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = sop_class, "1.2.3.4.5"
    meta.TransferSyntaxUID = syntax
    ds = FileDataset(None, {}, file_meta=meta, preamble=b"\0" * 128)
    ds.is_little_endian, ds.is_implicit_VR = True, syntax == IMPLICIT
    ds.SOPClassUID, ds.SOPInstanceUID = sop_class, "1.2.3.4.5"
    ds.PatientName, ds.PatientID = "Doe^Jane", "4711"
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


def nested(inner="CLOSED_PLANAR"):
    """A ring of squares of 20 and 10 pixels with an island of 4, in another order."""
    return structures([contour(square(2, 15, 25), inner), contour(square(2), inner), contour(square(2, 18, 22), inner)])


def nested_exclusive():
    return nested("CLOSEDPLANAR_XOR")


def crossing_exclusive():
    return structures([contour(square(2, 10, 30), "CLOSEDPLANAR_XOR"), contour(square(2, 20, 40), "CLOSEDPLANAR_XOR")])


def crossing():
    return structures([contour(square(2, 10, 30)), contour(square(2, 20, 40))])


def mixed_exclusive():
    return structures([contour(square(2)), contour(square(2, 15, 25), "CLOSEDPLANAR_XOR"), contour(square(3))])


def crossing_itself():
    """Two triangles that meet in pixel (20, 20)."""
    corners = [(10, 10), (30, 30), (30, 10), (10, 30)]
    return structures([contour([ORIGIN[axis] + SPACING[axis] * (*corner, 2)[axis] for corner in corners for axis in range(3)])])


def outside():
    """Of 48 rows: half outside, wholly outside, and not outside as no pixel's centre beyond the rim lies within."""
    return structures([contour(square(1, -10, 10)), contour(square(2, -30, -10)), contour(square(3, -0.9, 47.9))])


def two_frames():
    ds = structures([contour(square(2))])
    ds.StructureSetROISequence[0].ReferencedFrameOfReferenceUID = "1.2.826.0.1.3680043.10.1.3"
    other = Dataset()
    other.ROINumber, other.ROIName, other.ReferencedFrameOfReferenceUID = 4, "Heart", "9.9.9"
    ds.StructureSetROISequence.append(other)
    return ds


def displaced():
    """By a slice and a pixel; the second one has no slab thickness, without which the vector counts as zero."""
    slab, other = contour(square(2)), contour(square(4))
    slab.ContourOffsetVector, slab.ContourSlabThickness = [SPACING[0], 0, SPACING[2]], SPACING[2]
    other.ContourOffsetVector = [0, 0, SPACING[2]]
    return structures([slab, other])


def comma():
    """write() replaces the point of "-23.5", the left corners."""
    return structures([contour(square(2))])


def two_names():
    ds = structures([contour(square(2))])
    again = Dataset()
    again.ROINumber, again.ROIName = 3, "Heart"
    ds.StructureSetROISequence.append(again)
    return ds


def other_patient():
    ds = plain()
    ds.PatientID = "999"
    return ds


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


def bare():
    """Neither preamble nor meta information."""
    return structures([contour(square(2))])


def deflated():
    return structures([contour(square(2))], syntax="1.2.840.10008.1.2.1.99")


def large_number():
    return structures([contour(square(2))], number=123456)


COLUMNS, ROWS = 64, 48


def box(k):
    """The pixels of slice k: a box that grows with it."""
    mask = numpy.zeros((ROWS, COLUMNS), numpy.uint8)
    mask[5:10 + k, 20:30 + 2 * k] = 1
    return mask


def group(k, segment=1, orientation=(1, 0, 0, 0, 1, 0), offset_px=0, row_px=0):
    item, position, plane, identity = Dataset(), Dataset(), Dataset(), Dataset()
    position.ImagePositionPatient = [ORIGIN[0] + offset_px * SPACING[0], ORIGIN[1] + row_px * SPACING[1], ORIGIN[2] + SPACING[2] * k]
    plane.ImageOrientationPatient = list(orientation)
    identity.ReferencedSegmentNumber = segment
    item.PlanePositionSequence, item.PlaneOrientationSequence = [position], [plane]
    item.SegmentIdentificationSequence = [identity]
    return item


def segments(groups, frames, fractional=False):
    ds = dataset(EXPLICIT, SEGMENTATION)
    segment, other = Dataset(), Dataset()
    segment.SegmentNumber, segment.SegmentLabel = 1, "Box"
    other.SegmentNumber, other.SegmentLabel = 2, "Other"
    ds.SegmentSequence = [segment, other]
    ds.Rows, ds.Columns, ds.NumberOfFrames, ds.SamplesPerPixel = ROWS, COLUMNS, len(frames), 1
    ds.PixelRepresentation, ds.HighBit = 0, 7 if fractional else 0
    ds.BitsAllocated = ds.BitsStored = 8 if fractional else 1
    ds.SegmentationType = "FRACTIONAL" if fractional else "BINARY"
    stack = numpy.stack(frames)
    if fractional:
        ds.SegmentationFractionalType, ds.MaximumFractionalValue = "PROBABILITY", 200
        ds.PixelData = stack.tobytes()
    else:
        ds.PixelData = numpy.packbits(stack.ravel(), bitorder="little").tobytes()
    ds["PixelData"].VR = "OB"
    measures, shared = Dataset(), Dataset()
    measures.PixelSpacing, measures.SliceThickness = [SPACING[1], SPACING[0]], SPACING[2]
    shared.PixelMeasuresSequence = [measures]
    ds.SharedFunctionalGroupsSequence, ds.PerFrameFunctionalGroupsSequence = [shared], groups
    return ds


def seg_reversed():
    order = [4, 3, 1]
    return segments([group(k) for k in order], [box(k) for k in order])


def seg_fractional():
    """Above one half within the box, just one half in another row."""
    frame = box(2) * 101
    frame[40, :] = 100
    return segments([group(2)], [frame], fractional=True)


def seg_shifted():
    """The last frame is six tenths of a spacing beyond the last slice."""
    return segments([group(2.4), group(5.6)], [box(2), box(5)])


def seg_flipped():
    """From the image's last column to its first, and from its last row."""
    return segments([group(2, orientation=(-1, 0, 0, 0, 1, 0), offset_px=COLUMNS - 1),
                     group(3, orientation=(-1, 0, 0, 0, -1, 0), offset_px=COLUMNS - 1, row_px=ROWS - 1)],
                    [box(2)[:, ::-1], box(3)[::-1, ::-1]])


def seg_transposed():
    ds = segments([group(2, orientation=(0, 1, 0, 1, 0, 0))], [box(2).T])
    ds.Rows, ds.Columns = COLUMNS, ROWS
    ds.SharedFunctionalGroupsSequence[0].PixelMeasuresSequence[0].PixelSpacing = [SPACING[0], SPACING[1]]
    return ds


def seg_cut():
    """The box alone, and a frame that hangs over the image's left edge by two columns of three."""
    part = numpy.ones((7, 14), numpy.uint8)
    over = numpy.zeros((7, 14), numpy.uint8)
    over[:, :3] = 1
    ds = segments([group(2, offset_px=20, row_px=5), group(3, offset_px=-2, row_px=5)], [part, over])
    ds.Rows, ds.Columns = part.shape
    return ds


def seg_turned():
    cosine, sine = numpy.cos(0.05), numpy.sin(0.05)
    return segments([group(2, orientation=(cosine, sine, 0, -sine, cosine, 0))], [box(2)])


def seg_off_the_grid():
    return segments([group(2, offset_px=0.5)], [box(2)])


def seg_overlapping():
    return segments([group(2), group(2, segment=2), group(2, segment=9)], [box(2)] * 3)


def with_distance(ds, thickness, between=None):
    measures = ds.SharedFunctionalGroupsSequence[0].PixelMeasuresSequence[0]
    measures.SliceThickness = thickness
    if between:
        measures.SpacingBetweenSlices = between
    return ds


def seg_thick():
    return with_distance(segments([group(0), group(2)], [box(2)] * 2), 6, 6)


def seg_perhaps_thick():
    return with_distance(segments([group(1), group(3)], [box(2)] * 2), 6)


def seg_overlapping_slices():
    return with_distance(segments([group(1), group(2)], [box(1), box(2)]), 6)


def seg_thin():
    return with_distance(segments([group(1), group(1.5)], [box(1), box(2)]), 1.5, 1.5)


def seg_two_of_one_number():
    ds = segments([group(2)], [box(2)])
    ds.SegmentSequence[1].SegmentNumber = 1
    return ds


def seg_comma():
    """write() replaces the point of "-31.5", the position."""
    return segments([group(2)], [box(2)])


def seg_label_map():
    """Segments 1 and 2 on slice 2, the latter in one row of the box; slice 3 all of 2 but for a row of 9."""
    first, second = box(2), numpy.full((ROWS, COLUMNS), 2, numpy.uint8)
    first[5][first[5] == 1] = 2
    second[0, :] = 9
    second[1, :] = 2
    frames = [first, second]
    ds = segments([group(2), group(3)], frames, fractional=True)
    ds.SOPClassUID = ds.file_meta.MediaStorageSOPClassUID = "1.2.840.10008.5.1.4.1.1.66.7"
    ds.SegmentationType = "LABELMAP"
    background = Dataset()
    background.SegmentNumber, background.SegmentLabel = 0, "Background"
    ds.SegmentSequence.insert(0, background)
    for item in ds.PerFrameFunctionalGroupsSequence:
        del item.SegmentIdentificationSequence
    return ds


def pack_bits(row):
    """PS3.5 G.3.1: runs, and bytes as they are."""
    packed, at = bytearray(), 0
    while at < len(row):
        end = at + 1
        while end < len(row) and row[end] == row[at] and end - at < 128:
            end += 1
        packed += bytes([257 - (end - at), row[at]]) if end - at > 1 else bytes([0, row[at]])
        at = end
    return bytes(packed)


def rle(frame):
    packed = b"".join(pack_bits(row.tobytes()) for row in frame)
    return (numpy.array([1, 64] + [0] * 14, "<u4").tobytes() + packed) + b"\0" * (len(packed) % 2)


def seg_rle():
    from pydicom.encaps import encapsulate
    frames = [box(2) * 200, box(3) * 200]
    ds = segments([group(2), group(3)], frames, fractional=True)
    ds.file_meta.TransferSyntaxUID = "1.2.840.10008.1.2.5"
    ds.PixelData = encapsulate([rle(frame) for frame in frames])
    ds["PixelData"].is_undefined_length = True
    return ds


def seg_without_positions():
    item = group(4)
    del item.PlanePositionSequence
    derivation, source = Dataset(), Dataset()
    source.ReferencedSOPClassUID, source.ReferencedSOPInstanceUID = CT, "1.2.826.0.1.3680043.10.1.4.5"
    derivation.SourceImageSequence = [source]
    item.DerivationImageSequence = [derivation]
    return segments([item], [box(4)])


def seg_of_another():
    ds = segments([group(2)], [box(2)])
    ds.PatientID, ds.StudyInstanceUID, ds.FrameOfReferenceUID = "999", "9.9.8", "9.9.9"
    return ds


def seg_too_few_pixels():
    ds = segments([group(2), group(3)], [box(2), box(3)])
    ds.PixelData = ds.PixelData[:-2]
    return ds


def seg_more_frames_than_described():
    ds = segments([group(2)], [box(2)])
    ds.NumberOfFrames = 2000000000
    return ds


GAP_ORIGIN, GAP_SPACING = (-10.0, -20.0), (0.75, 0.5)
GAP_HEIGHTS = (0, 2.5, 5, 12.5, 15, 17)  # two slices are missing, the last is nearer than the others


def slice_at(number, height):
    ds = dataset(EXPLICIT, CT)
    ds.SOPInstanceUID = ds.file_meta.MediaStorageSOPInstanceUID = f"1.2.3.4.6.{number}"
    ds.StudyInstanceUID, ds.SeriesInstanceUID, ds.FrameOfReferenceUID = "1.2.3.4.1", "1.2.3.4.2", "1.2.3.4.3"
    ds.Modality, ds.InstanceNumber = "CT", number
    ds.ImagePositionPatient, ds.ImageOrientationPatient = [*GAP_ORIGIN, height], [1, 0, 0, 0, 1, 0]
    ds.PixelSpacing = [GAP_SPACING[1], GAP_SPACING[0]]
    ds.Rows, ds.Columns, ds.SamplesPerPixel, ds.PhotometricInterpretation = 32, 40, 1, "MONOCHROME2"
    ds.BitsAllocated, ds.BitsStored, ds.HighBit, ds.PixelRepresentation = 16, 16, 15, 0
    ds.PixelData = numpy.zeros((32, 40), "<u2").tobytes()
    return ds


def series_with_gap(folder):
    """A series, and contours on each of its slices and where two are missing."""
    (Path(folder) / "series").mkdir()
    for number, height in enumerate(GAP_HEIGHTS):
        slice_at(number, height).save_as(Path(folder) / "series" / f"{number}.dcm", write_like_original=False)
    corners = [(10, 10), (30, 10), (30, 30), (10, 30)]
    drawn = [contour([value for corner in corners
                      for value in (*(GAP_ORIGIN[axis] + GAP_SPACING[axis] * corner[axis] for axis in (0, 1)), height)])
             for height in (*GAP_HEIGHTS, 7.5, 10)]
    return structures(drawn)


def write(ds, folder):
    name = "structures.dcm" if ds.SOPClassUID == RTSTRUCT else "segments.dcm"
    path = Path(folder) / name
    ds.save_as(path, write_like_original=False)
    if sys.argv[1] in ("comma", "seg_comma"):
        path.write_bytes(path.read_bytes().replace(b"-23.5", b"-23,5").replace(b"-31.5", b"-31,5"))
    if sys.argv[1] == "bare":
        content = path.read_bytes()
        path.write_bytes(content[132 + 12 + int.from_bytes(content[140:144], "little"):])  # group 2 gives its length


CASES = {each.__name__: each for each in
         (plain, repeated_first_point, without_type_and_names, empty_contours, no_contours, exclusive, keyhole, oblique,
          mixed_exclusive, crossing_itself, outside, two_frames, displaced, comma,
          seg_thick, seg_perhaps_thick, seg_overlapping_slices, seg_thin, seg_two_of_one_number, seg_comma,
          nested, nested_exclusive, crossing, crossing_exclusive, two_names, other_patient, wrong_count, not_three_each, other_frame, latin1, wrong_character_set, explicit, bare, deflated, large_number,
          seg_reversed, seg_fractional, seg_shifted, seg_flipped, seg_transposed, seg_cut, seg_turned, seg_off_the_grid, seg_overlapping,
          seg_label_map, seg_rle, seg_without_positions, seg_of_another, seg_too_few_pixels, seg_more_frames_than_described, series_with_gap)}
CASES |= {"shifted_0.4": lambda: shifted(0.4), "shifted_0.6": lambda: shifted(0.6)}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CASES:
        sys.exit(__doc__)
    made = CASES[sys.argv[1]]
    write(made(sys.argv[2]) if made is series_with_gap else made(), sys.argv[2])
