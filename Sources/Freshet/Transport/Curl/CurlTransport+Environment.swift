#if os(Linux)
import Glibc

extension CurlTransport.Proxy {
  /// The same, without an environment that names none: libcurl would ask for each request.
  var settled: Self {
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    guard case .environment = self, names.allSatisfy({ getenv($0) == nil }) else { return self }
    return .none
  }
}
#endif
