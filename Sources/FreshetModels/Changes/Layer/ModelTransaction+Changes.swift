import Freshet
import FreshetEssentials

/// The steps of the queue, each of which is one transaction; see ``ChangeRow/State``.
extension ModelTransaction {
  private var table: ChangeTable { ChangeTable(connection: connection) }
  private var layer: ChangeLayer { ChangeLayer(connection: connection) }

  /// Returns whether a change that was sent is still in the store: in a database that has replaced a damaged one,
  /// another change may have its number.
  func has(_ sent: ChangeRow) throws(FreshetError) -> Bool { try row(sent.number)?.id == sent.id }

  private func row(_ number: Int64) throws(FreshetError) -> ChangeRow? {
    try connection.report(try table.row(number))
  }

  private func update(_ row: ChangeRow) throws(FreshetError) {
    try connection.report(try table.update(row))
    note(ChangeTable.announcement)
  }

  // MARK: - Making

  /// The changes that were made and taken away by adding one.
  struct Added: Sendable {
    let id: UUID
    /// The change in whose place it is.
    let superseded: UUID?
    /// The changes that have failed.
    let failed: [UUID]
  }

  /// Adds a change behind all others, and applies it.
  ///
  /// - Throws: The reason why it cannot be applied; nothing has changed then.
  func add<Change: ModelChange>(
    _ type: Change.Type,
    _ bytes: [UInt8],
    id: UUID,
    key: UUID,
    time: Double
  ) throws(FreshetError) -> Added {
    try noting { () throws(FreshetError) in
      guard let known = connection.changeTypes?[Change.changeName] else {
        throw .store(
          "\(Change.changeName) is not registered; register it where the queue is created"
        )
      }
      _ = try ModelPreparation(connection: connection).prepare(Change.Subject.self)
      var body = try connection.report(try ChangeIdentities(connection: connection).current(bytes))
      let subject = try known.subject(body)
      let superseded = try supersede(subject, known, &body)
      var added = ChangeRow(
        number: 0,
        id: id,
        type: Change.changeName,
        body: body,
        key: key.uuidString,
        subject: subject,
        creates: Change.createsSubject || superseded?.creates == true,
        time: time
      )
      added.base = try connection.report(try confirmedRecord(subject))
      let number = try insert(added)
      added = try row(number) ?? added
      note(ChangeTable.announcement)
      // Those that were lifted with a superseded change come before it.
      try lower()
      try connection.report(try layer.touch(subject, for: number))
      absorb(try layer.apply(added, known))
      return Added(id: id, superseded: superseded?.id, failed: try refuseIfNeedsFailed(number))
    }
  }

  private func confirmedRecord(_ key: EntityKey) throws(SQLiteError) -> StoredRecord? {
    if let base = try layer.base(key) { return base.record }
    return try connection.table(key.model)?.row(key.id)?.record
  }

  /// Inserts a row, which waits for the changes that create what it names.
  private func insert(_ row: ChangeRow) throws(FreshetError) -> Int64 {
    try connection.reporting { () throws(SQLiteError) in
      let creators = try ChangeIdentities(connection: connection).creators(of: row.body)
      let number = try table.insert(row)
      for creator in creators { try table.addNeed(number, creator) }
      return number
    }
  }

  /// Removes the change of the same type and model before a new one, if the policy says so.
  private func supersede(
    _ subject: EntityKey,
    _ type: ChangeType,
    _ body: inout [UInt8]
  ) throws(FreshetError) -> ChangeRow? {
    let last = try connection.report(try table.last(of: subject))
    guard let last, last.type == type.name, last.state == .waiting, last.attempts == 0 else {
      return nil
    }
    let needing = try connection.report(try table.needing(last.number))
    // Others wait for what it creates.
    if !needing.isEmpty { return nil }
    let reading = ModelReading(connection: connection)
    guard let merged = try type.merge(last, body, reading) else { return nil }
    body = merged
    try lift(change: last.number)
    try connection.report(try table.delete(last.number))
    drop(last.number)
    return last
  }

  // MARK: - Sending

  /// Marks a change as sent, before it is.
  ///
  /// - Returns: The change; `nil` if it is no longer to be sent.
  func beginAttempt(_ number: Int64) throws(FreshetError) -> ChangeRow? {
    try noting { () throws(FreshetError) in
      guard var row = try row(number), row.state == .waiting else { return nil }
      row.state = .sending
      row.attempts += 1
      // An attempt that is interrupted is one without an answer.
      var sent = row
      sent.failure = nil
      try update(sent)
      return row
    }
  }

  /// Makes all changes that were being sent wait, and applies all changes again.
  ///
  /// It begins a session: changes that an earlier process was sending are sent again with the same key, and
  /// changes of types that it had not registered are applied.
  func beginSession() throws(FreshetError) {
    try noting { () throws(FreshetError) in
      let numbers = try connection.reporting { () throws(SQLiteError) in
        try connection.run("UPDATE change SET state = 0 WHERE state = 1")
        return try table.rows().map(\.number)
      }
      if numbers.isEmpty { return }
      try liftAll()
      for number in numbers { applyAtEnd(number) }
      note(ChangeTable.announcement)
    }
  }

  /// Makes a change wait after an attempt.
  ///
  /// - Parameters:
  ///   - number: The change.
  ///   - due: The time before which it is not sent again.
  ///   - failure: The reason; `nil` if the attempt does not count.
  /// - Throws: The failure of the database.
  func endAttempt(
    _ number: Int64,
    due: Double?,
    _ failure: ChangeFailure?
  ) throws(FreshetError) {
    try noting { () throws(FreshetError) in
      guard var row = try row(number), row.state == .sending else { return }
      row.state = .waiting
      row.due = due
      if let failure {
        row.failure = failure
      } else {
        // Not less than one: it may have reached the server.
        row.attempts = max(1, row.attempts - 1)
      }
      try update(row)
    }
  }

  /// Makes a change wait that nobody is sending any more.
  func endLostAttempt(_ number: Int64) throws(FreshetError) {
    try noting { () throws(FreshetError) in
      let sql = "UPDATE change SET state = 0 WHERE number = ?"
      try connection.report(try connection.run(sql, .integer(number)))
      note(ChangeTable.announcement)
    }
  }

  // MARK: - Ends

  /// Makes a change a part of the confirmed models, and removes it.
  func confirm(_ number: Int64, _ confirmation: ChangeConfirmation) throws(FreshetError) {
    try noting { () throws(FreshetError) in
      guard let row = try row(number) else { return }
      if let id = confirmation.identity { try lift(naming: row.subject, id) }
      try lift(change: number)
      drop(number)
      var body = row.body
      if let id = confirmation.identity {
        let replacement = IdentityReplacement(model: nil, from: row.subject.id, to: id)
        body = replacement.bytes(body) ?? body
      }
      try connection.report(try table.delete(number))
      try advanceBases(behind: row, confirmation.identity, body)
      // The server has made it: what fails here is only shown less well, until the next refresh.
      try attempt { transaction throws(FreshetError) in
        try confirmation.confirm(body, transaction)
      }
      try attempt { transaction throws(FreshetError) in try confirmation.save(transaction) }
      try connection.reporting { () throws(SQLiteError) in
        if let id = confirmation.identity { try rename(row.subject, id) }
        try table.removeNeeds(of: number)
      }
      note(ChangeTable.announcement)
    }
  }

  /// Takes back the changes whose effects name an identity that another one takes the place of.
  private func lift(naming old: EntityKey, _ id: EntityID) throws(FreshetError) {
    // A refresh may have brought the model by its own identity, and the user changed that.
    try lift([EntityKey(model: old.model, id: id)])
    let numbers = try connection.reporting { () throws(SQLiteError) in
      let replacement = IdentityReplacement(model: old.model, from: old.id, to: id)
      return try ChangeIdentities(connection: connection).changes(naming: replacement)
    }
    for number in numbers { try lift(change: number) }
  }

  /// Applies a confirmed change to the bases of the later ones, which would take it for another's otherwise.
  private func advanceBases(
    behind row: ChangeRow,
    _ identity: EntityID?,
    _ body: [UInt8]
  ) throws(FreshetError) {
    guard let type = connection.changeTypes?[row.type] else { return }
    let subject = EntityKey(model: row.subject.model, id: identity ?? row.subject.id)
    let later = try connection.report(try table.rows(behind: row))
    // Those that were made without a refresh in between have the same.
    var known: [StoredRecord?: StoredRecord?] = [:]
    for var other in later {
      if let base = known[other.base] {
        other.base = base
      } else {
        let base = try advanced(other.base, of: subject) { part throws(FreshetError) in
          try type.apply(body, part)
        }
        known.updateValue(base, forKey: other.base)
        other.base = base
      }
      try connection.report(try table.update(other))
    }
  }

  /// Returns the record that a change makes of another one, which stays if it cannot be applied.
  private func advanced(
    _ base: StoredRecord?,
    of subject: EntityKey,
    by change: (ModelTransaction) throws(FreshetError) -> Void
  ) throws(FreshetError) -> StoredRecord? {
    var result = base
    try attempt { transaction throws(FreshetError) in
      try connection.report(try put(base, at: subject))
      try change(transaction)
      if let failure = transaction.failure { throw failure }
      result = try connection.report(try confirmedRecord(subject))
      // The tables of models stay as they are.
      throw .noValue
    }
    return result
  }

  private func put(_ record: StoredRecord?, at key: EntityKey) throws(SQLiteError) {
    guard let models = try connection.table(key.model) else { return }
    if let row = try models.row(key.id) { try models.delete(row.number) }
    if let record { try models.insert(key.id, record) }
  }

  /// Makes changes of which nothing remains if they fail; damage and full disks fail this transaction.
  private func attempt(
    _ body: (ModelTransaction) throws(FreshetError) -> Void
  ) throws(FreshetError) {
    let failures = connection.failureCount
    do throws(FreshetError) {
      try connection.inSavepoint("part") { () throws(FreshetError) in
        let part = ModelTransaction(connection)
        try body(part)
        if let failure = part.failure { throw failure }
        absorb(part.changes, lifted: part.lifted)
      }
    } catch {
      if connection.failureCount > failures || !connection.sqlite.isInTransaction { throw error }
    }
  }

  /// Gives a model its permanent identity, in all models and all changes.
  private func rename(_ old: EntityKey, _ id: EntityID) throws(SQLiteError) {
    let identities = ChangeIdentities(connection: connection)
    for key in try identities.replace(old, by: id) { note(key) }
    renameLifted(old, EntityKey(model: old.model, id: id))
    let replacement = IdentityReplacement(model: nil, from: old.id, to: id)
    let inRecords = IdentityReplacement(model: old.model, from: old.id, to: id)
    for var row in try table.rows(naming: replacement, orOf: old) {
      let body = replacement.bytes(row.body)
      let base = row.base.flatMap { base in
        inRecords.bytes(base.bytes).map { StoredRecord(version: base.version, bytes: $0) }
      }
      let isRenamed = row.subject == old || body != nil
      if !isRenamed, base == nil { continue }
      if row.subject == old { row.subject = EntityKey(model: old.model, id: id) }
      row.base = base ?? row.base
      set(body ?? row.body, in: &row)
      try table.update(row)
      // Nothing is applied from a base.
      if isRenamed { applyAtEnd(row.number) }
    }
  }

  /// Sets the encoded change of a row, and its subject, if its type is known here.
  private func set(_ body: [UInt8], in row: inout ChangeRow) {
    row.body = body
    let subject = try? connection.changeTypes?[row.type]?.subject(body)
    row.subject = subject ?? row.subject
  }

  /// Rolls back a change and the changes that need its creation, and keeps them as failed.
  ///
  /// - Parameters:
  ///   - number: The change.
  ///   - failure: The reason.
  ///   - keepsKey: A Boolean value that indicates whether a retry has the same key.
  /// - Returns: The changes that have failed.
  /// - Throws: The failure of the database.
  @discardableResult
  func refuse(
    _ number: Int64,
    _ failure: ChangeFailure,
    keepsKey: Bool
  ) throws(FreshetError) -> [UUID] {
    try noting { () throws(FreshetError) in
      guard var row = try row(number) else { return [] }
      try lift(change: number)
      drop(number)
      row.state = .failed
      row.failure = failure
      row.due = nil
      if !keepsKey { row.key = "" }
      try update(row)
      return try [row.id] + refuseNeeding(number)
    }
  }

  private func refuseNeeding(_ creator: Int64) throws(FreshetError) -> [UUID] {
    let needing = try connection.report(try table.needing(creator))
    var refused: [UUID] = []
    for other in needing {
      if let row = try row(other), row.state != .failed {
        refused += try refuse(other, .dependency, keepsKey: true)
      }
    }
    return refused
  }

  /// Refuses a change that names a model whose creation has failed before.
  private func refuseIfNeedsFailed(_ number: Int64) throws(FreshetError) -> [UUID] {
    guard try needsFailed(number) else { return [] }
    return try refuse(number, .dependency, keepsKey: true)
  }

  private func needsFailed(_ number: Int64) throws(FreshetError) -> Bool {
    try connection.report(try table.needsFailed(number))
  }

  /// Takes a change back, and removes it; with the models that are saved in its place.
  ///
  /// - Returns: The changes that were removed or have failed; `nil` if it is not there, or is being sent.
  func remove(
    _ number: Int64,
    evenIfSending: Bool,
    saving save: (ModelTransaction) throws(FreshetError) -> Void = { _ in }
  ) throws(FreshetError) -> [UUID]? {
    try noting { () throws(FreshetError) in
      guard let row = try row(number), evenIfSending || row.state != .sending else { return nil }
      try lift(change: number)
      drop(number)
      let refused = try refuseNeeding(number)
      // Those that name what it would have created wait for it for ever.
      try connection.report(try table.delete(number))
      // The change is dropped, also if what takes its place cannot be saved.
      try attempt(save)
      note(ChangeTable.announcement)
      return [row.id] + refused
    }
  }

  /// Puts another change in the place of one that was sent.
  ///
  /// Its base is what `theirs` saves, the state of the server that it has taken into account.
  ///
  /// - Returns: The changes that have failed.
  func replace(
    _ number: Int64,
    _ body: [UInt8],
    _ theirs: ((ModelTransaction) throws(FreshetError) -> Void)? = nil,
    key: UUID,
    due: Double,
    _ failure: ChangeFailure
  ) throws(FreshetError) -> [UUID] {
    try noting { () throws(FreshetError) in
      guard var row = try row(number) else { return [] }
      // The other one may change other models, which later changes have changed too.
      try liftAll()
      applyAtEnd(number)
      let identities = ChangeIdentities(connection: connection)
      let current = try connection.report(try identities.current(body))
      let former = row.subject
      set(current, in: &row)
      let subject = row.subject
      if subject != former {
        row.base = try connection.report(try confirmedRecord(subject))
      } else if let theirs {
        row.base = try advanced(row.base, of: subject, by: theirs)
      }
      row.key = key.uuidString
      row.state = .waiting
      row.due = due
      row.failure = failure
      try update(row)
      try connection.reporting { () throws(SQLiteError) in
        for creator in try identities.creators(of: current) where creator != number {
          try table.addNeed(number, creator)
        }
      }
      return try refuseIfNeedsFailed(number)
    }
  }

  /// Makes a failed change, and the changes that failed because of it, wait again, and applies them.
  func retry(_ number: Int64, newKey: () -> UUID) throws(FreshetError) -> Bool {
    try noting { () throws(FreshetError) in
      guard var row = try row(number) else { return false }
      if row.state == .sending { return false }
      if row.state == .failed {
        // It is tried again with the one that creates what it names.
        if try needsFailed(number) { return false }
        // Those that were made after it come behind it again, whatever it changes.
        try liftAll()
        applyAtEnd(number)
        if row.key.isEmpty {
          row.key = newKey().uuidString
          row.attempts = 0
        } else {
          // The server may have carried it out, and may still be at it.
          row.attempts = min(row.attempts, 1)
        }
      }
      let wasFailed = row.state == .failed
      row.state = .waiting
      row.due = nil
      if wasFailed { row.failure = nil }
      try update(row)
      guard wasFailed else { return true }
      let needing = try connection.report(try table.needing(number))
      for other in needing { _ = try retry(other, newKey: newKey) }
      return true
    }
  }
}
