/// The scans of a JPEG; each of a progressive one refines the whole picture.
enum ProgressiveScans {
  /// Returns a file with the scans that are complete; `nil` if it is not a progressive JPEG, or if none
  /// is complete yet.
  static func file(of beginning: [UInt8]) -> [UInt8]? {
    guard PictureFormat(beginning) == .jpeg, let length = completeLength(beginning) else {
      return nil
    }
    return beginning[..<length] + [0xFF, 0xD9]
  }

  /// Returns the number of scans of a JPEG, progressive or not, and whether its end is there.
  static func scans(in bytes: [UInt8]) -> (count: Int, isWhole: Bool) {
    var (place, count) = (2, 0)
    while let start = nextMarker(bytes, from: place) {
      switch bytes[start + 1] {
      case 0xFF: place = start + 1
      // Markers without a length; libjpeg skips the reserved ones.
      case 0x01...0xBF: place = start + 2
      case 0xD9: return (count, true)
      case let marker:
        guard start + 3 < bytes.count else { return (count, false) }
        if marker == 0xDA { count += 1 }
        place = start + 2 + Int(bytes[start + 2]) << 8 + Int(bytes[start + 3])
      }
    }
    return (count, false)
  }

  /// Returns a JPEG without the bytes between its segments that belong to none.
  static func withoutStrayBytes(_ bytes: [UInt8]) -> [UInt8] {
    var (place, rest, isInScan) = (2, Array(bytes.prefix(2)), false)
    while let start = nextMarker(bytes, from: place) {
      if isInScan { rest += bytes[place..<start] }
      let marker = bytes[start + 1]
      switch marker {
      case 0xFF: place = start + 1
      case 0x01...0xBF:
        place = start + 2
        if isInScan { rest += bytes[start..<place] }
      case 0xD9: return rest + bytes[start...]
      default:
        guard start + 3 < bytes.count else { return rest + bytes[start...] }
        place = min(start + 2 + Int(bytes[start + 2]) << 8 + Int(bytes[start + 3]), bytes.count)
        rest += bytes[start..<place]
        isInScan = marker == 0xDA
      }
    }
    return rest + bytes[place...]
  }

  /// Returns the end of the last complete scan.
  private static func completeLength(_ bytes: [UInt8]) -> Int? {
    var (place, isProgressive, complete) = (2, false, Int?.none)
    while place + 3 < bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      // Any number of fill bytes may precede a marker.
      if marker == 0xFF {
        place += 1
        continue
      }
      if marker == 0xD9 { break }
      if [0xC2, 0xC6, 0xCA, 0xCE].contains(marker) { isProgressive = true }
      place += 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
      guard marker == 0xDA else { continue }
      guard isProgressive, let end = nextMarker(bytes, from: place) else { break }
      (place, complete) = (end, end)
    }
    return complete
  }

  /// Returns the position of the next marker that is not a part of the scan; `nil` until both of its
  /// bytes are there.
  private static func nextMarker(_ bytes: [UInt8], from start: Int) -> Int? {
    var place = start
    while place + 1 < bytes.count {
      if bytes[place] == 0xFF, bytes[place + 1] != 0, !(0xD0...0xD7 ~= bytes[place + 1]) {
        return place
      }
      place += 1
    }
    return nil
  }
}
