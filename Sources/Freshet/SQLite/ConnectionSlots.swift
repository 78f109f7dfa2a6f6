import Synchronization

/// A few connections to the same database, each used by one thread at a time.
package final class ConnectionSlots<Connection>: Sendable {
  /// A slot for a connection; the holder of its lock uses the connection.
  private final class Slot: Sendable {
    let connection = Mutex<Connection?>(nil)
  }

  private let slots = (0..<4).map { _ in Slot() }

  package init() {}

  /// Uses a free connection, and waits for one only if all are in use.
  ///
  /// A slot is empty at first; `body` opens the connection.
  package func use<Value: Sendable, Failure: Error>(
    _ body: (inout sending Connection?) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    for slot in slots {
      let value = try slot.connection.withLockIfAvailable { connection throws(Failure) in
        try body(&connection)
      }
      if let value { return value }
    }
    let slot = slots[Int.random(in: slots.indices)]
    return try slot.connection.withLock { connection throws(Failure) in try body(&connection) }
  }

  /// Closes all connections.
  package func close() {
    for slot in slots {
      slot.connection.withLock { $0 = nil }
    }
  }
}
