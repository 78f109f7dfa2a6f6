/// The source of a batch's requests.
enum BatchSource: Sendable {
  /// All requests, each once.
  case items([BatchItem])
  /// A stream: the closure passes each request to the intake.
  case stream(@Sendable (@escaping Intake) async throws(FreshetError) -> Void)
  /// A queue, of which each run makes a stream.
  case queue(any BatchQueue)
  /// A failure: nothing can be run.
  case failing(FreshetError)

  /// Takes an item once there is room for it, and returns whether more are needed.
  typealias Intake = @Sendable (BatchItem) async -> Bool

  init(_ entries: some Sequence<BatchEntry>, for client: Client) {
    var places: [ItemKey: Int] = [:]
    var items: [BatchItem] = []
    for (index, entry) in entries.enumerated() {
      if let key = ItemKey(entry, client) {
        if let place = places[key] {
          items[place] = items[place].raised(to: entry.request.priority)
          continue
        }
        places[key] = items.count
      }
      items.append(BatchItem(index: index, entry: entry))
    }
    self = .items(items)
  }

  init<Requests: AsyncSequence & Sendable>(
    _ requests: Requests,
    _ entry: @escaping @Sendable (Requests.Element) -> BatchEntry
  ) where Requests.Element: Sendable {
    self = .stream { intake throws(FreshetError) in
      do {
        var index = 0
        for try await element in requests {
          let item = BatchItem(index: index, entry: entry(element))
          guard await intake(item) else { return }
          index += 1
        }
      } catch let error as FreshetError {
        throw error
      } catch is CancellationError {
        throw .cancelled
      } catch {
        let reason = "the sequence that it would have come from failed with \(type(of: error))"
        throw .invalidRequest(reason, url: "")
      }
    }
  }

  /// Makes the stream of a queue's consumer.
  init(_ consumer: any BatchQueueConsumer) {
    self = .stream { intake throws(FreshetError) in
      var index = 0
      while let request = try await consumer.next() {
        guard await intake(BatchItem(index: index, request: request)) else { return }
        index += 1
      }
    }
  }

  /// The number of requests, or `nil` if it is unknown before the end.
  var count: Int? {
    if case .items(let items) = self { items.count } else { nil }
  }

  /// The source with the items of the highest priority first, if all are known.
  ///
  /// Items of equal priority keep their order.
  var byPriority: BatchSource {
    guard case .items(let items) = self, let first = items.first,
      items.contains(where: { $0.priority != first.priority })
    else { return self }
    return .items(items.sorted { $0.priority > $1.priority })
  }

  /// Passes the items to the intake one after the other, until no more are needed.
  func feed(_ intake: @escaping Intake) async throws(FreshetError) {
    switch self {
    case .items(let items):
      for item in items {
        guard await intake(item) else { return }
      }
    case .stream(let stream):
      try await stream(intake)
    case .queue:
      throw .invalidRequest("the requests of a queue are taken by a run only", url: "")
    case .failing(let error):
      throw error
    }
  }
}

/// The key by which two entries of a batch are the same.
struct ItemKey: Hashable {
  private let request: CoalescingKey
  private let policy: ResourcePolicy?
  private let expected: Checksum?
  private let target: DownloadTarget?

  /// - Returns: `nil` for one that is like no other.
  init?(_ entry: BatchEntry, _ client: Client) {
    guard let key = client.coalescingKey(entry.request) else { return nil }
    request = key
    policy = entry.policy
    expected = entry.expected
    target = entry.target
  }
}

extension Client {
  /// Returns the key by which two requests of a batch are equal; `nil` for one that is unique.
  func coalescingKey(_ request: Request) -> CoalescingKey? {
    let request = prepared(request)
    guard CoalescingKey.isShareable(request) else { return nil }
    let context = FetchContext(request: request, partition: settings.configuration.partition)
    return CoalescingKey(context, .label(""))
  }
}
