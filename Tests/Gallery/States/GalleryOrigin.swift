#if GTK && !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// A loopback origin of numbered pictures with delays, failures and changes.
final class GalleryOrigin: Sendable {
  struct Behaviour {
    var version = 1
    /// Where responses wait before their head, if they do.
    var head: Gate?
    /// Where those that the window shows first wait in the middle of their body, if they do.
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
    // Held pictures keep their connections: those in the window leave some of the host's to others.
    if let gate = behaviour.body, Gallery.visible ~= number {
      answer = answer.held(after: Int64(png.count / 2), until: gate)
    }
    return answer
  }
}
#endif
