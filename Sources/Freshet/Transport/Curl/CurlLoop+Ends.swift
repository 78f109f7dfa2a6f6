#if !canImport(Darwin)
import CCurl
import Glibc

/// The ends of responses that libcurl does not report by itself.
extension CurlLoop {
  /// Notes that libcurl has stopped to read, or may have.
  func noteStop(of handle: CurlHandle) {
    guard handle.state.upload != nil, let exchange = handle.exchange else { return }
    stopped.insert(exchange.id)
  }

  /// Ends the requests of servers that have ended their side while the source of the body is silent.
  ///
  /// libcurl stops to read then and waits for the end of the request's body. On an upgraded connection, that
  /// has none, and the server's may be an alert of TLS, behind which nothing arrives on the socket. Without a
  /// head, there is no response any more. The rest of any other body is not needed.
  func settleStopped() {
    // Otherwise libcurl has not said yet what it waits for.
    guard !stopped.isEmpty, timer.map({ $0 > now }) ?? true else { return }
    let ids = stopped
    stopped.removeAll()
    for id in ids {
      // A reader that comes back looks again.
      guard let handle = active[id], let exchange = handle.exchange,
        let descriptor = handle.descriptor, handle.state.ended == nil, handle.state.isSendingPaused,
        !handle.isHeldBack, !sockets[Int(descriptor)].isWanted
      else { continue }
      if !exchange.request.isUpgrade, !handle.deadlines.hasHead {
        // As a reset is: a kept connection may have been closed before the request.
        complete(handle.easy, CURLE_RECV_ERROR)
      } else if exchange.request.isUpgrade
        || handle.state.arrival.isChunked && isClosed(descriptor)
      {
        // libcurl ends the body of the request, and judges whether the response is whole.
        handle.state.hasServerEnded = true
        handle.state.isSendingPaused = false
        go(on: handle)
      } else if handle.state.arrival.isIncomplete {
        finish(handle, exchange, handle.result(CURLE_PARTIAL_FILE, of: exchange))
      } else {
        handle.deadlines.isAnswered = true
        handle.deadlines.lastActivity = now
        handle.deadlines.isPaused = false
        watch(handle)
      }
    }
  }

  /// Returns whether the server has ended its side of a connection.
  private func isClosed(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) == 0
  }

  /// Has libcurl look, at the end of the turn, for what it has read from a shared connection and not delivered.
  ///
  /// libcurl 7.88 forgets the rest of a read when the buffer of a stream of HTTP/2 is full, and the end of a
  /// stream that ends with the request's body. They would wait for the next bytes on the connection.
  func lookAgain(at handle: CurlHandle) {
    guard let exchange = handle.exchange, let connection = handle.connection,
      sockets[Int(connection)].isShared
    else { return }
    unread.insert(exchange.id)
  }

  func settleUnread() {
    guard !unread.isEmpty else { return }
    let ids = unread
    unread.removeAll()
    var connections: Set<Int32> = []
    for id in ids {
      guard let handle = active[id], handle.state.ended == nil, let connection = handle.connection
      else { continue }
      // One transfer of a connection takes what libcurl notes about the socket. The others have their turn, and
      // those whose bytes are held back once they go on.
      if handle.isHeldBack || !connections.insert(connection).inserted {
        unread.insert(id)
      } else {
        handle.lookAgain()
      }
    }
  }
}
#endif
