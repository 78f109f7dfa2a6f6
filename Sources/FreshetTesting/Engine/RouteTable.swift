import Freshet
import Synchronization

/// The answers by path.
final class RouteTable: Sendable {
  private struct Routes {
    var exact: [String: Script] = [:]
    /// The routes that end with `/*`, without the star, the longest first.
    var prefixes: [(prefix: String, script: Script)] = []

    func script(for path: String) -> Script? {
      exact[path] ?? prefixes.first { path.hasPrefix($0.prefix) }?.script
    }
  }

  private let routes = Mutex(Routes())

  func set(_ path: String, _ answer: LoopbackServer.Answer?) {
    routes.withLock { routes in
      guard path.hasSuffix("/*") else {
        routes.exact[path] = answer.map(Script.init)
        return
      }
      let prefix = String(path.dropLast())
      routes.prefixes.removeAll { $0.prefix == prefix }
      if let answer { routes.prefixes.append((prefix, Script(answer))) }
      routes.prefixes.sort { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }
  }

  func upload(for path: String) -> LoopbackServer.Upload {
    routes.withLock { $0.script(for: path)?.answer.upload ?? .kept }
  }

  /// Returns the service of uploads at a path, and the header fields of its answers; `nil` for other answers.
  func uploads(for path: String) -> (service: UploadService, headers: HTTPHeaders)? {
    routes.withLock { routes in
      guard let answer = routes.script(for: path)?.answer,
        case .uploads(let service) = answer.source
      else { return nil }
      return (service, answer.delivery.headers)
    }
  }

  /// Returns the answer for a request; sequences advance by one, and closures of the user run
  /// outside of the lock.
  func answer(to request: LoopbackServer.ReceivedRequest) -> LoopbackServer.Answer {
    let answer = routes.withLock { $0.script(for: request.path)?.step() }
    return answer.map { Self.resolved($0, for: request) }
      ?? .status(.notFound, body: "There is no route for \(request.path).\n")
  }

  /// Returns what an answer becomes for a request: handlers respond, and of a sequence it is the first.
  static func resolved(
    _ answer: LoopbackServer.Answer,
    for request: LoopbackServer.ReceivedRequest
  ) -> LoopbackServer.Answer {
    var answer = Script(answer).step()
    while case .handler(let respond) = answer.source {
      var next = Script(respond(request)).step()
      next.checkIsPart()
      next.delivery = next.delivery.inside(answer.delivery)
      answer = next
    }
    return answer
  }
}

/// An answer of a route, with its state between requests.
private final class Script {
  let answer: LoopbackServer.Answer
  private let members: [Script]
  private var next = 0

  init(_ answer: LoopbackServer.Answer) {
    self.answer = answer
    members =
      if case .sequence(let answers) = answer.source { answers.map(Script.init) } else { [] }
  }

  /// Returns the answer to the next request, with sequences resolved.
  func step() -> LoopbackServer.Answer {
    guard !members.isEmpty else { return answer }
    var chosen = members[next].step()
    next = min(next + 1, members.count - 1)
    chosen.delivery = chosen.delivery.inside(answer.delivery)
    return chosen
  }
}
