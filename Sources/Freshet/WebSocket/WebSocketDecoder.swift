package import FreshetEssentials

/// Reads messages and control frames from the bytes that one side sends (RFC 6455 section 5).
///
/// - It touches no socket: bytes are put in, in any pieces, and events are taken out.
/// - It refuses a frame by its header, before its payload has arrived, and a text by its first wrong byte.
/// - Beside what was put in and not taken out, it holds at most one message of the limit, and one control
///   frame; of a compressed message, its compressed form.
/// - After a close or a violation there are no more events.
package struct WebSocketDecoder: Sendable {
  /// Something complete.
  package enum Event: Hashable, Sendable {
    case message(WebSocket.Message)
    case ping(Data)
    case pong(Data)
    case close(WebSocket.Close)
  }

  /// A Boolean value that indicates whether messages may be compressed.
  package var inflates = false

  private let peer: WebSocketRole
  private var assembler: WebSocketAssembler
  private var input: [UInt8] = []
  private var position = 0
  private var start: [UInt8] = []
  private var header: WebSocketFrameHeader?
  /// The number of payload bytes of the current frame that have been taken.
  private var taken = 0
  /// A Boolean value that indicates whether nothing more is read.
  package private(set) var isOver = false

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - peer: The side that sends the bytes.
  ///   - limit: The longest message, in bytes.
  package init(from peer: WebSocketRole, limit: Int) {
    self.peer = peer
    assembler = WebSocketAssembler(limit: limit)
  }

  /// The number of bytes that are held.
  package var heldCount: Int { input.count - position + start.count + assembler.heldCount }

  /// Adds bytes.
  package mutating func receive(_ bytes: some Sequence<UInt8>) {
    guard !isOver else { return }
    if position > 0 {
      input.removeFirst(position)
      position = 0
    }
    input.append(contentsOf: bytes)
  }

  /// Returns the next event; `nil` until more bytes have been added.
  ///
  /// - Throws: The violation, once.
  package mutating func next() throws(WebSocketViolation) -> Event? {
    do {
      while !isOver {
        if header == nil {
          guard let header = try readHeader() else { return nil }
          try assembler.begin(header)
          (self.header, taken) = (header, 0)
        }
        guard let header, try readPayload(of: header) else { return nil }
        self.header = nil
        if let event = try assembler.end(header) {
          if case .close = event { end() }
          return event
        }
      }
      return nil
    } catch {
      end()
      throw error
    }
  }

  private mutating func end() {
    isOver = true
    (input, position) = ([], 0)
  }

  private mutating func readHeader() throws(WebSocketViolation) -> WebSocketFrameHeader? {
    while start.count < 2 || start.count < WebSocketFrameHeader.size(start[1]) {
      guard position < input.count else { return nil }
      start.append(input[position])
      position += 1
    }
    defer { start.removeAll(keepingCapacity: true) }
    let header = try WebSocketFrameHeader(start, allowsCompression: inflates)
    // A client masks all of its frames, and a server none (RFC 6455 section 5.1).
    guard (header.mask != nil) == (peer == .client) else {
      throw .frames(header.mask == nil ? "a frame is not masked" : "a frame is masked")
    }
    return header
  }

  /// Takes what there is of a payload.
  ///
  /// - Returns: A Boolean value that indicates whether that was all.
  private mutating func readPayload(
    of header: WebSocketFrameHeader
  ) throws(WebSocketViolation) -> Bool {
    let count = min(header.length - taken, input.count - position)
    if count > 0 {
      var bytes = exchange(&input, with: [])
      defer { input = bytes }
      let range = position..<(position + count)
      try bytes.withUnsafeMutableBufferPointer { buffer throws(WebSocketViolation) in
        let piece = UnsafeMutableBufferPointer(rebasing: buffer[range])
        header.mask?.apply(to: piece, at: taken)
        try assembler.append(UnsafeBufferPointer(piece), of: header)
      }
      position += count
      taken += count
    }
    return taken == header.length
  }
}
