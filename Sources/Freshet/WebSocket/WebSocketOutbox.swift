package import FreshetEssentials

/// The unsent messages of one side, which are encoded as frames on demand (RFC 6455 section 5).
///
/// Long messages are sent in fragments, between which control frames can be sent. A close is the last
/// frame.
package struct WebSocketOutbox: Sendable {
  private struct Control {
    let opcode: WebSocketOpcode
    let payload: Data
  }

  /// A Boolean value that indicates whether messages are compressed, where that makes them shorter.
  package var deflates = false

  private let role: WebSocketRole
  private let fragment: Int
  private var controls = Queue<Control>()
  private var messages = Queue<WebSocket.Message>()
  /// The message that goes before all others of the connection.
  private var greeting: WebSocket.Message?
  /// The compressed payload of the first message that waits; `.some(nil)` if it is sent as it is.
  private var compressed: [UInt8]??
  /// The rest of the message whose fragments are being sent.
  private var current: (opcode: WebSocketOpcode, rest: Data, isCompressed: Bool)?
  /// A Boolean value that indicates whether the message that was begun last is the greeting.
  private var isGreeting = false
  private var close: Data?
  /// A Boolean value that indicates whether the close goes before the messages that wait.
  private var closesFirst = false
  /// A Boolean value that indicates whether the close has been taken.
  package private(set) var isClosed = false
  /// The number of bytes of the messages that wait; an empty one counts as one byte.
  package private(set) var count = 0

  /// Creates an empty outbox.
  ///
  /// - Parameters:
  ///   - role: The side that sends.
  ///   - fragment: The longest payload of a frame, in bytes; 64 KiB by default.
  package init(_ role: WebSocketRole, fragment: Int = 64 << 10) {
    self.role = role
    self.fragment = max(fragment, 1)
  }

  /// A Boolean value that indicates whether there is nothing to take.
  package var isEmpty: Bool {
    let hasMessage = current != nil || greeting != nil || !messages.isEmpty
    return isClosed || controls.isEmpty && !hasMessage && close == nil
  }

  /// A Boolean value that indicates whether a close waits, or has been taken.
  package var isClosing: Bool { close != nil || isClosed }

  /// Adds a message behind those that wait.
  package mutating func append(_ message: WebSocket.Message) {
    count += message.weight
    messages.append(message)
  }

  /// Sets the message that goes before all others of the connection, which is not compressed.
  package mutating func greet(with message: WebSocket.Message) {
    count += message.weight
    greeting = message
  }

  /// Adds a ping; of its payload, at most the first 125 bytes.
  package mutating func ping(_ payload: Data) {
    guard !isClosing else { return }
    controls.append(Control(opcode: .ping, payload: payload.prefix(125)))
  }

  /// Removes a ping that still waits.
  package mutating func removePing(_ payload: Data) {
    controls.removeAll { $0.opcode == .ping && $0.payload == payload }
  }

  /// Adds the answer to a ping, in place of earlier ones that still wait (RFC 6455 section 5.5.3).
  package mutating func pong(_ payload: Data) {
    guard !isClosed else { return }
    controls.removeAll { $0.opcode == .pong }
    controls.append(Control(opcode: .pong, payload: payload.prefix(125)))
  }

  /// Closes the connection behind the messages that wait, or before them.
  ///
  /// A second close keeps the payload of the first one.
  package mutating func close(_ close: WebSocket.Close, first: Bool = false) {
    if first { closesFirst = true }
    guard !isClosing else { return }
    self.close = close.payload
  }

  /// Discards the data of one connection, so that the rest can be sent over another one: the message
  /// that has been begun, pings, and a close.
  ///
  /// - Returns: A Boolean value that indicates whether a message other than the greeting had been begun, and is
  ///   lost.
  @discardableResult
  package mutating func beginAnew() -> Bool {
    defer { current = nil }
    if let current { count -= current.rest.count }
    if let greeting = greeting.take() { count -= greeting.weight }
    compressed = nil
    controls.removeAll()
    close = nil
    closesFirst = false
    isClosed = false
    deflates = false
    return current != nil && !isGreeting
  }

  /// The payload that ``next(_:)`` would have to compress, which ``useCompressed(_:)`` saves it.
  ///
  /// Compressing takes long for a long message, so that a caller behind a lock does it outside of the lock.
  package var uncompressed: Data? {
    guard deflates, compressed == nil, current == nil, greeting == nil, controls.isEmpty,
      !closesFirst, !isClosed, let payload = messages.first?.data,
      payload.count >= WebSocketDeflate.threshold
    else { return nil }
    return payload
  }

  /// Sets the compressed payload of the first message that waits, see ``uncompressed``.
  ///
  /// It has no effect if the connection has ended in the meantime, because the next one may not compress.
  ///
  /// - Parameter payload: The result of ``WebSocketDeflate/deflate(_:)``.
  package mutating func useCompressed(_ payload: [UInt8]?) {
    guard deflates else { return }
    compressed = .some(payload)
  }

  /// Takes the next frame.
  ///
  /// - Parameter bits: A closure that returns random bits for a mask.
  /// - Returns: The frame's bytes; `nil` until there is one.
  package mutating func next(_ bits: () -> UInt64) -> Data? {
    guard !isClosed else { return nil }
    if closesFirst, let payload = close.take() { return end(payload, bits) }
    if let control = controls.popFirst() {
      return frame(WebSocketFrameHeader(opcode: control.opcode), control.payload, bits)
    }
    if current == nil, let message = greeting.take() {
      current = (message.opcode, message.data, false)
      isGreeting = true
    } else if current == nil, let message = messages.popFirst() {
      begin(message)
    }
    if let (opcode, rest, isCompressed) = current {
      let piece = rest.prefix(fragment)
      let isLast = piece.count == rest.count
      // Only an empty message has an empty piece.
      count -= max(piece.count, 1)
      current = isLast ? nil : (.continuation, rest.dropFirst(piece.count), false)
      let header = WebSocketFrameHeader(isFinal: isLast, isCompressed: isCompressed, opcode: opcode)
      return frame(header, piece, bits)
    }
    return close.take().map { end($0, bits) }
  }

  private mutating func begin(_ message: WebSocket.Message) {
    isGreeting = false
    let payload =
      compressed.take() ?? (deflates ? WebSocketDeflate.deflate(message.data) : nil)
    guard let payload else {
      current = (message.opcode, message.data, false)
      return
    }
    count += payload.count - message.weight
    current = (message.opcode, Data(payload), true)
  }

  private mutating func end(_ payload: Data, _ bits: () -> UInt64) -> Data {
    isClosed = true
    return frame(WebSocketFrameHeader(opcode: .close), payload, bits)
  }

  /// Returns a frame with a payload, whose length and mask the header gets.
  private func frame(
    _ header: WebSocketFrameHeader,
    _ payload: Data,
    _ bits: () -> UInt64
  ) -> Data {
    let mask = role == .client ? WebSocketMask(bits: bits()) : nil
    var header = header
    header.length = payload.count
    header.mask = mask
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payload.count + 14)
    header.append(to: &bytes)
    let size = bytes.count
    bytes += payload
    if let mask {
      bytes.withUnsafeMutableBufferPointer {
        mask.apply(to: UnsafeMutableBufferPointer(rebasing: $0[size...]), at: 0)
      }
    }
    return Data(bytes)
  }
}
