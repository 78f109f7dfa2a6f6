import FreshetEssentials

/// A few connections for reading, used on the threads of the callers.
///
/// They never wait for the writer. A lookup takes microseconds.
final class DiskReaders: Sendable {
  private let shared: DiskShared
  private let slots = ConnectionSlots<DiskReader>()

  init(shared: DiskShared) {
    self.shared = shared
  }

  /// Closes all connections; they are reopened if the store is still open.
  func close() {
    slots.close()
  }

  /// Calls the closure with a connection that is not in use; returns `nil` if the store is not
  /// open.
  ///
  /// If it meets damage, it is called again with a new connection: a page that could not be read for a
  /// moment looks like damage, and may still be in the cache of the connection.
  func read<Value: Sendable>(
    _ body: @Sendable (DiskReader) throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> Value? {
    try slots.use { reader throws(SQLiteError) in try use(&reader, body) }
  }

  private func use<Value: Sendable>(
    _ reader: inout sending DiskReader?,
    _ body: @Sendable (DiskReader) throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> Value? {
    // Asked under the lock: a connection that `close()` closed is not reopened for an older
    // generation.
    guard case .open(let generation, let access) = shared.current else { return .none }
    do throws(SQLiteError) {
      return try body(connect(&reader, generation, access))
    } catch {
      guard error.isCorruption else { throw error }
      reader = nil
      return try body(connect(&reader, generation, access))
    }
  }

  /// Returns the connection that is open, or a new one.
  private func connect(
    _ reader: inout DiskReader?,
    _ generation: Int,
    _ access: DiskShared.Access
  ) throws(SQLiteError) -> DiskReader {
    if let open = reader, open.generation == generation {
      guard open.hasMoved else { return open }
      // Another process has replaced the database: the records of the old one are gone. The writer opens the
      // new one, unless the store can only be read.
      if access == .full { throw SQLiteError.moved }
    }
    let new = try DiskReader(
      shared.layout.database.path,
      generation: generation,
      isImmutable: access == .readingImmutable
    )
    reader = new
    return new
  }
}
