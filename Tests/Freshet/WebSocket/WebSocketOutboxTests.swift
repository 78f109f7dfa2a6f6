import Foundation
import Testing

@testable import Freshet

@Suite struct WebSocketOutboxTests {
  private static func take(_ outbox: inout WebSocketOutbox) -> [UInt8] {
    var bytes: [UInt8] = []
    while let frame = outbox.next({ 0x0403_0201 }) { bytes += frame }
    return bytes
  }

  @Test func `masks a client's frames with a new key each, and none of a server`() throws {
    var (client, server) = (WebSocketOutbox(.client), WebSocketOutbox(.server))
    var bits: UInt64 = 0x3D21_FA37
    for _ in 0..<2 { client.append(.text("Hello")) }
    server.append(.text("Hello"))

    let first = try #require(client.next { bits })
    bits = 0
    let second = try #require(client.next { bits })

    #expect(
      Array(first) == [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
    )
    #expect(Array(second) == [0x81, 0x85, 0, 0, 0, 0] + Array("Hello".utf8))
    #expect(Self.take(&server) == Frames.text("Hello"))
  }

  @Test func `sends a long message in fragments, and a ping between them`() throws {
    var outbox = WebSocketOutbox(.server, fragment: 4)
    outbox.append(.text("abcdefghi"))
    outbox.append(.binary(Data([1])))

    var bytes = Array(try #require(outbox.next { 0 }))
    outbox.ping(Data([7]))
    bytes += Self.take(&outbox)

    let events = Decoded(bytes).events
    #expect(
      events == [.ping(Data([7])), .message(.text("abcdefghi")), .message(.binary(Data([1])))]
    )
    #expect(bytes.starts(with: Frames.text("abcd", isFinal: false) + Frames.frame(0x89, [7])))
    #expect(outbox.count == 0)
  }

  @Test func `sends the greeting first and uncompressed, and a new one over each connection`() {
    let long = String(repeating: "a", count: 1_000)
    var outbox = WebSocketOutbox(.server, fragment: 4)
    outbox.append(.text("waits"))
    outbox.greet(with: .text("former"))
    let begun = outbox.next { 0 }
    let isBegunLost = outbox.beginAnew()
    outbox.greet(with: .text("never sent"))
    let isWaitingLost = outbox.beginAnew()
    #expect(begun != nil && !isBegunLost && !isWaitingLost)

    outbox.deflates = true
    outbox.greet(with: .text(long))
    #expect(outbox.uncompressed == nil)
    let events = Decoded(Self.take(&outbox)).events

    #expect(events == [.message(.text(long)), .message(.text("waits"))])
    #expect(outbox.count == 0 && outbox.isEmpty)
  }

  @Test func `sends a close behind the messages that wait, and nothing after it`() {
    var outbox = WebSocketOutbox(.server)
    outbox.append(.text("a"))
    outbox.close(.init(code: .normal, reason: "done"))
    outbox.close(.init(code: .internalError))
    outbox.ping(Data())

    let bytes = Self.take(&outbox)
    outbox.pong(Data())
    outbox.append(.text("late"))

    #expect(bytes == Frames.text("a") + Frames.close(1000, Array("done".utf8)))
    #expect(outbox.isClosed && outbox.isEmpty)
    #expect(Self.take(&outbox) == [])
  }

  @Test func `answers a close before the messages that wait`() {
    var outbox = WebSocketOutbox(.server)
    outbox.append(.text("a"))
    outbox.close(.init(code: .noStatus), first: true)

    #expect(Self.take(&outbox) == Frames.frame(0x88))
  }

  @Test func `keeps the newest of several pongs that wait`() {
    var outbox = WebSocketOutbox(.server)
    for number in 0..<1_000 { outbox.pong(Data([UInt8(number % 256)])) }

    #expect(Self.take(&outbox) == Frames.frame(0x8A, [UInt8(999 % 256)]))
  }

  @Test func `keeps whole messages for another connection, and not the one that was begun`() {
    var outbox = WebSocketOutbox(.server, fragment: 1)
    outbox.append(.text("ab"))
    outbox.append(.text("c"))
    _ = outbox.next { 0 }
    outbox.ping(Data())
    outbox.close(.init(code: .goingAway), first: true)

    outbox.beginAnew()

    #expect(outbox.count == 1)
    #expect(Self.take(&outbox) == Frames.text("c"))
  }

  @Test func `cuts a reason to what fits, between characters`() {
    let close = WebSocket.Close(code: .normal, reason: String(repeating: "é", count: 100))

    #expect(close.payload.count == 2 + 122)
    #expect(String(data: close.payload.dropFirst(2), encoding: .utf8) != nil)
  }

  @Test func `counts empty messages, of which there may be many`() {
    var outbox = WebSocketOutbox(.server)
    for _ in 0..<3 { outbox.append(.text("")) }

    #expect(outbox.count == 3)
    #expect(Self.take(&outbox) == Frames.text("") + Frames.text("") + Frames.text(""))
    #expect(outbox.count == 0)
  }
}
