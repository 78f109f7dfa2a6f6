import Freshet

/// The scans of a JPEG; each of a progressive one refines the whole picture.
enum ProgressiveScans {
  /// Returns a file with the scans that are complete; `nil` if it is not a progressive JPEG, or if none
  /// is complete yet.
  static func file(of beginning: [UInt8]) -> [UInt8]? {
    guard PictureFormat(beginning) == .jpeg, let length = completeLength(beginning) else {
      return nil
    }
    return beginning[..<length] + [0xFF, JPEGSegments.endOfPicture]
  }

  /// Returns the number of scans of a JPEG, progressive or not, and whether its end is there.
  static func scans(in bytes: [UInt8]) -> (count: Int, isWhole: Bool) {
    var scans = (count: 0, isWhole: false)
    for segment in JPEGSegments(bytes) {
      if segment.marker == JPEGSegments.startOfScan { scans.count += 1 }
      scans.isWhole = segment.marker == JPEGSegments.endOfPicture
    }
    return scans
  }

  /// Returns a JPEG without the bytes between its segments that belong to none.
  static func withoutStrayBytes(_ bytes: [UInt8]) -> [UInt8] {
    var (place, rest, isInScan) = (2, Array(bytes.prefix(2)), false)
    for segment in JPEGSegments(bytes) {
      if isInScan { rest += bytes[place..<segment.start] }
      place = min(segment.end, bytes.count)
      rest += bytes[segment.start..<place]
      isInScan = segment.marker == JPEGSegments.startOfScan
    }
    return rest + bytes[place...]
  }

  /// Returns the end of the last complete scan.
  private static func completeLength(_ bytes: [UInt8]) -> Int? {
    var (isProgressive, isInScan, complete) = (false, false, Int?.none)
    for segment in JPEGSegments(bytes) {
      if isInScan { complete = segment.start }
      if JPEGSegments.progressiveFrames.contains(segment.marker) { isProgressive = true }
      isInScan = segment.marker == JPEGSegments.startOfScan
      // The one scan of another file is nearly all of it, and is not looked through.
      if isInScan, !isProgressive { return nil }
    }
    return complete
  }
}
