#if !canImport(Darwin)
import Foundation
import FreshetTesting
import TestSupport
import Testing

/// Names whose addresses change, in a mount namespace with an `/etc/hosts` of its own.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: Program.path("unshare") != nil, "unshare is not installed"),
  .enabled("unshare is not permitted") { try await MountNamespace.isPermitted() }
)
struct MountNamespaceTests {
  @Test func `a host that has moved is found by the request after the one that has failed`()
    async throws
  {
    let unshare = try #require(Program.path("unshare"))
    let directory = try TemporaryDirectory()
    let hosts = directory.url.appending(path: "hosts").path

    let script = "\(MountNamespace.script) && exec \"$1\" moved \"$0\""
    let run = try await ProgramRun(
      unshare,
      ["-m", "sh", "-c", script, hosts, Program.built("FreshetProbe")]
    )

    #expect(run.lines.dropLast() == ["connection", "here"])
  }
}

private enum MountNamespace {
  /// Puts a new file in the place of `/etc/hosts`.
  static let script = "touch \"$0\" && mount --bind \"$0\" /etc/hosts"

  static func isPermitted() async throws -> Bool {
    guard let unshare = Program.path("unshare") else { return false }
    return try await TemporaryDirectory.scope { directory in
      let hosts = directory.file("hosts").path
      return try await ProgramRun(unshare, ["-m", "sh", "-c", script, hosts]).status == 0
    }
  }
}
#endif
