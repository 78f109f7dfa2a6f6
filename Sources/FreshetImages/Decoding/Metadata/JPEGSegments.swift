/// The segments of a JPEG, up to the end of the picture.
///
/// What lies between two segments is the data of a scan, with its restart markers, or belongs to nothing
/// and is skipped by the decoders: fill bytes and reserved markers are such bytes.
struct JPEGSegments: Sequence, IteratorProtocol {
  struct Segment {
    let marker: UInt8
    /// The position of the marker.
    let start: Int
    /// The position behind the content, which may be beyond the end of the file.
    let end: Int
  }

  static let startOfScan: UInt8 = 0xDA
  static let endOfPicture: UInt8 = 0xD9
  /// The frames whose scans each refine the whole picture.
  static let progressiveFrames: [UInt8] = [0xC2, 0xC6, 0xCA, 0xCE]

  private let bytes: [UInt8]
  private var place = 2

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func next() -> Segment? {
    var start = place
    while start + 1 < bytes.count {
      if bytes[start] == 0xFF, Self.begins(bytes[start + 1]) {
        let marker = bytes[start + 1]
        let isLast = marker == Self.endOfPicture
        let end = isLast ? start + 2 : end(of: start)
        place = isLast ? bytes.count : end
        return Segment(marker: marker, start: start, end: end)
      }
      start += 1
    }
    return nil
  }

  /// Returns a Boolean value that indicates whether a marker begins a segment.
  private static func begins(_ marker: UInt8) -> Bool {
    marker >= 0xC0 && marker < 0xFF && !(0xD0...0xD7 ~= marker)
  }

  /// Returns the position behind a segment; that of one without a whole length is the end of the file.
  private func end(of start: Int) -> Int {
    guard start + 3 < bytes.count else { return bytes.count }
    return start + 2 + Int(bytes[start + 2]) << 8 + Int(bytes[start + 3])
  }
}
