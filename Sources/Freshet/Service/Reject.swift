public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure == FreshetError {
  /// Turns error responses into a typed failure, ``CallError/rejected(_:)``.
  ///
  /// - The sequence ends with the first failure, also for several pages.
  /// - The failure contains status, headers and body, and the decoded model.
  /// - A body that is not the model is still that error: the rejection contains the decoding
  ///   failure instead.
  /// - A response that the predicate accepts is no error for later stages, whatever its status.
  /// - Decoding and the predicate run off the caller's actor.
  ///
  /// ```swift
  /// let user = client.send(.get("users/7"))
  ///   .reject(as: APIError.self) { !$0.status.isSuccess || $0.hasValue(at: "error") }
  ///   .decode(User.self)
  /// ```
  ///
  /// - Parameters:
  ///   - model: The type of the error responses.
  ///   - decoding: The decoding of the model; JSON by default.
  ///   - isError: A predicate that decides which responses are errors, also by their bodies; those
  ///     with a status outside of 2xx by default.
  /// - Returns: The events, with ``CallError`` as the failure.
  public func reject<Model: Decodable & Sendable>(
    as model: Model.Type,
    with decoding: Decoding<Model> = .json,
    when isError: @escaping @Sendable (Response<Data>) -> Bool = { !$0.status.isSuccess }
  ) -> some AsyncSequence<Event<Response<Data>>, CallError<Model>> & Sendable {
    RejectSequence(base: self, decoding: decoding, isError: isError)
  }
}

extension Response<Data> {
  /// Returns a Boolean value that indicates whether the body is JSON that has a value other than
  /// `null` at a path.
  public func hasValue(at path: PayloadPath) -> Bool {
    json(at: path).map { !$0.elementsEqual("null".utf8) } ?? false
  }

  /// Returns the JSON at a path in the body, or `nil` if there is none or the body is no JSON.
  func json(at path: PayloadPath) -> Data? {
    guard let range = try? JSONScanner.range(of: path, in: value) else { return nil }
    return value.dropFirst(range.lowerBound).prefix(range.count)
  }
}

// MARK: - Sequence

struct RejectSequence<Base: AsyncSequence & Sendable, Model: Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Response<Data>>, Base.Failure == FreshetError {
  let base: Base
  let decoding: Decoding<Model>
  let isError: @Sendable (Response<Data>) -> Bool

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), decoding: decoding, isError: isError)
  }
}

// MARK: - Iterator

extension RejectSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let decoding: Decoding<Model>
    let isError: @Sendable (Response<Data>) -> Bool
    var isOver = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(CallError<Model>) -> Event<Response<Data>>? {
      guard !isOver else { return nil }
      let event: Event<Response<Data>>?
      do {
        event = try await base.next(isolation: actor)
      } catch {
        isOver = true
        throw .failed(error)
      }
      guard case .value(let response) = event else { return event }
      if let rejection = await judge(response, decoding, isError) {
        isOver = true
        throw .rejected(rejection)
      }
      return .value(response.accepted)
    }
  }
}

@available(*, unavailable)
extension RejectSequence.Iterator: Sendable {}

@concurrent
private func judge<Model: Sendable>(
  _ response: Response<Data>,
  _ decoding: Decoding<Model>,
  _ isError: @Sendable (Response<Data>) -> Bool
) async -> Rejection<Model>? {
  isError(response) ? Rejection(response, decoding) : nil
}

// MARK: - Description

extension RejectSequence: PipelineStage {
  var stageDescription: String { ".reject(as: \(Model.self))" }
}
