#if !canImport(Darwin)
import CCurl

/// The amount that a proxy has sent to refuse a tunnel.
///
/// libcurl reads the body of a 407 byte by byte, as long as bytes are there, and answers each challenge. A proxy
/// that does not stop would stop all transfers of the loop, and their deadlines.
struct CurlRefusals {
  private var bytes = 0
  private var attempts = 0
  /// The number of bytes that had been sent before the last byte.
  private var sent = 0

  /// Counts a byte.
  ///
  /// - Parameter sent: The number of bytes sent by now, which grows with each attempt.
  /// - Returns: A Boolean value that indicates whether the proxy may send more.
  mutating func addByte(sent: Int) -> Bool {
    bytes += 1
    if sent != self.sent {
      self.sent = sent
      attempts += 1
    }
    return bytes <= Self.byteLimit && attempts <= Self.attemptLimit
  }

  /// The largest number of bytes: 128 KiB, far more than a page that explains a refusal.
  private static let byteLimit = 128 * 1024
  /// The largest number of attempts; a login needs two, and one more for a nonce that is too old.
  private static let attemptLimit = 10
}

extension CurlHandle {
  /// Has the refusals of a proxy limited; its requests are the only ones for which libcurl reports progress.
  func setRefusalLimit(_ proxy: CurlTransport.Proxy) {
    set(CURLOPT_NOPROGRESS, proxy == .none ? 1 : 0)
    guard proxy != .none else { return }
    // libcurl calls it for each byte of the answer to CONNECT.
    freshet_easy_set_progress_callback(easy) { context, _, _, _, _ in
      CurlHandle.from(context)?.mayBeRefused() == false ? 1 : 0
    }
    set(CURLOPT_XFERINFODATA, pointer: Unmanaged.passUnretained(self).toOpaque())
  }

  private func mayBeRefused() -> Bool {
    // It is that of the last tunnel, once there is one, and no body is read after any other.
    guard number(CURLINFO_HTTP_CONNECTCODE) == 407, let exchange else { return true }
    guard !state.refusals.addByte(sent: number(CURLINFO_REQUEST_SIZE)) else { return true }
    state.failure = .connection(.proxy, url: exchange.shownURL)
    return false
  }
}
#endif
