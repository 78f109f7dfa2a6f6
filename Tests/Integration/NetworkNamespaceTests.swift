#if !canImport(Darwin)
import TestSupport
import Testing

/// The monitor of the device's network, in a network namespace whose interfaces go up and down.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: NetworkNamespace.isInstalled, "unshare and ip are not installed"),
  .enabled("unshare is not permitted") { try await NetworkNamespace.isPermitted() }
)
struct NetworkNamespaceTests {
  @Test func `requests wait while no interface is up, and the monitor follows each change`()
    async throws
  {
    let unshare = try #require(Program.path("unshare"))
    // Foundation's processes need the loopback.
    let script = "ip link set lo up && exec \"$0\" connectivity"
    let run = try await ProgramRun(
      unshare,
      ["-n", "sh", "-c", script, Program.built("FreshetProbe")]
    )

    #expect(
      run.lines.dropLast() == ["offline", "waiting", "offline", "connection", "online", "offline"]
    )
  }
}

private enum NetworkNamespace {
  static let isInstalled = Program.path("unshare") != nil && Program.path("ip") != nil

  static func isPermitted() async throws -> Bool {
    guard isInstalled, let unshare = Program.path("unshare") else { return false }
    let add = ["-n", "ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1"]
    return try await ProgramRun(unshare, add).status == 0
  }
}
#endif
