/// The fields of a received head as its bytes, with the places of the names and values in them.
///
/// A field that is asked for by its name is found in the bytes. The list of all fields is made when somebody
/// reads it, once for all copies of the headers.
final class ReceivedFields: Sendable {
  /// The places of a field's name and value in the bytes.
  struct Line: Sendable {
    var name: Range<Int>
    var value: Range<Int>
  }

  /// The head, in which the names are tokens and the values are UTF-8.
  private let bytes: [UInt8]
  private let lines: [Line]
  /// The lengths of the names, a bit each, so that most names of absent fields need no search.
  private let lengths: UInt64
  private let list = LazyReference<Boxed<[HTTPHeaders.Field]>>()

  init(_ bytes: [UInt8], _ lines: [Line]) {
    self.bytes = bytes
    self.lines = lines
    lengths = lines.reduce(0) { $0 | Self.bit(of: $1.name.count) }
  }

  private static func bit(of length: Int) -> UInt64 { 1 << UInt64(length & 63) }

  var count: Int { lines.count }

  /// The fields in order.
  var fields: [HTTPHeaders.Field] {
    (list.load() ?? list.storeIfNil(Boxed(lines.map(field)))).value
  }

  /// Returns the value of the first field with a name.
  func value(of name: HTTPHeaders.Name) -> String? {
    position(of: name).map { text(lines[$0].value) }
  }

  /// Returns the values of the fields with a name, in order.
  func values(of name: HTTPHeaders.Name) -> [String] {
    var values: [String] = []
    var start = 0
    while let position = position(of: name, from: start) {
      values.append(text(lines[position].value))
      start = position + 1
    }
    return values
  }

  /// Returns the position of the first field with a name.
  func position(of name: HTTPHeaders.Name, from start: Int = 0) -> Int? {
    var name = name.rawValue
    guard lengths & Self.bit(of: name.utf8.count) != 0 else { return nil }
    return name.withUTF8 { name in
      bytes.withUnsafeBufferPointer { bytes in
        lines[start...]
          .firstIndex { line in
            let place = line.name
            return place.count == name.count
              && name.indices.allSatisfy { index in
                ASCII.lowercased(bytes[place.lowerBound + index]) == ASCII.lowercased(name[index])
              }
          }
      }
    }
  }

  private func field(_ line: Line) -> HTTPHeaders.Field {
    HTTPHeaders.Field(name: HTTPHeaders.Name(text(line.name)), trimmed: text(line.value))
  }

  private func text(_ place: Range<Int>) -> String {
    String(decoding: bytes[place], as: UTF8.self)
  }
}
