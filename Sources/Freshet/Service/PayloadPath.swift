/// The path of a value in JSON: keys and array positions, separated by dots.
///
/// ```swift
/// let path: PayloadPath = "data.items.0"          // the first element of items in data
/// let odd: PayloadPath = #"schema\.org.name"#     // name in “schema.org”
/// ```
///
/// - A backslash makes the dot or the backslash after it a part of the key.
/// - A number is a position in an array, from 0, and a key in an object.
/// - The empty path is the whole document.
public struct PayloadPath: Sendable, Hashable {
  /// The keys and positions in order.
  public var steps: [String]

  /// Makes a path of literal keys and positions.
  public init(steps: [String] = []) {
    self.steps = steps
  }

  /// Parses a path; every text is valid.
  public init(_ text: String) {
    steps = []
    guard !text.isEmpty else { return }
    var step = ""
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "." where !isEscaped:
        steps.append(step)
        step = ""
      default:
        step.unicodeScalars.append(scalar)
      }
      isEscaped = false
    }
    steps.append(step)
  }

  /// A Boolean value that indicates whether it is the whole document.
  public var isEmpty: Bool { steps.isEmpty }
}

extension PayloadPath: ExpressibleByStringLiteral {
  /// Reads a path from a literal.
  public init(stringLiteral literal: String) {
    self.init(literal)
  }
}

extension PayloadPath: CustomStringConvertible {
  /// The path as decoding errors show it, such as `items[3].user.name`.
  public var description: String {
    var text = ""
    for step in steps {
      if ASCII.integer(step) != nil {
        text += "[\(step)]"
      } else {
        text += text.isEmpty ? "" : "."
        for scalar in step.unicodeScalars {
          if scalar == "\\" || scalar == "." { text += "\\" }
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }
}

extension PayloadPath {
  init(_ codingPath: [any CodingKey]) {
    steps = codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
  }

  static func + (left: PayloadPath, right: PayloadPath) -> PayloadPath {
    PayloadPath(steps: left.steps + right.steps)
  }
}
