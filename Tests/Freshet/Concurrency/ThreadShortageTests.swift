#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import TestSupport
import Testing

/// Only a user other than root can be denied threads.
@Suite(.timeLimit(.minutes(5))) struct ThreadShortageTests {
  /// Whether this process is root and may become any user, which its container can forbid.
  private static let canChangeUser: Bool = {
    func text(_ name: String) -> String {
      (try? String(contentsOfFile: "/proc/self/\(name)", encoding: .utf8)) ?? ""
    }
    let rights = text("status").split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let bits = rights?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
    let users = text("uid_map").split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0) }
    // CAP_SETUID, and all the users that the test may choose.
    return geteuid() == 0 && bits >> 7 & 1 == 1 && users ?? 0 > 5_000_000
  }()

  /// Does something in a process that has all the threads it may have.
  private static func withoutThreads<Value: Sendable>(
    _ work: () async throws -> Value
  ) async rethrows -> Value {
    let resource = __rlimit_resource_t(__RLIMIT_NPROC.rawValue)
    var before = rlimit()
    getrlimit(resource, &before)
    var none = before
    none.rlim_cur = 1
    setrlimit(resource, &none)
    defer { setrlimit(resource, &before) }
    return try await work()
  }

  @Test(.enabled(if: canChangeUser, "only root can become somebody else"))
  func `fails without a thread, and works when one is available`() async throws {
    // What another user makes there, only root can remove.
    let folder = try TemporaryDirectory()
    chmod(folder.url.path, 0o777)
    await #expect(processExitsWith: .success) { [place = folder.url as URL] in
      alarm(60)
      // Somebody with no other process.
      guard setuid(uid_t(100_000) + uid_t(getpid())) == 0 else { exit(2) }
      let disk = DiskStore(directory: place.appending(path: "disk"))
      let models = ModelStore(directory: place.appending(path: "models"))
      let transport = CurlTransport { $0.proxy = .none }
      let refused = try Request(.get, "http://127.0.0.1:1/")
      // Its own thread is there; names are looked up on others.
      let started = CurlTransport { $0.proxy = .none }
      _ = await started.answer(refused)
      let named = try Request(.get, "http://nobody.invalid/")

      let errors = await ThreadShortageTests.withoutThreads {
        [
          await thrown { try await disk.removeAll() },
          await thrown { try await models.removeAll() },
          await transport.answer(refused).error,
          await started.answer(named).error,
        ]
      }
      let next = [
        await thrown { try await disk.removeAll() },
        await thrown { try await models.removeAll() },
      ]
      let isRight =
        errors.map { $0?.kind } == ["store", "store", "connection", "connection"]
        && errors.prefix(3).allSatisfy { "\(String(describing: $0))".contains("no thread") }
        && next.allSatisfy { $0 == nil }
      exit(isRight ? EXIT_SUCCESS : EXIT_FAILURE)
    }
    withExtendedLifetime(folder) {}
  }
}
#endif
