import Foundation
import Freshet
import FreshetTesting

/// The heads of responses as lines, as `-i` and `-I` write them.
///
/// The words behind the status are those of the standards: those of the server are not known any more.
enum HeadText {
  /// The lines of heads, each set ended by an empty one.
  ///
  /// - Parameters:
  ///   - heads: The heads, in the order in which they came.
  ///   - version: The name of the protocol, such as `h2`; HTTP/1.1 if it is `nil`.
  ///   - isShown: `true` if they go to a terminal, which must not get control characters.
  /// - Returns: The lines, each with its end.
  static func data(_ heads: [ResponseHead], version: String?, isShown: Bool) -> Data {
    var text = ""
    for head in heads {
      for line in lines(of: head, version: version) {
        text += isShown ? Printable.line(line) : line
        text += "\r\n"
      }
      text += "\r\n"
    }
    return Data(text.utf8)
  }

  private static func lines(of head: ResponseHead, version: String?) -> [String] {
    [statusLine(head.status, version)] + head.headers.map { "\($0.name): \($0.value)" }
  }

  private static func statusLine(_ status: HTTPStatus, _ version: String?) -> String {
    switch version {
    case "h2": "HTTP/2 \(status) "
    case "h3": "HTTP/3 \(status) "
    case "http/1.0": "HTTP/1.0 \(status) \(status.phrase)"
    default: "HTTP/1.1 \(status) \(status.phrase)"
    }
  }
}
