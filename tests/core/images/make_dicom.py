"""Writes DICOM files with pydicom, which shares no code with the readers tested.

usage: make_dicom.py CASE FOLDER

A voxel (i, j, k) holds `stored(i, j, k)`, the same formula as in read_dicom_test.cpp.
"""
import gzip
import io
import struct
import sys
from pathlib import Path

import numpy
import pydicom
import pydicom.encaps
from PIL import Image
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.sequence import Sequence
from pydicom.uid import generate_uid

COLUMNS, ROWS, SLICES = 6, 5, 4
CT = "1.2.840.10008.5.1.4.1.1.2"
ENHANCED_CT = "1.2.840.10008.5.1.4.1.1.2.1"
PET = "1.2.840.10008.5.1.4.1.1.128"
ULTRASOUND = "1.2.840.10008.5.1.4.1.1.6.1"
ULTRASOUND_CINE = "1.2.840.10008.5.1.4.1.1.3.1"
IMPLICIT, EXPLICIT = "1.2.840.10008.1.2", "1.2.840.10008.1.2.1"
DEFLATED, BIG_ENDIAN = "1.2.840.10008.1.2.1.99", "1.2.840.10008.1.2.2"
RLE, JPEG_BASELINE, JPEG_2000 = (f"1.2.840.10008.1.2.{kind}" for kind in ("5", "4.50", "4.91"))
AXIAL = [1, 0, 0, 0, 1, 0]


def stored(k, dtype=numpy.int16):
    j, i = numpy.mgrid[0:ROWS, 0:COLUMNS]
    return (7 * i + 11 * j + 13 * k - 50).astype(dtype)


def dataset(sop_class, series="1.2.3.4", syntax=EXPLICIT):
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = sop_class
    meta.MediaStorageSOPInstanceUID = generate_uid()
    meta.TransferSyntaxUID = syntax
    ds = FileDataset(None, {}, file_meta=meta, preamble=b"\0" * 128)
    ds.is_little_endian = syntax != BIG_ENDIAN
    ds.is_implicit_VR = syntax == IMPLICIT
    ds.SOPClassUID, ds.SOPInstanceUID = sop_class, meta.MediaStorageSOPInstanceUID
    ds.SeriesInstanceUID, ds.StudyInstanceUID, ds.FrameOfReferenceUID = series, "1.2.3", "1.2.3.9"
    ds.PatientName, ds.PatientID, ds.Modality = "Doe^Jane", "4711", "CT"
    ds.StudyDate, ds.SeriesDescription = "20200102", "phantom"
    return ds


def set_pixels(ds, array, signed=None, bits_stored=None):
    big = not ds.is_little_endian
    ds.Rows, ds.Columns = array.shape[-2:]
    ds.SamplesPerPixel, ds.PhotometricInterpretation = 1, "MONOCHROME2"
    ds.BitsAllocated = 8 * array.dtype.itemsize
    ds.BitsStored = bits_stored or ds.BitsAllocated
    ds.HighBit = ds.BitsStored - 1
    ds.PixelRepresentation = int(array.dtype.kind == "i" if signed is None else signed)
    ds.PixelData = array.astype(array.dtype.newbyteorder(">" if big else "<")).tobytes()
    ds["PixelData"].VR = "OW"


def ct_slice(k, position=None, orientation=AXIAL, array=None, syntax=EXPLICIT, **more):
    ds = dataset(CT, syntax=syntax)
    ds.InstanceNumber = more.pop("number", SLICES - k)  # the other way round than along the normal
    ds.ImagePositionPatient = [-10, -20, 30 + 2.5 * k] if position is None else [f"{c:.6f}" for c in position]
    ds.ImageOrientationPatient = [f"{c:.10f}" for c in orientation]
    ds.PixelSpacing = [0.5, 0.75]  # rows, columns: y, x
    ds.RescaleSlope, ds.RescaleIntercept = more.pop("rescale", (1, -1024))
    set_pixels(ds, stored(k) if array is None else array)
    for key, value in more.items():
        setattr(ds, key, value)
    return ds


def save(folder, name, ds):
    path = Path(folder) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    ds.save_as(path, write_like_original=False)
    return path


def series(folder, slices, prefix=""):
    for number, ds in enumerate(slices):
        save(folder, f"{prefix}{number:03d}", ds)


def axial(folder, syntax=EXPLICIT):
    for k in (2, 0, 3, 1):
        ds = ct_slice(k, syntax=syntax)
        ds.SpecificCharacterSet, ds.PatientName = "ISO_IR 100", "M\u00fcller^J\u00f6rg"
        ds.WindowCenter, ds.WindowWidth = [40, -600], [400, 1500]
        ds.WindowCenterWidthExplanation = ["SOFT", "LUNG"]
        save(folder, f"sub/{k}", ds)
    (Path(folder) / "notes.txt").write_text("no DICOM")


def no_rescale(folder):
    ds = ct_slice(0)
    del ds.RescaleSlope, ds.RescaleIntercept
    save(folder, "image.dcm", ds)


def with_lut(ds, first, values, kind, bits=16, vr="US"):
    """PS3.3 C.11.1: entries of 8 bits are bytes."""
    del ds.RescaleSlope, ds.RescaleIntercept
    table = Dataset()
    table.LUTDescriptor, table.ModalityLUTType = [len(values) % 65536, first, bits], kind
    data = numpy.array(values, "<u2" if bits > 8 else "u1").tobytes()
    table.LUTData = data + b"\0" * (len(data) % 2)
    table["LUTDescriptor"].VR, table["LUTData"].VR = vr, "OW"
    ds.ModalityLUTSequence = Sequence([table])
    return ds


def modality_lut(folder):
    """Stored numbers from -50 on, a table for each slice."""
    for k in range(SLICES):
        values = [1000 * (k + 1) + entry * entry for entry in range(40 + k)]
        save(folder, f"IM{k}", with_lut(ct_slice(k), -30 - k, values, "HU", vr="SS"))


def modality_luts(folder):
    """One image each: unsigned numbers, bytes, every number that there is, and what cannot be used."""
    unsigned = stored(0).astype(numpy.uint16) + 50
    save(folder, "unsigned.dcm", with_lut(ct_slice(0, array=unsigned), 43, [1000, 40000, 65535], "OD"))
    save(folder, "implicit.dcm", with_lut(ct_slice(0, syntax=IMPLICIT), -7, [7, 9, 11], "HU", vr="SS"))
    save(folder, "bytes.dcm", with_lut(ct_slice(0), 0, [5, 250, 17], "PCT", bits=8, vr="SS"))
    whole = [(3 * entry + 1) % 65536 for entry in range(65536)]
    save(folder, "whole.dcm", with_lut(ct_slice(0, array=unsigned + 60000), 0, whole, "US"))
    both = with_lut(ct_slice(0), -7, [7, 9, 11], "HU", vr="SS")
    both.RescaleSlope, both.RescaleIntercept = 2, 1
    save(folder, "both.dcm", both)
    cut = with_lut(ct_slice(0), 0, [5, 250, 17], "HU", vr="SS")
    cut.ModalityLUTSequence[0].LUTData = b"\5\0"
    save(folder, "cut.dcm", cut)


def big_endian(folder):
    axial(folder, BIG_ENDIAN)


def implicit(folder):
    axial(folder, IMPLICIT)


def deflated(folder):
    axial(folder, DEFLATED)


def rle(folder):
    for k in range(SLICES):
        ds = ct_slice(k)
        ds.compress(RLE)
        save(folder, str(k), ds)


def rotation():
    """Turned by 30 degrees about z, then by 20 about x."""
    a, b = numpy.radians(30), numpy.radians(20)
    about_z = numpy.array([[numpy.cos(a), -numpy.sin(a), 0], [numpy.sin(a), numpy.cos(a), 0], [0, 0, 1]])
    about_x = numpy.array([[1, 0, 0], [0, numpy.cos(b), -numpy.sin(b)], [0, numpy.sin(b), numpy.cos(b)]])
    return about_x @ about_z


def oblique(folder):
    turned = rotation()
    series(folder, [ct_slice(k, numpy.array([-10, -20, 30]) + 2.5 * k * turned[:, 2],
                             [*turned[:, 0], *turned[:, 1]]) for k in range(SLICES)])


def sagittal(folder):
    series(folder, [ct_slice(k, [5 - 2.5 * k, -20, 30], [0, 1, 0, 0, 0, -1]) for k in range(SLICES)])


def tilted(folder):
    shift = 2.5 * numpy.tan(numpy.radians(15))
    series(folder, [ct_slice(k, [-10, -20 + shift * k, 30 + 2.5 * k]) for k in range(SLICES)])


def gap(folder):
    series(folder, [ct_slice(k, [0, 0, 2.5 * (k if k < 3 else k + 2)]) for k in range(6)])


def unequal(folder):
    series(folder, [ct_slice(k, [0, 0, z]) for k, z in enumerate([0, 2, 4.2, 6, 8])])


def micrometres(folder):
    series(folder, [ct_slice(k, [1, 2, 0.004 * k], PixelSpacing=[0.003, 0.002]) for k in range(SLICES)])


def echoes(folder):
    series(folder, [ct_slice(k + 10 * (echo - 1), [0, 0, 2.5 * k], EchoNumbers=echo, number=2 * k + 3 - echo)
                    for k in range(SLICES) for echo in (1, 2)])


def phases(folder):
    """Three phases, told apart by their temporal position; the acquisition grows from slice to slice."""
    series(folder, [ct_slice(k + 10 * phase, [0, 0, 2.5 * k], TemporalPositionIdentifier=phase + 1,
                             AcquisitionNumber=k + 1) for k in range(SLICES) for phase in range(3)])


def private_b_values(folder):
    """b = 0 and 700 at each place, in an element of each maker; three directions at b = 700, as diffusion series have."""
    kinds = {"siemens": (0x0019, "SIEMENS MR HEADER", 0x0c, "IS", lambda b: b),
             "ge": (0x0043, "GEMS_PARM_01", 0x39, "IS", lambda b: [1000000000 + b, 8, 0, 0]),
             "philips": (0x2001, "Philips Imaging DD 001", 0x03, "FL", lambda b: b),
             "uih": (0x0065, "Image Private Header", 0x09, "FD", lambda b: b)}
    for name, (group, creator, element, vr, value) in kinds.items():
        for syntax in (EXPLICIT, IMPLICIT):
            for k in range(SLICES):
                for number, b in enumerate((700, 0, 700, 700)):
                    ds = ct_slice(k, syntax=syntax, number=number * SLICES + k + 1)
                    block = ds.private_block(group, creator, create=True)
                    block.add_new(element, vr, value(b))
                    save(folder, f"{name}-{'implicit' if syntax == IMPLICIT else 'explicit'}/{number}-{k}", ds)


def odd_b_values(folder):
    for name, b in {"comma": "700,5 ", "word": "high "}.items():
        ds = ct_slice(0)
        ds.private_block(0x0019, "SIEMENS MR HEADER", create=True).add_new(0x0c, "UN", b.encode())
        save(folder, f"{name}.dcm", ds)


def both_monochromes(folder):
    for k in range(SLICES):
        save(folder, str(k), ct_slice(k, PhotometricInterpretation="MONOCHROME1" if k == 2 else "MONOCHROME2"))


def repetitions(folder):
    """Nothing but the instance number tells them apart."""
    series(folder, [ct_slice(k + 10 * again, [0, 0, 2.5 * k], number=1 + k + SLICES * again)
                    for again in (1, 0) for k in range(SLICES)])


def in_time(k, again, **more):
    """The slice k of repetition `again`, whose numbers are ten slices on."""
    return ct_slice(k + 10 * again, [0, 0, 2.5 * k], **more)


def told_apart(folder):
    """Two volumes of four slices, whose instance numbers say nothing: shuffled, or the same in both."""
    shuffled = [5, 2, 8, 3, 1, 7, 4, 6]
    ways = {"types": lambda k, again: {"ImageType": ["DERIVED", "PRIMARY", "DIXON", ("FAT", "WATER")[again]]},
            "complex": lambda k, again: {"ComplexImageComponent": ("MAGNITUDE", "PHASE")[again]},
            "gradients": lambda k, again: {"DiffusionGradientOrientation": ([0, 1, 0], [1, 0, 0])[again]},
            "voltages": lambda k, again: {"KVP": (80, 140)[again]},
            "acquired": lambda k, again: {"AcquisitionTime": f"10{again}000", "number": k + 1},
            "content": lambda k, again: {"ContentTime": f"10{again}0{k}0.5", "number": k + 1 + 4 * again},
            "nothing": lambda k, again: {}}
    for name, way in ways.items():
        for at, number in enumerate(shuffled):
            k, again = at % SLICES, at // SLICES
            ds = in_time(k, again, **{"number": number, **way(k, again)})
            save(folder, f"{name}/{at}", ds)


def lost_slices(folder):
    """Three repetitions, one after another or all at a place before the next; one slice of the first is lost."""
    for name, number in {"in-turn": lambda k, again: 1 + k + SLICES * again,
                         "place-by-place": lambda k, again: 1 + 3 * k + again}.items():
        for again in range(3):
            for k in range(SLICES):
                if (k, again) != (2, 0):
                    save(folder, f"{name}/{again}-{k}", in_time(k, again, number=number(k, again)))


def enhanced_dimensions(folder):
    """Three slices at two times, which Dimension Index Values alone tell apart; the later comes first at odd places."""
    ds = enhanced_dataset()
    ds.NumberOfFrames = 6
    order = [(k, again ^ (k % 2)) for k in range(3) for again in range(2)]
    groups = [functional_groups(k, 1) for k, _ in order]
    for group, (k, again) in zip(groups, order):
        del group.FrameContentSequence[0].TemporalPositionIndex
        group.FrameContentSequence[0].DimensionIndexValues = [again + 1, k + 1]
    ds.PerFrameFunctionalGroupsSequence = Sequence(groups)
    set_pixels(ds, numpy.stack([stored(k + 10 * again) for k, again in order]))
    save(folder, "image.dcm", ds)


def enhanced_offsets(folder):
    """One place at three times, told by their offsets in seconds: 2, 0, 1."""
    ds = enhanced_dataset()
    ds.NumberOfFrames = 3
    groups = [functional_groups(0, 1) for _ in range(3)]
    for group, time in zip(groups, (2, 0, 1)):
        del group.FrameContentSequence[0].TemporalPositionIndex
        offset = Dataset()
        offset.TemporalPositionTimeOffset = float(time)
        group.TemporalPositionSequence = Sequence([offset])
    ds.PerFrameFunctionalGroupsSequence = Sequence(groups)
    set_pixels(ds, numpy.stack([stored(10 * time) for time in (2, 0, 1)]))
    save(folder, "image.dcm", ds)


def shifted(folder):
    """The third of five slices lies 2 mm to the side, and slices are tilted half of the way."""
    series(Path(folder) / "one", [ct_slice(k, [-10 + (2 if k == 2 else 0), -20, 2.5 * k]) for k in range(5)])
    series(Path(folder) / "half-tilted", [ct_slice(k, [-10, -20 + min(k, 2), 2.5 * k]) for k in range(5)])


def beside(folder):
    """Two columns 100 mm apart, slices in turn; the second has fewer slices."""
    places = [(0, 2.5 * k) for k in range(4)] + [(100, 2.5 * k + 1) for k in range(3)]
    series(folder, [ct_slice(k + (6 if x else 0), [x, 0, z]) for k, (x, z) in enumerate(places)])


def strangers(folder):
    """Five slices of which two belong elsewhere."""
    elsewhere = {"patient": {"PatientID": "4712"}, "study": {"StudyInstanceUID": "1.2.99"},
                 "frame": {"FrameOfReferenceUID": "1.2.3.10"}, "kind": {"SOPClassUID": "1.2.840.10008.5.1.4.1.1.7"},
                 "unit": {"Modality": "PT", "Units": "CNTS"}}
    for name, more in elsewhere.items():
        usual = {"Modality": "PT", "Units": "BQML"} if name == "unit" else {}
        series(Path(folder) / name, [ct_slice(k, **(more if k in (1, 2) else usual)) for k in range(5)])
    nameless = [ct_slice(k, PatientID=str(k % 2), number=k) for k in range(4)]
    for ds in nameless:
        del ds.SeriesInstanceUID
    series(Path(folder) / "nameless", nameless)


def surplus(folder):
    """Three frames of pixels where one is promised, and four frames described where three are."""
    ds = ct_slice(0)
    ds.PixelData = numpy.stack([stored(k) for k in range(3)]).tobytes()
    save(folder, "classic.dcm", ds)
    ds = enhanced_dataset()
    ds.NumberOfFrames = 3
    save(folder, "enhanced.dcm", ds)


def surplus_packed(folder):
    """Three frames in three pieces each where one or two are promised, and a second image of run lengths."""
    for frames in (1, 2):
        path = Path(folder) / str(frames)
        path.mkdir()
        fragments_no_table(path)
        ds = pydicom.dcmread(path / "image.dcm")
        ds.NumberOfFrames = frames
        ds.save_as(path / "image.dcm")
    ds = ct_slice(0)
    ds.compress(RLE)
    frame = next(pydicom.encaps.generate_pixel_data_frame(ds.PixelData, 1))
    ds.PixelData = pydicom.encaps.encapsulate([frame, frame])
    ds["PixelData"].VR, ds["PixelData"].is_undefined_length = "OB", True
    save(folder, "rle.dcm", ds)


def real_world_values(folder):
    """A mapping by 0.01 stored + 2 instead of a rescale slope, and beside one."""
    unit, mapping = Dataset(), Dataset()
    unit.CodeValue, unit.CodingSchemeDesignator, unit.CodeMeaning = "mm2/s", "UCUM", "mm2/s"
    mapping.RealWorldValueFirstValueMapped, mapping.RealWorldValueLastValueMapped = -32768, 32767
    mapping.RealWorldValueSlope, mapping.RealWorldValueIntercept = 0.01, 2.0
    mapping.MeasurementUnitsCodeSequence = Sequence([unit])
    ds = ct_slice(0, Modality="MR", RealWorldValueMappingSequence=Sequence([mapping]))
    save(folder, "beside.dcm", ds)
    del ds.RescaleSlope, ds.RescaleIntercept
    save(folder, "alone.dcm", ds)
    ds = enhanced_dataset()
    for group in ds.PerFrameFunctionalGroupsSequence:
        del group.PixelValueTransformationSequence
        group.RealWorldValueMappingSequence = Sequence([mapping])
    ds.Modality = "MR"
    save(folder, "enhanced.dcm", ds)


def cut_off(folder):
    series(folder, [ct_slice(k) for k in range(SLICES)])
    path = save(folder, "damaged", ct_slice(SLICES))
    path.write_bytes(path.read_bytes()[:-20])


def localizer(folder):
    series(folder, [ct_slice(k) for k in range(SLICES)])
    save(folder, "scout", ct_slice(9, [0, 0, 0], [1, 0, 0, 0, 0, -1]))
    small = ct_slice(8)
    set_pixels(small, stored(8)[:3])
    save(folder, "small", small)


def two_series(folder):
    axial(folder)
    other = ct_slice(0)
    other.SeriesInstanceUID, other.SeriesDescription = "1.2.3.5", "second"
    save(folder, "other", other)


def some_without_uid(folder):
    axial(folder)
    for k in range(2):
        ds = ct_slice(k)
        del ds.SeriesInstanceUID
        save(folder, f"without/{k}", ds)


def all_without_uid(folder):
    for k in range(SLICES):
        ds = ct_slice(k)
        del ds.SeriesInstanceUID
        save(folder, str(k), ds)


def with_overlays(folder):
    """A segmentation has rows and columns like an image, a structure set has none."""
    axial(folder)
    mask = dataset("1.2.840.10008.5.1.4.1.1.66.4", series="1.2.3.6")
    mask.Modality, mask.NumberOfFrames = "SEG", 1
    set_pixels(mask, numpy.zeros((ROWS, COLUMNS), numpy.uint8))
    save(folder, "mask.seg.dcm", mask)
    structures = dataset("1.2.840.10008.5.1.4.1.1.481.3", series="1.2.3.7")
    structures.Modality = "RTSTRUCT"
    save(folder, "plan.dcm", structures)


def unreadable(folder):
    series(folder, [ct_slice(k) for k in range(SLICES)])
    path = save(folder, "cut", ct_slice(SLICES))
    whole = path.read_bytes()
    path.write_bytes(whole[:whole.index(b"CT") + 1])  # within an element
    ds = ct_slice(SLICES + 1)
    del ds.Rows, ds.Columns
    save(folder, "sizeless", ds)
    (Path(folder) / "empty").write_bytes(b"")


def no_position(folder):
    ds = ct_slice(0)
    del ds.ImagePositionPatient, ds.ImageOrientationPatient
    save(folder, "image.dcm", ds)


def no_orientation(folder):
    ds = ct_slice(0)
    del ds.ImageOrientationPatient
    save(folder, "image.dcm", ds)


def zero_orientation(folder):
    save(folder, "image.dcm", ct_slice(0, orientation=[0, 0, 0, 0, 0, 0]))


def rescale_whole(folder):
    series(folder, [ct_slice(k, rescale=(k + 1, -1000 - k), array=stored(k) + 50) for k in range(SLICES)])


def rescale_broken(folder):
    series(folder, [ct_slice(k, rescale=(f"{0.25 * (k + 1)}", 0)) for k in range(SLICES)])


def monochrome1(folder):
    ds = ct_slice(0, Modality="CR", PhotometricInterpretation="MONOCHROME1")
    del ds.PixelSpacing
    ds.ImagerPixelSpacing = [0.2, 0.3]
    save(folder, "image.dcm", ds)


def without_spacing(folder):
    ds = ct_slice(0)
    del ds.PixelSpacing, ds.ImagePositionPatient
    ds.PixelPaddingValue = -2000
    save(folder, "image.dcm", ds)


def twelve_bits(folder, signed=True):
    """The four bits above hold something else, as overlays of old files do."""
    values = (stored(0).astype(numpy.int32) & 0x0FFF) | 0x5000
    ds = ct_slice(0)
    set_pixels(ds, values.astype(numpy.uint16), signed=signed, bits_stored=12)
    save(folder, "image.dcm", ds)


def twelve_bits_unsigned(folder):
    twelve_bits(folder, False)


def private(folder):
    """Names in all sorts of places, two files that belong together."""
    first = None
    for number in (1, 2):
        ds = ct_slice(number, syntax=EXPLICIT)
        ds.SpecificCharacterSet, ds.PatientName = "ISO_IR 100", "M\u00fcller^J\u00f6rg"
        ds.PatientID = "PID4711"
        ds.PatientBirthDate, ds.PatientAddress, ds.StudyTime = "19500607", "Doe street 1", "101112"
        ds.ReferringPhysicianName, ds.InstitutionName, ds.StationName = "Doe^John", "Doe clinic", "DOE1"
        ds.OperatorsName, ds.DeviceSerialNumber, ds.ImageComments = "Doe^Op", "DOE-SERIAL", "Doe comments"
        ds.BurnedInAnnotation = "YES" if number == 1 else "NO"
        ds.add_new((0x0029, 0x0010), "LO", "DOE PRIVATE")
        ds.add_new((0x0029, 0x1001), "LO", "Doe private")
        request, reference = Dataset(), Dataset()
        request.ScheduledProcedureStepDescription, request.RequestedProcedureID = "Doe step", "DOE-REQUEST"
        request.add_new((0x0031, 0x1001), "LO", "Doe deep")
        ds.RequestAttributesSequence = Sequence([request])
        reference.ReferencedSOPClassUID = CT
        reference.ReferencedSOPInstanceUID = first or ds.SOPInstanceUID
        reference.add_new((0x0033, 0x1001), "LO", "Doe deeper")
        first = first or ds.SOPInstanceUID
        source = Dataset()
        source.ReferencedSOPClassUID, source.ReferencedSOPInstanceUID = CT, first
        ds.SourceImageSequence = Sequence([source])
        ds.ReferencedImageSequence = Sequence([reference])
        ds.preamble = b"Doe in the preamble".ljust(128, b"\0")
        save(folder, f"{number}.dcm", ds)


def large(folder):
    """Large enough for encoders that halve an image several times."""
    j, i = numpy.mgrid[0:48, 0:64]
    ds = ct_slice(0)
    set_pixels(ds, (31 * i + 17 * j + i * j).astype(numpy.uint16) & 0x0FFF, bits_stored=12)
    save(folder, "image.dcm", ds)


def large_colour(folder):
    j, i = numpy.mgrid[0:48, 0:64]
    ds = colour_dataset()
    set_pixels(ds, i.astype(numpy.uint8))
    ds.SamplesPerPixel, ds.PhotometricInterpretation, ds.PlanarConfiguration = 3, "RGB", 0
    ds.PixelData = numpy.stack([3 * i, 4 * j, 255 - i - j], axis=-1).astype(numpy.uint8).tobytes()
    save(folder, "image.dcm", ds)


def functional_groups(k, order):
    group = Dataset()
    position, content, transformation = Dataset(), Dataset(), Dataset()
    position.ImagePositionPatient = [-10, -20, 30 + 2.5 * k]
    content.TemporalPositionIndex, content.InStackPositionNumber = 1, order
    transformation.RescaleSlope, transformation.RescaleIntercept, transformation.RescaleType = 1, -1024, "HU"
    group.PlanePositionSequence = Sequence([position])
    group.FrameContentSequence = Sequence([content])
    group.PixelValueTransformationSequence = Sequence([transformation])
    return group


def enhanced_dataset():
    order = [2, 0, 3, 1]
    ds = dataset(ENHANCED_CT)
    ds.NumberOfFrames = SLICES
    shared, orientation, measures, voi = Dataset(), Dataset(), Dataset(), Dataset()
    orientation.ImageOrientationPatient = AXIAL
    measures.PixelSpacing, measures.SliceThickness = [0.5, 0.75], 5
    voi.WindowCenter, voi.WindowWidth = 40, 400
    shared.PlaneOrientationSequence = Sequence([orientation])
    shared.PixelMeasuresSequence = Sequence([measures])
    shared.FrameVOILUTSequence = Sequence([voi])
    ds.SharedFunctionalGroupsSequence = Sequence([shared])
    ds.PerFrameFunctionalGroupsSequence = Sequence([functional_groups(k, n + 1) for n, k in enumerate(order)])
    set_pixels(ds, numpy.stack([stored(k) for k in order]))
    return ds


def enhanced(folder):
    save(folder, "image.dcm", enhanced_dataset())


def enhanced_rle(folder):
    ds = enhanced_dataset()
    ds.compress(RLE)
    save(folder, "image.dcm", ds)


def enhanced_fragments(folder):
    """Frames in two pieces each, and a table of where they begin."""
    ds = enhanced_dataset()
    ds.compress(RLE)
    frames = list(pydicom.encaps.generate_pixel_data_frame(ds.PixelData, SLICES))
    ds.PixelData = pydicom.encaps.encapsulate(frames, fragments_per_frame=2, has_bot=True)
    save(folder, "image.dcm", ds)


def fragmented(folder, table, kind="JPEG"):
    """Three frames of grey, 40, 90 and 140, each in three pieces. `table` makes one of where they begin."""
    ds = dataset(ULTRASOUND_CINE, syntax=JPEG_BASELINE if kind == "JPEG" else JPEG_2000)
    ds.Modality = "US"
    set_pixels(ds, numpy.zeros((3, 16, 32), numpy.uint8))
    ds.NumberOfFrames = 3
    items, offsets, length = [], [], 0
    for grey in (40, 90, 140):
        packed = io.BytesIO()
        Image.new("L", (32, 16), grey).save(packed, kind, **({"no_jp2": True} if kind == "JPEG2000" else {}))
        stream = packed.getvalue() + b"\0" * (len(packed.getvalue()) % 2)
        offsets.append(length)
        for piece in (stream[:20], stream[20:60], stream[60:]):
            items.append(b"\xfe\xff\x00\xe0" + len(piece).to_bytes(4, "little") + piece)
            length += len(items[-1])
    bytes_of_table = table(ds, offsets)
    ds.PixelData = b"".join([b"\xfe\xff\x00\xe0", len(bytes_of_table).to_bytes(4, "little"), bytes_of_table, *items])
    ds["PixelData"].VR, ds["PixelData"].is_undefined_length = "OB", True
    save(folder, "image.dcm", ds)


def extended_table(ds, offsets):
    ds.add_new(0x7FE00001, "OV", numpy.array(offsets, "<u8").tobytes())
    ds.add_new(0x7FE00002, "OV", numpy.array([*numpy.diff(offsets), 0], "<u8").tobytes())
    return b""


def fragments_table(folder):
    fragmented(folder, lambda ds, offsets: numpy.array(offsets, "<u4").tobytes())


def fragments_no_table(folder):
    fragmented(folder, lambda ds, offsets: b"")


def fragments_extended_table(folder):
    fragmented(folder, extended_table)


def fragments_wrong_table(folder):
    fragmented(folder, lambda ds, offsets: numpy.array([o + 132 for o in offsets], "<u4").tobytes())


def fragments_jpeg2000(folder):
    fragmented(folder, lambda ds, offsets: b"", "JPEG2000")


def fragments_missing(folder):
    fragments_no_table(folder)
    path = Path(folder) / "image.dcm"
    ds = pydicom.dcmread(path)
    ds.NumberOfFrames = 10
    ds.save_as(path)


def fragments_untold(folder):
    """In pieces of run lengths nothing tells where a frame begins."""
    ds = enhanced_dataset()
    ds.compress(RLE)
    frames = list(pydicom.encaps.generate_pixel_data_frame(ds.PixelData, SLICES))
    ds.PixelData = pydicom.encaps.encapsulate(frames, fragments_per_frame=2, has_bot=False)
    save(folder, "image.dcm", ds)


def dose(folder):
    ds = dataset("1.2.840.10008.5.1.4.1.1.481.2")
    ds.Modality, ds.NumberOfFrames, ds.DoseUnits = "RTDOSE", SLICES, "GY"
    ds.ImagePositionPatient, ds.ImageOrientationPatient, ds.PixelSpacing = [-10, -20, 30], AXIAL, [0.5, 0.75]
    ds.GridFrameOffsetVector, ds.DoseGridScaling = [0, 3, 6, 9], "0.001"
    set_pixels(ds, numpy.stack([stored(k) + 50 for k in range(SLICES)]).astype(numpy.uint32))
    save(folder, "image.dcm", ds)


def dose_big_endian(folder):
    ds = dataset("1.2.840.10008.5.1.4.1.1.481.2", syntax=BIG_ENDIAN)
    ds.Modality, ds.NumberOfFrames, ds.DoseUnits = "RTDOSE", SLICES, "GY"
    ds.ImagePositionPatient, ds.ImageOrientationPatient, ds.PixelSpacing = [-10, -20, 30], AXIAL, [0.5, 0.75]
    ds.GridFrameOffsetVector, ds.DoseGridScaling = [0, 3, 6, 9], "0.001"
    set_pixels(ds, numpy.stack([stored(k) + 50 for k in range(SLICES)]).astype(numpy.uint32) + 70000)
    save(folder, "image.dcm", ds)


def unknown_vr(folder):
    """Elements whose VR the writer did not know, as converters leave them."""
    ds = ct_slice(0)
    for name in ("ImagePositionPatient", "ImageOrientationPatient", "PixelSpacing", "RescaleSlope", "RescaleIntercept"):
        value = ds[name].value
        text = "\\".join(map(str, value)) if isinstance(value, pydicom.multival.MultiValue) else str(value)
        ds[name] = pydicom.dataelem.DataElement(ds[name].tag, "UN", (text + " " * (len(text) % 2)).encode())
    save(folder, "image.dcm", ds)


def nested(folder):
    """Sequences within sequences, deeper than a stack would hold."""
    path = save(folder, "image.dcm", ct_slice(0, syntax=IMPLICIT))
    with open(path, "ab") as file:
        file.write(b"\xe0\x7f\x20\x00\xff\xff\xff\xff\xfe\xff\x00\xe0\xff\xff\xff\xff" * 200000)


def enhanced_short(folder):
    ds = enhanced_dataset()
    ds.NumberOfFrames = SLICES + 1
    save(folder, "image.dcm", ds)


def cine(folder):
    ds = dataset(ULTRASOUND_CINE)
    ds.Modality, ds.NumberOfFrames = "US", 3
    whole = region(0, COLUMNS - 1, 0.04)
    whole.PhysicalDeltaY = 0.05
    ds.SequenceOfUltrasoundRegions = Sequence([whole])
    set_pixels(ds, numpy.stack([stored(k, numpy.uint8) for k in range(3)]))
    save(folder, "image.dcm", ds)


def colours():
    """Red, green and blue of each pixel, last axis."""
    j, i = numpy.mgrid[0:ROWS, 0:COLUMNS]
    return numpy.stack([10 * i, 20 * j, 200 - 5 * i], axis=-1).astype(numpy.uint8)


def colour_dataset():
    ds = dataset(ULTRASOUND)
    ds.Modality = "US"
    set_pixels(ds, colours()[..., 0])
    ds.SamplesPerPixel, ds.PhotometricInterpretation, ds.PlanarConfiguration = 3, "RGB", 0
    ds.PixelData = colours().tobytes()
    return ds


def colour(folder):
    save(folder, "image.dcm", colour_dataset())


def colour_16(folder):
    ds = colour_dataset()
    ds.BitsAllocated, ds.BitsStored, ds.HighBit = 16, 16, 15
    ds.PixelData = (colours().astype("<u2") * 257).tobytes()
    save(folder, "image.dcm", ds)


def colour_16_rle(folder):
    colour_16(folder)
    path = Path(folder) / "image.dcm"
    ds = pydicom.dcmread(path)
    ds.compress(RLE)
    ds.save_as(path)


def colour_planar(folder):
    ds = colour_dataset()
    ds.PlanarConfiguration = 1
    ds.PixelData = numpy.moveaxis(colours(), -1, 0).tobytes()
    save(folder, "image.dcm", ds)


def colour_rle(folder):
    ds = colour_dataset()
    ds.compress(RLE)
    save(folder, "image.dcm", ds)


def colour_ybr(folder):
    ds = colour_dataset()
    ds.PhotometricInterpretation = "YBR_FULL"
    ds.PixelData = ybr_of(colours().astype(float)).tobytes()
    save(folder, "image.dcm", ds)


def ybr_of(rgb):
    y = 0.299 * rgb[..., 0] + 0.587 * rgb[..., 1] + 0.114 * rgb[..., 2]
    ybr = numpy.stack([y, 128 + (rgb[..., 2] - y) / 1.772, 128 + (rgb[..., 0] - y) / 1.402], axis=-1)
    return numpy.rint(ybr).astype(numpy.uint8)


JFIF, NO_MARKER = b"\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", b""
ADOBE_RGB = b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0"


def jpeg_stream(planes, marker, names):
    """The three planes as they are, whatever they mean, with a marker and names of components."""
    packed = io.BytesIO()
    Image.fromarray(planes, "YCbCr").save(packed, "JPEG", quality=100, subsampling=0)
    stream = packed.getvalue()
    assert stream[2:4] == b"\xff\xe0"  # which Pillow writes with the names 1, 2, 3
    stream = stream[:2] + marker + stream[4 + int.from_bytes(stream[4:6], "big"):]
    frame, scan = stream.index(b"\xff\xc0"), stream.index(b"\xff\xda")
    stream = bytearray(stream)
    for at, name in enumerate(names):
        stream[frame + 10 + 3 * at] = stream[scan + 5 + 2 * at] = name
    return bytes(stream)


def jpeg_file(folder, header, is_transformed, marker, names=b"\1\2\3"):
    """Left half (200, 40, 90), right half (30, 160, 220)."""
    rgb = numpy.empty((16, 32, 3), numpy.uint8)
    rgb[:, :16], rgb[:, 16:] = (200, 40, 90), (30, 160, 220)
    stream = jpeg_stream(ybr_of(rgb.astype(float)) if is_transformed else rgb, marker, names)
    ds = colour_dataset()
    ds.file_meta.TransferSyntaxUID = JPEG_BASELINE
    ds.Rows, ds.Columns, ds.PhotometricInterpretation = 16, 32, header
    ds.PixelData = pydicom.encaps.encapsulate([stream])
    ds["PixelData"].VR, ds["PixelData"].is_undefined_length = "OB", True
    save(folder, "image.dcm", ds)


def jpeg_jfif_called_rgb(folder):
    jpeg_file(folder, "RGB", True, JFIF)


def jpeg_unmarked_called_rgb(folder):
    jpeg_file(folder, "RGB", True, NO_MARKER)


def jpeg_adobe_called_ybr(folder):
    jpeg_file(folder, "YBR_FULL_422", False, ADOBE_RGB)


def jpeg_names_called_ybr(folder):
    jpeg_file(folder, "YBR_FULL_422", False, NO_MARKER, b"RGB")


def jpeg_as_called_ybr(folder):
    jpeg_file(folder, "YBR_FULL_422", True, JFIF)


def jpeg_untold_called_rgb(folder):
    jpeg_file(folder, "RGB", False, NO_MARKER, b"\0\1\2")


def colour_422(folder):
    """Two pixels share their chroma: Y Y Cb Cr."""
    y, cb, cr = 16 + 5 * numpy.arange(COLUMNS * ROWS), 100, 160
    pairs = [(y[at], y[at + 1], cb, cr) for at in range(0, COLUMNS * ROWS, 2)]
    ds = colour_dataset()
    ds.PhotometricInterpretation = "YBR_FULL_422"
    ds.PixelData = numpy.array(pairs, numpy.uint8).tobytes()
    save(folder, "image.dcm", ds)


def palette(folder):
    ds = dataset(ULTRASOUND)
    j, i = numpy.mgrid[0:ROWS, 0:COLUMNS]
    set_pixels(ds, (i + j).astype(numpy.uint8))
    ds.PhotometricInterpretation = "PALETTE COLOR"
    entries = numpy.arange(8)
    for name, factor in (("Red", 10), ("Green", 20), ("Blue", 30)):
        setattr(ds, name + "PaletteColorLookupTableDescriptor", [8, 1, 16])  # the first entry is for 1
        setattr(ds, name + "PaletteColorLookupTableData", (entries * factor * 257).astype("<u2").tobytes())
    save(folder, "image.dcm", ds)


def portal(folder):
    ds = dataset("1.2.840.10008.5.1.4.1.1.481.1")
    set_pixels(ds, stored(0).astype(numpy.uint16))
    ds.Modality, ds.ImagePlanePixelSpacing = "RTIMAGE", [0.4, 0.8]  # rows, columns: y, x
    ds.RTImageSID, ds.RadiationMachineSAD = 1600, 1000
    save(folder, "image.dcm", ds)


def segmented_palette(folder, numbers, bits):
    """Of 16 entries; numbers are those of the red table, green and blue are discrete zeros."""
    ds = dataset(ULTRASOUND)
    set_pixels(ds, numpy.arange(16, dtype=numpy.uint8).reshape(2, 8))
    ds.PhotometricInterpretation = "PALETTE COLOR"
    for name, table in (("Red", numbers), ("Green", [0, 16, *[0] * 16]), ("Blue", [0, 16, *[0] * 16])):
        setattr(ds, name + "PaletteColorLookupTableDescriptor", [16, 0, bits])
        packed = numpy.array(table, "<u2" if bits == 16 else "u1").tobytes()
        setattr(ds, f"Segmented{name}PaletteColorLookupTableData", packed + b"\0" * (len(packed) % 2))
        ds[f"Segmented{name}PaletteColorLookupTableData"].VR = "OW"
    save(folder, "image.dcm", ds)


# Two entries; four more up to 25700; both segments again; four more down to 0.
SEGMENTS_16 = [0, 2, 257, 514, 1, 4, 25700, 2, 2, 0, 0, 1, 4, 0]
# The same numbers in bytes, and 257 times smaller: an offset takes four of them.
SEGMENTS_8 = [0, 2, 1, 2, 1, 4, 100, 2, 2, 0, 0, 0, 0, 1, 4, 0]


def segmented_16(folder):
    segmented_palette(folder, SEGMENTS_16, 16)


def segmented_8(folder):
    segmented_palette(folder, SEGMENTS_8, 8)


def segmented_too_long(folder):
    segmented_palette(folder, [0, 2, 1, 2, 1, 65000, 3], 16)


def segmented_cut(folder):
    segmented_palette(folder, SEGMENTS_16[:-2], 16)


def segmented_in_a_circle(folder):
    """An indirect segment that copies itself."""
    segmented_palette(folder, [0, 2, 1, 2, 2, 9, 8, 0], 16)


def segmented_of_nothing(folder):
    segmented_palette(folder, [0, 0] * 1000 + [2, 999, 0, 0] * 1000, 16)


def other_packings(folder):
    """An image that says it is packed in this way, named by the way. Some are no way that pydicom would write."""
    for kind in ("1.98", "4.58", "4.92", "4.94", "4.100", "4.100.1", "4.102", "4.107", "4.110", "4.204", "7.1", "8.1", "99.7"):
        ds = ct_slice(0, syntax=RLE)
        ds.PixelData = pydicom.encaps.encapsulate([b"\xff\x4f\xff\x51" * 20])
        ds["PixelData"].VR, ds["PixelData"].is_undefined_length = "OB", True
        path = save(folder, kind, ds)
        whole, uid = path.read_bytes(), f"1.2.840.10008.1.2.{kind}".encode()
        uid += b"\0" * (len(uid) % 2)
        at = whole.index(b"UI\x14\0" + RLE.encode() + b"\0")
        length = int.from_bytes(whole[140:144], "little") + len(uid) - 20
        path.write_bytes(whole[:140] + length.to_bytes(4, "little") + whole[144:at + 2]
                         + len(uid).to_bytes(2, "little") + uid + whole[at + 24:])


def bare_without_suffix(folder):
    """Neither preamble nor meta header nor suffix, in both ways of encoding."""
    for k in range(SLICES):
        ds = ct_slice(k, syntax=IMPLICIT if k % 2 else EXPLICIT)
        ds.file_meta, ds.preamble = None, None
        pydicom.dcmwrite(Path(folder) / f"IM{k}", ds, write_like_original=True)


def gzipped(folder):
    for k in range(SLICES):
        path = save(folder, "plain.dcm", ct_slice(k, syntax=(IMPLICIT, EXPLICIT, BIG_ENDIAN, DEFLATED)[k]))
        (Path(folder) / f"{k}.dcm.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()


def gzipped_rle(folder):
    enhanced_rle(folder)
    path = Path(folder) / "image.dcm"
    (Path(folder) / "image.dcm.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()


def patched(path, element, before, after):
    """Writes values that pydicom does not: `element` as it begins in an explicit little endian file."""
    whole = path.read_bytes()
    at = whole.index(element) + len(element)
    assert len(before) == len(after) and whole[at + 2:at + 2 + len(before)] == before
    path.write_bytes(whole[:at + 2] + after + whole[at + 2 + len(before):])


def with_rescale(folder, slope, intercept):
    path = save(folder, "image.dcm", ct_slice(0, rescale=("0.5 ", "-100.25 ")))
    patched(path, b"\x28\0\x53\x10DS", b"0.5 ", slope)
    patched(path, b"\x28\0\x52\x10DS", b"-100.25 ", intercept)


def decimal_comma(folder):
    with_rescale(folder, b"0,5 ", b"-100,25 ")


def no_number(folder):
    with_rescale(folder, b"half", b"-100.25 ")


def two_commas(folder):
    with_rescale(folder, b"0,5 ", b"-1,00,25")


def slope_missing(folder):
    save(folder, "image.dcm", ct_slice(0, rescale=(None, -1024)))


def thickness_no_number(folder):
    path = save(folder, "image.dcm", ct_slice(0, SliceThickness="2.50"))
    patched(path, b"\x18\0\x50\0DS", b"2.50", b"thin")


def bits_per_slice(folder):
    """The same values in 16 bits with sign, 12 bits below and 12 bits above other bits, and 32 bits."""
    slices = []
    for k in range(SLICES):
        values = stored(k, numpy.int32) + 50
        ds = ct_slice(k)
        if k == 1:
            set_pixels(ds, (values | 0xF000).astype(numpy.uint16), bits_stored=12)
        elif k == 2:
            set_pixels(ds, (values << 4 | 0xF).astype(numpy.uint16), bits_stored=12)
            ds.HighBit = 15
        elif k == 3:
            set_pixels(ds, values)
        else:
            set_pixels(ds, values.astype(numpy.int16))
        slices.append(ds)
    series(folder, slices)


def turned_by(folder, degrees):
    angle = numpy.radians(degrees)
    slices = [ct_slice(k, [0, 0, 2.5 * k]) for k in range(SLICES)]
    slices[2].ImageOrientationPatient = [f"{c:.8f}" for c in (numpy.cos(angle), numpy.sin(angle), 0,
                                                              -numpy.sin(angle), numpy.cos(angle), 0)]
    series(folder, slices)


def turned_a_little(folder):
    turned_by(folder, 0.2)


def turned_too_far(folder):
    turned_by(folder, 2)


def region(left, right, delta, units=3):
    item = Dataset()
    item.RegionLocationMinX0, item.RegionLocationMinY0 = left, 0
    item.RegionLocationMaxX1, item.RegionLocationMaxY1 = right, 29
    item.PhysicalUnitsXDirection = item.PhysicalUnitsYDirection = units
    item.PhysicalDeltaX, item.PhysicalDeltaY = delta, 2 * delta
    return item


def ultrasound(folder, regions):
    ds = dataset(ULTRASOUND)
    ds.Modality = "US"
    ds.SequenceOfUltrasoundRegions = Sequence(regions)
    set_pixels(ds, numpy.zeros((30, 60), numpy.uint8))
    save(folder, "image.dcm", ds)


def us_regions(folder):
    """Two of lengths, and one of time and velocity."""
    ultrasound(folder, [region(0, 19, 0.01), region(20, 39, 0.05), region(40, 59, 0.02, units=4)])


def us_one_scale(folder):
    """One region, two next to each other, one within another, one that is the whole picture, and one without a place."""
    whole = region(0, 59, 0.01)
    placeless = region(0, 59, 0.01)
    del placeless.RegionLocationMaxX1, placeless.RegionLocationMaxY1
    for name, regions in {"one": [region(0, 19, 0.01)], "beside": [region(0, 19, 0.01), region(20, 39, 0.01)],
                          "within": [region(0, 39, 0.01), region(10, 19, 0.01)], "whole": [whole],
                          "placeless": [placeless]}.items():
        ultrasound(Path(folder) / name, regions)


def nuclear(folder, **vectors):
    """Frames are counted through by the vectors, the last fastest."""
    shape = [count for count, _ in vectors.values()]
    ds = dataset("1.2.840.10008.5.1.4.1.1.20")
    ds.Modality, ds.NumberOfFrames = "NM", int(numpy.prod(shape))
    ds.PixelSpacing, ds.SpacingBetweenSlices = [4, 4], 5
    for number, (name, (_, tag)) in enumerate(vectors.items()):
        ds.add_new(tag, "US", [int(n) for n in (numpy.indices(shape)[number] + 1).ravel()])
    ds.FrameIncrementPointer = [tag for _, tag in vectors.values()]
    detector = Dataset()
    detector.ImagePositionPatient, detector.ImageOrientationPatient = [0, 0, 30], AXIAL
    ds.DetectorInformationSequence = Sequence([detector])
    frames = [stored(k, numpy.int16) + 50 for k in range(ds.NumberOfFrames)]
    set_pixels(ds, numpy.stack(frames).astype(numpy.uint16))
    save(folder, "image.dcm", ds)


def nm_gated(folder):
    nuclear(folder, rr=(1, 0x00540060), slot=(3, 0x00540070), slice=(4, 0x00540080))


def nm_planar(folder):
    nuclear(folder, phase=(1, 0x00540030), time=(5, 0x00540100))


def enhanced_in_time(folder):
    """Two time points of three slices, slices fastest."""
    ds = enhanced_dataset()
    ds.NumberOfFrames = 6
    groups = [functional_groups(k, 1) for _ in range(2) for k in range(3)]
    for number, group in enumerate(groups):
        group.FrameContentSequence[0].TemporalPositionIndex = number // 3 + 1
    ds.PerFrameFunctionalGroupsSequence = Sequence(groups)
    set_pixels(ds, numpy.stack([stored(k) for k in range(6)]))
    save(folder, "image.dcm", ds)


def radiograph(folder, imager=(0.2, 0.2), pixel=(0.2, 0.2), orientation=("R", "F"), **more):
    ds = dataset("1.2.840.10008.5.1.4.1.1.1.1")
    ds.Modality = "DX"
    set_pixels(ds, stored(0).astype(numpy.uint16))
    if imager:
        ds.ImagerPixelSpacing = list(imager)
    if pixel:
        ds.PixelSpacing = list(pixel)
    if orientation:
        ds.PatientOrientation = list(orientation)
    for key, value in more.items():
        setattr(ds, key, value)
    save(folder, "image.dcm", ds)


def dx_same(folder):
    radiograph(folder, DistanceSourceToDetector=1000, DistanceSourceToPatient=800)


def dx_calibrated(folder):
    radiograph(folder, pixel=(0.16, 0.16))


def dx_unknown(folder):
    radiograph(folder, imager=None, orientation=None)


def dx_monochrome1(folder):
    radiograph(folder, PhotometricInterpretation="MONOCHROME1")


def label_map(folder):
    axial(folder)
    mask = dataset("1.2.840.10008.5.1.4.1.1.66.7", series="1.2.3.6")
    mask.Modality, mask.NumberOfFrames = "SEG", 1
    set_pixels(mask, numpy.zeros((ROWS, COLUMNS), numpy.uint8))
    save(folder, "mask.dcm", mask)


def pet_slice(k, syntax=EXPLICIT, private=(), tracer=None, **more):
    """370 MBq injected at 10:00, scanned at 11:00; a half-life of an hour keeps sums easy."""
    ds = dataset(PET, syntax=syntax)
    ds.Modality, ds.InstanceNumber = "PT", k + 1
    ds.ImagePositionPatient, ds.ImageOrientationPatient = [-10, -20, 30 + 2.5 * k], AXIAL
    ds.PixelSpacing, ds.SliceThickness = [0.5, 0.75], 2.5
    ds.RescaleSlope, ds.RescaleIntercept = 2, 0
    ds.WindowCenter, ds.WindowWidth = 5000, 10000
    ds.PatientWeight, ds.Units, ds.DecayCorrection = 70, "BQML", "START"
    ds.CorrectedImage = ["DECY", "ATTN", "SCAT", "DTIM", "RANSNG", "DCAL", "SLSENS", "NORM"]  # as GE writes it
    ds.SeriesDate = ds.AcquisitionDate = "20200102"
    ds.SeriesTime, ds.AcquisitionTime = "110000", f"11{10 * k:02d}00.00"
    item = Dataset()
    item.RadionuclideTotalDose, item.RadionuclideHalfLife = 370e6, 3600
    item.RadiopharmaceuticalStartTime = "100000.00"
    for key, value in (tracer or {}).items():
        setattr(item, key, value)
    ds.RadiopharmaceuticalInformationSequence = Sequence([item])
    for group, creator, element, vr, value in private:
        ds.private_block(group, creator, create=True).add_new(element, vr, value)
    for key, value in more.items():
        setattr(ds, key, value)
    set_pixels(ds, stored(k))
    return ds


def pet(folder):
    philips, ge = "Philips PET Private Group", "GEMS_PETD_01"
    cases = {
        "start": {},
        "admin": {"DecayCorrection": "ADMIN"},
        "none": {"DecayCorrection": "NONE"},
        "uncorrected": {"CorrectedImage": ["DECY"]},
        "undecayed": {"CorrectedImage": ["NORM", "DTIM", "ATTN", "SCAT"]},
        "word": {"CorrectedImage": ["ATTN", "DECAY"]},
        "minutes": {"tracer": {"RadionuclideHalfLife": 109.77}},
        "midnight": {"SeriesDate": "20200103", "SeriesTime": "003000", "AcquisitionDate": "20200103",
                     "AcquisitionTime": "003000", "tracer": {"RadiopharmaceuticalStartTime": "233000"}},
        "moment": {"SeriesTime": "010000",
                   "tracer": {"RadiopharmaceuticalStartDateTime": "20200101230000.00"}},
        "zones": {"SeriesTime": "010000", "TimezoneOffsetFromUTC": "+0100",
                  "tracer": {"RadiopharmaceuticalStartDateTime": "20200101230000+0000"}},
        "counts": {"Units": "CNTS", "private": [(0x7053, philips, 0x00, "DS", "0.0005")]},
        "counts-implicit": {"Units": "CNTS", "syntax": IMPLICIT,
                            "private": [(0x7053, philips, 0x00, "DS", "0.0005")]},
        "counts-activity": {"Units": "CNTS", "private": [(0x7053, philips, 0x09, "DS", "3")]},
        "counts-alone": {"Units": "CNTS"},
        "given": {"Units": "GML"},
        "given-lean": {"Units": "GML", "SUVType": "LBM"},
        "weightless": {"PatientWeight": None},
        "man": {"PatientWeight": 80, "PatientSize": 2, "PatientSex": "M"},
        "woman": {"PatientWeight": 80, "PatientSize": 2, "PatientSex": "F"},
        "sexless": {"PatientWeight": 80, "PatientSize": 2, "PatientSex": "O"},
        "centimetres": {"PatientWeight": 80, "PatientSize": 200, "PatientSex": "M"},
        "megabecquerel": {"tracer": {"RadionuclideTotalDose": 370}},
        "no-half-life": {"tracer": {"RadionuclideHalfLife": None}},
        "later-series": {"SeriesTime": "150000"},
        "later-series-ge": {"SeriesTime": "150000", "private": [(0x0009, ge, 0x0d, "DT", "20200102110000.00")]},
        # In a frame as long as the half-life the activity equals its mean after ln(2 ln 2)/ln 2 = 0.471234 of it: 1696.442 s.
        # With 300 s more the frame began five minutes after the scan.
        "later-series-frame": {"SeriesTime": "150000", "AcquisitionTime": "110500",
                               "FrameReferenceTime": "1996442", "ActualFrameDuration": "3600000"},
    }
    for name, case in cases.items():
        series(Path(folder) / name, [pet_slice(k, **case) for k in range(2)])
    series(Path(folder) / "two-heights",
           [pet_slice(k, PatientSize=1.5 + 0.1 * k, PatientSex="F") for k in range(2)])
    series(Path(folder) / "two-weights", [pet_slice(k, PatientWeight=70 + k) for k in range(2)])


def mosaic(folder):
    save(folder, "image.dcm", ct_slice(0, Modality="MR", ImageType=["ORIGINAL", "PRIMARY", "M", "VFRAME"]))


def tiled(slices, across, down):
    """Slices as tiles, row by row from the top left; the rest is empty."""
    picture = numpy.zeros((down * ROWS, across * COLUMNS), numpy.int16)
    for k in range(slices):
        row, column = divmod(k, across)
        picture[row * ROWS:(row + 1) * ROWS, column * COLUMNS:(column + 1) * COLUMNS] = stored(k)
    return picture


def csa_header(elements):
    """Siemens' CSA header of the kind "SV10", as nibabel documents it."""
    data = b"SV10\4\3\2\1" + struct.pack("<II", len(elements), 77)
    for name, values in elements.items():
        data += struct.pack("<64si4siii", name.encode(), len(values), b"FD\0\0", 4, 6, 77)
        for value in (values + [""] * 6)[:6]:
            text = str(value).encode() + b"\0" if value != "" else b""
            data += struct.pack("<4i", len(text), len(text), 77, len(text)) + text + b"\0" * (-len(text) % 4)
    return data


def siemens_mosaic(normal=(0, 0, -1), count=7, in_csa=True, step=2.5, **more):
    """Seven slices of 6 x 5 pixels as 3 x 3 tiles: 18 x 15 pixels of 0.75 x 0.5 mm. The first slice begins at (-10, -20, 30); the
    header has the place that a slice of the whole picture's size would have about the same centre: 0.75 (18 - 6) / 2 = 4.5 mm
    and 0.5 (15 - 5) / 2 = 2.5 mm before it."""
    ds = ct_slice(0, position=[-14.5, -22.5, 30], array=tiled(7, 3, 3), Modality="MR",
                  ImageType=["ORIGINAL", "PRIMARY", "M", "ND", "MOSAIC"], SpacingBetweenSlices=step, **more)
    elements = {"EchoLinePosition": [64], "NumberOfImagesInMosaic": [count]} if in_csa else {}
    if normal:
        elements["SliceNormalVector"] = [f"{c:.8f}" for c in normal]
    ds.private_block(0x0029, "SIEMENS CSA HEADER", create=True).add_new(0x10, "OB", csa_header(elements))
    if not in_csa:
        ds.private_block(0x0019, "SIEMENS MR HEADER", create=True).add_new(0x0a, "US", count)
    return ds


def mosaics(folder):
    save(folder, "down.dcm", siemens_mosaic())
    save(folder, "up.dcm", siemens_mosaic(normal=(0, 0, 1), in_csa=False))
    series(Path(folder) / "in-time", [siemens_mosaic(AcquisitionNumber=at + 1, number=at + 1) for at in range(2)])
    save(folder, "directionless.dcm", siemens_mosaic(normal=None))
    save(folder, "another-normal.dcm", siemens_mosaic(normal=(0, 1, 0)))
    save(folder, "too-many.dcm", siemens_mosaic(count=17))
    spaceless = siemens_mosaic()
    del spaceless.SpacingBetweenSlices
    save(folder, "spaceless.dcm", spaceless)
    # Numbers with decimal commas, and ones that are none.
    for name, element, normal in (("commas.dcm", b"2,50", b"-1,00000000"), ("no-step.dcm", b"2.5O", b"-1.00000000"),
                                  ("no-normal.dcm", b"2.50", b"minus 1.000")):
        path = save(folder, name, siemens_mosaic(step="2.50"))
        patched(path, b"\x18\0\x88\0DS", b"2.50", element)
        path.write_bytes(path.read_bytes().replace(b"-1.00000000", normal))
    # United Imaging: five slices as 3 x 2 tiles, each with its place.
    for name, places in {"uih.dcm": 5, "uih-placeless.dcm": 4}.items():
        uih = ct_slice(0, array=tiled(5, 3, 2), Modality="MR", ImageType=["ORIGINAL", "PRIMARY", "M", "VFRAME"])
        del uih.ImagePositionPatient
        items = [Dataset() for _ in range(5)]
        for k in range(places):
            items[k].ImagePositionPatient = [-10, -20 + 0.5 * k, 30 + 2.5 * k]
        uih.private_block(0x0065, "Image Private Header", create=True).add_new(0x51, "SQ", Sequence(items))
        save(folder, name, uih)


def jpeg2000_8_in_16(folder):
    j, i = numpy.mgrid[0:48, 0:64]
    packed = io.BytesIO()
    Image.fromarray((3 * i + j).astype(numpy.uint8)).save(packed, "JPEG2000", no_jp2=True)
    ds = ct_slice(0, syntax=JPEG_2000)
    set_pixels(ds, numpy.zeros((48, 64), numpy.uint16), bits_stored=8)
    ds.PixelData = pydicom.encaps.encapsulate([packed.getvalue()])
    ds["PixelData"].VR, ds["PixelData"].is_undefined_length = "OB", True
    return save(folder, "image.dcm", ds)


def untold_places(folder):
    """Slices without a position: by Slice Location alone, and by nothing but their names."""
    for k in range(4):
        by_location = ct_slice(k, SliceLocation=40 - 10 * k, SliceThickness=5)
        by_name = ct_slice(k, SliceThickness=5)
        for ds in (by_location, by_name):
            del ds.ImagePositionPatient, ds.ImageOrientationPatient
        del by_name.InstanceNumber
        save(folder, f"location/{k}", by_location)
        save(folder, f"names/IM{(1, 2, 10, 11)[k]}", by_name)


def moments(folder):
    """Three frames of a film, without positions."""
    ds = dataset(ULTRASOUND_CINE)
    ds.Modality, ds.NumberOfFrames, ds.FrameTime, ds.FrameIncrementPointer = "US", 3, 40, 0x00181063
    set_pixels(ds, numpy.stack([stored(k, numpy.uint8) for k in range(3)]))
    save(folder, "image.dcm", ds)


def odd_headers(folder):
    """Pixel sizes in unusual places, axes that are not perpendicular, and a sign that is not told."""
    ratio = ct_slice(0, PixelAspectRatio=[2, 1])
    film = ct_slice(0, Modality="CR", NominalScannedPixelSpacing=[0.5, 0.75])
    for ds in (ratio, film):
        del ds.PixelSpacing
    echo = dataset(ULTRASOUND)
    echo.Modality, echo.PixelSpacing, echo.SequenceOfUltrasoundRegions = "US", [0.9, 0.9], Sequence([region(0, 5, 0.02)])
    set_pixels(echo, stored(0, numpy.uint8))
    signless = ct_slice(0)
    del signless.PixelRepresentation
    a = numpy.radians(87)
    oblique_axes = ct_slice(0, orientation=[1, 0, 0, numpy.cos(a), numpy.sin(a), 0])
    for name, ds in {"ratio": ratio, "film": film, "echo": echo, "signless": signless, "sheared": oblique_axes}.items():
        save(folder, name, ds)


def jpeg2000_16_called_10(folder):
    """A stream of 16 bits, of which the header promises 10."""
    j, i = numpy.mgrid[0:48, 0:64]
    packed = io.BytesIO()
    Image.fromarray((900 * i + j).astype(numpy.uint16)).save(packed, "JPEG2000", no_jp2=True)
    ds = ct_slice(0, syntax=JPEG_2000)
    set_pixels(ds, numpy.zeros((48, 64), numpy.uint16), bits_stored=10)
    ds.PixelData = pydicom.encaps.encapsulate([packed.getvalue()])
    ds["PixelData"].VR, ds["PixelData"].is_undefined_length = "OB", True
    save(folder, "image.dcm", ds)


def high_throughput(folder):
    """A stream that every decoder of JPEG 2000 reads, named as the newer kind."""
    path = jpeg2000_8_in_16(folder)
    whole = path.read_bytes()
    uid, other = JPEG_2000.encode(), b"1.2.840.10008.1.2.4.201\0"
    at = whole.index(b"UI" + len(uid).to_bytes(2, "little") + uid)
    length = int.from_bytes(whole[140:144], "little") + len(other) - len(uid)
    path.write_bytes(whole[:140] + length.to_bytes(4, "little") + whole[144:at + 2]
                     + len(other).to_bytes(2, "little") + other + whole[at + 4 + len(uid):])


def seven_bits(folder):
    j, i = numpy.mgrid[0:48, 0:64]
    ds = ct_slice(0)
    set_pixels(ds, ((i + j) % 128).astype(numpy.uint8), bits_stored=7)
    save(folder, "image.dcm", ds)


def undelimited(folder):
    """Frames packed without the item that ends their sequence, as some writers leave it out."""
    enhanced_rle(folder)
    path = Path(folder) / "image.dcm"
    whole = path.read_bytes()
    assert whole.endswith(b"\xfe\xff\xdd\xe0\0\0\0\0")
    path.write_bytes(whole[:-8])


def bare(folder):
    """Neither preamble nor meta header, as scanners of the nineties wrote."""
    ds = ct_slice(0, syntax=IMPLICIT)
    ds.file_meta, ds.preamble = None, None
    pydicom.dcmwrite(Path(folder) / "image.dcm", ds, write_like_original=True)


if __name__ == "__main__":
    case, target = sys.argv[1:]
    globals()[case](target)
