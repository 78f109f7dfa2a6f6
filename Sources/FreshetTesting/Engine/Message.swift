import Freshet
import FreshetEssentials

extension LoopbackServer {
  /// A response before it is framed.
  struct Message: Sendable {
    enum Body: Sendable {
      case part(Bytes, Range<Int64>)
      case chunks([Data])
      case endless(Data)

      static func bytes(_ data: Data) -> Body {
        .part(.data(data), 0..<Int64(data.count))
      }

      /// The length in bytes, or `nil` if the response does not announce one.
      var announcedLength: Int64? {
        if case .part(_, let range) = self { Int64(range.count) } else { nil }
      }

      /// The length of the body; `Int64.max` if it never ends.
      var end: Int64 {
        switch self {
        case .part(_, let range): Int64(range.count)
        case .chunks(let chunks): chunks.reduce(0) { $0 + Int64($1.count) }
        case .endless: .max
        }
      }
    }

    var status: HTTPStatus
    var headers: HTTPHeaders = [:]
    var body: Body = .bytes(Data())
    var trailers: HTTPHeaders = [:]
  }
}
