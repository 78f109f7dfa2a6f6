import Foundation
import Testing

@testable import Freshet

@Suite struct TextEncodingTests {
  @Test(
    arguments: [
      ("windows-1252", [0xE4, 0x80, 0x41], "ä€A"), ("ISO-8859-2", [0xB1, 0xE6], "ąć"),
      ("windows-1251", [0xE4, 0x41], "дA"), ("shift_jis", [0x83, 0x65, 0x5C], "テ\\"),
      ("euc-jp", [0xA5, 0xC6], "テ"), ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x25, 0x46], "テ"),
      ("gb18030", [0xD6, 0xD0, 0x81, 0x30, 0x84, 0x36], "中¥"), ("gb2312", [0xD6, 0xD0], "中"),
      ("big5", [0xA4, 0xA4], "中"), ("euc-kr", [0xC7, 0xD1], "한"), ("KOI8-R", [0xC4], "д"),
      ("koi8-u", [0xA6], "і"), ("iso-8859-5", [0xD4], "д"), ("iso-8859-7", [0xE1], "α"),
      ("iso-8859-9", [0xFE], "ş"), ("iso-8859-15", [0xA4], "€"), ("windows-1255", [0xE0], "א"),
      ("windows-1256", [0xC7], "ا"), ("windows-1257", [0xE0], "ą"), ("windows-1258", [0xFD], "ư"),
      ("iso-8859-1", [0xE4], "ä"), ("utf-16le", [0xE4, 0x00], "ä"), ("windows-1252", [], ""),
    ] as [(String, [UInt8], String)]
  )
  func `a text has the characters of its character set`(
    charset: String,
    bytes: [UInt8],
    text: String
  ) throws {
    #expect(try TextEncoding.text(Data(bytes), charset: charset) == text)
    #expect(try TextEncoding.text(Data([0] + bytes).dropFirst(), charset: charset) == text)
  }

  #if !canImport(Darwin)
  @Test(
    arguments: [
      ("gbk", [0xD6, 0xD0, 0x80], "中€"), ("big5", [0xA1, 0x5A], "╴"),
      ("euc-jp", [0xA4, 0xA2, 0xAD, 0xA1, 0xAD, 0xEA], "あ①㈱"), ("euc-jp", [0xA1, 0xC1], "～"),
      ("iso-2022-jp", [0x1B, 0x28, 0x49, 0x36, 0x3D], "ｶｽ"),
    ] as [(String, [UInt8], String)]
  )
  func `a text has characters that only a related set has`(
    charset: String,
    bytes: [UInt8],
    text: String
  ) throws {
    #expect(try TextEncoding.text(Data(bytes), charset: charset) == text)
  }
  #endif

  @Test(
    arguments: [
      ("shift_jis", [0x83]), ("euc-jp", [0xA5]), ("utf-8", [0xFF]), ("utf-16", [0, 0x41, 0]),
      ("utf-16le", [0x41]), ("utf-8", [0xFF, 0xFE, 0x41]), ("utf-32", [0, 0, 0, 0x41, 0, 0]),
    ] as [(String, [UInt8])]
  )
  func `a text that ends in the middle of a character, or is none, is an error`(
    charset: String,
    bytes: [UInt8]
  ) {
    #expect(throws: (any Error).self) { try TextEncoding.text(Data(bytes), charset: charset) }
  }

  #if !canImport(Darwin)
  @Test func `the C library decodes what FoundationEssentials cannot`() throws {
    #expect(try LegacyText.text(Data([0x83, 0x65]), charset: "CP932") == "テ")
    #expect(try LegacyText.text(Data([0x83]), charset: "CP932") == nil)
  }

  @Test func `a character set that the C library does not have is not an error of the text`() {
    let error = #expect(throws: DecodingFailure.Reason.self) {
      try LegacyText.text(Data([0x41]), charset: "no such set")
    }
    #expect(error?.text == "the system does not have the character set “no such set”")
  }
  #endif
}
