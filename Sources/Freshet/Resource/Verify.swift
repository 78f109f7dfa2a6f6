extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Compares what was found, and what is about to be delivered, with the digest that it must have.
  ///
  /// - Standing after the lookups, it turns a stored copy with another digest from `found` into
  ///   `wanted`: it is downloaded anew.
  /// - Standing before the `persist` stages, it keeps a wrong body out of the stores. A stored copy
  ///   with another digest that comes as far fails too, and is not announced as stale.
  ///
  /// The preset has it in both places.
  ///
  /// - Parameter digest: What the body must be; `nil` accepts anything.
  /// - Returns: The same steps, up to a body that is not the one.
  public func verify(_ digest: Digest?) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    VerifySequence(base: self, digest: digest)
  }
}

// MARK: - Sequence

struct VerifySequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let digest: Digest?

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), digest: digest)
  }
}

// MARK: - Iterator

extension VerifySequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let digest: Digest?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      while let step = try await base.next(isolation: actor) {
        guard case .sha256(let expected)? = digest, !step.isRefusal else { return step }
        switch step {
        case .found(let found) where found.request.headers[.range] == nil:
          // One that cannot be read is not the one either.
          if (try? found.response.sha256()) == expected { return step }
          return .wanted(found.refused())
        case .downloaded(var downloaded):
          try check(downloaded.response, is: expected)
          downloaded.explanation.add(.verified(expected))
          return .downloaded(downloaded)
        case .resource(let resource) where resource.isFinal:
          try check(resource.response, is: expected)
          return step
        case .resource(let resource):
          if try resource.response.sha256() == expected { return step }
        default:
          return step
        }
      }
      return nil
    }

    private func check(_ response: StoredResponse, is expected: SHA256Digest) throws(FreshetError) {
      let actual = try response.sha256()
      guard actual == expected else {
        throw .corrupted(
          expected: expected.hex,
          actual: actual.hex,
          url: Redaction.shown(response.head.url)
        )
      }
    }
  }
}

extension Fetch.Found {
  /// The step that looks for another body.
  fileprivate func refused() -> Fetch.Wanted {
    Fetch.Wanted(context, explanation: explanation.adding(.refused(origin)))
  }
}

@available(*, unavailable)
extension VerifySequence.Iterator: Sendable {}

extension Fetch {
  /// Whether it is an answer that there is no resource, and so not the one that is expected.
  fileprivate var isRefusal: Bool {
    switch self {
    case .downloaded(let downloaded): !downloaded.response.head.status.isSuccess
    case .resource(let resource): !resource.status.isSuccess
    default: false
    }
  }
}

// MARK: - Description

extension VerifySequence: PipelineStage {
  var stageDescription: String { digest.map { ".verify(\($0.wording))" } ?? "" }
}
