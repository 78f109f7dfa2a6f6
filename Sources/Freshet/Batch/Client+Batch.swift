public import Foundation

extension Client {
  /// Makes a batch of requests, each distinct one once.
  ///
  /// Two requests are the same if all but their priority is the same, and neither has a body, see
  /// ``_Concurrency/AsyncSequence/coalesce(in:label:)``; the highest of their priorities counts.
  ///
  /// - Parameters:
  ///   - requests: What is wanted.
  ///   - priority: The priority of all of them, such as `.low` to prefetch; their own by default.
  ///   - policy: How they are fetched; the client's by default.
  /// - Returns: A batch; nothing happens yet.
  public func batch(
    _ requests: some Sequence<Request>,
    priority: Request.Priority? = nil,
    policy: ResourcePolicy? = nil
  ) -> Batch {
    let requests = requests.lazy.map { $0.with(priority: priority) }
    return Batch(client: self, source: BatchSource(requests, for: self), policy: policy)
  }

  /// Makes a batch of `GET`s, each distinct one once.
  ///
  /// - Parameters:
  ///   - urls: Absolute `http` or `https` URLs.
  ///   - priority: The priority of all of them; normal by default.
  ///   - policy: How they are fetched; the client's by default.
  /// - Returns: A batch; nothing happens yet.
  public func batch(
    _ urls: some Sequence<URL>,
    priority: Request.Priority? = nil,
    policy: ResourcePolicy? = nil
  ) -> Batch {
    batch(urls.lazy.map { Request(.get, $0) }, priority: priority, policy: policy)
  }

  /// Makes a batch of requests that come one after the other, such as a crawler's.
  ///
  /// A run reads the sequence only a little ahead of its work, and keeps nothing of what has ended
  /// but its failures: it may be endless. Repeated requests are not left out; those under way share
  /// a transfer, and what is stored is not fetched again. If the sequence fails, what has been read
  /// is finished, and then the run ends with the sequence's failure, or
  /// ``FreshetError/invalidRequest(_:url:)`` with its words if that is another error.
  ///
  /// - Parameters:
  ///   - requests: What is wanted; iterated once a run.
  ///   - priority: The priority of all of them; their own by default.
  ///   - policy: How they are fetched; the client's by default.
  /// - Returns: A batch; nothing happens yet.
  public func batch<Requests: AsyncSequence & Sendable>(
    _ requests: Requests,
    priority: Request.Priority? = nil,
    policy: ResourcePolicy? = nil
  ) -> Batch where Requests.Element == Request {
    let source = BatchSource(requests) { $0.with(priority: priority) }
    return Batch(client: self, source: source, policy: policy)
  }

  /// Makes a batch of URLs that come one after the other, on the same terms as of requests.
  ///
  /// - Parameters:
  ///   - urls: Absolute `http` or `https` URLs; iterated once a run.
  ///   - priority: The priority of all of them; normal by default.
  ///   - policy: How they are fetched; the client's by default.
  /// - Returns: A batch; nothing happens yet.
  public func batch<URLs: AsyncSequence & Sendable>(
    _ urls: URLs,
    priority: Request.Priority? = nil,
    policy: ResourcePolicy? = nil
  ) -> Batch where URLs.Element == URL {
    let source = BatchSource(urls) { Request(.get, $0).with(priority: priority) }
    return Batch(client: self, source: source, policy: policy)
  }

  /// Makes a batch of a plan, such as one that was stored.
  ///
  /// - Parameters:
  ///   - plan: What is wanted.
  ///   - policy: How it is fetched; the client's by default.
  /// - Returns: A batch; nothing happens yet.
  public func batch(_ plan: BatchPlan, policy: ResourcePolicy? = nil) -> Batch {
    let items = plan.items.map {
      BatchItem(index: $0.index, request: $0.request, size: $0.need.bytes)
    }
    return Batch(client: self, source: .items(items), policy: policy)
  }
}

extension Request {
  fileprivate func with(priority: Priority?) -> Request {
    guard let priority else { return self }
    var request = self
    request.priority = priority
    return request
  }
}
