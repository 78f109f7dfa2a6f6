#if !canImport(Darwin)
import CLinux
import Foundation
import TestSupport
import Testing

@testable import Freshet

@Suite struct MemoryStoreCostTests {
  @Test(.disabled(if: Sanitizer.isOn, "a sanitizer allocates in a way of its own"))
  func `a cost is close to the memory that a response takes`() async {
    await #expect(processExitsWith: .success) {
      for size in [50, 1_000, 10_000] {
        let store = MemoryStore(configuration: .init(costLimit: 1 << 30))
        try await Self.fill(store, from: 0, with: size)
        let (cost, bytes) = (store.cost, freshet_allocated_bytes())
        try await Self.fill(store, from: 1_000, with: size)
        let ratio = Double(freshet_allocated_bytes() - bytes) / Double(store.cost - cost)
        precondition((0.75...1.25).contains(ratio), "\(size) bytes: \(ratio)")
      }
    }
  }

  private static func fill(_ store: MemoryStore, from first: Int, with size: Int) async throws {
    for number in first..<first + 1_000 {
      let response = try StoredResponse.sample(
        "http://127.0.0.1:28391/resources?number=\(number)",
        body: Data(count: size),
        headers: [
          "Server": "nginx/1.22.1", .date: "Mon, 01 Jan 2035 00:00:\(number % 60) GMT",
          .contentType: "application/octet-stream", .contentLength: "\(size)",
          .lastModified: "Mon, 01 Jan 2024 00:00:\(number % 60) GMT",
          "Connection": "keep-alive", .eTag: "\"0123456789abcdef-\(number)\"",
          "Accept-Ranges": "bytes",
        ]
      )
      _ = try await store.keep(response)
    }
  }
}
#endif
