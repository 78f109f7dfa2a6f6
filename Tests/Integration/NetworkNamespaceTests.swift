#if !canImport(Darwin)
import TestSupport
import Testing

/// The monitor of the device's network, in a network namespace whose interfaces go up and down.
@Suite(.timeLimit(.minutes(5)), .enabled(if: NamespacePrograms.arePresent))
struct NetworkNamespaceTests {
  @Test func `requests wait while no interface is up, and the monitor follows each change`()
    async throws
  {
    let unshare = try #require(Program.path("unshare"))
    let add = ["-n", "ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1"]
    guard try await ProgramRun(unshare, add).status == 0 else { return }

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

private enum NamespacePrograms {
  static let arePresent = Program.path("unshare") != nil && Program.path("ip") != nil
}
#endif
