import Foundation

/// A response that is held back until it is complete, so that it can be asked for again if its body
/// is lost.
struct HeldResponse {
  /// The largest body that is held, in bytes; a larger one goes on as it comes.
  static let limit = 256 << 10

  private var events: ArraySlice<TransferEvent> = []
  private var size = 0

  /// Whether nothing is held.
  var isEmpty: Bool { events.isEmpty }

  /// Whether more is held than may be.
  var isFull: Bool { size > Self.limit }

  mutating func hold(_ event: TransferEvent) {
    if case .body(let chunk) = event { size += chunk.count }
    events.append(event)
  }

  /// What is handed over next.
  mutating func next() -> TransferEvent? { events.popFirst() }
}
