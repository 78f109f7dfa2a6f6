import Foundation
import Freshet
import Testing

@testable import FreshetTesting

@Suite(.timeLimit(.minutes(5))) struct SocketPeerTests {
  private let peer = LoopbackServer.SocketPeer(
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
    deflates: false
  ) {}

  @Test func `a ping whose task is cancelled is cancelled, and its connection not lost`() async {
    let ping = Task { [peer] in try await peer.ping() }
    ping.cancel()
    let error = await #expect(throws: FreshetError.self) { try await ping.value }

    #expect(error?.kind == "cancelled")
  }

  @Test func `a ping fails as lost when its connection ends`() async {
    let ping = Task { [peer] in try await peer.ping() }
    peer.end()
    let error = await #expect(throws: FreshetError.self) { try await ping.value }

    #expect(error?.kind == "connection")
  }
}
