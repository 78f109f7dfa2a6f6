import Freshet
import FreshetEssentials
import Synchronization

/// The refresh of a live value, and its policy.
struct LiveRefresh<Value: Sendable, Refusal: PipelineFailure>: Sendable {
  let store: ModelStore
  let policy: RefreshPolicy
  /// The identity of the query, under which the time of its last refresh is stored.
  let name: [UInt8]
  let now: @Sendable () -> Date
  let isMissing: @Sendable (Value) -> Bool
  /// The effect of the refresh on stored models, for descriptions.
  let saving: SavePolicy
  /// Returns the pipeline's description.
  let words: @Sendable () -> PipelineDescription
  let run: @Sendable () async throws -> Void

  /// Returns a Boolean value that indicates whether a value has to be refreshed from the network.
  func isDue(_ value: Value) throws(FreshetError) -> Bool {
    switch policy {
    case .always: return true
    case .never: return false
    case .ifMissing: return isMissing(value)
    case .after(let duration):
      if isMissing(value) { return true }
      guard let last = try lastTime() else { return true }
      let age = now().timeIntervalSince1970 - last
      // A refresh in the future happened before the clock was set back.
      return age < 0 || age >= duration / .seconds(1)
    }
  }

  /// Runs the pipeline, stores its models, and records the time.
  ///
  /// - Returns: ``LiveValue/State/fresh`` or ``LiveValue/State/failed(_:)``.
  func perform() async -> LiveValue<Value, Refusal>.State {
    do {
      var time: Double
      var tries = 0
      // The server may have answered without a change that was confirmed meanwhile.
      var confirmations: Int
      repeat {
        confirmations = store.core.confirmations.load(ordering: .acquiring)
        time = now().timeIntervalSince1970
        try await run()
        tries += 1
        if confirmations != store.core.confirmations.load(ordering: .acquiring), tries < 3 {
          continue
        }
        try await store.writer.perform { [name, time] transaction throws(FreshetError) in
          try transaction.noteRefresh(name, time)
        }
        // The write may have waited for the one that confirms a change.
      } while confirmations != store.core.confirmations.load(ordering: .acquiring) && tries < 3
      return .fresh
    } catch let error as Refusal {
      return .failed(error)
    } catch {
      return .failed(Refusal(error as? FreshetError ?? .noValue))
    }
  }

  static func name<Model: PersistableModel>(_ type: Model.Type, _ id: Model.ID) -> [UInt8] {
    var writer = ModelRecordWriter()
    guard let id = try? ModelBatch.identify(type, id) else { return [] }
    writer.reference(EntityKey(model: Model.modelName, id: id))
    return writer.bytes
  }

  private func lastTime() throws(FreshetError) -> Double? {
    try store.readNow { reading throws(FreshetError) in
      let (connection, sql) = (reading.connection, "SELECT time FROM refresh WHERE name = ?")
      return try connection.report(try connection.row(sql, [.bytes(name)]) { $0.real(0) })
    }
  }
}

extension ModelTransaction {
  fileprivate func noteRefresh(_ name: [UInt8], _ time: Double) throws(FreshetError) {
    try connection.reporting { () throws(SQLiteError) in
      // Before it is inserted: it stays, also if the clock was set back.
      try connection.run(
        """
        DELETE FROM refresh WHERE name IN (
          SELECT name FROM refresh WHERE name != ? ORDER BY time DESC LIMIT -1 OFFSET ?
        )
        """,
        .bytes(name),
        .integer(Int64(ModelSchema.nameLimit - 1))
      )
      try connection.run(
        "INSERT OR REPLACE INTO refresh (name, time) VALUES (?, ?)",
        .bytes(name),
        .real(time)
      )
    }
  }
}
