/// The error for a stored value that is not the requested scalar.
struct ScalarMismatch: Error {}

extension ModelDecoder {
  /// Returns a value of the types that `Codable` supports directly; `nil` for any other type.
  @inline(__always)
  func scalar<Value>(_ type: Value.Type, _ offset: Int) throws -> Value? {
    if Value.self == String.self { return try text(offset) as? Value }
    if Value.self == Int.self { return try integer(offset, Int.self) as? Value }
    if Value.self == Bool.self { return try bool(offset) as? Value }
    if Value.self == Double.self { return try real(offset) as? Value }
    return try rareScalar(type, offset)
  }

  @inline(__always)
  private func rareScalar<Value>(_ type: Value.Type, _ offset: Int) throws -> Value? {
    if Value.self == Int64.self { return try integer(offset, Int64.self) as? Value }
    if Value.self == Float.self { return Float(try real(offset)) as? Value }
    if Value.self == Int32.self { return try integer(offset, Int32.self) as? Value }
    if Value.self == Int16.self { return try integer(offset, Int16.self) as? Value }
    if Value.self == Int8.self { return try integer(offset, Int8.self) as? Value }
    if Value.self == UInt.self { return try integer(offset, UInt.self) as? Value }
    if Value.self == UInt64.self { return try integer(offset, UInt64.self) as? Value }
    if Value.self == UInt32.self { return try integer(offset, UInt32.self) as? Value }
    if Value.self == UInt16.self { return try integer(offset, UInt16.self) as? Value }
    if Value.self == UInt8.self { return try integer(offset, UInt8.self) as? Value }
    return nil
  }

  private func text(_ offset: Int) throws -> String {
    guard case .text(let range) = try record.item(offset) else { throw ScalarMismatch() }
    return record.text(range)
  }

  private func bool(_ offset: Int) throws -> Bool {
    guard case .bool(let value) = try record.item(offset) else { throw ScalarMismatch() }
    return value
  }

  /// Returns a real number, also from an integer, because a field may have changed its type.
  private func real(_ offset: Int) throws -> Double {
    switch try record.item(offset) {
    case .real(let number): return number
    case .integer(let number): return Double(number)
    default: throw ScalarMismatch()
    }
  }

  private func integer<Number: FixedWidthInteger>(
    _ offset: Int,
    _ type: Number.Type
  ) throws -> Number {
    let number: Number? =
      switch try record.item(offset) {
      case .integer(let number): Number(exactly: number)
      case .unsigned(let number): Number(exactly: number)
      case .real(let number): Number(exactly: number)
      default: nil
      }
    guard let number else { throw ScalarMismatch() }
    return number
  }
}
