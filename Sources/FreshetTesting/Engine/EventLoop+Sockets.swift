import Freshet

extension EventLoop {
  /// Makes a connection one of WebSocket messages, after the handshake has been answered.
  func upgrade(_ connection: Connection, _ pending: Connection.Upgrade) {
    let id = connection.id
    let peer = LoopbackServer.SocketPeer(
      pending.request,
      messageBytes: pending.answer.messageBytes,
      deflates: pending.answer.deflates(for: pending.request)
    ) { [inbox] in
      inbox.post(.pump(connection: id))
    }
    connection.peer = peer
    peer.receive(connection.parser.takeRest())
    let serve = pending.answer.serve
    connection.serving = Task {
      do {
        try await serve(peer)
        await peer.close()
      } catch {
        await peer.close(.internalError)
      }
    }
  }

  func endPeer(of connection: Connection) {
    connection.peer?.end()
    connection.serving?.cancel()
  }
}
