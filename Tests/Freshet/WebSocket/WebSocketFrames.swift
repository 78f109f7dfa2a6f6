import Foundation
import FreshetTesting

@testable import Freshet

/// The bytes of frames as a test writes them, valid or not.
enum Frames {
  /// Returns a frame; lengths that are given replace the payload's.
  static func frame(
    _ first: UInt8,
    _ payload: [UInt8] = [],
    mask: [UInt8]? = nil,
    length: [UInt8]? = nil
  ) -> [UInt8] {
    let flag: UInt8 = mask == nil ? 0 : 0x80
    var bytes = [first]
    if let length {
      bytes += [flag | length[0]] + length.dropFirst()
    } else if payload.count < 126 {
      bytes.append(flag | UInt8(payload.count))
    } else if payload.count < 65_536 {
      bytes += [flag | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    } else {
      bytes.append(flag | 127)
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    guard let mask else { return bytes + payload }
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  static func text(_ text: String, isFinal: Bool = true) -> [UInt8] {
    frame(isFinal ? 0x81 : 0x01, Array(text.utf8))
  }

  static func rest(_ bytes: [UInt8], isFinal: Bool = true) -> [UInt8] {
    frame(isFinal ? 0x80 : 0x00, bytes)
  }

  static func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
    frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
  }
}

/// What a decoder has made of bytes.
struct Decoded: Equatable {
  var events: [WebSocketDecoder.Event] = []
  var violation: WebSocketViolation?

  /// Decodes bytes in pieces of a size.
  init(
    _ bytes: [UInt8],
    from peer: WebSocketRole = .server,
    limit: Int = 1 << 20,
    pieces: Int = .max
  ) {
    var decoder = WebSocketDecoder(from: peer, limit: limit)
    var rest = bytes[...]
    do throws(WebSocketViolation) {
      repeat {
        let piece = rest.prefix(pieces)
        rest = rest.dropFirst(piece.count)
        decoder.receive(piece)
        while let event = try decoder.next() { events.append(event) }
      } while !rest.isEmpty
    } catch {
      violation = error
    }
  }
}

extension ScriptedResponse {
  /// Agrees to a WebSocket, and sends frames.
  static func socket(
    for request: Request,
    choosing name: String? = nil,
    frames: [Data] = []
  ) -> ScriptedResponse {
    var headers: HTTPHeaders = [
      .upgrade: "websocket",
      .connection: "Upgrade",
      .secWebSocketAccept: WebSocketHandshake.accept(request.headers[.secWebSocketKey] ?? ""),
    ]
    headers[.secWebSocketProtocol] = name
    return ScriptedResponse(101, headers: headers, chunks: frames)
  }
}
