import CZlib
import Freshet

struct PictureMetadata: Sendable {
  /// The colour profile (ICC); `nil` for sRGB.
  var profile: [UInt8]?
  var orientation = Orientation.upright
  var isGrey = false
  /// A Boolean value that indicates whether decoding a JPEG needs all coefficients in memory.
  ///
  /// It does unless the JPEG is known not to be progressive and to have all colours in its first scan.
  var holdsCoefficients = true
  /// A Boolean value that indicates whether a JPEG has Adobe's marker, which means that its four inks
  /// are inverted.
  var hasInvertedInks = false

  /// The largest profile that is read, in bytes; profiles have some hundred bytes to some kilobytes.
  static let profileLimit = 4 << 20
  /// The largest number of chunks or segments that are read: 64 MiB could contain some millions.
  static let chunkLimit = 100_000

  init(_ bytes: [UInt8], _ format: PictureFormat) {
    switch format {
    case .png: readPNG(ByteCursor(bytes[...]))
    case .jpeg: readJPEG(bytes)
    case .webP: readWebP(ByteCursor(bytes[...], isLittleEndian: true))
    case .gif: break
    }
  }
}

// MARK: - PNG

extension PictureMetadata {
  /// Reads the chunks: length, name, content, checksum.
  ///
  /// Only a profile before the pixels is read, and only the first one, because inflating it is expensive.
  private mutating func readPNG(_ cursor: ByteCursor) {
    // The colour type in the header has a bit for colours.
    isGrey = cursor.byte(25).map { $0 & 2 == 0 } ?? false
    var (offset, mayHaveProfile) = (8, true)
    for _ in 0..<Self.chunkLimit {
      guard let length = cursor.number(offset, 4), let name = cursor.text(offset + 4, 4) else {
        return
      }
      if let content = cursor.slice(offset + 8, length) {
        if name == "iCCP", mayHaveProfile { profile = Self.inflatedProfile(content) }
        if name == "eXIf" { orientation = Orientation(exif: content) ?? .upright }
      }
      if name == "iCCP" || name == "IDAT" { mayHaveProfile = false }
      offset += 12 + length
    }
  }

  /// Returns the profile of a chunk: a name, a zero, the method, which is 0, and the profile compressed
  /// with zlib.
  private static func inflatedProfile(_ content: ArraySlice<UInt8>) -> [UInt8]? {
    guard let end = content.firstIndex(of: 0) else { return nil }
    let compressed = Array(content[end...].dropFirst(2))
    var capacity = 64 << 10
    while capacity <= profileLimit {
      var length = uLongf(capacity)
      var status = Z_OK
      let profile = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        status = uncompress(buffer.baseAddress, &length, compressed, uLong(compressed.count))
        count = status == Z_OK ? Int(length) : 0
      }
      if status == Z_OK { return profile }
      if status != Z_BUF_ERROR { return nil }
      capacity *= 4
    }
    return nil
  }
}

// MARK: - JPEG

extension PictureMetadata {
  /// Reads the segments up to the first scan.
  private mutating func readJPEG(_ bytes: [UInt8]) {
    var colors = 0
    var parts: [Int: ArraySlice<UInt8>] = [:]
    var isProgressive = false
    for segment in JPEGSegments(bytes).prefix(Self.chunkLimit) {
      guard segment.start + 4 <= segment.end, segment.end <= bytes.count else { break }
      let content = bytes[segment.start + 4..<segment.end]
      switch segment.marker {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        colors = content.dropFirst(5).first.map(Int.init) ?? 0
        isGrey = colors == 1
        isProgressive = JPEGSegments.progressiveFrames.contains(segment.marker)
      case 0xE1: orientation = Orientation(exif: content) ?? orientation
      case 0xE2: Self.collect(content, &parts)
      case 0xEE: hasInvertedInks = content.starts(with: Array("Adobe".utf8))
      default: break
      }
      if segment.marker == JPEGSegments.startOfScan {
        holdsCoefficients = isProgressive || content.first.map { Int($0) < colors } ?? true
        break
      }
    }
    guard !parts.isEmpty, parts.keys.max() == parts.count else { return }
    profile = parts.sorted { $0.key < $1.key }.flatMap(\.value)
  }

  /// Collects a part of a profile: a name, the number of the part counted from 1, and the number of parts.
  private static func collect(_ content: ArraySlice<UInt8>, _ parts: inout [Int: ArraySlice<UInt8>])
  {
    let name = Array("ICC_PROFILE\0".utf8)
    guard content.starts(with: name) else { return }
    let rest = content.dropFirst(name.count)
    guard let number = rest.first, number > 0 else { return }
    parts[Int(number)] = rest.dropFirst(2)
  }
}

// MARK: - WebP

extension PictureMetadata {
  /// Reads the chunks: name, length, content, padded to an even length.
  private mutating func readWebP(_ cursor: ByteCursor) {
    var (offset, mayHaveProfile) = (12, true)
    for _ in 0..<Self.chunkLimit {
      guard let name = cursor.text(offset, 4), let length = cursor.number(offset + 4, 4) else {
        return
      }
      if let content = cursor.slice(offset + 8, length) {
        if name == "ICCP", mayHaveProfile {
          profile = length <= Self.profileLimit ? Array(content) : nil
          mayHaveProfile = false
        }
        if name == "EXIF" { orientation = Orientation(exif: content) ?? .upright }
      }
      offset += 8 + length + length % 2
    }
  }
}
