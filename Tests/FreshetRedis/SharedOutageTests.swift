#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// Invalidations that are made during an outage.
@Suite(.besideRedis, .timeLimit(.minutes(5))) struct SharedOutageTests {
  /// Two stores with the same response, after the server has stopped, of which the first one has noticed it.
  private func stopped() async throws -> (
    world: SharedWorld, first: SharedStore, second: SharedStore, response: StoredResponse
  ) {
    let world = try await SharedWorld()
    let first = try await world.connected {
      $0.timeout = .milliseconds(200)
      $0.connectTimeout = .seconds(20)
      $0.longestPause = .milliseconds(200)
    }
    let second = try await world.connected()
    let response = try StoredResponse.sample()
    _ = try await second.keep(response)
    world.server.signal(SIGSTOP)
    // What follows is not sent: nothing of it is in the server's socket.
    let hasNoticed = try await eventually {
      _ = await first.find(response.key, for: [:])
      return first.outage != nil
    }
    #expect(hasNoticed)
    return (world, first, second, response)
  }

  @Test func `other processes hear of a change when the server responds, without a lookup`()
    async throws
  {
    let (world, first, second, response) = try await stopped()

    await first.invalidate(response.key, at: Date())
    #expect(first.outage != nil)
    world.server.signal(SIGCONT)

    #expect(try await eventually { await second.find(response.key, for: [:]) == nil })
    #expect(await second.invalidationTime(of: response.key) != nil)
    #expect(try await eventually { first.outage == nil })
  }

  @Test func `a store that is closed writes the changes that it could not write`() async throws {
    let (world, first, second, response) = try await stopped()
    await first.invalidate(response.key, at: Date())
    world.server.signal(SIGCONT)

    await first.close()

    #expect(await second.invalidationTime(of: response.key) != nil)
    #expect(await second.find(response.key, for: [:]) == nil)
  }

  @Test func `a store is in an outage until its changes have been written`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let response = try StoredResponse.sample()
    #expect(shared.outage == nil)
    _ = shared.pending.withLock { $0.insert(.invalidated(response.key, at: Date())) }
    #expect(shared.outage != nil)

    try await shared.connect()

    #expect(shared.outage == nil)
    #expect(await shared.invalidationTime(of: response.key) != nil)
  }
}

/// Replies that would take more memory than a store may use for them.
@Suite(.timeLimit(.minutes(5))) struct ReplyLimitTests {
  @Test(arguments: ["*2147483647\r\n", "*2\r\n*1000000\r\n", "$2000000000\r\n", "+"])
  func `a reply that is too large ends its connection`(beginning: String) async throws {
    let filler = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
    let server = try RawServer { connection in
      guard connection.write(beginning) else { return }
      // A million elements, and some more in the second one.
      while connection.write(beginning.hasPrefix("*2\r\n") ? Data("*9999999\r\n".utf8) : filler) {}
    }
    let shared = try SharedStore("redis://127.0.0.1:\(server.port)") {
      $0.connectTimeout = .seconds(60)
      $0.bodyLimit = 0
    }
    let key = CacheKey(try Request("https://a.example/"))

    #expect(
      try await eventually {
        _ = await shared.find(key, for: [:])
        return shared.outage == RedisFailure.unreadable.reason
      }
    )
    await shared.close()
  }

  @Test func `a reply may have a body of the largest size, and the records`() throws {
    var configuration = SharedStore.Configuration()
    #expect(configuration.replyLimit == 24 << 20)
    configuration.bodyLimit = .max
    #expect(configuration.replyLimit == .max)
    configuration.bodyLimit = -1
    #expect(configuration.replyLimit == 16 << 20)
  }
}
#endif
