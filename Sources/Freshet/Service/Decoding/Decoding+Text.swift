public import Foundation

extension Decoding where Value == String {
  /// Text, in the character set that `Content-Type` names, or else in UTF-8.
  ///
  /// A byte order mark beats both and is left out. An empty body is the empty text. Bytes that the
  /// character set does not have, and a character set that is not known, are an error.
  public static var text: Decoding {
    Decoding { source in
      let charset = source.head?.headers[.contentType].flatMap { MediaType($0)?["charset"] }
      return Outcome(value: try TextEncoding.text(source.data, charset: charset))
    }
  }
}

extension Decoding where Value == Data {
  /// The bytes as they are.
  public static var bytes: Decoding {
    Decoding { source in Outcome(value: source.data) }
  }
}
