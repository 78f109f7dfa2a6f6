import FreshetEssentials

/// Writes bytes that arrive in order to their places in a part, and records segments, a cell at a
/// time.
///
/// It is used by one task at a time. Releasing it records what has arrived so far.
final class PartWriter {
  private let part: PartFile
  private let shelf: PartShelf
  private var position: Int64
  private var cell = Data()
  private var waiting: [PartSegment] = []
  /// A Boolean value that indicates whether nothing is recorded before ``finish()``, because the
  /// bytes have to be compared with a digest first.
  private let isHeld: Bool

  init(_ part: PartFile, on shelf: PartShelf, from position: Int64, isHeld: Bool) {
    self.part = part
    self.shelf = shelf
    self.position = position
    self.isHeld = isHeld
  }

  deinit {
    if !isHeld { finish() }
  }

  func append(_ data: Data) {
    var rest = data[...]
    while !rest.isEmpty {
      let room = PartSegment.cell - (position + Int64(cell.count)) % PartSegment.cell
      let piece = rest.prefix(Int(room))
      cell.append(piece)
      rest = rest.dropFirst(piece.count)
      if piece.count == Int(room) { write() }
    }
  }

  /// Writes and records everything that has arrived.
  func finish() {
    write()
    part.note(waiting)
    waiting = []
  }

  private func write() {
    guard !cell.isEmpty else { return }
    if let segment = part.write(cell, at: position, on: shelf) { waiting.append(segment) }
    position += Int64(cell.count)
    cell = Data()
    // Waiting for the device takes long, and is done for several at once.
    if !isHeld, waiting.count >= (part.survivesPower ? 4 : 1) {
      part.note(waiting)
      waiting = []
    }
  }
}
