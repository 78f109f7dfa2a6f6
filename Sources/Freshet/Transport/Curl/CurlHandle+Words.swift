#if !canImport(Darwin)
import CCurl

extension CurlHandle {
  /// Returns the message of libcurl for a failure.
  ///
  /// The error buffer only holds the first failure of a request. If libcurl has sent the request again
  /// since, that is the failure of an abandoned connection; the debug output provides the last one.
  func words(for code: CURLcode) -> String {
    if let heard { return heard }
    return hasSpoken ? String(cString: message) : String(cString: curl_easy_strerror(code))
  }

  /// Enables the debug output, if there was a failure and libcurl has continued nevertheless.
  ///
  /// It is off for nearly all requests, because libcurl writes several lines for each piece of a response.
  func listenIfNeeded() {
    guard hasSpoken, !isListening else { return }
    isListening = true
    setVerbosity()
  }

  func stopListening() {
    guard isListening || isExamining else { return }
    (isListening, isExamining) = (false, false)
    heard = nil
    setVerbosity()
  }

  func setVerbosity() {
    set(CURLOPT_VERBOSE, isListening || isExamining || isTraced ? 1 : 0)
  }

  func setWordCallback() {
    freshet_easy_set_debug_callback(easy) { _, kind, bytes, count, context in
      let piece = UnsafeMutableRawBufferPointer(start: bytes, count: count)
      CurlHandle.from(context)?.take(piece, kind)
      return 0
    }
    setVerbosity()
  }

  private var isTraced: Bool { loop.configuration.trace != nil }

  private func take(_ piece: UnsafeMutableRawBufferPointer, _ kind: curl_infotype) {
    if isExamining, kind == CURLINFO_HEADER_IN { examine(piece) }
    if isListening, kind == CURLINFO_TEXT { hear(UnsafeRawBufferPointer(piece)) }
    guard let trace = loop.configuration.trace, let kind = CurlTrace(kind) else { return }
    trace(kind, UnsafeRawBufferPointer(piece))
  }

  private func hear(_ line: UnsafeRawBufferPointer) {
    let line = String(decoding: line.prefix { $0 != 0x0A }, as: UTF8.self)
    if CurlFailure.Words(line) != nil { heard = line }
  }

  private var hasSpoken: Bool { message[0] != 0 }
}
#endif
