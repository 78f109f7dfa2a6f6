import Freshet

/// Advice for the user of a terminal about an error.
enum Advice {
  static func text(for error: FreshetError) -> String? {
    switch error {
    case .connection(.proxy, _): "check http_proxy, https_proxy and no_proxy"
    case .insecure: "check the clock, and whether the server's authority is installed"
    case .notStored: "leave '--offline' out, or fetch it into the store first"
    case .corrupted:
      "the body has another digest or length than the server, or '--sha256', says; fetch it again"
    case .store: "see 'freshet store verify --store DIR'"
    case .status(let head, _) where head.status == 401 || head.status == 403:
      "send credentials with --user, or with -H 'Authorization: …'"
    case .timedOut(.total, _): "allow more with --max-time"
    case .timedOut(.connect, _): "check the network, or allow more with --connect-timeout"
    default: nil
    }
  }
}
