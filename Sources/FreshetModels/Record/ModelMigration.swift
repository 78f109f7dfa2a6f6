/// Migrates records of older versions to the version of the type that reads them.
enum ModelMigration {
  static func migrated(
    _ record: StoredRecord,
    to type: (some PersistableModel).Type
  ) throws -> [UInt8] {
    guard record.version < type.modelVersion else { return record.bytes }
    guard case .map(var fields) = try ModelRecord(record.bytes).value() else { return record.bytes }
    try type.migrate(&fields, from: record.version)
    return ModelValue.map(fields).encoded
  }
}
