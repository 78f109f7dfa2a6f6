/// A key that is any text, or a position in a list.
package enum AnyCodingKey: CodingKey {
  case text(String)
  case index(Int)

  package init(_ text: String) {
    self = .text(text)
  }

  package init(index: Int) {
    self = .index(index)
  }

  package init?(stringValue: String) {
    self.init(stringValue)
  }

  package init?(intValue: Int) {
    self.init(index: intValue)
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
