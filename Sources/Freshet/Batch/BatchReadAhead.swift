/// The limit up to which a run reads ahead while the hosts of all waiting items have their share of the work.
struct BatchReadAhead: Sendable {
  /// The largest number of waiting items.
  let farthest: Int
  /// The number of hosts of all items; `nil` if it is not known.
  let hosts: Int?
}

extension Batch {
  func readAhead(_ limits: BatchLimits) -> BatchReadAhead {
    switch source {
    case .items(let items):
      BatchReadAhead(farthest: .max, hosts: Set(items.map { limits.host(of: $0.request) }).count)
    // Each item of a stream needs memory.
    case .stream: BatchReadAhead(farthest: 16 * limits.window, hosts: nil)
    // Other processes may have room for the items of a queue.
    case .queue, .failing: BatchReadAhead(farthest: limits.window, hosts: nil)
    }
  }
}
