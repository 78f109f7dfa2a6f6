import Foundation
import Freshet
import Testing

@Suite(.timeLimit(.minutes(15))) struct LargeCallTests {
  private struct Large: Endpoint {
    typealias Output = Data
    var path: RequestPath { "large" }
  }

  private struct LargePages: Endpoint {
    typealias Output = Data
    var path: RequestPath { "large" }
    var pages: PageStrategy? { PageStrategy { _, _ in nil } }
  }

  /// Copying what has come at each chunk would move 256 GiB.
  @Test func `a call's body costs as much as that of send for any number of chunks`()
    async throws
  {
    let chunks = [Data](repeating: Data(count: 512), count: 32 << 10)
    let client = Client(ServiceScript(.init(chunks: chunks)))
    let clock = ContinuousClock()
    var count = 0

    let sent = try await clock.measure {
      count += try await client.send(.get("x")).value.value.count
    }
    let called = try await clock.measure {
      count += try await client.call(Large()).value.value.count
    }
    let paged = try await clock.measure {
      count += try await client.call(LargePages()).value.value.count
    }

    #expect(count == 3 * 16 << 20)
    // Generous, for a machine that does something else meanwhile.
    #expect(called < sent * 10 + .seconds(15), "\(called) beside \(sent)")
    #expect(paged < sent * 10 + .seconds(15), "\(paged) beside \(sent)")
  }

  /// Copying what has come at each chunk would move 256 GiB.
  @Test func `a body that diagnostics show costs as much as any other for any number of chunks`()
    async throws
  {
    let chunks = [Data](repeating: Data(count: 512), count: 32 << 10)
    let plain = Client(ServiceScript(.init(chunks: chunks)))
    let diagnostics = Diagnostics(minimum: .trace, bodyLimit: 32 << 20)
    let diagnosed = Client {
      $0.transport = ServiceScript(.init(chunks: chunks)).diagnosed(by: diagnostics)
      $0.baseURL = URL(string: "https://api.test/v1")
    }
    let clock = ContinuousClock()
    var count = 0

    let sent = try await clock.measure {
      count += try await plain.send(.get("x")).value.value.count
    }
    let shown = try await clock.measure {
      count += try await diagnosed.send(.get("x")).value.value.count
    }

    #expect(count == 2 * 16 << 20)
    // Generous, for a machine that does something else meanwhile.
    #expect(shown < sent * 10 + .seconds(15), "\(shown) beside \(sent)")
  }
}
