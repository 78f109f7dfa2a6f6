extension Bitmap {
  /// Returns a bitmap whose bytes are written from those of this one.
  func rewritten(
    _ size: PixelSize,
    _ write: (UnsafeBufferPointer<UInt8>, UnsafeMutableBufferPointer<UInt8>) -> Void
  ) -> Bitmap {
    let count = size.count * 4
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
      target.initialize(repeating: 0)
      pixels.withUnsafeBufferPointer { write($0, target) }
      initialized = count
    }
    return Bitmap(trusted: size, bytes)
  }

  /// Returns the bitmap reduced to a size, of which no side is longer.
  func reduced(to target: PixelSize) -> Bitmap {
    guard target != size else { return self }
    var reduction = Reduction(from: size, to: target)
    let length = size.width * 4
    pixels.withUnsafeBufferPointer { bytes in
      for y in 0..<size.height {
        reduction.add(UnsafeBufferPointer(rebasing: bytes[y * length..<(y + 1) * length]))
      }
    }
    return Bitmap(trusted: target, reduction.finish())
  }

  /// Returns a part of the bitmap, which must be inside it and not empty.
  func cropped(columns: Range<Int>, rows: Range<Int>) -> Bitmap {
    let part = PixelSize(width: columns.count, height: rows.count)
    guard part != size else { return self }
    return rewritten(part) { source, target in
      for (index, row) in rows.enumerated() {
        let start = (row * size.width + columns.lowerBound) * 4
        let length = part.width * 4
        _ = UnsafeMutableBufferPointer(rebasing: target[(index * length)...])
          .update(from: UnsafeBufferPointer(rebasing: source[start..<start + length]))
      }
    }
  }

  /// Returns the middle of the bitmap: as large as the box, or of its shape if one side is shorter.
  func cropped(toShapeOf box: ImageTarget) -> Bitmap {
    var (width, height) = (Double(size.width), Double(size.height))
    if width >= box.width, height >= box.height {
      (width, height) = (box.width, box.height)
    } else {
      let factor = min(width / box.width, height / box.height)
      (width, height) = (box.width * factor, box.height * factor)
    }
    let columns = max(1, Int(width.rounded()))
    let rows = max(1, Int(height.rounded()))
    let (left, top) = ((size.width - columns) / 2, (size.height - rows) / 2)
    return cropped(columns: left..<left + columns, rows: top..<top + rows)
  }

  func rounded(_ radius: Double) -> Bitmap {
    let (width, height) = (Double(size.width), Double(size.height))
    let radius = min(radius, width / 2, height / 2)
    guard radius > 0 else { return self }
    /// The distance of a position from where the corners begin.
    func distance(_ position: Double, _ side: Double) -> Double {
      max(radius - position, position - (side - radius), 0)
    }
    return rewritten(size) { source, target in
      _ = target.update(fromContentsOf: source)
      for y in 0..<size.height {
        let vertical = distance(Double(y) + 0.5, height)
        guard vertical > 0 else { continue }
        for x in 0..<size.width {
          let horizontal = distance(Double(x) + 0.5, width)
          guard horizontal > 0 else { continue }
          let far = (horizontal * horizontal + vertical * vertical).squareRoot()
          let coverage = min(max(radius - far + 0.5, 0), 1)
          guard coverage < 1 else { continue }
          let start = (y * size.width + x) * 4
          for channel in start..<start + 4 {
            target[channel] = UInt8((Double(target[channel]) * coverage).rounded())
          }
        }
      }
    }
  }
}
