/// One request of a batch.
public struct BatchItem: Sendable {
  private struct Content: Sendable {
    let index: Int
    let entry: BatchEntry
    let size: Int64?
  }

  /// The properties behind one reference, because an item is copied with each of its events.
  private let boxed: Boxed<Content>
  private var content: Content { boxed.value }

  init(index: Int, entry: BatchEntry, size: Int64? = nil) {
    let size = size ?? entry.expectedLength.map { max(0, $0) }
    boxed = Boxed(Content(index: index, entry: entry, size: size))
  }

  init(index: Int, request: Request) {
    self.init(index: index, entry: BatchEntry(request))
  }

  /// Returns the item, with this priority if it is higher.
  func raised(to priority: Request.Priority) -> BatchItem {
    guard priority > request.priority else { return self }
    var entry = entry
    entry.request.priority = priority
    return BatchItem(index: index, entry: entry, size: size)
  }

  /// Its position in the source of the batch, from 0; that of the first one if it repeats.
  public var index: Int { content.index }
  /// The request.
  public var request: Request { content.entry.request }
  /// The request with the choices that the batch was given for it.
  public var entry: BatchEntry { content.entry }
  /// The priority of the request.
  var priority: Request.Priority { content.entry.request.priority }
  /// The number of bytes to transfer, if a plan has determined it or its entry tells it.
  var size: Int64? { content.size }

  /// The policy of its own; `nil` for an item that is fetched as the batch.
  func policy(of batch: Batch) -> ResourcePolicy? {
    guard let digest = entry.expected else { return entry.policy }
    var policy = entry.policy ?? batch.usedPolicy
    policy.expected = digest
    return policy
  }
}

extension BatchItem: RedactedDescribable {
  /// The index, and the request without user, password, query and fragment.
  public var description: String { "\(index): \(request)" }
  /// The index, and the request without secrets.
  public var customMirror: Mirror { Mirror(self, children: ["index": index, "request": request]) }
}
