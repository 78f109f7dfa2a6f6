import Foundation
import TestSupport

extension Catalogue {
  /// A process from its start to its end, with one request.
  static let start = Benchmark(
    name: "start",
    unit: .cost,
    count: 20,
    doubles: false
  ) { world, _ in
    let url = world.http("/1k").absoluteString
    let bench = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0])
    let start = bench.deletingLastPathComponent().appending(path: "FreshetStart").path
    var contenders = [
      Contender(name: "freshet") { count, _ in
        for _ in 0..<count { try Command.output(start, [url]) }
      }
    ]
    if let curl = Program.path("curl") {
      contenders.append(
        Contender(name: "curl") { count, _ in
          for _ in 0..<count { try Command.output(curl, ["-sS", "-o", "/dev/null", url]) }
        }
      )
    }
    return contenders
  }
}
