import Foundation
import Freshet
import FreshetTesting

/// What a hit in memory costs through the preset.
struct HitBenchmark {
  let count: Int

  @concurrent func run() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: [.cacheControl: "max-age=600"], body: Data("hello".utf8))
    ])
    let client = Client { $0.transport = transport }
    let request = try Request("http://a.example/images/logo/large/0001.png")
    _ = try await client.resource(request).value
    for round in 1...5 {
      let start = ContinuousClock.now
      for _ in 0..<count {
        _ = try await client.resource(request).value
      }
      let nanoseconds = start.duration(to: .now).seconds / Double(count) * 1e9
      print("round \(round): \(Int(nanoseconds)) ns a hit")
    }
  }
}
