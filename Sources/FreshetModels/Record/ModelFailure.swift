import Freshet

/// Converts errors of reading and writing models to the pipelines' error.
enum ModelFailure {
  /// Returns the reason why a model cannot be written.
  static func encoding(_ error: any Error, _ type: (some PersistableModel).Type) -> FreshetError {
    switch error {
    case let error as FreshetError: return error
    case EncodingError.invalidValue(_, let context):
      let place = place(context.codingPath)
      return .store("a \(type.modelName) cannot be stored\(place): \(context.debugDescription)")
    default:
      return .store("a \(type.modelName) cannot be stored: \(error)")
    }
  }

  /// Runs an app's function that changes models.
  static func converting(
    _ type: (some PersistableModel).Type,
    _ change: () throws -> Void
  ) throws(FreshetError) {
    do { try change() } catch { throw encoding(error, type) }
  }

  /// Returns the reason why a model cannot be read, without its content.
  static func decoding(_ error: any Error, _ type: (some PersistableModel).Type) -> FreshetError {
    let name = type.modelName
    switch error {
    case let error as FreshetError:
      return error
    case let error as MissingModel:
      let model = error.model.isEmpty ? name : error.model
      return .store("a \(model) needs a \(error.needed) that is not stored")
    case is RecordDamage:
      return .store("a \(name) cannot be read: its record is damaged")
    case let error as DecodingError:
      return .store("a \(name) cannot be read: \(reason(error))")
    default:
      return .store("a \(name) cannot be read: \(error)")
    }
  }

  private static func reason(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      "nothing is stored for its field\(place(context.codingPath + [key]))"
    case .typeMismatch(_, let context):
      "a value of another type is stored\(place(context.codingPath))"
    case .valueNotFound(_, let context):
      "nothing is stored\(place(context.codingPath))"
    case .dataCorrupted(let context):
      "the stored value is not valid\(place(context.codingPath))"
    @unknown default:
      "the stored value has another form"
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    path.isEmpty ? "" : " at '\(path.map(\.stringValue).joined(separator: "."))'"
  }
}
