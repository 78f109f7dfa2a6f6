import Freshet
import FreshetEssentials

/// The decision whether a request may be answered; a function of the request alone.
///
/// - The `Host` has to be one of the inspector's, so that no other name that resolves to this machine reaches it (DNS
///   rebinding).
/// - `Origin` and `Sec-Fetch-Site`, which browsers send and scripts cannot change, have to name the same origin. Only a
///   typed URL has none.
/// - The first segment of the path has to be the token, which is compared in a time that does not depend on its content.
/// - What changes something has to be a `POST` with an `Origin` and with a field that no form can send.
struct AccessCheck: Sendable {
  let token: String
  let hosts: Set<String>

  /// The field that a request carries which changes something.
  static let field: HTTPHeaders.Name = "X-Freshet-Inspector"

  /// Returns the status of the refusal; `nil` if the request may be answered.
  func refusal(of request: InspectorRequest) -> HTTPStatus? {
    let hosts = request.headers[values: .host]
    guard hosts.count == 1, let host = hosts.first?.lowercased(), self.hosts.contains(host) else {
      return .misdirectedRequest
    }
    guard request.method == .get || request.method == .post else { return .methodNotAllowed }
    let origins = request.headers[values: .origin].map { $0.lowercased() }
    guard origins.allSatisfy({ $0 == "http://\(host)" || $0 == "https://\(host)" }) else {
      return .forbidden
    }
    let sites = request.headers[values: "Sec-Fetch-Site"].map { $0.lowercased() }
    guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { return .forbidden }
    guard Self.isEqual(token.utf8, (request.segments.first ?? "").utf8) else { return .notFound }
    if request.method == .post {
      guard origins.count == 1, request.headers[Self.field] == "1" else { return .forbidden }
    }
    return nil
  }

  /// Compares in a time that depends on the lengths only.
  static func isEqual(_ token: String.UTF8View, _ candidate: Substring.UTF8View) -> Bool {
    guard token.count == candidate.count else { return false }
    var difference: UInt8 = 0
    for (left, right) in zip(token, candidate) { difference |= left ^ right }
    return difference == 0
  }
}

extension HTTPStatus {
  fileprivate static let misdirectedRequest = HTTPStatus(421)
  fileprivate static let methodNotAllowed = HTTPStatus(405)
  fileprivate static let forbidden = HTTPStatus(403)
}
