/// The source of a batch's requests.
enum BatchSource: Sendable {
  /// All requests, each once.
  case items([BatchItem])
  /// A stream: the closure passes each request to the intake, which returns whether to continue.
  case stream(@Sendable (BatchIntake) async throws(FreshetError) -> Void)
  /// A failure: nothing can be run.
  case failing(FreshetError)

  init(_ requests: some Sequence<Request>, for client: Client) {
    var places: [CoalescingKey: Int] = [:]
    var items: [BatchItem] = []
    for (index, request) in requests.enumerated() {
      if let key = client.coalescingKey(request) {
        if let place = places[key] {
          items[place] = items[place].raised(to: request.priority)
          continue
        }
        places[key] = items.count
      }
      items.append(BatchItem(index: index, request: request))
    }
    self = .items(items)
  }

  init<Requests: AsyncSequence & Sendable>(
    _ requests: Requests,
    _ request: @escaping @Sendable (Requests.Element) -> Request
  ) where Requests.Element: Sendable {
    self = .stream { intake throws(FreshetError) in
      do {
        var index = 0
        for try await element in requests {
          let item = BatchItem(index: index, request: request(element))
          guard await intake.take(item) else { return }
          index += 1
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

  /// The number of requests, or `nil` if it is unknown before the end.
  var count: Int? {
    if case .items(let items) = self { items.count } else { nil }
  }

  /// Passes the items to the intake one after the other, until no more are needed.
  func feed(_ intake: BatchIntake) async throws(FreshetError) {
    switch self {
    case .items(let items):
      for item in items {
        guard await intake.take(item) else { return }
      }
    case .stream(let stream):
      try await stream(intake)
    case .failing(let error):
      throw error
    }
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
