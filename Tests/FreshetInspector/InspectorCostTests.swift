import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetInspector

/// The price of an inspector with a page open, which is printed if it is asked for by `FRESHET_MEASURE`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FRESHET_MEASURE"] != nil))
struct InspectorCostTests {
  @Test func `prints the price of an open page`() async throws {
    let server = try LoopbackServer(["/x": .text("x")])
    let request = Request(.get, server.url("/x"))
    var (plain, inspected): ([Double], [Double]) = ([], [])
    for _ in 0..<9 {
      plain.append(try await Self.microseconds(request, isInspected: false))
      inspected.append(try await Self.microseconds(request, isInspected: true))
    }
    let (without, with) = (plain.sorted()[4], inspected.sorted()[4])
    print("inspector: \(without) µs of CPU for a fetch without, \(with) µs with an open page")
  }

  /// Fetches over loopback, sixteen at a time, and returns the CPU time of each, with that of the server.
  private static func microseconds(_ request: Request, isInspected: Bool) async throws -> Double {
    let client = Client {
      $0.memory = nil
      $0.coalescer = nil
    }
    let inspector = isInspected ? try await client.inspect { $0.announce = { _ in } } : nil
    let page = inspector?.url
      .map { url in
        Task {
          let events = Client().stream(Request(.get, url.appending(path: "api/events")))
          for try await _ in events {}
        }
      }
    if let inspector { try await until { inspector.streamCount == 1 } }
    let began = clock()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask {
          for _ in 0..<150 { _ = try await client.resource(request).value }
        }
      }
      try await group.waitForAll()
    }
    let time = Double(clock() - began) / Double(CLOCKS_PER_SEC) * 1_000_000 / 2_400
    page?.cancel()
    inspector?.stop()
    return time
  }
}
