/// A response as the end of a pipeline: what `output` needs to know of ``Response``.
public protocol PipelineResponse: Sendable {
  /// The type that the pipeline made of the body.
  associatedtype Value: Sendable
  /// The body, as whatever the pipeline made of it.
  var value: Value { get }
}

extension Response: PipelineResponse {}

extension AsyncSequence
where Element: PipelineEvent, Element.Value: PipelineResponse, Failure: PipelineFailure {
  /// Runs the pipeline to its end and returns what the last response's body has become.
  ///
  /// Each read runs the pipeline again. It is `value.value`: read ``_Concurrency/AsyncSequence/value`` for
  /// the status and the header fields.
  ///
  /// ```swift
  /// let user = try await client.resource(at: url).decode(User.self).output
  /// ```
  ///
  /// - Throws: The pipeline's failure; ``FreshetError/noValue`` if it ends without a response.
  public var output: Element.Value.Value {
    get async throws(Failure) { try await value.value }
  }
}

extension Running where Value: PipelineResponse {
  /// Waits for the final response and returns what its body has become.
  ///
  /// - Throws: As ``value``.
  public var output: Value.Value {
    get async throws(Failure) { try await value.value }
  }
}
