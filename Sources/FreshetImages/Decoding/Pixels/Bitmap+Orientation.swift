extension Bitmap {
  func oriented(_ orientation: Orientation) -> Bitmap {
    guard orientation != .upright else { return self }
    let upright = orientation.upright(size)
    let turned = [UInt8](unsafeUninitializedCapacity: pixels.count) { target, count in
      pixels.withUnsafeBufferPointer { source in
        var place = 0
        for y in 0..<upright.height {
          for x in 0..<upright.width {
            let stored = orientation.stored(x: x, y: y, in: size)
            let start = (stored.y * size.width + stored.x) * 4
            for channel in 0..<4 {
              target.initializeElement(at: place + channel, to: source[start + channel])
            }
            place += 4
          }
        }
      }
      count = pixels.count
    }
    return Bitmap(trusted: upright, turned)
  }
}
