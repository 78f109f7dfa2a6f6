import Foundation
import Freshet
import Testing

/// Property lists that once ended the process.
@Suite(.timeLimit(.minutes(5))) struct HostilePropertyListTests {
  private func decode<Value: Decodable & Sendable>(
    _ list: [UInt8],
    as type: Value.Type
  ) throws -> Value {
    let url = try #require(URL(string: "https://a.test/"))
    let head = ResponseHead(status: .ok, headers: [:], url: url)
    return try Decoding<Value>.propertyList.value(of: Response(head: head, value: Data(list))).value
  }

  private func expectFailure(
    _ list: [UInt8],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let error = try #require(throws: FreshetError.self, sourceLocation: location) {
      try decode(list, as: JSONValue.self)
    }
    #expect(error.kind == "decoding", sourceLocation: location)
  }

  /// A binary list of values, the first of which is the top.
  private static func list(_ values: [[UInt8]]) -> [UInt8] {
    func bytes(_ number: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - $0))) }
    }
    var list = Array("bplist00".utf8)
    var table: [UInt8] = []
    for value in values {
      table += bytes(list.count, 4)
      list += value
    }
    let trailer = bytes(values.count, 8) + bytes(0, 8) + bytes(list.count, 8)
    return list + table + [0, 0, 0, 0, 0, 0, 4, 2] + trailer
  }

  private static func nested(_ depth: Int, in opening: String, _ closing: String) -> [UInt8] {
    let (start, end) = (
      String(repeating: opening, count: depth), String(repeating: closing, count: depth)
    )
    return Array("<plist>\(start)<true/>\(end)</plist>".utf8)
  }

  static let damaged: [[[UInt8]]] = [
    [[0xAF, 0x13] + [UInt8](repeating: 0xFF, count: 8)],
    [[0xDF, 0x13, 0x7F] + [UInt8](repeating: 0xFF, count: 7)],
    [[0xDF, 0x13, 0x40] + [UInt8](repeating: 0, count: 7)],
    [[0x4F, 0x13] + [UInt8](repeating: 0xFF, count: 8)],
    [[0x6F, 0x13, 0x40] + [UInt8](repeating: 0, count: 7)],
    [[0x6F, 0x10, 200] + [UInt8](repeating: 0x61, count: 200)],
    [[0xAF, 0x1F, 0xFF]],
    [[0xA1, 0, 0]],
    [[0xA1, 0, 1], [0xD1, 0, 2, 0, 0], [0x51, 0x61]],
    [[0xA1, 0, 9]],
    [[0xA2, 0, 1], [0x09]],
    (1...40 as ClosedRange<UInt8>).map { [0xA2, 0, $0, 0, $0] } + [[0x09]],
  ]

  @Test(arguments: damaged)
  func `refuses binary lists with counts and references that lead nowhere`(
    values: [[UInt8]]
  ) throws {
    try expectFailure(Self.list(values))
  }

  // Shorter ones are words, which are lists in the oldest format.
  @Test(arguments: 6..<48)
  func `refuses a binary list that is cut off`(length: Int) throws {
    let whole = Self.list([[0xA1, 0, 1], [0x09]])
    #expect(try decode(whole, as: [Bool].self) == [true])

    try expectFailure(Array(whole.prefix(length)))
  }

  @Test func `decodes a binary list whose values are referred to more than once`() throws {
    let list = Self.list([[0xA2, 0, 1, 0, 1], [0xA2, 0, 2, 0, 2], [0x09]])

    #expect(try decode(list, as: [[Bool]].self) == [[true, true], [true, true]])
  }

  @Test(arguments: [
    "<plist><dict><key>a</key><integer>\u{FF}1234567</integer></dict></plist>",
    "<plist><string>\u{FF}\u{FE}</string></plist>", "<\u{FF}>", "{ a = \u{FF}; }",
    "<?xml version=\"1.0\" encoding=\"klingon\"?><plist><true/></plist>", "", "<", "<?", "<!--",
  ])
  func `refuses text that is not in its character set, and text that is no list`(
    text: String
  ) throws {
    try expectFailure(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }

  @Test(arguments: [
    ("<array>", "</array>"), ("<dict><key>a</key>", "</dict>"), ("<plist>", "</plist>"),
    ("<array </array>", "</array>"), ("<array><!-- </array> -->", "</array>"),
    ("<array><? </array> ?>", "</array>"),
    ("<array><string><![CDATA[</array>]]></string>", "</array>"),
    ("<?></array></array>?><array>", "</array>"),
  ])
  func `refuses XML lists that are nested too deeply for the stack of a thread`(
    opening: String,
    closing: String
  ) throws {
    let list = Self.nested(20_000, in: opening, closing)

    try expectFailure(list)
    let text = String(decoding: list, as: UTF8.self)
    for encoding in [String.Encoding.utf16, .utf32] {
      try expectFailure([UInt8](try #require(text.data(using: encoding))))
    }
  }

  @Test func `refuses a deep XML list whose text looks like tags byte by byte`() throws {
    // In UTF-16, the bytes of these characters are “</array>”.
    let text = "<array><string>\u{2F3C}\u{7261}\u{6172}\u{3E79}</string>"
    let list = String(decoding: Self.nested(20_000, in: text, "</array>"), as: UTF8.self)

    try expectFailure([0xFF, 0xFE] + (try #require(list.data(using: .utf16LittleEndian))))
  }

  @Test(arguments: [("<array>", "</array>"), ("<dict><key>a</key>", "</dict>")])
  func `decodes XML lists of 128 levels`(opening: String, closing: String) throws {
    struct Anything: Decodable { init(from decoder: any Decoder) {} }

    _ = try decode(Self.nested(128, in: opening, closing), as: Anything.self)
    try expectFailure(Self.nested(129, in: opening, closing))
  }

  @Test func `decodes binary lists of 128 levels`() throws {
    struct Anything: Decodable { init(from decoder: any Decoder) {} }
    func nested(_ depth: Int) -> [UInt8] {
      Self.list((1...depth).map { [0xA1, UInt8($0 >> 8), UInt8($0 & 255)] } + [[0x09]])
    }

    _ = try decode(nested(128), as: Anything.self)
    try expectFailure(nested(129))
    try expectFailure(nested(20_000))
  }

  @Test(arguments: [
    ("", String.Encoding.utf8), ("\u{FEFF}", .utf8), ("\u{FEFF}", .utf16LittleEndian),
    ("\u{FEFF}", .utf16BigEndian), ("\u{FEFF}", .utf32BigEndian),
  ])
  func `decodes XML lists in the encodings of Unicode`(
    mark: String,
    encoding: String.Encoding
  ) throws {
    let text = """
      <?xml version="1.0"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <!-- <array> -->
      <plist version="1.0"><dict><key>a</key><array/><key>é</key><array><string>ü</string></array></dict></plist>
      """
    let list = try #require("\(mark)\(text)".data(using: encoding))

    #expect(try decode([UInt8](list), as: [String: [String]].self) == ["a": [], "é": ["ü"]])
  }

  @Test func `decodes an XML list in the character set that it names`() throws {
    let text = "<?xml version='1.0' encoding='ISO-8859-1'?><plist><string>\u{E9}</string></plist>"
    let list = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }

    #expect(try decode(list, as: String.self) == "é")
  }
}
