import Freshet

extension EventLoop {
  func handle(_ connection: Connection, _ events: Interest) {
    if events.contains(.reading) {
      receive(connection)
    }
    guard connections[connection.id] != nil else { return }
    if events.contains(.hangUp), !events.contains(.reading) {
      close(connection)
    } else {
      pump(connection)
    }
  }

  private func receive(_ connection: Connection) {
    let outcome = scratch.withUnsafeMutableBytes { buffer in
      let outcome = Socket.receive(connection.socket, into: buffer)
      if case .moved(let count) = outcome, !connection.discardsInput {
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if let peer = connection.peer {
          peer.receive(Array(bytes))
        } else {
          connection.parser.append(bytes)
        }
      }
      return outcome
    }
    guard case .ended = outcome else { return }
    connection.hasEnded = true
    // A client that has sent everything may still read; but one that closes while the server waits
    // has nothing to wait for.
    if connection.isWaiting || connection.isLingering || connection.peer != nil {
      close(connection)
    }
  }

  /// Does everything that is possible now: sends, continues the response, takes the next request.
  func pump(_ connection: Connection) {
    var budget = 1 << 20
    while connections[connection.id] != nil {
      fill(connection)
      let before = connection.sent
      guard flush(connection) else { break }
      budget -= connection.output.count - before
      connection.output.removeAll(keepingCapacity: true)
      connection.sent = 0
      // Everything before a gate is sent before the gate counts as reached.
      if let wait = connection.nextWait {
        connection.nextWait = nil
        begin(wait, connection)
        continue
      }
      if let ending = connection.ending {
        end(connection, ending)
        continue
      }
      if connection.isWaiting || connection.isLingering { break }
      if connection.peer != nil, connection.isDrained { break }
      if connection.peer == nil, connection.plan == nil, !takeRequest(connection) { break }
      if budget <= 0 {
        ready.append(connection.id)
        break
      }
    }
    watch(connection)
  }

  /// Adds the response's bytes to the output, up to the next wait.
  private func fill(_ connection: Connection) {
    if let peer = connection.peer, !connection.isLingering {
      let before = connection.output.count
      connection.ending = peer.fill(&connection.output, limit: 1 << 18)
      if connection.ending == .reset {
        // What a client does not read must not hold it up.
        connection.output.removeAll(keepingCapacity: true)
        connection.sent = 0
      }
      // Where output still waits, there may be more behind it.
      connection.isDrained =
        before == 0 && connection.output.isEmpty && connection.ending == nil
      return
    }
    while connection.output.count < 1 << 18, connection.mayFill,
      let step = connection.plan?.next(into: &connection.output, limit: 1 << 16)
    {
      switch step {
      case .bytes:
        break
      case .wait(let wait):
        connection.nextWait = wait
      case .done(let ending):
        connection.plan = nil
        connection.ending = ending
      }
    }
  }

  /// Sends the output, and returns whether all of it was accepted by the system.
  private func flush(_ connection: Connection) -> Bool {
    while connection.sent < connection.output.count {
      switch send(connection) {
      case .moved(let count):
        connection.sent += count
      case .wouldBlock:
        setBlocked(connection, true)
        return false
      case .ended:
        close(connection)
        return false
      }
    }
    setBlocked(connection, false)
    return true
  }

  /// Sends and counts atomically: bytes that a client has read are counted.
  private func send(_ connection: Connection) -> Socket.Outcome {
    log.update { log in
      let outcome = connection.output.withUnsafeBytes { bytes in
        Socket.send(connection.socket, UnsafeRawBufferPointer(rebasing: bytes[connection.sent...]))
      }
      if case .moved(let count) = outcome {
        log.wrote(count, connection: connection.id, path: connection.path)
      }
      return outcome
    }
  }

  private func setBlocked(_ connection: Connection, _ isBlocked: Bool) {
    guard connection.isBlocked != isBlocked else { return }
    connection.isBlocked = isBlocked
    log.update { $0.setBlocked(connection.path, isBlocked) }
  }

  private func begin(_ wait: LoopbackServer.Delivery.Wait, _ connection: Connection) {
    connection.wait += 1
    let (id, number) = (connection.id, connection.wait)
    switch wait {
    case .duration(let duration):
      connection.waiting = .timer
      timers.add(TimerHeap.Timer(deadline: .now + duration, connection: id, wait: number))
    case .gate(let gate):
      let ticket = gate.queue { [inbox] in
        inbox.post(.resume(connection: id, wait: number))
      }
      connection.waiting = ticket.map { .gate(gate, $0) } ?? .nothing
    }
    if connection.isWaiting, connection.hasEnded { close(connection) }
  }

  /// Ends a response whose bytes were all accepted by the system.
  private func end(_ connection: Connection, _ ending: LoopbackServer.Ending) {
    connection.ending = nil
    switch ending {
    case .keepAlive:
      if let upgrade = connection.upgrade.take() {
        self.upgrade(connection, upgrade)
      } else {
        connection.head = nil
      }
    case .stall:
      connection.waiting = .client
      if connection.hasEnded { close(connection) }
    case .reset:
      Socket.resetOnClose(connection.socket)
      close(connection)
    case .close:
      Socket.finishSending(connection.socket)
      // Closing with unread input would reset the connection, and lose bytes that were sent.
      connection.isLingering = true
      begin(.duration(.seconds(2)), connection)
    }
  }

  private func watch(_ connection: Connection) {
    guard connections[connection.id] != nil else { return }
    var interest: Interest = connection.wantsInput ? .reading : []
    if connection.isBlocked { interest.insert(.writing) }
    guard interest != connection.interest else { return }
    connection.interest = interest
    poller.change(connection.socket, id: connection.id, interest)
  }

  func close(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    if case .gate(let gate, let ticket) = connection.waiting { gate.leave(ticket) }
    endPeer(of: connection)
    poller.remove(connection.socket)
    Socket.close(connection.socket)
    setBlocked(connection, false)
    log.update { $0.closed() }
  }
}
