public import FreshetEssentials

/// A request of a batch with a policy, a digest, a length or a file of its own.
///
/// ```swift
/// let entries = releases.map { BatchEntry($0.url, to: $0.file, expecting: .sha256($0.digest)) }
/// let result = try await client.batch(entries).run(journal: journal).value
/// ```
public struct BatchEntry: Sendable {
  /// The request.
  public var request: Request
  /// The digest that the body must have; by default that of the policy, if it has one.
  public var expected: Checksum?
  /// The policy; that of the batch by default.
  ///
  /// Plans and journals store the digest and the file, and no policy.
  public var policy: ResourcePolicy?
  /// The length of the body in bytes, if it is known before the response; `nil` by default.
  ///
  /// Progress counts it until the response announces another one. It is not compared with the body, for which there
  /// is ``expected``. Journals store it.
  public var expectedLength: Int64?
  /// The destination of the body, or `nil` for a resource that the client's stores keep.
  var target: DownloadTarget?

  /// Makes an entry of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - file: The file that the body is downloaded to, as
  ///     ``Client/download(_:to:expecting:policy:)-(URL,_,_,_)`` does; by default none: the client's
  ///     stores keep the resource.
  ///   - digest: The digest that the body must have; anything by default.
  ///   - policy: The policy of the item; that of the batch by default.
  public init(
    _ request: Request,
    to file: URL? = nil,
    expecting digest: Checksum? = nil,
    policy: ResourcePolicy? = nil
  ) {
    self.request = request
    expected = digest
    self.policy = policy
    target = file.map { .file($0) }
  }

  /// Makes an entry of a URL.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - file: The file that the body is downloaded to; none by default.
  ///   - digest: The digest that the body must have; anything by default.
  ///   - policy: The policy of the item; that of the batch by default.
  public init(
    _ url: URL,
    to file: URL? = nil,
    expecting digest: Checksum? = nil,
    policy: ResourcePolicy? = nil
  ) {
    self.init(Request(.get, url), to: file, expecting: digest, policy: policy)
  }

  /// Makes an entry of a request whose body is downloaded to a new file of a directory, as
  /// ``Client/download(_:into:expecting:policy:)-(URL,_,_,_)`` does.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - directory: The directory of the file.
  ///   - digest: The digest that the body must have; anything by default.
  ///   - policy: The policy of the item; that of the batch by default.
  public init(
    _ request: Request,
    into directory: URL,
    expecting digest: Checksum? = nil,
    policy: ResourcePolicy? = nil
  ) {
    self.init(request, expecting: digest, policy: policy)
    target = .directory(directory)
  }

  /// The file that the body is downloaded to; `nil` for none, or for one that gets its name from the
  /// response.
  public var file: URL? { target?.file }
  /// The directory in which the body becomes a new file; `nil` for none.
  public var directory: URL? { target?.directory }
}

extension Client {
  /// Makes a batch of entries, each distinct one once.
  ///
  /// Two entries are the same if their requests are the same, see
  /// ``batch(_:priority:policy:)-(Sequence<Request>,_,_)``, and their policies, digests and files.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - priority: The priority of all of them; their own by default.
  ///   - policy: The policy of entries without one; the client's by default.
  /// - Returns: A batch; nothing happens yet.
  public func batch(
    _ entries: some Sequence<BatchEntry>,
    priority: Request.Priority? = nil,
    policy: ResourcePolicy? = nil
  ) -> Batch {
    let entries = entries.lazy.map { $0.with(priority: priority) }
    return Batch(client: self, source: BatchSource(entries, for: self), policy: policy)
  }

  /// Makes a batch of entries that come one after the other, on the same terms as of requests.
  ///
  /// - Parameters:
  ///   - entries: The entries; iterated once for each run.
  ///   - priority: The priority of all of them; their own by default.
  ///   - policy: The policy of entries without one; the client's by default.
  /// - Returns: A batch; nothing happens yet.
  public func batch<Entries: AsyncSequence & Sendable>(
    _ entries: Entries,
    priority: Request.Priority? = nil,
    policy: ResourcePolicy? = nil
  ) -> Batch where Entries.Element == BatchEntry {
    let source = BatchSource(entries) { $0.with(priority: priority) }
    return Batch(client: self, source: source, policy: policy)
  }
}

extension BatchEntry {
  /// Returns the entry with another priority; `nil` leaves it its own.
  func with(priority: Request.Priority?) -> BatchEntry {
    guard let priority else { return self }
    var entry = self
    entry.request.priority = priority
    return entry
  }
}
