public import Foundation

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Asks the origin whether an `expired` copy is still right.
  ///
  /// - Still right: `downloaded` with the same body and the origin's new headers
  ///   (RFC 9111 section 4.3.4).
  /// - Changed: ``Revalidation/conditional`` receives the new body at once, as
  ///   ``download(over:spool:resumptions:now:)`` does; the other ways leave `wanted` to the stages that follow.
  /// - When the network or the server fails and the copy may be used stale, it is the final
  ///   `resource`; its life is not renewed.
  ///
  /// - Parameters:
  ///   - revalidation: How to ask; by a conditional GET by default.
  ///   - transport: What touches the network.
  ///   - spool: Where a large new body rests while it arrives; the temporary folder by default.
  ///   - resumptions: How often a broken transfer is taken up within one iteration; 3 by default.
  ///   - now: The time that is kept as the response's; the system's by default.
  /// - Returns: The steps, with one of these in place of `expired`.
  public func revalidate(
    _ revalidation: Revalidation = .conditional,
    over transport: some Transport,
    spool: Spool = .temporary,
    resumptions: Int = 3,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    let tools = ReceptionTools(
      transport: transport,
      spool: spool,
      resumptions: resumptions,
      now: now
    )
    return RevalidateSequence(base: self, revalidation: revalidation, tools: tools)
  }
}

// MARK: - Sequence

/// Without a transport, it forwards everything: an offline chain.
struct RevalidateSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Fetch, Base.Failure == FreshetError {
  let base: Base
  let revalidation: Revalidation
  let tools: ReceptionTools

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), revalidation: revalidation, tools: tools)
  }
}

// MARK: - Iterator

extension RevalidateSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let revalidation: Revalidation
    let tools: ReceptionTools
    var reception: Reception?

    init(base: Base.AsyncIterator, revalidation: Revalidation, tools: ReceptionTools) {
      self.base = base
      self.revalidation = revalidation
      self.tools = tools
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      if reception != nil {
        if let step = try await reception?.next(isolation: actor) { return step }
        reception = nil
      }
      let step = try await base.next(isolation: actor)
      guard case .expired(let expired) = step, let transport = tools.transport else {
        return step
      }
      switch revalidation {
      case .head where expired.response.head.status == .partialContent:
        return .wanted(expired.superseded(because: .withoutValidator))
      case .none:
        return .wanted(expired.superseded())
      case .head where expired.request.isIdentifiedWhole:
        return .wanted(expired.superseded())
      case .head:
        return try await HeadCheck(expired, over: transport, tools)
          .step(isolation: actor)
      case .conditional:
        guard let request = Validation.conditional(expired.request, for: expired.response) else {
          return .wanted(expired.superseded(because: .withoutValidator))
        }
        reception = Reception(
          validating: expired,
          with: request,
          over: transport,
          tools
        )
        return try await reception?.next(isolation: actor)
      }
    }
  }
}

@available(*, unavailable)
extension RevalidateSequence.Iterator: Sendable {}

// MARK: - Description

extension RevalidateSequence: PipelineStage {
  var stageDescription: String {
    tools.wording.map { ".revalidate(.\(revalidation.rawValue), \($0))" } ?? ""
  }
}
