/// A key that is any text, or a position in a list.
package enum AnyCodingKey: CodingKey {
  case text(String)
  case index(Int)

  package init?(stringValue: String) {
    self = .text(stringValue)
  }

  package init?(intValue: Int) {
    self = .index(intValue)
  }

  package var stringValue: String {
    switch self {
    case .text(let text): text
    case .index(let index): index.description
    }
  }

  package var intValue: Int? {
    switch self {
    case .text: nil
    case .index(let index): index
    }
  }
}
