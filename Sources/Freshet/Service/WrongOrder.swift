public import FreshetEssentials

// Operators that are easily written in a wrong order or place: the messages are the compiler's
// errors, which would otherwise be unclear.

extension AsyncSequence where Self: Sendable {
  /// Unavailable after `decode`.
  @available(
    *,
    unavailable,
    message: "write `.reject(as:)` once, and before `.decode(_:)`: it needs the undecoded body"
  )
  public func reject<Value: Sendable, Model: Sendable>(
    as model: Model.Type,
    when isError: (Response<Data>) -> Bool = { _ in true }
  ) -> Self where Element == Event<Response<Value>> { self }

  /// Unavailable after `decode`.
  @available(
    *,
    unavailable,
    message: "write `.unwrap(at:)` before `.decode(_:)`: it needs the undecoded body"
  )
  public func unwrap<Value: Sendable>(at path: PayloadPath) -> Self
  where Element == Event<Response<Value>> { self }

  /// Unavailable after `decode`.
  @available(
    *,
    unavailable,
    message: "write `.validate()` before `.decode(_:)`: it needs the undecoded body"
  )
  public func validate<Value: Sendable>(
    _ isValid: (HTTPStatus) -> Bool = { _ in true }
  ) -> Self where Element == Event<Response<Value>> { self }

  /// Unavailable a second time.
  @available(
    *,
    unavailable,
    message: "the body has been decoded: leave `.decode(_:)` out, or write it once"
  )
  public func decode<Value: Sendable, Other: Decodable & Sendable>(_ type: Other.Type) -> Self
  where Element == Event<Response<Value>> { self }
}

extension AsyncSequence where Self: Sendable, Element == Event<Response<Data>> {
  /// Unavailable after `reject`.
  @available(
    *,
    unavailable,
    message: """
      a router decodes error responses as well: leave `.reject(as:)` out, and give the router \
      `Route(error:)`
      """
  )
  public func decode<Value: Sendable, Model: Sendable>(
    _ type: Value.Type,
    by router: Router
  ) -> Self where Failure == CallError<Model> { self }
}

extension AsyncSequence where Self: Sendable, Element == Event<Resource> {
  /// Unavailable for resources.
  @available(
    *,
    unavailable,
    message: """
      a resource has no error model; write \
      `client.send(request) { $0.cache = ResourcePolicy() }.reject(as:)`
      """
  )
  public func reject<Model: Sendable>(as model: Model.Type) -> Self { self }

  /// Unavailable for resources.
  @available(
    *,
    unavailable,
    message: "a resource is valid: another status fails it with `FreshetError.status`"
  )
  public func validate(_ isValid: (HTTPStatus) -> Bool = { _ in true }) -> Self { self }

  /// Unavailable for resources.
  @available(
    *,
    unavailable,
    message: """
      a resource has no envelope; write \
      `client.send(request) { $0.cache = ResourcePolicy() }.unwrap(at:)`
      """
  )
  public func unwrap(at path: PayloadPath) -> Self { self }
}

extension AsyncSequence where Self: Sendable, Element: PipelineEvent {
  /// Unavailable: retries are an option of a call.
  @available(
    *,
    unavailable,
    message:
      "a call is retried by its client: write `client.send(request) { $0.retry = .standard }`"
  )
  public func retry(_ count: Int) -> Self { self }

  /// Unavailable: retries are an option of a call.
  @available(
    *,
    unavailable,
    message: "a call is retried by its client: write `client.send(request) { $0.retry = policy }`"
  )
  public func retry(_ policy: RetryPolicy) -> Self { self }
}
