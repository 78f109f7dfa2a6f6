import Foundation

/// Measurements that need a release build: `swift run -c release freshet-bench NAME [COUNT]`.
@main
struct Benchmark {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let count = arguments.dropFirst().first.flatMap { Int($0) }
    switch arguments.first {
    case "batch": try await BatchBenchmark(count: count ?? 100_000).run()
    case "hit": try await HitBenchmark(count: count ?? 1_000_000).run()
    default: print("usage: freshet-bench batch|hit [COUNT]")
    }
  }
}

/// The resident size of this process.
enum ResidentSize {
  static var mebibytes: Double {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    else { return 0 }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
  }
}

extension Duration {
  var seconds: Double { self / .seconds(1) }
}

extension Double {
  func rounded(to digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
