import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Sockets whose server sends very many messages at once.
@Suite(.timeLimit(.minutes(5))) struct WebSocketFloodTests {
  /// A socket with so many empty messages, for which it has room by default.
  private static func socket(_ count: Int, buffer: Int = .max) throws -> WebSocket {
    let frames = Data(Array(repeating: [0x81, 0x00] as [UInt8], count: count).joined())
    let transport = ScriptedTransport { .socket(for: $0, frames: [frames]) }
    return Client { $0.transport = transport }
      .socket(at: try #require(URL(string: "http://a.test/"))) {
        $0.buffer = buffer
        $0.keepAlive = nil
      }
  }

  private actor Reader {
    private var turns = 0

    /// Reads a socket, and counts the turns of another task of this actor.
    func read(_ socket: WebSocket) async -> (messages: Int, turns: Int) {
      let other = Task {
        while !Task.isCancelled {
          turns += 1
          await Task.yield()
        }
      }
      defer { other.cancel() }
      var messages = 0
      do throws(FreshetError) {
        for try await _ in socket { messages += 1 }
      } catch {
        // The server is gone behind its messages.
      }
      return (messages, turns)
    }
  }

  @Test func `a reader that never waits leaves other tasks their turn`() async throws {
    let socket = try Self.socket(20_000)
    try await socket.send("begin")
    await socket.session.state.wait { $0.end != nil }

    let (messages, turns) = await Reader().read(socket)

    #expect(messages == 20_000)
    #expect(turns > 0)
  }

  @Test func `a cancelled socket decodes nothing more of what has arrived`() async throws {
    let socket = try Self.socket(20_000, buffer: 1)
    try await socket.send("begin")
    let state = socket.session.state
    await state.wait { $0.isBlocked }

    let reader = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in socket {}
    }
    _ = await reader.result
    await state.read(\.task)?.value

    #expect(state.read(\.inboxBytes) == 1)
  }

  @Test func `sockets that receive without waiting leave other tasks their turn`() async throws {
    let count = 50_000
    // One for each thread of the pool.
    let sockets = try (0..<ProcessInfo.processInfo.activeProcessorCount)
      .map { _ in try Self.socket(count) }
    for socket in sockets { try await socket.send("begin") }
    let received = { sockets.map { socket in socket.session.state.read { $0.inboxBytes } } }

    while received().contains(0) { await Task.yield() }

    #expect(!received().contains(count))
  }
}
