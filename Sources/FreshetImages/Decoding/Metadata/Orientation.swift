/// The orientation of a stored picture: the values of Exif's tag 0x0112.
enum Orientation: Int, Sendable, CaseIterable {
  case upright = 1
  case mirrored
  case upsideDown
  case mirroredUpsideDown
  case mirroredTurnedLeft
  case turnedLeft
  case mirroredTurnedRight
  case turnedRight

  /// A Boolean value that indicates whether the stored width is the upright height.
  var swapsSides: Bool { rawValue >= 5 }

  func upright(_ stored: PixelSize) -> PixelSize {
    swapsSides ? stored.turned : stored
  }

  /// Returns the stored position of an upright pixel.
  func stored(x: Int, y: Int, in size: PixelSize) -> (x: Int, y: Int) {
    let (right, bottom) = (size.width - 1, size.height - 1)
    return switch self {
    case .upright: (x, y)
    case .mirrored: (right - x, y)
    case .upsideDown: (right - x, bottom - y)
    case .mirroredUpsideDown: (x, bottom - y)
    case .mirroredTurnedLeft: (y, x)
    case .turnedLeft: (y, bottom - x)
    case .mirroredTurnedRight: (right - y, bottom - x)
    case .turnedRight: (right - y, x)
    }
  }
}

extension Orientation {
  /// Reads the tag from a TIFF block with or without Exif's own header; `nil` if there is none.
  init?(exif: ArraySlice<UInt8>) {
    let header = Array("Exif\0\0".utf8)
    let block = exif.starts(with: header) ? exif.dropFirst(header.count) : exif
    guard block.starts(with: [0x49, 0x49, 0x2A, 0]) || block.starts(with: [0x4D, 0x4D, 0, 0x2A])
    else { return nil }
    let cursor = ByteCursor(block, isLittleEndian: block.first == 0x49)
    guard let directory = cursor.number(4, 4), let count = cursor.number(directory, 2) else {
      return nil
    }
    for index in 0..<count {
      let entry = directory + 2 + index * 12
      guard let tag = cursor.number(entry, 2) else { return nil }
      if tag == 0x0112, let value = cursor.number(entry + 8, 2) {
        self.init(rawValue: value)
        return
      }
    }
    return nil
  }
}
