import Freshet

/// Advice for the user of a terminal about an error.
enum Advice {
  #if canImport(Darwin)
  static let authority = "install the server's authority"
  #else
  static let authority = "install the server's authority, or give its file with --cacert"
  #endif

  static func text(for error: FreshetError) -> String? {
    switch error {
    case .connection(.proxy, _): "check http_proxy, https_proxy and no_proxy"
    case .insecure: "check the clock, and \(authority)"
    case .notStored: "remove '--offline', or fetch it into the store first"
    case .corrupted:
      "its digest or length differs from the server's, or from '--sha256'; fetch it again"
    case .store: "run 'freshet store verify --store DIR'"
    case .status(let head, _) where head.status == 401 || head.status == 403:
      "send credentials with --user, or with -H 'Authorization: …'"
    case .timedOut(.total, _): "allow more with --max-time"
    case .timedOut(.connect, _): "check the network, or allow more with --connect-timeout"
    default: nil
    }
  }
}
