import Freshet

/// Models as records, and as read back from those records.
///
/// They are read back before anything is written, so that an unreadable record never replaces a
/// readable one.
struct ModelBatch<Model: PersistableModel>: Sendable {
  let keys: [EntityKey]
  let records: [EncodedRecord]
  let models: [Model]

  init(_ models: [Model], checks: IndexChecks = IndexChecks()) throws(FreshetError) {
    let context = EncodingContext(checks: checks)
    var keys: [EntityKey] = []
    do {
      for model in models { keys.append(try context.add(model)) }
    } catch {
      throw ModelFailure.encoding(error, Model.self)
    }
    self.keys = keys
    records = context.records
    self.models = try Self.read(keys, from: EncodedSource(records))
  }

  /// Encodes on the concurrent executor.
  @concurrent static func make(
    _ models: [Model],
    checks: IndexChecks
  ) async throws(FreshetError) -> Self {
    try ModelBatch(models, checks: checks)
  }

  private static func read(
    _ keys: [EntityKey],
    from source: EncodedSource
  ) throws(FreshetError) -> [Model] {
    let context = ReadingContext(source)
    var models: [Model] = []
    do {
      for key in keys {
        guard let record = source.record(key) else { continue }
        models.append(try context.model(Model.self, key, record))
      }
      return models
    } catch {
      throw ModelFailure.decoding(error, Model.self)
    }
  }
}

/// Returns an identity in the form in which the database compares it.
extension ModelBatch {
  static func identify(_ type: Model.Type, _ id: Model.ID) throws(FreshetError) -> EntityID {
    if let number = id as? Int { return .integer(Int64(number)) }
    if let text = id as? String { return EntityID(text: text) }
    do {
      return try EncodingContext().identify(id)
    } catch {
      throw ModelFailure.encoding(error, type)
    }
  }
}

private struct EncodedSource: RecordSource {
  private let records: [EntityKey: StoredRecord]

  init(_ records: [EncodedRecord]) {
    var found: [EntityKey: StoredRecord] = [:]
    for record in records {
      let bytes = found[record.key].flatMap { record.merged(over: $0.bytes) } ?? record.bytes
      found[record.key] = StoredRecord(version: record.type.modelVersion, bytes: bytes)
    }
    self.records = found
  }

  func record(_ key: EntityKey) -> StoredRecord? { records[key] }
}
