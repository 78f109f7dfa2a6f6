/// The authentication at a proxy that a request takes part in.
///
/// A transport that has it delivers the refusal of a tunnel as a response with status 407, and answers
/// the proxy's challenges by the login where the tunnel is its own work.
final class ProxyAuthentication: Sendable {
  let login: Login?

  init(login: Login?) {
    self.login = login
  }
}

extension Request {
  /// A Boolean value that indicates whether a proxy makes a tunnel for the request.
  var isTunneled: Bool { isUpgrade || URLOrigin(url)?.scheme == "https" }
}
