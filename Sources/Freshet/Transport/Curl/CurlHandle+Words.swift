#if os(Linux)
import CCurl

extension CurlHandle {
  /// What libcurl said of the failure.
  ///
  /// It writes down only the first failure of a request. If it has sent the request again since, that
  /// is the one of a connection that it has given up, and what it says of the last one is listened to.
  func words(for code: CURLcode) -> String {
    if let heard { return heard }
    return hasSpoken ? String(cString: message) : String(cString: curl_easy_strerror(code))
  }

  /// Listens from now on, if there was a failure and libcurl goes on all the same.
  ///
  /// Nearly no request has it: libcurl tells much, and for each piece of a response.
  func listenIfNeeded() {
    guard hasSpoken, !isListening else { return }
    isListening = true
    set(CURLOPT_VERBOSE, 1)
  }

  func stopListening() {
    guard isListening else { return }
    isListening = false
    heard = nil
    set(CURLOPT_VERBOSE, 0)
  }

  func setWordCallback() {
    freshet_easy_set_debug_callback(easy) { _, kind, text, count, context in
      guard kind == CURLINFO_TEXT else { return 0 }
      CurlHandle.from(context)?.hear(UnsafeRawBufferPointer(start: text, count: count))
      return 0
    }
  }

  private func hear(_ line: UnsafeRawBufferPointer) {
    let line = String(decoding: line.prefix { $0 != 0x0A }, as: UTF8.self)
    if CurlFailure.Words(line) != nil { heard = line }
  }

  private var hasSpoken: Bool { message[0] != 0 }
}
#endif
