import FreshetEssentials

/// A response that is buffered until it is complete, so that the request can be retried if its body is lost.
struct HeldResponse {
  /// The largest body that is buffered, in bytes: 256 KiB.
  ///
  /// A larger one is delivered as it arrives.
  static let limit = 256 << 10

  private var events: ArraySlice<TransferEvent> = []
  private var size = 0

  /// A Boolean value that indicates whether nothing is buffered.
  var isEmpty: Bool { events.isEmpty }

  /// A Boolean value that indicates whether the buffered body exceeds the limit.
  var isFull: Bool { size > Self.limit }

  mutating func hold(_ event: TransferEvent) {
    if case .body(let chunk) = event { size += chunk.count }
    events.append(event)
  }

  /// Removes and returns the first buffered event.
  mutating func next() -> TransferEvent? { events.popFirst() }
}
