/// The segments of a part in the order of their positions.
struct PartSegments: Sendable {
  private(set) var all: [PartSegment] = []

  /// The largest number of segments of a part.
  static let limit = 65_536

  /// Adds a segment in place of one with the same range.
  mutating func add(_ segment: PartSegment) {
    let index = firstIndex(from: segment.range.lowerBound)
    var same = index
    while same < all.count, all[same].range.lowerBound == segment.range.lowerBound {
      if all[same].range == segment.range {
        all[same] = segment
        return
      }
      same += 1
    }
    all.insert(segment, at: index)
  }

  mutating func remove(_ segment: PartSegment) {
    all.removeAll { $0 == segment }
  }

  /// Returns the segment that contains the position and extends farthest.
  func segment(at position: Int64) -> PartSegment? {
    var index = firstIndex(from: position + 1) - 1
    var best: PartSegment?
    // None is longer than a cell.
    while index >= 0, all[index].range.lowerBound > position - PartSegment.cell {
      let range = all[index].range
      if range.contains(position), best.map({ $0.range.upperBound < range.upperBound }) ?? true {
        best = all[index]
      }
      index -= 1
    }
    return best
  }

  /// Returns the next position, from this one on, with a stored byte, or the end.
  func nextStored(from position: Int64, to end: Int64) -> Int64 {
    if segment(at: position) != nil { return position }
    let index = firstIndex(from: position)
    return index < all.count ? min(all[index].range.lowerBound, end) : end
  }

  /// Returns a Boolean value that indicates whether every byte of a range is stored.
  func cover(_ range: Range<Int64>) -> Bool {
    nextMissing(from: range.lowerBound, to: range.upperBound) == nil
  }

  /// The ranges that are stored, those that touch as one.
  var ranges: [Range<Int64>] {
    all.reduce(into: []) { ranges, segment in
      guard let last = ranges.last, segment.range.lowerBound <= last.upperBound else {
        return ranges.append(segment.range)
      }
      let end = max(last.upperBound, segment.range.upperBound)
      ranges[ranges.count - 1] = last.lowerBound..<end
    }
  }

  /// The first position from this one on that is not stored; `nil` if there is none before the end.
  func nextMissing(from position: Int64, to end: Int64) -> Int64? {
    // None that reaches the position begins earlier: no segment is longer than a cell.
    var index = firstIndex(from: position - PartSegment.cell + 1)
    var position = position
    while position < end, index < all.count, all[index].range.lowerBound <= position {
      position = max(position, all[index].range.upperBound)
      index += 1
    }
    return position < end ? position : nil
  }

  /// Returns the first gap from this position on, up to the next stored byte or the end; `nil` if
  /// every byte is stored.
  func gap(from position: Int64, to end: Int64) -> Range<Int64>? {
    nextMissing(from: position, to: end).map { $0..<nextStored(from: $0, to: end) }
  }

  /// Returns the index of the first segment that begins there or later.
  private func firstIndex(from position: Int64) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].range.lowerBound < position { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
