public import FreshetEssentials

/// Decodes a body to a value.
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
  /// The result of a decoding.
  struct Outcome {
    var value: Value
    /// The elements that were left out.
    var skipped: [DecodingFailure] = []
    /// The envelope that contained the value.
    var envelope: (any Sendable)?
  }

  let run: @Sendable (DecodingSource) throws -> Outcome
  /// The media types of the bodies that it can decode; any, unless the decoding is of JSON.
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

  /// Returns the decoding for other media types.
  public func accepting(_ types: ContentTypes) -> Decoding {
    var decoding = self
    decoding.contentTypes = types
    return decoding
  }

  /// Makes a decoding from a function.
  ///
  /// An error of the function fails the pipeline: a ``FreshetError`` unchanged, a
  /// `CancellationError` as ``FreshetError/cancelled``, any other as
  /// ``FreshetError/decoding(_:head:body:)``. Throw a `DecodingError` to give a reason: of an error
  /// of another type only the type is shown, because its description may contain secrets.
  ///
  /// - Parameter decode: A function of the bytes and the response's head, which is `nil` for a line
  ///   of a stream; it is called off the caller's actor.
  public init(_ decode: @escaping @Sendable (Data, ResponseHead?) throws -> Value) {
    self.init { source in Outcome(value: try decode(source.data, source.head)) }
  }
}

/// The data to decode, and its origin.
struct DecodingSource {
  let head: ResponseHead?
  let data: Data
  /// The path of the data in the response's body.
  var path = PayloadPath()
  /// The request that was answered, if it is known.
  var request: Request?

  /// The body for the descriptions of errors, which hide what it repeats of the request's secrets.
  var excerpt: Excerpt {
    let rules = head?.secretRules ?? .standard
    return Excerpt(data, hiding: rules.hidingSecrets(of: request, answeredWith: head))
  }
}

extension Decoding {
  /// Decodes a response off the caller's actor, and saves its models where its client has a store for
  /// them.
  @concurrent
  func decode(apart response: Response<Data>) async throws(FreshetError) -> Response<Value> {
    try await value(of: response).saved()
  }

  /// Decodes a part of a body, and converts errors to ``FreshetError``.
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
      let failure = DecodingFailure(error, decoding: Value.self, from: source)
      throw .decoding(failure, head: source.head, body: body)
    }
  }
}

extension Response<Data> {
  /// The value to decode.
  var source: DecodingSource {
    DecodingSource(head: head, data: value, path: record.path, request: record.call?.request)
  }

  func decodingFailure(of target: String, _ reason: String) -> FreshetError {
    let whole = DecodingSource(head: head, data: body, request: record.call?.request)
    let failure = DecodingFailure(
      target: target,
      keyPath: record.path.description,
      reason: reason,
      excerpt: whole.excerpt.text()
    )
    return .decoding(failure, head: head, body: body)
  }
}
