import Foundation
import Freshet

/// Advice for the user of a terminal about an error.
enum Advice {
  #if canImport(Darwin)
  static let authority = "install the server's authority"
  #else
  static let authority = "install the server's authority, or give its file with --cacert"
  #endif

  static func text(
    for error: FreshetError,
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    switch error {
    case .connection(.refused, _): proxy(environment)
    case .connection(.proxy, _): "check http_proxy, https_proxy and no_proxy"
    case .insecure(let reason, _): certificate(reason)
    case .notStored: "remove '--offline', or fetch it into the store first"
    case .corrupted:
      "its digest or length differs from the server's, or from '--sha256'; fetch it again"
    case .store: "run 'freshet store verify --store DIR'"
    case .status(let head, _) where head.status == 401 || head.status == 403:
      "send credentials with --user, or with -H 'Authorization: …'"
    case .status(let head, _) where head.status == .notModified:
      "no condition was sent that it answers: the server, or a proxy, answers another request"
    case .timedOut(.total, _): "allow more with --max-time"
    case .timedOut(.connect, _): "check the network, or allow more with --connect-timeout"
    default: nil
    }
  }

  /// A clock and an authority do not help where the certificate is for another host.
  private static func certificate(_ reason: String) -> String {
    if reason.contains("wrong version number") {
      return "the port may not speak TLS; check it, or whether the URL is to begin with http://"
    }
    if reason.contains("does not match") || reason.contains("no alternative certificate") {
      return "the certificate is for another host; check the name in the URL"
    }
    if reason.contains("certificate file") { return "check the file of --cacert" }
    return "check the clock, and \(authority)"
  }

  /// A refused connection may be that of the proxy, which the error does not tell.
  private static func proxy(_ environment: [String: String]) -> String? {
    #if canImport(Darwin)
    nil
    #else
    ["http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"]
      .first { environment[$0]?.isEmpty == false }
      .map { "or it is the proxy of \($0) that refuses it" }
    #endif
  }
}
