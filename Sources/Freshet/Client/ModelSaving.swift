/// A store that keeps what a client's calls decode, see ``Client/Configuration/models``.
///
/// The `ModelStore` of `FreshetModels` is one, and so is whatever conforms to its protocol
/// `ModelStoring`.
public protocol ModelSaving: Sendable {
  /// Saves the models in a value that a call has decoded.
  ///
  /// - Parameter value: A value of any type; one that has no models is returned as it is.
  /// - Returns: The value with its models as they are stored now.
  /// - Throws: ``FreshetError/store(_:)`` if they could not be saved; nothing has changed then.
  nonisolated(nonsending) func save<Value: Sendable>(
    decoded value: Value
  ) async throws(FreshetError) -> Value
}

extension Response {
  /// The response after its models were saved by the store of its client.
  ///
  /// A stale copy, and one that replaces a failed response, are not saved: the stored models may be
  /// newer.
  func saved() async throws(FreshetError) -> Self {
    guard let models = record.call?.models, standsForItself else { return self }
    var response = self
    response.value = try await models.save(decoded: value)
    return response
  }
}
