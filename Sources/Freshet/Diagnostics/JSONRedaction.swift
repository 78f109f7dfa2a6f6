import Foundation

/// Replaces the values of secret members in a JSON text, and leaves every other byte as it is.
///
/// It reads tokens, not structure, so that a text which is cut off or not quite JSON is safe too.
struct JSONRedaction {
  let names: SecretRules.Names

  func redacted(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == ASCII.quote else {
        output.append(bytes[index])
        index += 1
        continue
      }
      let end = Self.endOfString(in: bytes, from: index)
      output += bytes[index..<end]
      let colon = Self.skippingSpace(in: bytes, from: end)
      guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":"),
        case let value = Self.skippingSpace(in: bytes, from: colon + 1),
        isSecret(bytes[index..<end], with: bytes[value...])
      else {
        index = end
        continue
      }
      output += bytes[end..<value] + "\"\(Redaction.placeholder)\"".utf8
      index = Self.endOfValue(in: bytes, from: value)
    }
    return String(decoding: output, as: UTF8.self)
  }

  private func isSecret(_ literal: ArraySlice<UInt8>, with rest: ArraySlice<UInt8>) -> Bool {
    let name: String
    if literal.contains(ASCII.backslash) {
      name = (try? JSONDecoder().decode(String.self, from: Data(literal))) ?? ""
    } else {
      name = String(decoding: literal.dropFirst().dropLast(), as: UTF8.self)
    }
    let number = rest.prefix { ASCII.isDigit($0) || "-+.eE".utf8.contains($0) }
    return names.hide(String(decoding: number, as: UTF8.self), of: name)
  }

  private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count {
      if bytes[index] == ASCII.quote { return index + 1 }
      index += bytes[index] == ASCII.backslash ? 2 : 1
    }
    return bytes.count
  }

  private static func skippingSpace(in bytes: [UInt8], from start: Int) -> Int {
    bytes[start...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
  }

  private static func endOfValue(in bytes: [UInt8], from start: Int) -> Int {
    var index = start
    var depth = 0
    while index < bytes.count {
      switch bytes[index] {
      case ASCII.quote:
        index = endOfString(in: bytes, from: index)
        if depth == 0 { return index }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth <= 1 { return depth == 0 ? index : index + 1 }
        depth -= 1
      case ASCII.comma where depth == 0:
        return index
      default: break
      }
      index += 1
    }
    return bytes.count
  }
}
