import FreshetEssentials

/// The source of the records that a read refers to.
protocol RecordSource {
  func record(_ key: EntityKey) throws -> StoredRecord?
}

struct StoredRecord: Hashable {
  let version: Int
  let bytes: [UInt8]
}

/// The error for a required model that is not stored.
struct MissingModel: Error {
  let model: String
  let needed: String
}

/// One read: it combines models with their nested models, and records which ones it has read.
///
/// - Following a reference to a model that is being read already would never end: it counts as
///   missing where it is optional, and is followed where it is required.
/// - A graph with too many paths is read less deeply, so that values stay small.
/// - A missing model is `nil` for an optional, and omitted from arrays, sets and dictionaries; so
///   is an incomplete model, because one that it requires is missing.
final class ReadingContext {
  private static let depthLimit = 64
  /// The number of repeated models below a root from which it is read less deeply.
  private static let repetitionLimit = 512

  private let source: any RecordSource
  private var open: [EntityKey] = []
  private var records: [EntityKey: StoredRecord?] = [:]
  /// The models that were read without a cut.
  private var whole: [EntityKey: any Sendable] = [:]
  /// The depth of reading optional references.
  private var depth = depthLimit
  /// The depth of reading graphs that were too dense for more, and the models found in them.
  private var denseDepth = depthLimit
  private var dense: Set<EntityKey> = []
  private var seen: Set<EntityKey> = []
  private var repetitions = 0
  let types = TypeMetadataCache()
  private var cuts = 0
  /// The models that were looked up, found or not, without the roots.
  private(set) var dependencies: Set<EntityKey> = []
  /// The models with pending changes, and those of them that were read.
  private var pending: Set<EntityKey> = []
  private(set) var readPending: Set<EntityKey> = []
  private var fingerprint = Hasher()
  private var secondFingerprint = Hasher()

  init(_ source: any RecordSource) {
    self.source = source
    secondFingerprint.combine(1)
  }

  /// A 128-bit digest by which two reads of the same bytes are recognised.
  var digest: [Int] { [fingerprint.finalize(), secondFingerprint.finalize()] }

  /// Reads a model from its record.
  func model<Model: PersistableModel>(
    _ type: Model.Type,
    _ key: EntityKey,
    _ record: StoredRecord
  ) throws -> Model {
    note(key, record)
    depth = dense.contains(key) ? denseDepth : Self.depthLimit
    while true {
      (seen, repetitions) = ([], 0)
      do {
        return try decode(type, key, record)
      } catch is TooDense {
        dense.formUnion(seen.filter { whole[$0] == nil })
        depth = depth > 8 ? 8 : depth / 2
        denseDepth = min(denseDepth, depth)
      } catch is KnownToBeDense {
        depth = denseDepth
      }
    }
  }

  private struct TooDense: Error {}

  /// The error for a model of a graph that is known to be too dense: measuring it again would cost
  /// the same for each root.
  private struct KnownToBeDense: Error {}

  /// Notes which of these models are read from now on.
  func mark(_ keys: Set<EntityKey>) { pending = keys }

  /// Notes a model on which the read depends.
  func depend(on key: EntityKey) { dependencies.insert(key) }

  /// Makes a value a part of the digest.
  func note(_ value: some Hashable) {
    fingerprint.combine(value)
    secondFingerprint.combine(value)
  }

  private func note(_ key: EntityKey, _ record: StoredRecord?) {
    if !pending.isEmpty, pending.contains(key) { readPending.insert(key) }
    let bytes = record?.bytes ?? []
    bytes.withUnsafeBytes {
      fingerprint.combine(bytes: $0)
      secondFingerprint.combine(bytes: $0)
    }
    fingerprint.combine(key)
    secondFingerprint.combine(key)
  }

  private func decode<Model: PersistableModel>(
    _ type: Model.Type,
    _ key: EntityKey,
    _ record: StoredRecord
  ) throws -> Model {
    guard open.count < Self.depthLimit else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "models refer to each other more than 64 deep")
      )
    }
    if !seen.insert(key).inserted {
      repetitions += 1
      if repetitions > Self.repetitionLimit, depth > 1 { throw TooDense() }
    }
    if depth > denseDepth, dense.contains(key) { throw KnownToBeDense() }
    open.append(key)
    defer { open.removeLast() }
    let bytes = try ModelMigration.migrated(record, to: type)
    return try Model(from: ModelDecoder(self, ModelRecord(bytes), 0))
  }

  // MARK: - References

  /// Returns a Boolean value that indicates whether an optional reference leads to a model.
  func isAvailable(_ key: EntityKey) throws -> Bool {
    if open.count > depth || open.count >= Self.depthLimit || open.contains(key) {
      cuts += 1
      return false
    }
    return try record(key) != nil
  }

  func record(_ key: EntityKey) throws -> StoredRecord? {
    if let known = records[key] { return known }
    dependencies.insert(key)
    let record = try source.record(key)
    records[key] = .some(record)
    note(key, record)
    return record
  }

  func model<Model: PersistableModel>(at key: EntityKey, as type: Model.Type) throws -> Model {
    if let model = whole[key] as? Model { return model }
    guard let record = try record(key) else {
      throw MissingModel(model: open.last?.model ?? "", needed: key.model)
    }
    let cutsBefore = cuts
    let model = try decode(type, key, record)
    if cuts == cutsBefore { whole[key] = model }
    return model
  }
}
