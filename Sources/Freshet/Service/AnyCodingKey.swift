/// A key that is any text, or a position in a list.
package struct AnyCodingKey: CodingKey {
  package let stringValue: String
  package let intValue: Int?

  package init(_ text: String) {
    stringValue = text
    intValue = nil
  }

  package init(index: Int) {
    stringValue = index.description
    intValue = index
  }

  package init?(stringValue: String) {
    self.init(stringValue)
  }

  package init?(intValue: Int) {
    self.init(index: intValue)
  }
}
