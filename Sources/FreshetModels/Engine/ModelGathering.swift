import Freshet
import Synchronization

/// Takes what a response has instead of a store, so that all of it is written in one transaction.
final class ModelGathering: ModelStoring {
  private let checks: IndexChecks
  private let state = Mutex<[Portion]>([])

  /// The models of one call of ``save(_:)``.
  private struct Portion: Sendable {
    let part: ModelPart
    let write: @Sendable (ModelTransaction) throws(FreshetError) -> any Sendable
  }

  init(_ store: ModelStore) {
    checks = store.core.checks
  }

  /// Takes the models; they are not stored yet.
  func save<Model: PersistableModel>(
    _ models: [Model]
  ) async throws(FreshetError) -> [Model] {
    let batch = try await ModelBatch.make(models, checks: checks)
    let portion = Portion(part: batch.part) { transaction throws(FreshetError) in
      try transaction.write(batch)
    }
    state.withLock { $0.append(portion) }
    return models
  }

  var parts: [ModelPart] { state.withLock { $0.map(\.part) } }

  func write(_ transaction: ModelTransaction) throws(FreshetError) -> StoredModels {
    var stored: [any Sendable] = []
    for portion in state.withLock({ $0 }) { stored.append(try portion.write(transaction)) }
    return StoredModels(stored)
  }
}

/// Answers with what was written before: what was gathered becomes a response again.
final class StoredModels: ModelStoring {
  private let rest: Mutex<ArraySlice<any Sendable>>

  init(_ stored: [any Sendable]) {
    rest = Mutex(stored[...])
  }

  /// Returns the models as they were written; it is asked in the order in which they were gathered.
  func save<Model: PersistableModel>(
    _ models: [Model]
  ) async throws(FreshetError) -> [Model] {
    rest.withLock { $0.popFirst() } as? [Model] ?? models
  }
}
