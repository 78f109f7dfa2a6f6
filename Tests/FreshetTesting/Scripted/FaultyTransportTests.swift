import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite struct FaultyTransportTests {
  private func failures(_ faults: Faults, of count: Int) async throws -> [Int] {
    let base = ScriptedTransport { _ in .text("ok") }
    let transport = FaultyTransport(base, faults, with: .connection(.lost, url: "a"))
    var failures: [Int] = []
    for number in 1...count {
      let transfer = transport.send(try Request(.get, "http://a.example/"))
      do {
        _ = try await transfer.exchange(transfer.request).next()
      } catch {
        failures.append(number)
      }
    }
    #expect(base.counts.started == count - failures.count)
    return failures
  }

  @Test func `fails the given numbers`() async throws {
    #expect(try await failures(.numbers([1, 4]), of: 6) == [1, 4])
  }

  @Test func `an invalid request fails as it would without the fault`() async throws {
    var request = try Request(.get, "http://a.example/")
    request.headers = ["X-A": "a\r\nb"]
    let base = ScriptedTransport { _ in .text("ok") }
    let transport = FaultyTransport(base, .every(1), with: .noValue)

    let error = await #expect(throws: FreshetError.self) {
      for try await _ in transport.send(request) {}
    }

    #expect(error != .noValue)
  }

  @Test func `fails at the given period`() async throws {
    #expect(try await failures(.every(3), of: 7) == [3, 6])
  }

  @Test func `fails with a probability, the same way for the same seed`() async throws {
    let first = try await failures(.probability(0.3, seed: 1), of: 500)

    #expect(try await failures(.probability(0.3, seed: 1), of: 500) == first)
    #expect(try await failures(.probability(0.3, seed: 2), of: 500) != first)
    #expect((100...200).contains(first.count))
    #expect(try await failures(.probability(0, seed: 1), of: 50) == [])
    #expect(try await failures(.probability(1, seed: 1), of: 5) == [1, 2, 3, 4, 5])
  }
}
