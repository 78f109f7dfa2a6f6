import Freshet
import FreshetTesting

/// The samples of *WebSockets*.
private func sockets(client: Client, show: (WebSocket.Message) -> Void) async throws {
  do {
    let socket = client.socket(at: "wss://example.org/chat")
    try await socket.send("hello")
    for try await message in socket {
      if let text = message.text { print(text) }
    }
  }
  do {
    let socket = client.socket(at: "chat") {
      $0.protocols = ["chat.v2", "chat.v1"]
      $0.messageBytes = 1 << 20
      $0.keepAlive = .init(interval: .seconds(20), timeout: .seconds(5))
    }
    await socket.close(.goingAway, reason: "the user has left")
  }
  #if !canImport(Darwin)
  do {
    let many = Client {
      $0.scheduler = RequestScheduler {
        $0.perHost = 2_000
        $0.total = 4_000
      }
      $0.transport = CurlTransport {
        $0.maximumConnectionsPerHost = 2_000
        $0.maximumConnections = 4_000
      }
    }
    _ = many
  }
  #endif
  do {
    let feed = client.socket(at: "feed") { $0.compresses = true }
    await feed.close()
  }
  do {
    var status = ""
    let socket = client.socket(at: "ticker") {
      $0.reconnection = Reconnection { $0.delay = .seconds(1) }
    }
    for try await update in socket.updates {
      switch update {
      case .connecting: status = "…"
      case .opened: try await socket.send("subscribe")
      case .received(let message): show(message)
      case .reconnecting(let pause, let error): status = "again in \(pause): \(error)"
      case .closed(let close): status = "closed: \(close)"
      }
    }
    print(status)
  }
  actor Progress {
    var token: String?
  }
  do {
    let progress = Progress()
    let shared = client.socket(at: "orders") {
      $0.reconnection = Reconnection()
      $0.greeting = { .text(await progress.token.map { "resume \($0)" } ?? "hello") }
    }
    await shared.close()
  }
  let server = try LoopbackServer([
    "/echo": .socket { peer in
      for try await message in peer { try await peer.send(message) }
    }
  ])
  await server.stop()
}

private func refused(
  session: Authenticator,
  client: Client,
  show: (WebSocket.Message) -> Void
) async throws {
  let used = session.credential
  do {
    for try await message in client.socket(at: "feed") { show(message) }
  } catch FreshetError.closed(let close, _) {
    if close.code == 4401, let used { session.reject(used) }
  }
}
