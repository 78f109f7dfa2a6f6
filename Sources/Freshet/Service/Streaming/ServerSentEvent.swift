/// One event of an event stream, as the HTML standard's section 9.2 defines it.
public struct ServerSentEvent: Sendable, Hashable {
  /// The event's type; `message` if the stream sends none.
  public var type: String
  /// The data; several `data` lines are joined by line feeds.
  public var data: String
  /// The last id in the stream, of this event or an earlier one; `""` before the first.
  public var id: String

  /// Makes an event.
  public init(type: String = "message", data: String, id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }
}
