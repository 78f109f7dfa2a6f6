/// A key of the server's.
struct PathKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ text: String) {
    stringValue = text
  }

  init?(stringValue: String) {
    self.init(stringValue)
  }

  init?(intValue: Int) { nil }
}
