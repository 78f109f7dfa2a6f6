import Foundation
import Freshet
import Testing

@testable import FreshetTesting

@Suite(.timeLimit(.minutes(5))) struct SocketPeerTests {
  private typealias Peer = LoopbackServer.SocketPeer

  private let peer = SocketPeerTests.makePeer {}

  private static func makePeer(_ wake: @escaping @Sendable () -> Void) -> Peer {
    Peer(
      LoopbackServer.ReceivedRequest(
        number: 1,
        connection: 1,
        method: .get,
        target: "/",
        path: "/",
        minorVersion: 1,
        headers: [:],
        body: Data(),
        bodyLength: 0,
        trailers: [:]
      ),
      messageBytes: 1_000,
      deflates: false,
      wake: wake
    )
  }

  @Test func `a ping whose task is cancelled is cancelled, and its connection not lost`() async {
    let ping = Task { [peer] in try await peer.ping() }
    ping.cancel()
    let error = await #expect(throws: FreshetError.self) { try await ping.value }

    #expect(error?.kind == "cancelled")
  }

  @Test func `a close reads on to the client's, although nobody takes its messages`() async {
    let closes = Gate()
    let peer = Self.makePeer { closes.open() }
    let message = [0x82, 0xFE, 0x03, 0xE8, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 1_000)
    for _ in 0..<100 { peer.receive(message) }
    #expect(!peer.wantsInput)

    let closing = Task { await peer.close() }
    try? await closes.enter()
    var output: [UInt8] = []
    #expect(peer.fill(&output, limit: 1 << 20) == nil)
    #expect(output.prefix(4) == [0x88, 0x02, 0x03, 0xE8])
    #expect(peer.wantsInput)
    peer.receive(message)
    peer.receive([0x88, 0x80, 0, 0, 0, 0])

    #expect(peer.fill(&output, limit: 1 << 20) == .close)
    peer.end()
    await closing.value
  }

  @Test func `a ping fails as lost when its connection ends`() async {
    let ping = Task { [peer] in try await peer.ping() }
    peer.end()
    let error = await #expect(throws: FreshetError.self) { try await ping.value }

    #expect(error?.kind == "connection")
  }
}
