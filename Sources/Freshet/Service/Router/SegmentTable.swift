/// A table that finds the child of a node by its literal, byte by byte, in constant time.
///
/// The literals of all nodes are in one table. `String` would compare by canonical equivalence; two
/// encodings of a letter are two segments.
struct SegmentTable: Sendable {
  private struct Edge {
    let parent: Int
    let child: Int
    let hash: Int
    /// The position of its literal in `text`.
    let start: Int
    let count: Int
  }

  private var edges: [Edge] = []
  private var text: [UInt8] = []
  /// The positions in `edges` by hash, −1 for an empty slot; the count is a power of two, and at
  /// most half are used.
  private var slots: [Int32] = []

  /// Returns the child of a node for a segment; `nil` if there is none.
  func child(of parent: Int, _ segment: UnsafeBufferPointer<UInt8>) -> Int? {
    guard !slots.isEmpty else { return nil }
    let hash = Self.hash(segment, parent)
    var slot = hash & (slots.count - 1)
    while slots[slot] >= 0 {
      let edge = edges[Int(slots[slot])]
      if edge.hash == hash, edge.parent == parent, isLiteral(of: edge, segment) {
        return edge.child
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  func child(of parent: Int, _ literal: [UInt8]) -> Int? {
    literal.withUnsafeBufferPointer { child(of: parent, $0) }
  }

  /// Adds a literal for which the node has no child.
  mutating func insert(_ literal: [UInt8], from parent: Int, to child: Int) {
    let hash = literal.withUnsafeBufferPointer { Self.hash($0, parent) }
    edges.append(
      Edge(parent: parent, child: child, hash: hash, start: text.count, count: literal.count)
    )
    text += literal
    if edges.count * 2 > slots.count {
      slots = Array(repeating: -1, count: max(8, slots.count * 2))
      for position in edges.indices { place(position) }
    } else {
      place(edges.count - 1)
    }
  }

  private mutating func place(_ position: Int) {
    var slot = edges[position].hash & (slots.count - 1)
    while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(position)
  }

  private func isLiteral(of edge: Edge, _ segment: UnsafeBufferPointer<UInt8>) -> Bool {
    guard edge.count == segment.count else { return false }
    for index in segment.indices where text[edge.start + index] != segment[index] { return false }
    return true
  }

  /// Returns an FNV-1a hash with its high bits folded in; the keys are the program's own, so that
  /// an attacker cannot make them collide.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ parent: Int) -> Int {
    var hash = 0xCBF2_9CE4_8422_2325 ^ UInt64(parent)
    for byte in bytes {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    return Int(truncatingIfNeeded: (hash ^ hash >> 32) & 0x7FFF_FFFF)
  }
}
