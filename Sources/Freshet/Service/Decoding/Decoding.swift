public import Foundation

/// How a body becomes a value.
///
/// ```swift
/// let dates = Decoding<[Post]>.json {
///   let decoder = JSONDecoder()
///   decoder.dateDecodingStrategy = .iso8601
///   return decoder
/// }
/// let posts = client.send(.get("posts")).decode([Post].self, as: dates)
/// ```
public struct Decoding<Value: Sendable>: Sendable {
  /// What a decoding makes of a body.
  struct Outcome {
    var value: Value
    /// The elements that it has left out.
    var skipped: [DecodingFailure] = []
    /// What the value was taken out of.
    var envelope: (any Sendable)?
  }

  let run: @Sendable (DecodingSource) throws -> Outcome
  /// The media types of bodies that it is meant for; any, unless the decoding is of JSON.
  ///
  /// An endpoint accepts no others, see ``Endpoint/contentTypes``.
  public private(set) var contentTypes = ContentTypes.any

  init(
    _ types: ContentTypes = .any,
    run: @escaping @Sendable (DecodingSource) throws -> Outcome
  ) {
    self.run = run
    contentTypes = types
  }

  /// The same decoding, meant for other media types.
  public func accepting(_ types: ContentTypes) -> Decoding {
    var decoding = self
    decoding.contentTypes = types
    return decoding
  }

  /// Makes a decoding of a function.
  ///
  /// What the function throws fails the pipeline: a ``FreshetError`` as it is, a
  /// `CancellationError` as ``FreshetError/cancelled``, anything else as
  /// ``FreshetError/decoding(_:head:body:)``.
  ///
  /// - Parameter decode: Makes the value of the bytes and the response's head, which is `nil` for a
  ///   line of a stream; it is called off the caller's actor.
  public init(_ decode: @escaping @Sendable (Data, ResponseHead?) throws -> Value) {
    self.init { source in Outcome(value: try decode(source.data, source.head)) }
  }
}

/// What is decoded, and where it comes from.
struct DecodingSource {
  let head: ResponseHead?
  let data: Data
  /// Where in the response's body the data stands.
  var path = PayloadPath()
}

extension Decoding {
  /// Decodes a response off the caller's actor.
  @concurrent
  func decode(apart response: Response<Data>) async throws(FreshetError) -> Response<Value> {
    try decode(response)
  }

  func decode(_ response: Response<Data>) throws(FreshetError) -> Response<Value> {
    try response.requireAccepted()
    if let absence = response.record.absence {
      guard let none = (Value.self as? any Absent.Type)?.absent as? Value else {
        throw response.decodingFailure(of: "\(Value.self)", absence.rawValue)
      }
      return response.replacing(none)
    }
    let source = DecodingSource(
      head: response.head,
      data: response.value,
      path: response.record.path
    )
    let outcome = try decode(source, of: response.body)
    var decoded = response.replacing(outcome.value)
    decoded.record.skipped = outcome.skipped
    if let envelope = outcome.envelope { decoded.record.envelope = envelope }
    return decoded
  }

  /// Decodes a part of a body and wraps what goes wrong.
  func decode(_ source: DecodingSource, of body: Data) throws(FreshetError) -> Outcome {
    do {
      if Task.isCancelled { throw FreshetError.cancelled }
      let outcome = try run(source)
      if Task.isCancelled { throw FreshetError.cancelled }
      return outcome
    } catch let error as FreshetError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch {
      let failure = DecodingFailure(error, decoding: Value.self, from: source.data, at: source.path)
      throw .decoding(failure, head: source.head, body: body)
    }
  }
}

extension Response<Data> {
  func decodingFailure(of target: String, _ reason: String) -> FreshetError {
    let failure = DecodingFailure(
      target: target,
      keyPath: record.path.description,
      reason: reason,
      excerpt: Excerpt.of(body)
    )
    return .decoding(failure, head: head, body: body)
  }
}
