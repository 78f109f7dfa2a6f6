#if !canImport(Darwin)
import CCurl

/// Before 8.1.1, libcurl appends a line that begins with white space to the last field, even if that belongs
/// to the handle's earlier response, whose memory is free. Its debug output has the line before that.
extension CurlHandle {
  /// Has the line after a status line examined.
  func examineNextLine() {
    guard Self.appendsToFreedField else { return }
    isExamining = true
    setVerbosity()
  }

  /// Examines the line after a status line, before libcurl takes it.
  func examine(_ line: UnsafeMutableRawBufferPointer) {
    isExamining = false
    setVerbosity()
    guard let exchange, line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") else {
      return
    }
    // It becomes a field without a name, with which the transfer ends.
    line[0] = UInt8(ascii: ":")
    _ = refuse(CurlFailure.strayLine, exchange)
  }

  /// Returns whether a request needs a handle that has not received a field yet.
  ///
  /// A proxy that refuses a tunnel by a chunked body can send trailers, of which the debug output has nothing.
  /// Those of one transfer are safe: libcurl frees the fields when it begins, and ``beginsAnew(after:)`` refuses to
  /// begin again behind a line.
  static func mustBeNew(for request: Request, through proxy: CurlTransport.Proxy) -> Bool {
    proxy != .none && appendsToFreedField && request.isTunneled
  }

  private static let appendsToFreedField =
    curl_version_info(CURLVERSION_FIRST).map { $0.pointee.version_num < 0x08_0101 } ?? true
}
#endif
