import Foundation
import Freshet
import FreshetInspector
import FreshetTesting
import TestSupport

/// The price of an inspector.
extension Catalogue {
  static let inspection: [Benchmark] = [inspected]

  private static let inspected = Benchmark(
    name: "get-64-tasks-inspected",
    unit: .rate,
    count: 20_000,
    doubles: false
  ) { world, _ in
    let request = Request(world.http("/1k"))
    let (plain, recorded, shown) = (client(world), client(world), client(world))
    let withoutPage = try await recorded.inspect { $0.announce = { _ in } }
    let withPage = try await shown.inspect { $0.announce = { _ in } }
    return [
      Contender(name: "freshet, page open") { count, meter in
        let page = try await InspectorPage(of: withPage)
        meter.restart()
        try await fetch(request, by: shown, count)
        meter.stop()
        await page.close()
      },
      Contender(name: "freshet, no page") { count, _ in
        try await fetch(request, by: recorded, count)
        withExtendedLifetime(withoutPage) {}
      },
      Contender(name: "without an inspector") { count, _ in
        try await fetch(request, by: plain, count)
      },
    ]
  }

  /// A client without stores, each of whose fetches has a transfer of its own.
  private static func client(_ world: World) -> Client {
    let transport = plainClient(world).configuration.transport
    return Client {
      $0.transport = transport
      $0.memory = nil
      $0.coalescer = nil
    }
  }

  private static func fetch(_ request: Request, by client: Client, _ count: Int) async throws {
    try await Workers.run(count, tasks: 64) { _ in
      _ = try await client.resource(request).value
    }
  }
}

/// A page that reads the changes of an inspector, in a process of its own.
private struct InspectorPage {
  private let process: ChildProcess
  private let folder: TemporaryDirectory

  /// Opens the page, and waits until it has read the first event.
  init(of inspector: Inspector) async throws {
    guard let curl = Program.path("curl"), let url = inspector.url else {
      throw BenchError("an inspector's page needs curl")
    }
    folder = try TemporaryDirectory()
    let events = folder.file("events")
    process = try ChildProcess(
      curl,
      // It ends by itself where the benchmark is killed.
      [
        "-sN", "--max-time", "600", "-o", events.path,
        url.appending(path: "api/events").absoluteString,
      ]
    )
    while (try? Data(contentsOf: events))?.isEmpty != false {
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  func close() async {
    process.signal(SIGKILL)
    _ = await process.end()
  }
}
