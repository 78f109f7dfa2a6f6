/// Finds the child of a node by its literal, byte by byte, in a time that does not depend on how many
/// there are.
///
/// `String` would compare by canonical equivalence; two encodings of a letter are two segments.
struct SegmentTable: Sendable {
  private var keys: [[UInt8]] = []
  private var children: [Int] = []
  /// Positions in `keys` by hash, −1 where there is none; a power of two, at most half full.
  private var slots: [Int32] = []

  func find(_ segment: UnsafeBufferPointer<UInt8>) -> Int? {
    guard !slots.isEmpty else { return nil }
    var slot = Self.hash(segment) & (slots.count - 1)
    while slots[slot] >= 0 {
      let position = Int(slots[slot])
      if keys[position].count == segment.count, keys[position].elementsEqual(segment) {
        return children[position]
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  func find(_ key: [UInt8]) -> Int? {
    key.withUnsafeBufferPointer { find($0) }
  }

  /// Adds a key that is not there.
  mutating func insert(_ key: [UInt8], child: Int) {
    keys.append(key)
    children.append(child)
    if keys.count * 2 > slots.count {
      slots = Array(repeating: -1, count: max(8, slots.count * 2))
      for position in keys.indices { place(position) }
    } else {
      place(keys.count - 1)
    }
  }

  private mutating func place(_ position: Int) {
    var slot = keys[position].withUnsafeBufferPointer { Self.hash($0) } & (slots.count - 1)
    while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(position)
  }

  /// FNV-1a with its high bits folded in; the keys are the program's own, so nobody can choose
  /// them to collide.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    return Int(truncatingIfNeeded: (hash ^ hash >> 32) & 0x7FFF_FFFF)
  }
}
