import Synchronization

/// A few connections to the same database, each used by one thread at a time.
package final class ConnectionSlots<Connection>: Sendable {
  /// A place for a connection; whoever holds its lock uses it.
  private final class Slot: Sendable {
    let connection = Mutex<Connection?>(nil)
  }

  private let slots = (0..<4).map { _ in Slot() }

  package init() {}

  /// Uses one that nobody else uses, and waits for one only if there is none.
  ///
  /// What is in the slot is empty at first; `body` fills it.
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

  /// Closes all of them.
  package func close() {
    for slot in slots {
      slot.connection.withLock { $0 = nil }
    }
  }
}
