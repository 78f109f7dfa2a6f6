#if GTK && !canImport(Darwin)
import CZlib
import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// A loopback origin of numbered pictures with delays, failures and changes.
final class GalleryOrigin: Sendable {
  struct Behaviour {
    var version = 1
    /// Where responses wait, if they do: before their head, or in the middle of their body.
    var head: Gate?
    var body: Gate?
  }

  private let server: LoopbackServer
  private let behaviour: SharedBehaviour

  final class SharedBehaviour: Sendable {
    let value = Mutex(Behaviour())
  }

  init() throws {
    server = try LoopbackServer()
    let behaviour = SharedBehaviour()
    self.behaviour = behaviour
    server.route("/picture/*", .handler { Self.answer($0, behaviour.value.withLock(\.self)) })
  }

  func set(_ change: (inout Behaviour) -> Void) {
    behaviour.value.withLock { change(&$0) }
  }

  func url(_ number: Int) -> URL { server.url("/picture/\(number)") }

  var requestCount: Int { server.requestCount }

  func stop() async { await server.stop() }

  /// Each seventh picture is missing.
  static func isMissing(_ number: Int) -> Bool { number % 7 == 3 }

  private static func answer(
    _ request: LoopbackServer.ReceivedRequest,
    _ behaviour: Behaviour
  ) -> LoopbackServer.Answer {
    let number = request.path.split(separator: "/").last.flatMap { Int($0) } ?? 0
    // Only every second picture ever changes.
    let version = number.isMultiple(of: 2) ? behaviour.version : 1
    let png = PNG.filled(GalleryColor.picture(number, version: version).bytes)
    var answer = LoopbackServer.Answer.content(
      png,
      type: "image/png",
      eTag: "\"\(number)-\(version)\"",
      cacheControl: "max-age=0"
    )
    if isMissing(number) { answer = .status(404) }
    answer = answer.delayed(by: .milliseconds(number % 40))
    if let gate = behaviour.head { answer = answer.delayed(until: gate) }
    if let gate = behaviour.body { answer = answer.held(after: Int64(png.count / 2), until: gate) }
    return answer
  }
}

/// The few lines of a PNG of one colour, 160 pixels a side.
enum PNG {
  static func filled(_ color: [UInt8]) -> Data {
    let side = 160
    let row = [0] + Array(repeating: color, count: side).flatMap(\.self)
    let rows = Array(repeating: row, count: side).flatMap(\.self)
    var length = compressBound(uLong(rows.count))
    var compressed = [UInt8](repeating: 0, count: Int(length))
    compress(&compressed, &length, rows, uLong(rows.count))
    var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    file += chunk("IHDR", number(side) + number(side) + [8, 2, 0, 0, 0])
    file += chunk("IDAT", Array(compressed.prefix(Int(length))))
    file += chunk("IEND", [])
    return file
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    return number(content.count) + body + number(Int(crc32(0, body, uInt(body.count))))
  }

  private static func number(_ value: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) }
  }
}
#endif
