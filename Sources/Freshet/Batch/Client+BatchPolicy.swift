public import FreshetEssentials

extension Client {
  /// Makes a batch of requests with the client's policy, changed by a closure.
  ///
  /// The rules are those of ``batch(_:priority:policy:)-(Sequence<Request>,_,_)``.
  ///
  /// ```swift
  /// let users = client.batch(urls) { $0.contentTypes = .json }
  /// ```
  public func batch(
    _ requests: some Sequence<Request>,
    priority: Request.Priority? = nil,
    _ configure: (inout ResourcePolicy) -> Void
  ) -> Batch {
    batch(requests, priority: priority, policy: policy(configure))
  }

  /// Makes a batch of `GET`s with the client's policy, changed by a closure.
  public func batch(
    _ urls: some Sequence<URL>,
    priority: Request.Priority? = nil,
    _ configure: (inout ResourcePolicy) -> Void
  ) -> Batch {
    batch(urls, priority: priority, policy: policy(configure))
  }

  /// Makes a batch of entries with the client's policy, changed by a closure.
  ///
  /// The policy of an entry replaces it.
  public func batch(
    _ entries: some Sequence<BatchEntry>,
    priority: Request.Priority? = nil,
    _ configure: (inout ResourcePolicy) -> Void
  ) -> Batch {
    batch(entries, priority: priority, policy: policy(configure))
  }

  /// Makes a batch of requests that arrive one after the other, with the client's policy, changed by a closure.
  public func batch<Requests: AsyncSequence & Sendable>(
    _ requests: Requests,
    priority: Request.Priority? = nil,
    _ configure: (inout ResourcePolicy) -> Void
  ) -> Batch where Requests.Element == Request {
    batch(requests, priority: priority, policy: policy(configure))
  }

  /// Makes a batch of URLs that arrive one after the other, with the client's policy, changed by a closure.
  public func batch<URLs: AsyncSequence & Sendable>(
    _ urls: URLs,
    priority: Request.Priority? = nil,
    _ configure: (inout ResourcePolicy) -> Void
  ) -> Batch where URLs.Element == URL {
    batch(urls, priority: priority, policy: policy(configure))
  }

  /// Makes a batch of entries that come one after the other, with the client's policy, changed by a closure.
  ///
  /// The policy of an entry replaces it.
  public func batch<Entries: AsyncSequence & Sendable>(
    _ entries: Entries,
    priority: Request.Priority? = nil,
    _ configure: (inout ResourcePolicy) -> Void
  ) -> Batch where Entries.Element == BatchEntry {
    batch(entries, priority: priority, policy: policy(configure))
  }
}
