#if !canImport(Darwin)
import Foundation
import FreshetTesting
import TestSupport
import Testing

/// Names whose addresses change, in a mount namespace with an `/etc/hosts` of its own.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Program.path("unshare") != nil))
struct MountNamespaceTests {
  @Test func `a host that has moved is found by the request after the one that has failed`()
    async throws
  {
    let unshare = try #require(Program.path("unshare"))
    let directory = try TemporaryDirectory()
    let hosts = directory.url.appending(path: "hosts").path
    let mount = "touch \"$0\" && mount --bind \"$0\" /etc/hosts"
    guard try await ProgramRun(unshare, ["-m", "sh", "-c", mount, hosts]).status == 0 else {
      return
    }

    let script = "\(mount) && exec \"$1\" moved \"$0\""
    let run = try await ProgramRun(
      unshare,
      ["-m", "sh", "-c", script, hosts, Program.built("FreshetProbe")]
    )

    #expect(run.lines.dropLast() == ["connection", "here"])
  }
}
#endif
