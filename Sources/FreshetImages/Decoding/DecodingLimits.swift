/// The limits for decoding one picture; exceeding one throws ``ImageError/tooLarge(_:)``.
public struct DecodingLimits: Sendable, Hashable {
  /// The largest file, in bytes; 64 MiB by default.
  ///
  /// A load of a longer one ends, and its transfer unless others share it.
  public var bytes: Int64 = 64 << 20
  /// The largest number of pixels of a picture before it is reduced; 100 million by default.
  ///
  /// All frames of an animation together may have ten times as many, and so may all scans of a JPEG.
  public var pixels = 100_000_000
  /// The most memory that is allocated for pixels during decoding, the result included, in bytes; 512
  /// MiB by default.
  public var memory = 512 << 20
  /// The largest number of frames of an animation; 2,000 by default.
  public var frames = 2_000

  /// Creates the default limits, changed by a closure.
  public init(_ configure: (inout DecodingLimits) -> Void = { _ in }) {
    configure(&self)
  }
}

extension DecodingLimits {
  func check(bytes count: Int) throws(ImageError) {
    if count > bytes { throw .tooLarge(.bytes(Int64(count))) }
  }

  func check(pixels size: PixelSize) throws(ImageError) {
    // The memory for still more could not be counted.
    let most = min(pixels, Int(clamping: Int64(1) << 40))
    if size.count > most { throw .tooLarge(.pixels(size.count)) }
  }

  func check(memory count: Int) throws(ImageError) {
    if count > memory { throw .tooLarge(.memory(count)) }
  }

  func check(frame number: Int, of canvas: PixelSize) throws(ImageError) {
    if number > frames { throw .tooLarge(.frames(number)) }
    try check(passes: number, over: canvas)
  }

  /// Checks a frame by its number, and by the total number of pixels of all frames so far.
  func check(frame number: Int, pixels all: Int) throws(ImageError) {
    if number > frames { throw .tooLarge(.frames(number)) }
    if number > 1, all / 10 > pixels { throw .tooLarge(.pixels(all)) }
  }

  /// Checks the total number of pixels of frames, or of scans.
  func check(passes count: Int, over canvas: PixelSize) throws(ImageError) {
    let (all, overflows) = canvas.count.multipliedReportingOverflow(by: count)
    guard count > 1, overflows || all / 10 > pixels else { return }
    throw .tooLarge(.pixels(overflows ? .max : all))
  }

  /// Checks all frames of an animation: their number, their pixels and the memory of their results, in
  /// addition to other memory.
  func check(
    frames count: Int,
    of canvas: PixelSize,
    reducedTo size: PixelSize,
    beside memory: Int
  ) throws(ImageError) {
    try check(frame: count, of: canvas)
    let (bytes, overflows) = (size.count * 4).multipliedReportingOverflow(by: count)
    let (sum, sumOverflows) = bytes.addingReportingOverflow(memory)
    try check(memory: overflows || sumOverflows ? .max : sum)
  }
}
