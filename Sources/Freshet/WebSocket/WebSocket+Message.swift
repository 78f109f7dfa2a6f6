public import FreshetEssentials

extension WebSocket {
  /// A message, whole.
  public enum Message: Sendable, Hashable {
    /// A text; on the wire it is UTF-8, which is checked.
    case text(String)
    /// Bytes.
    case binary(Data)

    /// The text; `nil` of bytes.
    public var text: String? {
      if case .text(let text) = self { text } else { nil }
    }

    /// The bytes of the message; a text is encoded as UTF-8.
    public var data: Data {
      switch self {
      case .text(let text): Data(text.utf8)
      case .binary(let data): data
      }
    }

    /// The number of bytes of the message.
    package var byteCount: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .binary(let data): data.count
      }
    }

    /// The share of a buffer that the message takes while it waits; an empty one takes some too.
    package var weight: Int { Swift.max(byteCount, 1) }

    var opcode: WebSocketOpcode {
      if case .text = self { .text } else { .binary }
    }
  }
}

extension WebSocket.Message: CustomStringConvertible {
  /// The kind and the number of bytes; nothing of the content.
  public var description: String {
    switch self {
    case .text: "text of \(byteCount) bytes"
    case .binary: "\(byteCount) bytes"
    }
  }
}
