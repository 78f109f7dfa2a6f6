import CZlib
import FreshetEssentials

/// A processed picture as bytes: its frames without loss, each row as the difference to the one above,
/// compressed with zlib.
///
/// Numbers have four bytes, the lowest first; a duration is its seconds and attoseconds in eight each.
enum PictureRecord {
  /// The first bytes, of which the last one is the version.
  private static let signature = Array("FrsP\u{2}".utf8)
  /// The value for repetitions without end.
  private static let forever = UInt32.max

  /// Returns the name of a request's result among all that are made from the same resource.
  static func name(of identity: ImageRequest.Identity) -> String {
    let target = identity.target
      .map { "\($0.width) \($0.height) \($0.scale) \($0.mode.rawValue)" }
    let names = identity.processors.map { "\($0.isCustom ? "custom" : "usual") \($0.name)" }
    // Lengths before the texts: no two lists have the same text.
    let parts = [target ?? "", identity.animation.rawValue] + names
    return parts.map { "\($0.utf8.count):\($0)" }.joined()
  }

  static func bytes(_ picture: Picture) -> [UInt8] {
    var bytes = signature
    func append(_ number: UInt32) {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    for size in [picture.size, picture.sourceSize] {
      append(UInt32(clamping: size.width))
      append(UInt32(clamping: size.height))
    }
    append(picture.repetitions.map { min(UInt32(clamping: $0), forever - 1) } ?? forever)
    append(UInt32(clamping: picture.frames.count))
    for frame in picture.frames {
      let (seconds, attoseconds) = frame.duration.components
      for part in [seconds, attoseconds] {
        append(UInt32(truncatingIfNeeded: part))
        append(UInt32(truncatingIfNeeded: part >> 32))
      }
      let compressed = compressed(frame.bitmap)
      append(UInt32(clamping: compressed.count))
      bytes += compressed
    }
    return bytes
  }

  /// Reads a picture, whose size is checked before any memory is allocated for its pixels.
  static func picture(
    _ bytes: [UInt8],
    _ limits: DecodingLimits
  ) throws(ImageError) -> Picture {
    let cursor = ByteCursor(bytes[...], isLittleEndian: true)
    var offset = signature.count
    func number() throws(ImageError) -> UInt32 {
      guard let number = cursor.number(offset, 4) else {
        throw .damaged("its record is incomplete")
      }
      offset += 4
      // Where `Int` has 32 bits, the upper half is negative.
      return UInt32(truncatingIfNeeded: number)
    }
    func count() throws(ImageError) -> Int {
      Int(clamping: try number())
    }
    func longNumber() throws(ImageError) -> Int64 {
      Int64(try number()) | Int64(try number()) << 32
    }
    guard bytes.starts(with: signature) else { throw .damaged("it is not a record of a picture") }
    let size = PixelSize(width: try count(), height: try count())
    let sourceSize = PixelSize(width: try count(), height: try count())
    let (repetitions, frameCount) = (try number(), try count())
    guard size.count > 0 else { throw .damaged("its record has no pixels") }
    try limits.check(pixels: size)
    var frames: [Picture.Frame] = []
    for index in 0..<frameCount {
      try limits.check(frame: index + 1, of: size)
      try limits.check(memory: size.count * 4 * (index + 2))
      let (seconds, attoseconds) = (try longNumber(), try longNumber())
      let duration = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
      let length = try count()
      guard let content = cursor.slice(offset, length),
        let bitmap = bitmap(Array(content), size)
      else { throw .damaged("its record is damaged") }
      offset += length
      frames.append(Picture.Frame(bitmap, duration: max(duration, .zero)))
    }
    return try Picture(
      frames,
      repetitions: repetitions == forever ? nil : Int(clamping: repetitions),
      sourceSize: sourceSize
    )
  }
}

// MARK: - Pixels

extension PictureRecord {
  private static func compressed(_ bitmap: Bitmap) -> [UInt8] {
    let length = bitmap.size.width * 4
    let differences = [UInt8](unsafeUninitializedCapacity: bitmap.pixels.count) { target, count in
      bitmap.pixels.withUnsafeBufferPointer { source in
        for place in source.indices {
          let above = place < length ? 0 : source[place - length]
          target.initializeElement(at: place, to: source[place] &- above)
        }
      }
      count = bitmap.pixels.count
    }
    let bound = Int(compressBound(uLong(differences.count)))
    return [UInt8](unsafeUninitializedCapacity: bound) { target, count in
      var length = uLongf(bound)
      let status = compress2(
        target.baseAddress,
        &length,
        differences,
        uLong(differences.count),
        Z_BEST_SPEED
      )
      count = status == Z_OK ? Int(length) : 0
    }
  }

  private static func bitmap(_ compressed: [UInt8], _ size: PixelSize) -> Bitmap? {
    let capacity = size.count * 4
    var isWhole = false
    let pixels = [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      var length = uLongf(capacity)
      let status = uncompress(
        target.baseAddress,
        &length,
        compressed,
        uLong(compressed.count)
      )
      isWhole = status == Z_OK && length == capacity
      guard isWhole else { return }
      for place in size.width * 4..<max(capacity, size.width * 4) {
        target[place] &+= target[place - size.width * 4]
      }
      count = capacity
    }
    return isWhole ? Bitmap(size: size, pixels: pixels) : nil
  }
}
