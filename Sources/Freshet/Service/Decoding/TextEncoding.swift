import FreshetEssentials

/// The character sets of texts.
enum TextEncoding {
  static func text(_ data: Data, charset: String?) throws -> String {
    let (encoding, markLength) = try mark(of: data) ?? (encoding(named: charset), 0)
    guard let text = try text(data.dropFirst(markLength), encoding) else {
      throw DecodingFailure.Reason("the body is not text in \(charset ?? "utf-8")")
    }
    return text
  }

  private static func text(_ data: Data, _ encoding: String.Encoding) throws -> String? {
    #if !canImport(Darwin)
    if let name = legacyNames[encoding] {
      let text = try LegacyText.text(data, charset: name)
      guard text == nil, let other = otherNames[name] else { return text }
      return try LegacyText.text(data, charset: other)
    }
    #endif
    // Foundation leaves out an incomplete unit at the end.
    guard data.count.isMultiple(of: unitLength(of: encoding)) else { return nil }
    return String(data: data, encoding: encoding)
  }

  /// Returns the number of bytes of which an encoding makes characters.
  private static func unitLength(of encoding: String.Encoding) -> Int {
    switch encoding {
    case .utf16LittleEndian, .utf16BigEndian: 2
    case .utf32LittleEndian, .utf32BigEndian: 4
    default: 1
    }
  }

  #if !canImport(Darwin)
  /// The names in the C library of character sets that FoundationEssentials does not have.
  ///
  /// `ISO-2022-JP` would keep the escape sequence of half-width kana as text; `ISO-2022-JP-3` contains it.
  private static let legacyNames: [String.Encoding: String] = [
    .isoLatin2: "ISO-8859-2", .windowsCP1250: "CP1250", .windowsCP1251: "CP1251",
    .windowsCP1252: "CP1252", .windowsCP1253: "CP1253", .windowsCP1254: "CP1254",
    .shiftJIS: "CP932", .japaneseEUC: "EUC-JP-MS", .iso2022JP: "ISO-2022-JP-3",
    .isoCyrillic: "ISO-8859-5", .isoGreek: "ISO-8859-7", .isoLatin9: "ISO-8859-15",
    .windowsCP1255: "CP1255", .windowsCP1256: "CP1256", .windowsCP1257: "CP1257",
    .windowsCP1258: "CP1258", .koi8R: "KOI8-R", .koi8U: "KOI8-U",
    .gb18030: "GB18030", .big5: "BIG5-HKSCS", .korean: "CP949",
  ]

  /// The names of the sets with characters that others lack: the euro sign as one byte, and a dash.
  private static let otherNames = ["GB18030": "GBK", "BIG5-HKSCS": "CP950"]
  #endif

  static func mark(of data: Data) -> (String.Encoding, Int)? {
    if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if data.starts(with: [0xFF, 0xFE, 0x00, 0x00]) { return (.utf32LittleEndian, 4) }
    if data.starts(with: [0x00, 0x00, 0xFE, 0xFF]) { return (.utf32BigEndian, 4) }
    if data.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    if data.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    return nil
  }

  private static func encoding(named charset: String?) throws -> String.Encoding {
    guard let charset else { return .utf8 }
    guard let encoding = encodings[ASCII.lowercased(charset)] else {
      throw DecodingFailure.Reason("the character set “\(charset.prefix(32))” is not known")
    }
    return encoding
  }

  private static let encodings: [String: String.Encoding] = [
    "utf-8": .utf8, "utf8": .utf8,
    "us-ascii": .ascii, "ascii": .ascii,
    "iso-8859-1": .isoLatin1, "latin1": .isoLatin1,
    "iso-8859-2": .isoLatin2, "latin2": .isoLatin2,
    "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251,
    "windows-1252": .windowsCP1252, "windows-1253": .windowsCP1253,
    "windows-1254": .windowsCP1254,
    "utf-16": .utf16BigEndian, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
    "utf-32": .utf32BigEndian, "utf-32be": .utf32BigEndian, "utf-32le": .utf32LittleEndian,
    "shift_jis": .shiftJIS, "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP,
    "iso-8859-5": .isoCyrillic, "iso-8859-7": .isoGreek, "iso-8859-9": .windowsCP1254,
    "iso-8859-15": .isoLatin9,
    "windows-1255": .windowsCP1255, "windows-1256": .windowsCP1256,
    "windows-1257": .windowsCP1257, "windows-1258": .windowsCP1258,
    "koi8-r": .koi8R, "koi8-u": .koi8U,
    // Each of these is read as the larger set that contains it, as browsers do.
    "gb2312": .gb18030, "gbk": .gb18030, "gb18030": .gb18030,
    "big5": .big5, "big5-hkscs": .big5, "euc-kr": .korean, "ks_c_5601-1987": .korean,
  ]
}

/// Encodings without a constant in Foundation, which has them by their numbers in Core Foundation.
extension String.Encoding {
  fileprivate static let isoCyrillic = coreFoundation(0x0205)
  fileprivate static let isoGreek = coreFoundation(0x0207)
  fileprivate static let isoLatin9 = coreFoundation(0x020F)
  fileprivate static let windowsCP1255 = coreFoundation(0x0505)
  fileprivate static let windowsCP1256 = coreFoundation(0x0506)
  fileprivate static let windowsCP1257 = coreFoundation(0x0507)
  fileprivate static let windowsCP1258 = coreFoundation(0x0508)
  fileprivate static let koi8R = coreFoundation(0x0A02)
  fileprivate static let koi8U = coreFoundation(0x0A08)
  fileprivate static let gb18030 = coreFoundation(0x0632)
  fileprivate static let big5 = coreFoundation(0x0A06)
  fileprivate static let korean = coreFoundation(0x0422)

  private static func coreFoundation(_ number: UInt) -> String.Encoding {
    String.Encoding(rawValue: 0x8000_0000 | number)
  }
}
