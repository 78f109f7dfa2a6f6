#!/usr/bin/env python3
"""Makes the pictures beside it with Pillow and lcms2: python3 make.py

Each has four quarters: red and green above, blue and yellow below.
"""
import ctypes
import struct
import zlib
from pathlib import Path

from PIL import Image

here = Path(__file__).parent
RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)


def quarters(width, height, colors=(RED, GREEN, BLUE, YELLOW), mode="RGB"):
    image = Image.new(mode, (width, height))
    for index, color in enumerate(colors):
        x, y = index % 2, index // 2
        box = (x * width // 2, y * height // 2, (x + 1) * width // 2 or 1, (y + 1) * height // 2 or 1)
        image.paste(color, box)
    return image


def swapped_profile():
    """A profile whose red is green and whose green is red."""
    lcms = ctypes.CDLL("liblcms2.so.2")

    class xyY(ctypes.Structure):
        _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double), ("Y", ctypes.c_double)]

    primaries = (xyY * 3)(xyY(0.30, 0.60, 1), xyY(0.64, 0.33, 1), xyY(0.15, 0.06, 1))
    white = xyY(0.3127, 0.3290, 1)
    lcms.cmsBuildGamma.restype = ctypes.c_void_p
    lcms.cmsBuildGamma.argtypes = [ctypes.c_void_p, ctypes.c_double]
    lcms.cmsCreateRGBProfile.restype = ctypes.c_void_p
    gamma = lcms.cmsBuildGamma(None, 2.2)
    return saved(lcms, lcms.cmsCreateRGBProfile(
        ctypes.byref(white), primaries, (ctypes.c_void_p * 3)(gamma, gamma, gamma)))


def grey_profile():
    """A profile for greys, which says nothing about colours."""
    lcms = ctypes.CDLL("liblcms2.so.2")

    class xyY(ctypes.Structure):
        _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double), ("Y", ctypes.c_double)]

    white = xyY(0.3127, 0.3290, 1)
    lcms.cmsBuildGamma.restype = ctypes.c_void_p
    lcms.cmsBuildGamma.argtypes = [ctypes.c_void_p, ctypes.c_double]
    lcms.cmsCreateGrayProfile.restype = ctypes.c_void_p
    lcms.cmsCreateGrayProfile.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    return saved(lcms, lcms.cmsCreateGrayProfile(
        ctypes.byref(white), lcms.cmsBuildGamma(None, 2.2)))


def saved(lcms, profile):
    lcms.cmsSaveProfileToMem.argtypes = [
        ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint32)]
    size = ctypes.c_uint32(0)
    lcms.cmsSaveProfileToMem(profile, None, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    lcms.cmsSaveProfileToMem(profile, buffer, ctypes.byref(size))
    return buffer.raw


def fringe():
    """Columns of opaque red and of transparent black in turns."""
    image = Image.new("RGBA", (64, 48), (0, 0, 0, 0))
    for x in range(0, 64, 2):
        image.paste((255, 0, 0, 255), (x, 0, x + 1, 48))
    return image


def exif(value):
    data = Image.Exif()
    data[0x0112] = value
    return data.tobytes()


def stored(image, orientation):
    """The pixels that the orientation brings back to `image`."""
    t = Image.Transpose
    back = {1: None, 2: t.FLIP_LEFT_RIGHT, 3: t.ROTATE_180, 4: t.FLIP_TOP_BOTTOM,
            5: t.TRANSPOSE, 6: t.ROTATE_90, 7: t.TRANSVERSE, 8: t.ROTATE_270}[orientation]
    return image if back is None else image.transpose(back)


def chunk(name, content):
    return (struct.pack(">I", len(content)) + name + content
            + struct.pack(">I", zlib.crc32(name + content)))


def interlaced(image):
    """The seven passes of Adam7 without filters, which Pillow does not write."""
    rows = b""
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                           (1, 0, 2, 2), (0, 1, 1, 2)):
        for y in range(y0, image.height, dy):
            pixels = [image.getpixel((x, y)) for x in range(x0, image.width, dx)]
            if pixels:
                rows += b"\0" + b"".join(bytes(pixel) for pixel in pixels)
    header = struct.pack(">IIBBBBB", image.width, image.height, 8, 2, 0, 0, 1)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def save(name, image, **options):
    image.save(here / name, **options)


big = quarters(64, 48)
icc = swapped_profile()
jpeg = dict(quality=95, subsampling=0)

for width, height in ((1, 1), (17, 13), (2, 90)):
    for kind, options in (("png", {}), ("jpg", jpeg), ("gif", {}), ("webp", dict(lossless=True))):
        save(f"size-{width}x{height}.{kind}", quarters(width, height), **options)

save("rgb.png", big)
alpha = big.convert("RGBA")
alpha.putalpha(128)
save("alpha.png", alpha)
save("palette.png", big.convert("P", palette=Image.Palette.ADAPTIVE, colors=4))
save("grey.png", quarters(64, 48, (0, 85, 170, 255), "L"))
save("bits.png", quarters(64, 48, (0, 1, 1, 0), "1"))
save("deep.png", quarters(64, 48, (0, 0x5555, 0xAAAA, 0xFFFF), "I;16"))
save("profile.png", big, icc_profile=icc)
save("grey-profile.png", big, icc_profile=grey_profile())
(here / "interlaced.png").write_bytes(interlaced(big))
save("turned.png", stored(big, 6), exif=exif(6))
large = quarters(400, 400)
save("large.png", large)
(here / "large-interlaced.png").write_bytes(interlaced(large))

save("baseline.jpg", big, **jpeg)
save("subsampled.jpg", big, quality=90, subsampling=2)
save("progressive.jpg", big, progressive=True, **jpeg)
save("restarts.jpg", big, restart_marker_rows=1, **jpeg)
save("grey.jpg", quarters(64, 48, (0, 85, 170, 255), "L"), quality=95)
save("inks.jpg", big.convert("CMYK"), quality=95)
save("grey-profile.jpg", big, icc_profile=grey_profile(), **jpeg)
save("profile.jpg", big, icc_profile=icc, **jpeg)
for value in range(1, 9):
    save(f"turned-{value}.jpg", stored(big, value), exif=exif(value), **jpeg)

save("plain.gif", big)
save("interlaced.gif", big, interlace=1)
frames = [quarters(32, 24, (color,) * 4) for color in (RED, GREEN, BLUE)]
save("animated.png", frames[0], save_all=True, append_images=frames[1:],
     duration=[100, 200, 300], loop=0)
save("animated.gif", frames[0], save_all=True, append_images=frames[1:],
     duration=[100, 200, 300], loop=0, disposal=2)

save("lossy.webp", big, quality=95)
save("lossless.webp", big, lossless=True)
save("alpha.webp", alpha, lossless=True)
save("fringe.webp", fringe(), quality=90, exact=True)
save("grey-profile.webp", big, lossless=True, icc_profile=grey_profile())
save("profile.webp", big, lossless=True, icc_profile=icc)
save("turned.webp", stored(big, 8), lossless=True, exif=exif(8))
save("animated.webp", frames[0], save_all=True, append_images=frames[1:],
     duration=[100, 200, 300], loop=2, lossless=True)

# Bombs: some hundred bytes that claim an enormous size.
header = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
(here / "bomb.png").write_bytes(
    b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1 << 20), 9))
    + chunk(b"IEND", b""))
gif = bytearray((here / "plain.gif").read_bytes())
gif[6:10] = struct.pack("<HH", 65535, 65535)
(here / "bomb.gif").write_bytes(gif)
for source, target in (("baseline.jpg", "bomb.jpg"), ("progressive.jpg", "bomb-progressive.jpg")):
    data = bytearray((here / source).read_bytes())
    start = max(data.find(b"\xff\xc0\x00\x11"), data.find(b"\xff\xc2\x00\x11"))
    data[start + 5:start + 9] = struct.pack(">HH", 65500, 65500)
    (here / target).write_bytes(data)
webp = bytearray((here / "lossy.webp").read_bytes())
start = webp.find(b"\x9d\x01\x2a") + 3
webp[start:start + 4] = struct.pack("<HH", 16383, 16383)
(here / "bomb.webp").write_bytes(webp)
