import Freshet

/// Encodes changes as records, in which identities can be replaced, and which keep each type of number.
enum ChangeCoding {
  static func encode<Change: ModelChange>(_ change: Change) throws(FreshetError) -> [UInt8] {
    do {
      let encoder = ModelEncoder(EncodingContext(isSelfContained: true))
      try change.encode(to: encoder)
      encoder.closeIfEnumeration(change)
      var writer = ModelRecordWriter()
      writer.write(encoder.result)
      return writer.bytes
    } catch {
      throw .store("a change \(Change.changeName) cannot be stored: \(error)")
    }
  }

  static func decode<Change: ModelChange>(
    _ type: Change.Type,
    _ bytes: [UInt8]
  ) throws(FreshetError) -> Change {
    do {
      let context = ReadingContext(NoRecords())
      return try Change(from: ModelDecoder(context, ModelRecord(bytes), 0))
    } catch {
      throw .store("a change \(Change.changeName) cannot be read")
    }
  }

  private struct NoRecords: RecordSource {
    func record(_ key: EntityKey) -> StoredRecord? { nil }
  }
}
