#if Redis && !canImport(Darwin)
import CHiredis
import Foundation
import Testing

@testable import FreshetRedis

/// A connection to a socket of a test's own.
@Suite struct RedisConnectionTests {
  @Test func `gives the replies that have arrived before a reset`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let context: UnsafeMutablePointer<redisContext>? = redisConnectFd(ends[0])
    let connection = RedisConnection(
      try #require(context),
      role: .commands,
      byteLimit: 1 << 20,
      scripts: RedisScript.shared,
      secure: nil
    )
    try connection.advance(SharedStore.Configuration())
    try connection.flush()
    let count = connection.pendingCount
    // They fill one read, so that the next one meets the reset: the other end leaves the commands unread.
    let short = String(repeating: "+OK\r\n", count: count - 1)
    let length = 65_536 - short.utf8.count - "$12345\r\n\r\n".utf8.count
    let bytes = Array("$\(length)\r\n\(String(repeating: "r", count: length))\r\n\(short)".utf8)
    try #require(bytes.count == 65_536)
    #expect(send(ends[1], bytes, bytes.count, 0) == bytes.count)
    close(ends[1])

    let (replies, failure) = connection.read()

    #expect(replies.count == count)
    #expect(failure != nil)
  }
}
#endif
