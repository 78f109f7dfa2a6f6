/// A position in a distributed trace, as requests carry it: W3C Trace Context, level 1.
///
/// ```swift
/// let parent = TraceContext(headers: incoming.headers)
/// try await TraceContext.$current.withValue(parent) {
///   try await client.send(.get("users/7")).value     // carries `traceparent` and `tracestate`
/// }
/// ```
///
/// Nothing that comes from outside makes it throw: a field that is not valid is none.
public struct TraceContext: Sendable, Hashable {
  /// The trace: 32 lowercase hexadecimal digits, not all of them zero.
  public let traceID: String
  /// The operation that a request is a part of: 16 lowercase hexadecimal digits, not all of them zero.
  public let parentID: String
  /// A Boolean value that indicates whether the caller may have recorded the trace.
  public var isSampled: Bool
  /// The vendor data, as in the field `tracestate`; empty if there is none, or none that is valid.
  public let state: String

  /// The context of the operation that the task works on; ``TraceContextInterceptor`` sends it on.
  @TaskLocal public static var current: TraceContext?

  static let parentField: HTTPHeaders.Name = "traceparent"
  static let stateField: HTTPHeaders.Name = "tracestate"

  init(traceID: String, parentID: String, isSampled: Bool, state: String) {
    self.traceID = traceID
    self.parentID = parentID
    self.isSampled = isSampled
    self.state = state
  }

  /// Begins a trace.
  ///
  /// - Parameters:
  ///   - isSampled: `true` if the trace will be recorded.
  ///   - generator: The generator of the ids.
  public init(isSampled: Bool, using generator: inout some RandomNumberGenerator) {
    let high = Self.identifier(using: &generator)
    self.init(
      traceID: high + Self.identifier(using: &generator),
      parentID: Self.identifier(using: &generator),
      isSampled: isSampled,
      state: ""
    )
  }

  /// Returns a context of this trace with another operation.
  ///
  /// - Parameter generator: The generator of the operation's id.
  /// - Returns: The context for the requests of the operation.
  public func child(using generator: inout some RandomNumberGenerator) -> TraceContext {
    TraceContext(
      traceID: traceID,
      parentID: Self.identifier(using: &generator),
      isSampled: isSampled,
      state: state
    )
  }

  /// The field `traceparent`, in version 00.
  public var traceparent: String { "00-\(traceID)-\(parentID)-\(isSampled ? "01" : "00")" }

  /// The fields that a request carries: `traceparent`, and `tracestate` unless it is empty.
  public var headers: HTTPHeaders {
    var headers: HTTPHeaders = [Self.parentField: traceparent]
    if !state.isEmpty { headers[Self.stateField] = state }
    return headers
  }

  /// Sixteen digits, not all of them zero.
  private static func identifier(using generator: inout some RandomNumberGenerator) -> String {
    UInt64.random(in: 1...UInt64.max, using: &generator).padded(to: 16, radix: 16)
  }
}
