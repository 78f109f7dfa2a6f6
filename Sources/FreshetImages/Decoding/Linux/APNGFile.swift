#if Images && !canImport(Darwin)
import CZlib

/// The frames of an animated PNG, as its chunks have them (*PNG*, third edition, section 11.3.6).
struct APNGFile {
  /// The fate of a frame's area before the next frame is drawn.
  enum Disposal: UInt8 {
    case keep
    case clear
    case restore
  }

  /// The way a frame is drawn on its area.
  enum Blending: UInt8 {
    case replace
    case over
  }

  struct Frame {
    let size: PixelSize
    let left: Int
    let top: Int
    let duration: Duration
    let disposal: Disposal
    let blending: Blending
    /// The compressed pixels, in pieces.
    fileprivate(set) var data: [ArraySlice<UInt8>] = []
  }

  private(set) var frames: [Frame] = []
  /// The size of the whole picture.
  let canvas: PixelSize
  /// The number of times that the frames are played; `nil` for forever.
  let repetitions: Int?
  private let header: ArraySlice<UInt8>
  /// The whole chunks that the pixels of all frames depend on: palette, transparency and gamma.
  private let shared: [ArraySlice<UInt8>]

  private static let sharedNames: Set<String> = ["PLTE", "tRNS", "gAMA", "cHRM", "sRGB"]
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Returns a file with the frame as its only picture.
  func file(of frame: Frame) -> [UInt8] {
    var bytes = Self.signature
    func append(_ name: String, _ content: [UInt8]) {
      bytes += Self.bytes(content.count) + name.utf8 + content
      bytes += Self.bytes(Self.checksum(bytes[(bytes.count - content.count - 4)...]))
    }
    let sides = Self.bytes(frame.size.width) + Self.bytes(frame.size.height)
    append("IHDR", sides + header.dropFirst(8))
    for chunk in shared { bytes += chunk }
    append("IDAT", frame.data.flatMap(\.self))
    append("IEND", [])
    return bytes
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBufferPointer { Int(crc32(0, $0.baseAddress, uInt($0.count))) }
  }
}

// MARK: - Reading

extension APNGFile {
  /// Finds the frames of a file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - limits: The limits of the decoding.
  /// - Returns: The frames; `nil` if the file is not animated, or breaks a rule of animations: its default
  ///   image is shown instead.
  /// - Throws: ``ImageError/damaged(_:)`` if an animated file is cut off, ``ImageError/tooLarge(_:)`` for
  ///   too many frames.
  static func find(
    in bytes: [UInt8],
    _ limits: DecodingLimits
  ) throws(ImageError) -> APNGFile? {
    var reading = Reading()
    let cursor = ByteCursor(bytes[...])
    var offset = signature.count
    for _ in 0..<PictureMetadata.chunkLimit {
      guard let length = cursor.number(offset, 4), let name = cursor.text(offset + 4, 4),
        let whole = cursor.slice(offset, length + 12)
      else {
        if reading.isAnimated { throw .damaged("it ended too early") }
        return nil
      }
      if name == "IEND" { break }
      let chunk = Chunk(name: name, whole: whole)
      guard try reading.take(chunk, limits) else { return nil }
      offset += length + 12
    }
    return reading.file()
  }

  fileprivate struct Chunk {
    let name: String
    let whole: ArraySlice<UInt8>

    var content: ArraySlice<UInt8> { whole.dropFirst(8).dropLast(4) }
    var cursor: ByteCursor { ByteCursor(content) }

    var isIntact: Bool {
      ByteCursor(whole.suffix(4)).number(0, 4) == checksum(whole.dropFirst(4).dropLast(4))
    }
  }

  fileprivate struct Reading {
    private var header: ArraySlice<UInt8>?
    private var canvas = PixelSize(width: 0, height: 0)
    private var shared: [ArraySlice<UInt8>] = []
    private var sharedFound: Set<String> = []
    private var count: Int?
    private var plays = 0
    private var frames: [Frame] = []
    private var next = 0
    private var hasPixels = false
    /// A Boolean value that indicates whether the default image is the first frame: its control chunk
    /// precedes its pixels.
    private var beginsWithDefault = false

    var isAnimated: Bool { count != nil }

    /// Takes the next chunk.
    ///
    /// - Returns: `true` if the file may still be a valid animation.
    mutating func take(_ chunk: Chunk, _ limits: DecodingLimits) throws(ImageError) -> Bool {
      switch chunk.name {
      case "IHDR":
        guard header == nil, chunk.content.count == 13, let width = chunk.cursor.number(0, 4),
          let height = chunk.cursor.number(4, 4)
        else { return false }
        header = chunk.content
        canvas = PixelSize(width: width, height: height)
      case "acTL":
        guard !isAnimated, !hasPixels, chunk.content.count == 8, chunk.isIntact,
          let number = chunk.cursor.number(0, 4), number > 0,
          let plays = chunk.cursor.number(4, 4)
        else { return false }
        count = number
        self.plays = plays
      case "fcTL":
        guard isAnimated, chunk.isIntact, isNext(chunk), let frame = frame(chunk.cursor),
          // The default image is a frame if its control comes first, and has the size of the whole.
          hasPixels ? frames.last?.data.isEmpty != true : frames.isEmpty && frame.size == canvas
        else { return false }
        beginsWithDefault = beginsWithDefault || !hasPixels
        frames.append(frame)
        try limits.check(frame: frames.count, of: canvas)
      case "IDAT":
        hasPixels = true
        guard isAnimated, frames.count == (beginsWithDefault ? 1 : 0), chunk.isIntact else {
          return false
        }
        if beginsWithDefault { frames[0].data.append(chunk.content) }
      case "fdAT":
        guard hasPixels, frames.count > (beginsWithDefault ? 1 : 0), chunk.isIntact, isNext(chunk)
        else { return false }
        frames[frames.count - 1].data.append(chunk.content.dropFirst(4))
      case let name where APNGFile.sharedNames.contains(name) && !hasPixels:
        // They are given to libpng with each frame: none is longer than a palette, and the first one counts.
        if chunk.content.count <= 768, sharedFound.insert(name).inserted {
          shared.append(chunk.whole)
        }
      default:
        break
      }
      return true
    }

    /// Returns whether the chunk has the next number; controls and pixels are counted together.
    private mutating func isNext(_ chunk: Chunk) -> Bool {
      guard chunk.cursor.number(0, 4) == next else { return false }
      next += 1
      return true
    }

    private func frame(_ cursor: ByteCursor) -> Frame? {
      guard cursor.bytes.count == 26, let width = cursor.number(4, 4),
        let height = cursor.number(8, 4), let left = cursor.number(12, 4),
        let top = cursor.number(16, 4), let delay = cursor.number(20, 2),
        let unit = cursor.number(22, 2),
        let disposal = cursor.byte(24).flatMap(Disposal.init),
        let blending = cursor.byte(25).flatMap(Blending.init),
        width > 0, height > 0, left + width <= canvas.width, top + height <= canvas.height
      else { return nil }
      return Frame(
        size: PixelSize(width: width, height: height),
        left: left,
        top: top,
        duration: .ofFrame(delay, perSecond: unit == 0 ? 100 : unit),
        disposal: disposal,
        blending: blending
      )
    }

    func file() -> APNGFile? {
      guard let header, frames.count == count, frames.allSatisfy({ !$0.data.isEmpty }) else {
        return nil
      }
      return APNGFile(
        frames: frames,
        canvas: canvas,
        repetitions: plays == 0 ? nil : plays,
        header: header,
        shared: shared
      )
    }
  }
}
#endif
