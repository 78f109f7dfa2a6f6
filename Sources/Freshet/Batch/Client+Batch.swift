public import FreshetEssentials

extension Client {
  /// Makes a batch of requests, each distinct one once.
  ///
  /// Two requests are equal if they differ in their priority only, and neither has a body, see
  /// ``_Concurrency/AsyncSequence/coalesce(in:label:)``; the highest of their priorities is used.
  ///
  /// - Parameters:
  ///   - requests: The requests.
  ///   - priority: The priority of all of them, such as `.low` to prefetch; their own by default.
  ///   - policy: The policy of the fetches; the client's by default.
  /// - Returns: A batch; nothing is fetched yet.
  public func batch(
    _ requests: some Sequence<Request>,
    priority: Request.Priority? = nil,
    policy: ResourcePolicy? = nil
  ) -> Batch {
    batch(requests.lazy.map { BatchEntry($0) }, priority: priority, policy: policy)
  }

  /// Makes a batch of `GET`s, each distinct one once.
  ///
  /// - Parameters:
  ///   - urls: Absolute `http` or `https` URLs.
  ///   - priority: The priority of all of them; normal by default.
  ///   - policy: The policy of the fetches; the client's by default.
  /// - Returns: A batch; nothing is fetched yet.
  public func batch(
    _ urls: some Sequence<URL>,
    priority: Request.Priority? = nil,
    policy: ResourcePolicy? = nil
  ) -> Batch {
    batch(urls.lazy.map { Request(.get, $0) }, priority: priority, policy: policy)
  }

  /// Makes a batch of requests that arrive one after the other, such as a crawler's.
  ///
  /// A run reads the sequence only a little ahead of its work, and stores nothing about ended items
  /// but their failures: the sequence may be endless. Repeated requests are not removed; concurrent
  /// ones share a transfer, and fresh stored resources are not fetched again. If the sequence
  /// fails, the items so far are finished, and then the run ends with the sequence's failure, or
  /// with ``FreshetError/invalidRequest(_:url:)`` and the type of that failure if it is another error.
  ///
  /// - Parameters:
  ///   - requests: The requests; iterated once for each run.
  ///   - priority: The priority of all of them; their own by default.
  ///   - policy: The policy of the fetches; the client's by default.
  /// - Returns: A batch; nothing is fetched yet.
  public func batch<Requests: AsyncSequence & Sendable>(
    _ requests: Requests,
    priority: Request.Priority? = nil,
    policy: ResourcePolicy? = nil
  ) -> Batch where Requests.Element == Request {
    let source = BatchSource(requests) { BatchEntry($0).with(priority: priority) }
    return Batch(client: self, source: source, policy: policy)
  }

  /// Makes a batch of URLs that arrive one after the other, with the rules of the one of requests.
  ///
  /// - Parameters:
  ///   - urls: Absolute `http` or `https` URLs; iterated once for each run.
  ///   - priority: The priority of all of them; normal by default.
  ///   - policy: The policy of the fetches; the client's by default.
  /// - Returns: A batch; nothing is fetched yet.
  public func batch<URLs: AsyncSequence & Sendable>(
    _ urls: URLs,
    priority: Request.Priority? = nil,
    policy: ResourcePolicy? = nil
  ) -> Batch where URLs.Element == URL {
    let source = BatchSource(urls) { BatchEntry(Request(.get, $0)).with(priority: priority) }
    return Batch(client: self, source: source, policy: policy)
  }

  /// Makes a batch from a plan, such as one that was stored.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - policy: The policy of the fetches; the client's by default.
  /// - Returns: A batch; nothing is fetched yet.
  public func batch(_ plan: BatchPlan, policy: ResourcePolicy? = nil) -> Batch {
    let items = plan.items.map {
      BatchItem(index: $0.index, entry: $0.entry, size: $0.need.bytes)
    }
    return Batch(client: self, source: .items(items), policy: policy)
  }
}
