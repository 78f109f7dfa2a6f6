import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Compressed messages: permessage-deflate (RFC 7692).
@Suite(.timeLimit(.minutes(5))) struct WebSocketDeflateTests {
  private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

  private static func read(
    _ bytes: [UInt8],
    limit: Int = 1_000,
    inflates: Bool = true
  ) -> Result<[WebSocketDecoder.Event], WebSocketViolation> {
    var decoder = WebSocketDecoder(from: .server, limit: limit)
    decoder.inflates = inflates
    decoder.receive(bytes)
    return Result { () throws(WebSocketViolation) in
      var events: [WebSocketDecoder.Event] = []
      while let event = try decoder.next() { events.append(event) }
      return events
    }
  }

  // MARK: - Frames

  private static let whole: [[UInt8]] = [
    [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
    // In two fragments, with a ping between them.
    [0x41, 3, 0xF2, 0x48, 0xCD, 0x89, 0, 0x80, 4, 0xC9, 0xC9, 0x07, 0x00],
    // A stored block, a last block, two blocks.
    [0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
    [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
    [0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
  ]

  @Test(arguments: whole)
  func `reads the messages of the standard`(bytes: [UInt8]) throws {
    let events = try Self.read(bytes).get()
    #expect(events.last == .message(.text("Hello")))
  }

  @Test func `reads messages that are not compressed among those that are`() throws {
    let bytes = Frames.text("a") + [0xC1, 0x07] + Self.hello + Frames.text("b")
    let events = try Self.read(bytes).get()
    #expect(events == ["a", "Hello", "b"].map { .message(.text($0)) })
  }

  @Test(arguments: [0xC0, 0xC8, 0xC9, 0xCA, 0xE1, 0xD1] as [UInt8])
  func `refuses the mark of compression where no message begins, and other marks`(first: UInt8) {
    let begun: [UInt8] = first == 0xC0 ? [0x01, 0x00] : []
    #expect(throws: WebSocketViolation.self) { try Self.read(begun + [first, 0x00]).get() }
  }

  @Test(arguments: [[0xC1, 0x01, 0x00], [0xC1, 0x00]] as [[UInt8]])
  func `reads an empty message that is compressed`(bytes: [UInt8]) throws {
    #expect(try Self.read(bytes).get() == [.message(.text(""))])
  }

  @Test func `refuses a compressed message where none was agreed to`() {
    #expect(throws: WebSocketViolation.frames("a reserved bit of a frame is set")) {
      try Self.read([0xC1, 0x07] + Self.hello, inflates: false).get()
    }
  }

  private static let damaged: [[UInt8]] = [
    [0xFF, 0xFF, 0xFF], [0xF2, 0x48, 0xCD], [0x06], [0x00, 0x09, 0x00, 0xF6, 0xFF, 0x48],
  ]

  @Test(arguments: damaged)
  func `refuses damaged messages`(payload: [UInt8]) {
    #expect(throws: WebSocketViolation.frames("a compressed message is damaged")) {
      try Self.read([0xC1, UInt8(payload.count)] + payload).get()
    }
  }

  @Test func `refuses a text that is not UTF-8 when it is expanded`() throws {
    let wrong = try #require(WebSocketDeflate.deflate([UInt8](repeating: 0xFF, count: 100)))
    #expect(throws: WebSocketViolation.text) {
      try Self.read([0xC1, UInt8(wrong.count)] + wrong).get()
    }
    #expect(try Self.read([0xC2, UInt8(wrong.count)] + wrong).get().count == 1)
  }

  // MARK: - Limits

  @Test func `expands nothing beyond the limit`() throws {
    let bomb = try #require(WebSocketDeflate.deflate([UInt8](repeating: 0, count: 64 << 20)))
    #expect(bomb.count < 100_000)

    #expect(throws: WebSocketViolation.size(1 << 20)) {
      try Self.read(Frames.frame(0xC2, bomb), limit: 1 << 20).get()
    }
    let exact = try #require(WebSocketDeflate.deflate([UInt8](repeating: 7, count: 1_000)))
    #expect(try Self.read(Frames.frame(0xC2, exact), limit: 1_000).get().count == 1)
    #expect(throws: WebSocketViolation.size(999)) {
      try Self.read(Frames.frame(0xC2, exact), limit: 999).get()
    }
  }

  @Test func `refuses a compressed form that no message of the limit has, by its header`() {
    #expect(throws: WebSocketViolation.size(1_000)) {
      try Self.read([0xC2, 126, 0x04, 0xB0]).get()
    }
  }

  @Test func `expands what it has compressed, and compresses only what gets shorter`() throws {
    var random = SeededGenerator(seed: 7)
    for size in [0, 1, 63, 64, 1_000, 16_384, 70_000, 1 << 20] {
      let varied = (0..<size).map { UInt8($0 % 7) }
      let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      for bytes in [varied, noise] {
        guard let short = WebSocketDeflate.deflate(bytes) else { continue }
        #expect(short.count < bytes.count)
        #expect(try WebSocketDeflate.inflate(short, limit: size) == bytes)
      }
      #expect((WebSocketDeflate.deflate(varied) != nil) == (size >= 64))
      #expect(WebSocketDeflate.deflate(noise) == nil)
    }
  }

  @Test func `compresses messages and no control frames, in fragments whose first is marked`()
    throws
  {
    var outbox = WebSocketOutbox(.server, fragment: 20)
    outbox.deflates = true
    let text = String((0..<200).flatMap { "\($0) " })
    outbox.append(.text(text))
    outbox.append(.text("short"))
    outbox.ping(Data(count: 100))
    var frames: [Data] = []
    while let frame = outbox.next({ 0 }) { frames.append(frame) }

    #expect(frames.map { $0[0] & 0x40 != 0 }.prefix(3) == [false, true, false])
    #expect(frames.count(where: { $0[0] & 0x40 != 0 }) == 1)
    #expect(outbox.count == 0)
    let events = try Self.read(frames.flatMap { Array($0) }).get()
    #expect(events == [.ping(Data(count: 100)), .message(.text(text)), .message(.text("short"))])
  }

  @Test func `another connection is agreed on anew`() {
    var outbox = WebSocketOutbox(.server)
    outbox.deflates = true
    outbox.beginAnew()
    #expect(!outbox.deflates)
  }

  @Test func `what was compressed for an ended connection is not sent over the next one`() throws {
    let text = String(repeating: "a", count: 100)
    var outbox = WebSocketOutbox(.server)
    outbox.deflates = true
    outbox.append(.text(text))
    let payload = try #require(outbox.uncompressed)
    outbox.beginAnew()
    outbox.useCompressed(WebSocketDeflate.deflate(payload))

    let frame = try #require(outbox.next { 0 })
    #expect(try Self.read(Array(frame)).get() == [.message(.text(text))])
    #expect(frame[0] & 0x40 == 0)
  }

  // MARK: - Negotiation

  private static let answers: [([String], Bool?)] = [
    ([], false), ([WebSocketExtensions.deflate], true),
    (["Permessage-Deflate; Server_No_Context_Takeover"], true),
    (["permessage-deflate;server_no_context_takeover; server_max_window_bits=\"10\""], true),
    // It would refer to earlier messages.
    (["permessage-deflate"], nil),
    (["permessage-deflate; server_no_context_takeover=1"], nil),
    (["permessage-deflate; server_no_context_takeover; server_max_window_bits=16"], nil),
    (["permessage-deflate; server_no_context_takeover; server_max_window_bits=010"], nil),
    (["permessage-deflate; server_no_context_takeover; client_max_window_bits=10"], nil),
    (["permessage-deflate; server_no_context_takeover; server_no_context_takeover"], nil),
    (["permessage-deflate; server_no_context_takeover; x"], nil),
    (["permessage-deflate; server_no_context_takeover;"], nil),
    (["x-webkit-deflate-frame; server_no_context_takeover"], nil),
    ([WebSocketExtensions.deflate, WebSocketExtensions.deflate], nil),
  ]

  @Test(arguments: answers)
  func `a client takes an answer to its offer`(answer: [String], agreement: Bool?) {
    #expect(WebSocketExtensions.agreement(answer, isOffered: true) == agreement)
    #expect(
      WebSocketExtensions.agreement(answer, isOffered: false) == (answer.isEmpty ? false : nil)
    )
  }

  private static let offers: [([String], Bool)] = [
    ([], false), ([WebSocketExtensions.deflate], true), (["permessage-deflate"], true),
    (["permessage-deflate; client_max_window_bits"], true),
    (["permessage-deflate; client_max_window_bits=9"], true),
    (["permessage-deflate; server_max_window_bits=15"], false),
    (["permessage-deflate; server_max_window_bits=10", "permessage-deflate"], true),
    (["permessage-deflate; server_max_window_bits"], false),
    (["permessage-deflate; client_max_window_bits=7"], false), (["other"], false),
  ]

  @Test(arguments: offers)
  func `a server agrees to an offer that it can keep`(offers: [String], agrees: Bool) {
    #expect(WebSocketExtensions.accepts(offers) == agrees)
  }

  // MARK: - On the wire

  @Test(arguments: [true, false], [true, false])
  func `talks compressed if both want it, and plain otherwise`(
    client: Bool,
    server: Bool
  ) async throws {
    let origin = try LoopbackServer([
      "/": .socket(compresses: server) { peer in
        for try await message in peer { try await peer.send(message) }
      }
    ])
    let socket = WebSocketTests.socket(origin) { $0.compresses = client }
    var iterator = socket.makeAsyncIterator()
    for size in [0, 10, 100, 300_000] {
      let message = WebSocket.Message.text(String(repeating: "fresh wätter ", count: size))
      try await socket.send(message)
      #expect(try await iterator.next() == message)
    }
    #expect(socket.session.state.read(\.outbox.deflates) == (client && server))
    await socket.close()

    let offer = origin.requests.first?.headers[.secWebSocketExtensions]
    #expect(offer == (client ? WebSocketExtensions.deflate : nil))
    #expect(socket.closure?.code == .normal)
  }

  @Test func `a message that expands beyond the limit ends the socket`() async throws {
    let server = try LoopbackServer([
      "/": .socket(compresses: true) { peer in
        try await peer.send(.binary(Data(count: 1 << 20)))
        for try await _ in peer {}
      }
    ])
    let socket = WebSocketTests.socket(server) {
      $0.compresses = true
      $0.messageBytes = 10_000
    }

    let url = server.url("/").absoluteString
    await #expect(throws: FreshetError.limitExceeded(.messageBytes(10_000), url: url)) {
      for try await _ in socket {}
    }
  }
}
