extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Compares bodies with the digest that they must have.
  ///
  /// - After the lookups, it turns a stored copy with another digest from `found` into `wanted`, so
  ///   that it is downloaded again.
  /// - Before the `persist` stages, it fails with ``FreshetError/corrupted(expected:actual:url:)``, so
  ///   that a wrong body is not stored. A stored copy with another digest fails here too, and is not
  ///   announced as stale.
  ///
  /// The preset has this stage in both places.
  ///
  /// - Parameter digest: The digest that the body must have; `nil` accepts anything.
  /// - Returns: The chain with this stage.
  public func verify(_ digest: Checksum?) -> FetchChain {
    guard let digest else { return FetchChain(self) }
    return appending(Verify(digest))
  }
}

/// Compares bodies with the digest that they must have, see
/// ``_Concurrency/AsyncSequence/verify(_:)``.
public struct Verify: FetchStage {
  let digest: Checksum

  /// Creates the stage for a digest.
  public init(_ digest: Checksum) {
    self.digest = digest
  }

  /// The kinds of steps that the stage handles.
  public var handles: Fetch.Kinds { [.found, .downloaded, .resource] }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) throws(FreshetError) -> Fetch.Reply? {
    guard case .sha256(let expected) = digest, !step.isRefusal else { return .pass }
    switch step {
    case .found(let found) where found.request.headers[.range] == nil:
      // A copy that cannot be read does not match either.
      return (try? found.response.sha256()) == expected ? .pass : .step(.wanted(found.refused()))
    case .downloaded(var downloaded):
      try check(downloaded.response, is: expected)
      downloaded.explanation.add(.verified(expected))
      return .step(.downloaded(downloaded))
    case .resource(let resource) where resource.isFinal:
      try check(resource.response, is: expected)
      return .pass
    case .resource(let resource):
      return try resource.response.sha256() == expected ? .pass : .nothing
    default:
      return .pass
    }
  }

  private func check(_ response: StoredResponse, is expected: SHA256Checksum) throws(FreshetError) {
    let actual = try response.sha256()
    guard actual == expected else {
      throw .corrupted(
        expected: expected.hex,
        actual: actual.hex,
        url: Redaction.shown(response.head.url)
      )
    }
  }

  /// The stage as it would be written in code.
  public var stageDescription: String { ".verify(\(digest.wording))" }
}

extension Fetch.Found {
  /// Returns the step that downloads another body.
  fileprivate func refused() -> Fetch.Wanted {
    Fetch.Wanted(context, explanation: explanation.adding(.refused(source)))
  }
}

extension Fetch {
  /// A Boolean value that indicates whether it is an error response, whose body is not the expected one.
  fileprivate var isRefusal: Bool {
    switch self {
    case .downloaded(let downloaded): !downloaded.response.head.status.isSuccess
    case .resource(let resource): !resource.status.isSuccess
    default: false
    }
  }
}
