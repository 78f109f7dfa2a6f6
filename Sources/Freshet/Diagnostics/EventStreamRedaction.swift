import FreshetEssentials

/// Redacts a stream of server-sent events whose data is JSON, event by event.
///
/// The events are written as a reader receives them: without comments, unknown fields, and an event
/// that has no end.
struct EventStreamRedaction {
  let values: ValueRedaction

  /// The text by which many services end a stream of JSON.
  private static let end = "[DONE]"

  /// Returns the redacted stream; `nil` if the data of an event cannot be parsed.
  func text(of body: Data) -> String? {
    var lines = LineSplitter(.any, limit: .max)
    var parser = ServerSentEventParser(limit: .max)
    var shown = ""
    var (id, retry) = ("", Duration?.none)
    lines.take(body)
    do throws(FreshetError) {
      while let line = try lines.next() {
        let event = try parser.take(line)
        guard line.isEmpty else { continue }
        var fields = ""
        if let pause = parser.retry, pause != retry { fields += "retry: \(milliseconds(pause))\n" }
        if parser.lastEventID != id { fields += "id: \(redacted(parser.lastEventID))\n" }
        (id, retry) = (parser.lastEventID, parser.retry)
        if let event {
          guard let text = text(of: event) else { return nil }
          fields += text
        }
        if !fields.isEmpty { shown += fields + "\n" }
      }
    } catch {
      return nil
    }
    return shown
  }

  private func text(of event: ServerSentEvent) -> String? {
    guard ![event.type, event.id].contains(where: values.names.contain),
      let data = data(of: event)
    else { return nil }
    let lines = data.split(separator: "\n", omittingEmptySubsequences: false)
    return (event.type == "message" ? "" : "event: \(redacted(event.type))\n")
      + lines.map { "data: \($0)\n" }.joined()
  }

  private func data(of event: ServerSentEvent) -> String? {
    if event.data.isEmpty || event.data == Self.end { return event.data }
    let json = JSONRedaction([UInt8](event.data.utf8), rules: values)
    return json.isWhole ? json.text : nil
  }

  private func milliseconds(_ pause: Duration) -> Int64 {
    let (seconds, attoseconds) = pause.components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }

  private func redacted(_ text: String) -> String { values.redacted(text) ?? text }
}
