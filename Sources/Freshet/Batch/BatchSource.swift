/// Where a batch's requests come from.
enum BatchSource: Sendable {
  /// All of them, each once.
  case items([BatchItem])
  /// One after the other: the closure hands each to the other closure, which says whether to go on.
  case stream(@Sendable (_ take: Take) async throws(FreshetError) -> Void)

  typealias Take = @Sendable (Request) async -> Bool

  init(_ requests: some Sequence<Request>, partition: String) {
    var seen: Set<FlightKey> = []
    let items = requests.enumerated()
      .compactMap { index, request -> BatchItem? in
        guard seen.insert(FlightKey(request, partition: partition)).inserted else { return nil }
        return BatchItem(index: index, request: request)
      }
    self = .items(items)
  }

  init<Requests: AsyncSequence & Sendable>(
    _ requests: Requests,
    _ request: @escaping @Sendable (Requests.Element) -> Request
  ) where Requests.Element: Sendable {
    self = .stream { take throws(FreshetError) in
      do {
        for try await element in requests {
          guard await take(request(element)) else { return }
        }
      } catch let error as FreshetError {
        throw error
      } catch is CancellationError {
        throw .cancelled
      } catch {
        throw .invalidRequest("the sequence that it would have come from failed: \(error)", url: "")
      }
    }
  }

  /// How many there are, or `nil` if only the end will tell.
  var count: Int? {
    if case .items(let items) = self { items.count } else { nil }
  }

  /// Hands out the items one after the other, until the closure has enough.
  func feed(_ take: @escaping @Sendable (BatchItem) async -> Bool) async throws(FreshetError) {
    switch self {
    case .items(let items):
      for item in items {
        guard await take(item) else { return }
      }
    case .stream(let stream):
      let counter = Counter()
      try await stream { request in
        await take(BatchItem(index: counter.next(), request: request))
      }
    }
  }
}
