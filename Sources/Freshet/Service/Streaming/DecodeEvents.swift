import FreshetEssentials

/// A server-sent event whose data has been decoded.
public struct DecodedEvent<Value: Sendable>: Sendable {
  /// The event's type; `message` if the stream names none.
  public var type: String
  /// The last id that the stream has given, see ``ServerSentEvent/id``.
  public var id: String
  /// The decoded data.
  public var value: Value

  /// Makes an event.
  public init(type: String = "message", id: String = "", value: Value) {
    self.type = type
    self.id = id
    self.value = value
  }
}

extension DecodedEvent: Equatable where Value: Equatable {}
extension DecodedEvent: Hashable where Value: Hashable {}

extension ServerSentEvent {
  /// Decodes the data.
  ///
  /// ```swift
  /// switch event.type {
  /// case "tick": show(try event.decode(Tick.self))
  /// default: break
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoding: The decoding; JSON by default.
  /// - Returns: The value.
  /// - Throws: ``FreshetError/decoding(_:head:body:)``, which shows a short excerpt without secrets.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value> = .json
  ) throws(FreshetError) -> Value {
    let bytes = Data(data.utf8)
    return try decoding.decode(DecodingSource(head: nil, data: bytes), of: bytes).value
  }
}

extension AsyncSequence
where Self: Sendable, Element == ServerSentEvent, Failure: PipelineFailure {
  /// Decodes the data of events.
  ///
  /// - Decoding runs off the caller's actor.
  /// - Data that cannot be decoded ends the stream with ``FreshetError/decoding(_:head:body:)``. Where events
  ///   have several types, `filter` the stream before, or use ``ServerSentEvent/decode(_:as:)``.
  ///
  /// ```swift
  /// for try await tick in client.events(.get("ticker")).decode(Tick.self) {
  ///   show(tick.value, tick.id)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoding: The decoding; JSON by default.
  /// - Returns: The events in order.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value> = .json
  ) -> some AsyncSequence<DecodedEvent<Value>, Failure> & Sendable {
    ConvertSequence(
      self,
      ".decode(\(Value.self))",
      failure: { $0 },
      convert: { event throws(Failure) in
        do throws(FreshetError) {
          return try await decoding.decode(apart: event)
        } catch {
          throw Failure(error)
        }
      }
    )
  }
}

extension Decoding where Value: Decodable {
  @concurrent
  fileprivate func decode(
    apart event: ServerSentEvent
  ) async throws(FreshetError) -> DecodedEvent<Value> {
    DecodedEvent(type: event.type, id: event.id, value: try event.decode(Value.self, as: self))
  }
}
