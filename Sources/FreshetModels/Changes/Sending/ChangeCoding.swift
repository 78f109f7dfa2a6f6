import Freshet

/// Encodes changes as records, in which identities can be replaced, and which keep each type of number.
enum ChangeCoding {
  static func encode<Change: ModelChange>(_ change: Change) throws(FreshetError) -> [UInt8] {
    var writer = ModelRecordWriter()
    do {
      let encoder = ModelEncoder(EncodingContext(isSelfContained: true))
      try change.encode(to: encoder)
      encoder.closeIfEnumeration(change)
      writer.write(encoder.result)
    } catch {
      throw .store("a change \(Change.changeName) cannot be stored: \(error)")
    }
    // Identities could not be replaced in it.
    if writer.isTooDeep {
      throw .store(
        "a change \(Change.changeName) cannot be stored: its values are nested more than 256 deep"
      )
    }
    return writer.bytes
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
