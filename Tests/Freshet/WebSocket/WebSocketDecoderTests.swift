import Foundation
import Testing

@testable import Freshet

/// The examples of RFC 6455, and the rules that the cases of the Autobahn suite try, by their groups.
@Suite struct WebSocketDecoderTests {
  // MARK: - RFC 6455 section 5.7

  @Test(arguments: [
    ([0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f], WebSocketRole.server),
    ([0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], .client),
    ([0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f], .server),
  ])
  func `reads the texts of the standard`(bytes: [UInt8], peer: WebSocketRole) {
    #expect(Decoded(bytes, from: peer).events == [.message(.text("Hello"))])
  }

  @Test func `reads the ping and the pong of the standard`() {
    let ping: [UInt8] = [0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]
    let pong: [UInt8] = [0x8a, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]

    #expect(Decoded(ping).events == [.ping(Data("Hello".utf8))])
    #expect(Decoded(pong, from: .client).events == [.pong(Data("Hello".utf8))])
  }

  // MARK: - Lengths (Autobahn 1, 9)

  @Test(arguments: [0, 1, 125, 126, 127, 128, 65_535, 65_536, 65_537], [1, 997, Int.max])
  func `reads messages of all forms of length in any pieces`(count: Int, pieces: Int) {
    let text = String(repeating: "*", count: count)
    let bytes = [UInt8](repeating: 0xFE, count: count)
    let frames = Frames.text(text) + Frames.frame(0x82, bytes, mask: nil)
    let masked = Frames.frame(0x82, bytes, mask: [1, 2, 3, 4])

    #expect(
      Decoded(frames, pieces: pieces).events
        == [.message(.text(text)), .message(.binary(Data(bytes)))]
    )
    #expect(
      Decoded(masked, from: .client, pieces: pieces).events == [.message(.binary(Data(bytes)))]
    )
  }

  @Test(arguments: [
    [126, 0, 125], [127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [127, 0x80, 0, 0, 0, 0, 0, 0, 0],
  ])
  func `refuses a length that is not in its shortest form, or has a sign`(length: [UInt8]) {
    #expect(Decoded(Frames.frame(0x82, length: length)).violation?.code == .protocolError)
  }

  // MARK: - Control frames (Autobahn 2)

  @Test func `reads pings with up to 125 bytes of any kind`() {
    let payload = [UInt8](repeating: 0xFF, count: 125)

    #expect(Decoded(Frames.frame(0x89)).events == [.ping(Data())])
    #expect(Decoded(Frames.frame(0x89, payload), pieces: 1).events == [.ping(Data(payload))])
  }

  @Test(arguments: [0x88, 0x89, 0x8A] as [UInt8])
  func `refuses a control frame that is longer than 125 bytes, before its payload`(first: UInt8) {
    #expect(Decoded([first, 126, 0, 126]).violation?.code == .protocolError)
  }

  @Test func `reads a pong that was not asked for, and what follows`() {
    let bytes = Frames.frame(0x8A, [1]) + Frames.frame(0x89, [2])
    #expect(Decoded(bytes).events == [.pong(Data([1])), .ping(Data([2]))])
  }

  // MARK: - Reserved bits and codes (Autobahn 3, 4)

  @Test(arguments: [0xC1, 0xA1, 0x91, 0xF2, 0xC9, 0xB8, 0x90] as [UInt8])
  func `refuses reserved bits`(first: UInt8) {
    let decoded = Decoded(Frames.text("before") + Frames.frame(first, [0x61]), pieces: 1)
    #expect(decoded.events == [.message(.text("before"))])
    #expect(decoded.violation?.code == .protocolError)
  }

  @Test(arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
  func `refuses reserved codes`(code: UInt8) {
    #expect(Decoded(Frames.frame(0x80 | code)).violation?.code == .protocolError)
  }

  @Test func `refuses a server's frame with a mask, and a client's without`() {
    let masked = Frames.frame(0x81, [0x61], mask: [0, 0, 0, 0])

    #expect(Decoded(masked).violation?.code == .protocolError)
    #expect(Decoded(Frames.text("a"), from: .client).violation?.code == .protocolError)
  }

  // MARK: - Fragments (Autobahn 5)

  @Test(arguments: [0x09, 0x0A, 0x08] as [UInt8])
  func `refuses a control frame in fragments`(first: UInt8) {
    let bytes = Frames.frame(first, [0x61]) + Frames.rest([0x62])
    #expect(Decoded(bytes).violation?.code == .protocolError)
  }

  @Test(arguments: [1, 3, Int.max])
  func `reads control frames between fragments, and empty fragments`(pieces: Int) {
    let bytes =
      Frames.text("", isFinal: false) + Frames.rest(Array("one ".utf8), isFinal: false)
      + Frames.frame(0x89, [1]) + Frames.rest([], isFinal: false)
      + Frames.rest(Array("two".utf8)) + Frames.text("next")

    #expect(
      Decoded(bytes, pieces: pieces).events
        == [.ping(Data([1])), .message(.text("one two")), .message(.text("next"))]
    )
  }

  @Test(arguments: [
    Frames.rest([0x61]), Frames.rest([0x61], isFinal: false),
    Frames.text("a") + Frames.rest([0x62]),
    Frames.text("a", isFinal: false) + Frames.text("b"),
    Frames.text("a", isFinal: false) + Frames.frame(0x02, [0x62]),
  ])
  func `refuses a fragment that continues nothing, and a message inside of another`(
    bytes: [UInt8]
  ) {
    #expect(Decoded(bytes).violation?.code == .protocolError)
  }

  // MARK: - UTF-8 (Autobahn 6)

  @Test(arguments: [
    [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5], [0xED, 0x9F, 0xBF],
    [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD], [0xEF, 0xBF, 0xBE], [0xF4, 0x8F, 0xBF, 0xBF],
    [0xF0, 0x90, 0x80, 0x80], [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0x00], [0x7F],
  ])
  func `reads any text in any fragments`(text: [UInt8]) {
    let expected = WebSocketDecoder.Event.message(.text(String(decoding: text, as: UTF8.self)))
    for cut in 0...text.count {
      let bytes =
        Frames.frame(0x01, Array(text[..<cut])) + Frames.rest(Array(text[cut...]))
      #expect(Decoded(bytes, pieces: 1) == Decoded(bytes))
      #expect(Decoded(bytes).events == [expected])
    }
  }

  @Test(arguments: [
    [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF],
    [0xF0, 0x80, 0x80, 0xAF], [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
    [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xF8], [0xFE], [0xFF], [0xC3, 0x28], [0xCE, 0xBA, 0xCE],
    [0xE2, 0x82], [0xF0, 0x9F, 0x92],
  ])
  func `refuses what is not UTF-8`(bytes: [UInt8]) {
    #expect(Decoded(Frames.frame(0x81, bytes)).violation == .text)
    #expect(Decoded(Frames.frame(0x81, bytes), pieces: 1).violation == .text)
  }

  @Test func `refuses a text by its first wrong byte, before the rest has arrived`() {
    let whole = Frames.frame(0x01, Array("wrong: ".utf8) + [0xF4, 0x90, 0x80, 0x80, 0x61])
    let decoded = Decoded(Array(whole.prefix(2 + 7 + 2)), pieces: 1)

    #expect(decoded.violation?.code == .invalidPayload)
  }

  @Test func `leaves bytes as they are`() {
    #expect(
      Decoded(Frames.frame(0x82, [0xFF, 0xC0])).events == [.message(.binary(Data([0xFF, 0xC0])))]
    )
  }

  // MARK: - Closes (Autobahn 7)

  @Test(
    arguments: [
      1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000,
      4999,
    ] as [UInt16]
  )
  func `reads a close with a code that may be sent`(code: UInt16) {
    let close = WebSocket.Close(code: .init(code), reason: "why")
    #expect(Decoded(Frames.close(code, Array("why".utf8))).events == [.close(close)])
  }

  @Test(
    arguments: [
      0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535,
    ] as [UInt16]
  )
  func `refuses a close with a code that may not`(code: UInt16) {
    #expect(Decoded(Frames.close(code)).violation?.code == .protocolError)
  }

  @Test func `reads a close without a code, and refuses half of one`() {
    #expect(Decoded(Frames.frame(0x88)).events == [.close(.init(code: .noStatus))])
    #expect(Decoded(Frames.frame(0x88, [3])).violation?.code == .protocolError)
  }

  @Test func `reads the longest reason, and refuses one that is not UTF-8`() {
    let reason = String(repeating: "r", count: 123)

    let close = WebSocket.Close(code: .normal, reason: reason)
    #expect(Decoded(Frames.close(1000, Array(reason.utf8))).events == [.close(close)])
    #expect(Decoded(Frames.close(1000, [0xCE, 0xBA, 0xFF])).violation?.code == .invalidPayload)
  }

  @Test func `reads nothing after a close`() {
    let bytes = Frames.close(1000) + Frames.text("late") + Frames.frame(0xFF)
    #expect(Decoded(bytes) == Decoded(Frames.close(1000)))
  }

  // MARK: - Limits

  @Test func `refuses a long message by its header, also over several fragments`() {
    let fragments = Frames.frame(0x02, [1, 2, 3]) + Frames.rest([4, 5, 6], isFinal: false)

    #expect(Decoded(Frames.frame(0x82, [1, 2, 3, 4, 5, 6]), limit: 6).violation == nil)
    #expect(Decoded([0x82, 127, 0x7F, 0, 0, 0, 0, 0, 0, 0], limit: 6).violation == .size(6))
    #expect(Decoded(fragments + [0x80, 1], limit: 6).violation?.code == .messageTooBig)
  }

  @Test func `holds one message of the limit at most`() {
    var decoder = WebSocketDecoder(from: .server, limit: 1_000)
    for _ in 0..<1_000 {
      decoder.receive(Frames.frame(0x02, []).dropLast(0))
      _ = try? decoder.next()
      decoder.receive(Frames.rest([UInt8](repeating: 1, count: 100), isFinal: false))
      _ = try? decoder.next()
    }

    #expect(decoder.heldCount <= 1_014)
  }
}
