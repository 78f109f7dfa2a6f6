import Foundation

/// Where a reading finds the records that are referred to.
protocol RecordSource {
  func record(_ key: EntityKey) throws -> StoredRecord?
}

/// A record as a table holds it.
struct StoredRecord {
  let version: Int
  let bytes: [UInt8]
}

/// Something that a model cannot do without is not stored.
struct MissingModel: Error {
  let model: String
  let needed: String
}

/// One reading: it puts models together and knows what it has read.
///
/// - A reference to a model that is being read already would never end: it counts as missing where
///   there may be nothing, and is followed where there must be something.
/// - A web in which the ways around are too many is read less deep, so that values stay small.
/// - Something missing is `nil` for an optional, and left out of arrays, sets and dictionaries; so is
///   a model that cannot be put together because one that it needs is missing.
final class ReadingContext {
  private static let depthLimit = 64
  /// How often models may come again below a root before it is read less deep.
  private static let repetitionLimit = 512

  private let source: any RecordSource
  private var open: [EntityKey] = []
  private var records: [EntityKey: StoredRecord?] = [:]
  /// Models that were put together without a cut.
  private var whole: [EntityKey: any Sendable] = [:]
  /// How deep it reads where there may also be nothing.
  private var depth = depthLimit
  /// How deep it reads in webs that were too much for more, and the models that it met in them.
  private var denseDepth = depthLimit
  private var dense: Set<EntityKey> = []
  private var seen: Set<EntityKey> = []
  private var repetitions = 0
  let types = TypeBook()
  private var cuts = 0
  /// What was looked for on the way, found or not, without the roots.
  private(set) var dependencies: Set<EntityKey> = []
  /// Tells different contents apart.
  private var fingerprint = Hasher()
  private var secondFingerprint = Hasher()

  init(_ source: any RecordSource) {
    self.source = source
    secondFingerprint.combine(1)
  }

  /// Says whether two readings have read the same bytes; 128 bits.
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

  /// A model of a web that was too dense is met on the way: trying again how dense it is would cost
  /// as much for each root.
  private struct KnownToBeDense: Error {}

  private func note(_ key: EntityKey, _ record: StoredRecord?) {
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

  /// Whether a reference leads somewhere, where there may also be nothing.
  func isAvailable(_ key: EntityKey) throws -> Bool {
    if open.count > depth || open.contains(key) {
      cuts += 1
      return false
    }
    return try record(key) != nil
  }

  /// The record behind a reference.
  func record(_ key: EntityKey) throws -> StoredRecord? {
    if let known = records[key] { return known }
    dependencies.insert(key)
    let record = try source.record(key)
    records[key] = .some(record)
    note(key, record)
    return record
  }

  /// The model behind a reference.
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
