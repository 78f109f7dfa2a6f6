#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting

/// The origin that a storm asks, in a process of its own, so that what the client's process holds is
/// the client's.
enum StormOrigin {
  /// Serves until the standard input ends.
  static func serve() throws {
    // Nobody reads what came, and it would grow for as long as the storm lasts.
    let server = try LoopbackServer { $0.requestLimit = 1 }
    for target in StormTarget.Kind.allCases {
      server.route("/\(target)/*", .handler { answer($0, target) })
    }
    server.route("/samples", .handler { .json(samples(length: 40 + $0.number % 4 * 40)) })
    write("\(server.port)")
    while readLine() != nil {}
    withExtendedLifetime(server) {}
  }

  private static func answer(
    _ request: LoopbackServer.ReceivedRequest,
    _ kind: StormTarget.Kind
  ) -> LoopbackServer.Answer {
    guard let number = request.path.split(separator: "/").last.flatMap({ Int($0) }) else {
      return .status(.notFound)
    }
    let target = StormTarget(kind: kind, number: number)
    guard let body = target.body else { return .status(.notFound) }
    switch kind {
    case .small: return .content(body, eTag: "\"1\"", cacheControl: "max-age=60")
    case .stale: return .content(body, eTag: "\"1\"", cacheControl: "max-age=0")
    case .slow:
      return .content(body, cacheControl: "max-age=0")
        .delayed(by: .milliseconds(request.number % 5))
    case .large: return .content(body, cacheControl: "max-age=0")
    case .film:
      return .content(body, eTag: "\"1\"", cacheControl: "max-age=60")
        .dripped(1 << 16, every: .milliseconds(1))
    }
  }

  /// A list of models, whose names are as long as told.
  private static func samples(length: Int) -> String {
    let list = sampleNumbers.map { #"{"id":\#($0),"name":"\#(Sample($0, length: length).name)"}"# }
    return "[\(list.joined(separator: ","))]"
  }

  static let sampleNumbers = 1...8
}

/// What a storm fetches; its bytes name it.
struct StormTarget: Sendable, Hashable {
  enum Kind: CaseIterable, Sendable {
    /// It is fresh for as long as the storm lasts, and is validated at each fetch.
    case small, stale
    /// It lets wait for its head.
    case slow
    /// It goes to a file; the second one comes slowly, and is resumed.
    case large, film

    /// About how many bytes it has.
    var length: Int {
      switch self {
      case .small: 700
      case .stale, .slow: 300
      case .large: 60_000
      case .film: 300_000
      }
    }

    /// How many there are.
    var count: Int {
      switch self {
      case .small: 400
      case .stale, .slow: 16
      case .large, .film: 4
      }
    }
  }

  let kind: Kind
  let number: Int

  var path: String { "/\(kind)/\(number)" }

  /// What the origin sends; `nil` for a number that there is not.
  var body: Data? { Self.bodies[self] }

  /// Whether these are its bytes.
  func isRight(_ data: Data) -> Bool { data == body }

  static let all = Kind.allCases.flatMap { kind in
    (0..<kind.count).map { StormTarget(kind: kind, number: $0) }
  }

  private static let bodies = Dictionary(
    uniqueKeysWithValues: all.map { target in
      let line = "\(target.path)\n"
      return (target, Data(String(repeating: line, count: target.kind.length / line.count).utf8))
    }
  )

  static func random(using generator: inout SeededGenerator) -> StormTarget {
    let kinds: [Kind] = [.small, .small, .small, .stale, .stale, .slow, .large, .film]
    return random(kinds.randomElement(using: &generator) ?? .small, using: &generator)
  }

  static func random(_ kind: Kind, using generator: inout SeededGenerator) -> StormTarget {
    StormTarget(kind: kind, number: Int.random(in: 0..<kind.count, using: &generator))
  }
}
#endif
