#if canImport(ImageIO)
import CoreGraphics
import Freshet
import FreshetEssentials
import ImageIO

/// Decodes one file with ImageIO, which orients and reduces it during decoding.
struct ImageIODecoding {
  private let source: CGImageSource
  private let plan: DecodingPlan
  private let sourceSize: PixelSize

  init(_ data: Data, _ plan: DecodingPlan) throws(ImageError) {
    let options = [kCGImageSourceShouldCache: false] as CFDictionary
    guard let source = CGImageSourceCreateWithData(data as CFData, options),
      CGImageSourceGetCount(source) > 0
    else { throw .unsupported("ImageIO does not support its format") }
    guard CGImageSourceGetStatus(source) == .statusComplete else {
      throw .damaged("it ended too early")
    }
    self.source = source
    self.plan = plan
    let properties = Self.properties(source, 0)
    let stored = PixelSize(
      width: properties[kCGImagePropertyPixelWidth] as? Int ?? 0,
      height: properties[kCGImagePropertyPixelHeight] as? Int ?? 0
    )
    guard stored.count > 0 else { throw .damaged("it has no pixels") }
    try plan.limits.check(pixels: stored)
    if PictureFormat(data) == .jpeg {
      try plan.limits.check(passes: ProgressiveScans.scans(in: Array(data)).count, over: stored)
    }
    let orientation = Orientation(rawValue: properties[kCGImagePropertyOrientation] as? Int ?? 1)
    sourceSize = (orientation ?? .upright).upright(stored)
  }

  func picture() throws(ImageError) -> Picture {
    let count = plan.animation == .still || !mayBeAnimated ? 1 : CGImageSourceGetCount(source)
    let size = plan.target?.pixelSize(for: sourceSize) ?? sourceSize
    try plan.limits.check(
      frames: count,
      of: sourceSize,
      reducedTo: size,
      beside: (sourceSize.count + size.count) * 4
    )
    var frames: [Picture.Frame] = []
    for index in 0..<count {
      try plan.cancellation.check()
      // What a frame leaves behind is released before the next one.
      let decoded = autoreleasepool {
        Result { () throws(ImageError) in try frame(index, size) }
      }
      frames.append(try decoded.get())
    }
    return try Picture(frames, repetitions: repetitions, sourceSize: sourceSize)
  }

  private func frame(_ index: Int, _ size: PixelSize) throws(ImageError) -> Picture.Frame {
    let options =
      [
        kCGImageSourceCreateThumbnailFromImageAlways: true,
        kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceShouldCacheImmediately: true,
        kCGImageSourceThumbnailMaxPixelSize: max(size.width, size.height),
      ] as CFDictionary
    guard let image = CGImageSourceCreateThumbnailAtIndex(source, index, options),
      let bitmap = Bitmap(image)
    else { throw .damaged("frame \(index + 1) cannot be decoded") }
    return Picture.Frame(bitmap, duration: duration(index))
  }
}

// MARK: - Properties

extension ImageIODecoding {
  private static func properties(_ source: CGImageSource, _ index: Int) -> [CFString: Any] {
    CGImageSourceCopyPropertiesAtIndex(source, index, nil) as? [CFString: Any] ?? [:]
  }

  /// A Boolean value that indicates whether further pictures in the file are frames.
  ///
  /// Those of other formats are pages, or an icon in other sizes, which the limits have not seen.
  private var mayBeAnimated: Bool {
    let formats = [
      "com.compuserve.gif", "public.png", "org.webmproject.webp", "public.heics",
    ]
    return CGImageSourceGetType(source).map { formats.contains($0 as String) } ?? false
  }

  private func duration(_ index: Int) -> Duration {
    let properties = Self.properties(source, index)
    let groups = [
      (kCGImagePropertyGIFDictionary, kCGImagePropertyGIFUnclampedDelayTime),
      (kCGImagePropertyPNGDictionary, kCGImagePropertyAPNGUnclampedDelayTime),
      (kCGImagePropertyWebPDictionary, kCGImagePropertyWebPUnclampedDelayTime),
      (kCGImagePropertyHEICSDictionary, kCGImagePropertyHEICSUnclampedDelayTime),
      (kCGImagePropertyHEICSDictionary, kCGImagePropertyHEICSDelayTime),
    ]
    let seconds = groups.lazy
      .compactMap { group, key in
        (properties[group] as? [CFString: Any])?[key] as? Double
      }
      .first
    let milliseconds = Int(exactly: ((seconds ?? 0) * 1_000).rounded())
    return .ofFrame(milliseconds ?? 0)
  }

  /// The number of times that the file is to be played; ImageIO counts repetitions alike for all formats.
  private var repetitions: Int? {
    let properties = CGImageSourceCopyProperties(source, nil) as? [CFString: Any] ?? [:]
    let groups = [
      (kCGImagePropertyGIFDictionary, kCGImagePropertyGIFLoopCount),
      (kCGImagePropertyPNGDictionary, kCGImagePropertyAPNGLoopCount),
      (kCGImagePropertyWebPDictionary, kCGImagePropertyWebPLoopCount),
      (kCGImagePropertyHEICSDictionary, kCGImagePropertyHEICSLoopCount),
    ]
    let count = groups.lazy
      .compactMap { group, key in
        (properties[group] as? [CFString: Any])?[key] as? Int
      }
      .first
    return count == 0 ? nil : count ?? 1
  }
}
#endif
