import Freshet

/// Advice for the user of a terminal about an error.
enum Advice {
  static func text(for error: FreshetError) -> String? {
    switch error {
    case .connection(.refused, _): "nothing listens there; check the host and the port"
    case .connection(.unknownHost, _): "check the spelling of the host, and the network"
    case .connection(.proxy, _): "check http_proxy, https_proxy and no_proxy"
    case .insecure: "check the clock, and whether the server's authority is installed"
    case .notStored: "leave '--offline' out, or fetch it into the store first"
    case .corrupted:
      "the body has another digest or length than the server, or '--sha256', says; fetch it again"
    case .store: "see 'freshet store verify --store DIR'"
    case .status(let head, _) where head.status == 401 || head.status == 403:
      "send credentials with -H 'Authorization: …'"
    default: nil
    }
  }
}
