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
  /// - A response with a successful status that it finds to be an error is removed from the stores, so that
  ///   it answers no later call.
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
    ConvertSequence(self, ".reject(as: \(Model.self))", failure: CallError.failed) {
      (response: Response<Data>) throws(CallError<Model>) in
      if let rejection = await judge(response, decoding, isError) { throw .rejected(rejection) }
      return response.accepted
    }
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

@concurrent
private func judge<Model: Sendable>(
  _ response: Response<Data>,
  _ decoding: Decoding<Model>,
  _ isError: @Sendable (Response<Data>) -> Bool
) async -> Rejection<Model>? {
  guard isError(response) else { return nil }
  await response.removeError()
  return Rejection(response, decoding)
}

extension Response<Data> {
  /// Removes an error from the stores that they would return as a success.
  func removeError() async {
    guard status.isSuccess, let call = record.call, let resource = call.resource else { return }
    for (store, copy) in await resource.copies(in: call.stores) { try? await store.remove(copy) }
  }
}
