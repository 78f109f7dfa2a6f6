import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

/// A queue of changes whose process is killed, and a server that loses answers.
@Suite(.serialized) struct ChangeCrashTests {
  /// Twenty, or as many as `FRESHET_CHANGE_KILLS` says.
  static let kills =
    ProcessInfo.processInfo.environment["FRESHET_CHANGE_KILLS"].flatMap { Int($0) } ?? 20

  /// Carries each idempotency key out once, and loses every third answer.
  private final class Service: Sendable {
    struct Spring: Codable {
      var id: Int
      var name: String
      var likes = 0
    }

    struct State {
      var springs: [Int: Spring] = [:]
      var answers: [String: Spring?] = [:]
      /// The tokens of the changes that were carried out.
      var tokens: [String] = []
      var count = 0
      var unknown = 0
    }

    let state = Mutex(State())

    var answer: LoopbackServer.Answer {
      .handler { [self] request in
        let (spring, isLost) = state.withLock { state in
          state.count += 1
          return (Self.carryOut(request, &state), state.count % 3 == 0)
        }
        if isLost { return .closeBeforeResponse }
        guard let spring else { return .status(.noContent) }
        let text = (try? JSONEncoder().encode(spring)).map { String(decoding: $0, as: UTF8.self) }
        return .json(text ?? "")
      }
    }

    private static func carryOut(
      _ request: LoopbackServer.ReceivedRequest,
      _ state: inout State
    ) -> Spring? {
      let key = request.headers[.idempotencyKey] ?? ""
      if let answer = state.answers[key] { return answer }
      let token = request.query?.split(separator: "=").last.map(String.init) ?? ""
      state.tokens.append(token)
      let id = request.path.split(separator: "/").dropFirst().first.flatMap { Int($0) }
      var spring: Spring?
      if let id {
        if state.springs[id] == nil { state.unknown += 1 }
        if request.method == .patch {
          state.springs[id]?.name = token
          spring = state.springs[id]
        } else {
          state.springs[id]?.likes += 1
        }
      } else {
        let new = Spring(id: state.springs.count + 1, name: token)
        state.springs[new.id] = new
        spring = new
      }
      state.answers[key] = .some(spring)
      return spring
    }
  }

  @Test(.timeLimit(.minutes(kills > 100 ? 120 : 5)))
  func `no change is lost or made twice, however often its process is killed`() async throws {
    let folder = try TemporaryDirectory()
    let (store, log) = (folder.file("models").path, folder.file("log").path)
    let service = Service()
    let server = try LoopbackServer(["/*": service.answer])
    let url = server.url("/").absoluteString

    for round in 1...Self.kills {
      let end = try await ProbeRun.run("changes", "make", store, log, url, "\(round)")
      try #require(end.wasKilled && end.status == SIGKILL, "round \(round): \(end.error)")
    }
    let last = try await ProbeRun.run("changes", "finish", store, log, url, "0")
    await server.stop()

    try #require(last.status == 0 && !last.wasKilled, "\(last.error)")
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    let acknowledged = Set(lines.map { String($0.dropFirst("done ".count)) })
    service.state.withLock { state in
      #expect(acknowledged.isSubset(of: state.tokens), "a change was lost")
      #expect(Set(state.tokens).count == state.tokens.count, "a change was made twice")
      #expect(state.unknown == 0, "a change named a model that the server does not have")
      let springs = state.springs.values.sorted { $0.id < $1.id }
        .map { "spring \($0.id) \($0.name) \($0.likes)" }
      #expect(last.lines.filter { $0.hasPrefix("spring ") } == springs)
      #expect(last.lines.filter { $0.hasPrefix("left ") } == [])
      print(
        "= \(Self.kills) kills, \(acknowledged.count) acknowledged, \(state.tokens.count) made,",
        "\(state.count) requests, \(springs.count) models"
      )
    }
    withExtendedLifetime(folder) {}
  }
}
