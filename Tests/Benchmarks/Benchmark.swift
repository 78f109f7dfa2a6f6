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

/// The processor time of this process so far, in seconds.
enum ProcessorTime {
  static var now: Double {
    var usage = rusage()
    #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
    getrusage(RUSAGE_SELF, &usage)
    #endif
    let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    return seconds + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }
}

extension Duration {
  var seconds: Double { self / .seconds(1) }
}

extension Double {
  func text(digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
