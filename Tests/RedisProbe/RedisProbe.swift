import Foundation
import Freshet
import FreshetRedis

/// A process of its own for tests of what processes share.
///
/// - `probe coalesce REDIS ORIGIN COUNT SEED LEASE`: waits for a line on standard input, fetches
///   `ORIGIN/0` to `ORIGIN/COUNT` in an order of its own, eight at once, and prints `fetched N TEXT` for
///   each. `LEASE` is in milliseconds.
@main
struct RedisProbe {
  static func main() async throws {
    #if Redis && !canImport(Darwin)
    let words = CommandLine.arguments.dropFirst().map { $0 }
    guard words.count == 6, words[0] == "coalesce", let count = Int(words[3]),
      let seed = UInt64(words[4]), let lease = Int(words[5])
    else { return usage() }
    let shared = try SharedStore(words[1]) {
      // A busy machine is no failure of the server.
      $0.timeout = .seconds(20)
      $0.connectTimeout = .seconds(20)
      $0.coalescing = .init(lease: .milliseconds(lease), wait: .seconds(120))
    }
    try await shared.connect()
    let client = Client { $0.shared = shared }
    tell("ready")
    _ = readLine()
    var generator = Steps(state: seed)
    let numbers = (0..<count).shuffled(using: &generator)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, number) in numbers.enumerated() {
        if index >= 8 { try await group.next() }
        group.addTask {
          let resource = try await client.resource(Request("\(words[2])/\(number)")).value
          tell("fetched \(number) \(String(decoding: try resource.data(), as: UTF8.self))")
        }
      }
      try await group.waitForAll()
    }
    tell("done")
    #else
    usage()
    #endif
  }

  private static func usage() {
    tell("usage: probe coalesce REDIS ORIGIN COUNT SEED LEASE")
  }

  private static func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}

/// A generator whose numbers a seed decides.
struct Steps: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
