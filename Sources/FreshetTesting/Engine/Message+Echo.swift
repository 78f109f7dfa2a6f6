import Freshet
import FreshetEssentials

extension LoopbackServer.Message {
  private struct Echo: Encodable {
    let method: String
    let target: String
    let headers: [[String]]
    let bodyLength: Int64
    let body: String?
    let bodyBase64: String?
  }

  /// The request as JSON.
  static func echo(_ request: LoopbackServer.ReceivedRequest) -> Self {
    let text = String(data: request.body, encoding: .utf8)
    let echo = Echo(
      method: request.method.rawValue,
      target: request.target,
      headers: request.headers.map { [$0.name.rawValue, $0.value] },
      bodyLength: request.bodyLength,
      body: text,
      bodyBase64: text == nil ? request.body.base64EncodedString() : nil
    )
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(echo) else {
      return Self(status: 500)
    }
    return Self(status: .ok, headers: [.contentType: "application/json"], body: .bytes(json))
  }
}
