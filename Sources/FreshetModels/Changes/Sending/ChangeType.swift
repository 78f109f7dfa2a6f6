import Freshet
import FreshetEssentials
import Synchronization

/// The types of changes that this process can apply and send, by name.
final class ChangeTypes: Sendable {
  private let types = Mutex<[String: ChangeType]>([:])

  func register(_ type: ChangeType) {
    types.withLock { $0[type.name] = type }
  }

  subscript(name: String) -> ChangeType? { types.withLock { $0[name] } }
}

/// A type of changes, without its type.
struct ChangeType: Sendable {
  let name: String
  /// Returns the model that an encoded change is about.
  let subject: @Sendable ([UInt8]) throws(FreshetError) -> EntityKey
  /// Applies an encoded change.
  let apply: @Sendable ([UInt8], ModelTransaction) throws(FreshetError) -> Void
  /// Returns the change that takes the place of an earlier one and a later one; `nil` keeps both.
  let merge:
    @Sendable (_ earlier: ChangeRow, _ later: [UInt8], ModelReading) throws(FreshetError)
      -> [UInt8]?
  let send: @Sendable (ChangeRow, ChangeSender) async -> ChangeOutcome
}

/// The result of an attempt to send a change.
enum ChangeOutcome: Sendable {
  case confirmed(ChangeConfirmation)
  case again(after: Duration, ChangeFailure)
  case refused(ChangeFailure, (any Error)?, mayRepeatKey: Bool)
  /// Another change is sent in its place, whose base has what the closure saves; the former base if it is `nil`.
  case replaced(
    by: [UInt8],
    base: (@Sendable (ModelTransaction) throws(FreshetError) -> Void)? = nil,
    ChangeFailure
  )
  /// The server's state stays.
  case dropped(@Sendable (ModelTransaction) throws(FreshetError) -> Void, (any Error)?)
  case interrupted
}

/// The answer of the server to a change.
struct ChangeConfirmation: Sendable {
  let output: any Sendable
  /// The identity that the server has assigned; `nil` if it is the subject's.
  let identity: EntityID?
  /// The tags that are invalid now.
  let tags: Set<String>
  let hasSubject: Bool
  /// Makes the change in the confirmed models.
  let confirm: @Sendable ([UInt8], ModelTransaction) throws(FreshetError) -> Void
  /// Saves the models in the output.
  let save: @Sendable (ModelTransaction) throws(FreshetError) -> Void
}

extension ChangeType {
  init<Change: ModelChange>(
    _ type: Change.Type,
    superseding: SupersedingPolicy<Change>,
    conflicts: ConflictPolicy<Change>
  ) {
    name = Change.changeName
    subject = { bytes throws(FreshetError) in
      let change = try ChangeCoding.decode(type, bytes)
      let id = try ModelBatch.identify(Change.Subject.self, change.subjectID)
      return EntityKey(model: Change.Subject.modelName, id: id)
    }
    apply = { bytes, transaction throws(FreshetError) in
      let change = try ChangeCoding.decode(type, bytes)
      try ModelFailure.converting(Change.Subject.self) { try change.apply(to: transaction) }
    }
    merge = { earlier, later, reading throws(FreshetError) in
      switch superseding {
      case .none: return nil
      case .lastWriteWins: return later
      case .merging(let merge):
        let base = try reading.confirmed(Change.Subject.self, earlier.subject)
        let merged = merge(
          base,
          try ChangeCoding.decode(type, earlier.body),
          try ChangeCoding.decode(type, later)
        )
        guard let merged else { return nil }
        return try ChangeCoding.encode(merged)
      }
    }
    send = { row, sender in await sender.send(row, as: type, conflicts: conflicts) }
  }
}

extension ChangeSender {
  fileprivate func send<Change: ModelChange>(
    _ row: ChangeRow,
    as type: Change.Type,
    conflicts: ConflictPolicy<Change>
  ) async -> ChangeOutcome {
    let change: Change
    do throws(FreshetError) {
      change = try ChangeCoding.decode(type, row.body)
    } catch {
      return .refused(ChangeFailure(reason: "\(error)"), nil, mayRepeatKey: true)
    }
    do throws(CallError<Change.Failure>) {
      let headers: HTTPHeaders = [.idempotencyKey: row.key]
      let response = try await client.call(unsaved: change, adding: headers).value
      return .confirmed(await confirmation(of: change, row, response.value))
    } catch {
      return await outcome(of: change, row, error, conflicts)
    }
  }

  private func confirmation<Change: ModelChange>(
    of change: Change,
    _ row: ChangeRow,
    _ output: Change.Output
  ) async -> ChangeConfirmation {
    let gathering = ModelGathering(store)
    // The server has made it: models that cannot be stored do not have it sent again.
    _ = try? await gathering.save(decoded: output)
    let id = try? ModelBatch.identify(Change.Subject.self, change.identity(in: output))
    let subject = EntityKey(model: row.subject.model, id: id ?? row.subject.id)
    return ChangeConfirmation(
      output: output,
      identity: Change.createsSubject && id != row.subject.id ? id : nil,
      tags: change.options.tags,
      hasSubject: gathering.parts.contains { $0.all.contains(subject) },
      confirm: { bytes, transaction throws(FreshetError) in
        let change = try ChangeCoding.decode(Change.self, bytes)
        try ModelFailure.converting(Change.Subject.self) {
          try change.confirm(output, in: transaction)
        }
      },
      save: { transaction throws(FreshetError) in _ = try gathering.write(transaction) }
    )
  }

  private func outcome<Change: ModelChange>(
    of change: Change,
    _ row: ChangeRow,
    _ error: CallError<Change.Failure>,
    _ conflicts: ConflictPolicy<Change>
  ) async -> ChangeOutcome {
    let cause: FreshetError =
      switch error {
      case .rejected(let rejection): .status(rejection.head, body: rejection.body)
      case .failed(let error): error
      }
    let failure = ChangeFailure(error)
    let last = row.failure?.status?.rawValue
    let verdict = ChangeVerdict(
      cause,
      attempt: row.attempts,
      policy: configuration.retry,
      now: configuration.now(),
      jitter: generator.fraction(),
      isFileMissing: cause.isFileMissing,
      // A status of 500 and above may be from a gateway while the server still processes the change.
      mayBeUnderWay: row.attempts > 1 && last ?? 500 >= 500
    )
    switch verdict {
    case .again(let pause): return .again(after: pause, failure)
    case .interrupted: return .interrupted
    case .refused:
      // The server may have made the change, in this attempt or in one before it.
      let mayBeMade =
        leavesOpen(failure.status) || row.attempts > 1 && leavesOpen(row.failure?.status)
      return .refused(failure, error, mayRepeatKey: mayBeMade)
    case .conflict:
      return await resolve(change, row, error, conflicts)
    }
  }

  /// Returns a Boolean value that indicates whether the server may have made a change in an attempt.
  ///
  /// - Parameter status: The status of the answer; `nil` for none.
  /// - Returns: `false` for a status with which the server says that it has not.
  private func leavesOpen(_ status: HTTPStatus?) -> Bool {
    guard let status else { return true }
    return status.rawValue >= 500 || configuration.retry.statuses.contains(status)
  }

  private func resolve<Change: ModelChange>(
    _ change: Change,
    _ row: ChangeRow,
    _ error: CallError<Change.Failure>,
    _ conflicts: ConflictPolicy<Change>
  ) async -> ChangeOutcome {
    let failure = ChangeFailure(error)
    switch conflicts {
    case .refuse:
      return .refused(failure, error, mayRepeatKey: false)
    case .lastWriteWins:
      return .replaced(by: row.body, failure)
    case .resolving(let resolve):
      guard let conflict = conflict(change, row, error, theirs(change, error)) else {
        return .refused(failure, error, mayRepeatKey: false)
      }
      let resolution = await deciding(row.number) { await resolve(conflict) }
      // The decision of a cancelled closure is ignored: the next session calls it again.
      if Task.isCancelled { return .interrupted }
      switch resolution {
      case .refused: return .refused(failure, error, mayRepeatKey: false)
      case .mine(let change):
        guard let bytes = try? ChangeCoding.encode(change) else {
          return .refused(failure, error, mayRepeatKey: false)
        }
        return .replaced(by: bytes, base: conflict.theirs.map { saving($0) }, failure)
      case .theirs(let model):
        return .dropped(saving(model), error)
      }
    }
  }

  private func saving<Model: PersistableModel>(
    _ model: Model?
  ) -> @Sendable (ModelTransaction) throws(FreshetError) -> Void {
    { transaction throws(FreshetError) in
      if let model { try transaction.save(model) }
    }
  }

  /// Returns the subject in an error response, which is decoded as the output is if that is the subject.
  private func theirs<Change: ModelChange>(
    _ change: Change,
    _ error: CallError<Change.Failure>
  ) -> Change.Subject? {
    guard var response = error.response else { return nil }
    // The decoding of an output refuses error responses.
    response.head.status = .ok
    let output = try? change.decoding.value(of: response, at: change.payload).value
    if let subject = output as? Change.Subject { return subject }
    return try? JSONDecoder().decode(Change.Subject.self, from: response.value)
  }

  private func conflict<Change: ModelChange>(
    _ change: Change,
    _ row: ChangeRow,
    _ error: CallError<Change.Failure>,
    _ theirs: Change.Subject?
  ) -> ChangeConflict<Change>? {
    let subject = row.subject
    let base = row.base
    return try? store.core.read { [client] reading throws(FreshetError) in
      let context = ReadingContext(reading)
      let type = Change.Subject.self
      let confirmed = try reading.confirmed(type, subject)
      return ChangeConflict(
        change: change,
        base: base.flatMap { try? ReadingContext(reading).model(type, subject, $0) },
        mine: try reading.model(type, subject.id, in: context, nilIfIncomplete: true),
        theirs: theirs ?? confirmed,
        error: error,
        client: client
      )
    }
  }
}

extension FreshetError {
  /// A Boolean value that indicates whether a file is not there, such as that of a request's body.
  fileprivate var isFileMissing: Bool {
    guard case .file(_, let path) = self, !path.isEmpty else { return false }
    return !FileManager.default.fileExists(atPath: path)
  }
}

extension CallError {
  /// The error response, if there was one.
  var response: Response<Data>? {
    switch self {
    case .rejected(let rejection): Response(head: rejection.head, value: rejection.body)
    case .failed(.status(let head, let body)): Response(head: head, value: body)
    case .failed: nil
    }
  }
}

extension ModelReading {
  /// Returns a model as it is confirmed, without pending changes of itself.
  func confirmed<Model: PersistableModel>(
    _ type: Model.Type,
    _ key: EntityKey
  ) throws(FreshetError) -> Model? {
    let base = try connection.report(try ChangeLayer(connection: connection).base(key))
    guard let base else {
      return try model(type, key.id, in: ReadingContext(self), nilIfIncomplete: true)
    }
    return base.record.flatMap { try? ReadingContext(self).model(type, key, $0) }
  }
}
