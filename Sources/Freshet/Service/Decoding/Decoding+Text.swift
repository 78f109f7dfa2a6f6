public import FreshetEssentials

extension Decoding where Value == String {
  /// Decodes text, in the character set of `Content-Type`, or else in UTF-8.
  ///
  /// - A byte order mark has precedence and is left out. An empty body is the empty text.
  /// - Bytes that are invalid in the character set, and an unknown character set, are an error. Known are those of
  ///   Unicode, ASCII, ISO 8859-1, -2, -5, -7, -9 and -15, `windows-1250` to `-1258`, `koi8-r`, `koi8-u`, `shift_jis`,
  ///   `euc-jp`, `iso-2022-jp`, `gb18030` with `gbk` and `gb2312`, `big5`, and `euc-kr`.
  public static var text: Decoding {
    Decoding { source in
      let charset = source.head?.headers[.contentType].flatMap { MediaType($0)?["charset"] }
      return Outcome(value: try TextEncoding.text(source.data, charset: charset))
    }
  }
}

extension Decoding where Value == Data {
  /// Returns the bytes unchanged.
  public static var bytes: Decoding { Decoding { source in Outcome(value: source.data) } }
}
