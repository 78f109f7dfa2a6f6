// The essentials cannot bring a text into its composed form.
import Foundation
import Freshet

/// The key of an entity: the model's name and the identity.
struct EntityKey: Hashable, Sendable {
  let model: String
  let id: EntityID
}

/// An identity in the form in which the database compares it.
enum EntityID: Hashable, Sendable {
  case integer(Int64)
  case text(String)
  /// Any other kind of identity, as a record's bytes.
  case bytes([UInt8])
}

extension EntityID {
  /// Makes the same identity of texts that are equal in Swift, however their accents are encoded.
  init(text: String) {
    let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
    self = .text(isPlain ? text : text.precomposedStringWithCanonicalMapping)
  }

  var bound: SQLiteValue {
    switch self {
    case .integer(let number): .integer(number)
    case .text(let text): .text(text)
    case .bytes(let bytes): .bytes(bytes)
    }
  }

  init(_ statement: SQLiteStatement, column: Int32) {
    if let number = statement.integerIfInteger(column) {
      self = .integer(number)
    } else if let text = statement.textIfText(column) {
      self = .text(text)
    } else {
      self = .bytes(statement.bytes(column))
    }
  }

  var value: ModelValue {
    switch self {
    case .integer(let number): .integer(number)
    case .text(let text): .text(text)
    case .bytes(let bytes): .bytes(Data(bytes))
    }
  }

  init?(_ value: ModelValue) {
    switch value {
    case .integer(let number): self = .integer(number)
    case .text(let text): self.init(text: text)
    case .bytes(let bytes): self = .bytes(Array(bytes))
    default: return nil
    }
  }
}
