#if !canImport(Darwin)
import CCurl
import FreshetEssentials

extension CurlHandle {
  /// A Boolean value that indicates whether bytes of the request's body wait to be sent.
  var isSending: Bool {
    guard let upload = state.upload else { return false }
    return !state.isSendingPaused && !state.hasReadEnd && state.uploaded != upload.length
  }

  /// Fills a buffer with bytes of the request's body.
  ///
  /// - Returns: The number of bytes, 0 at the end, `CURL_READFUNC_PAUSE` or `CURL_READFUNC_ABORT`.
  func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let exchange, let upload = state.upload else { return Int(CURL_READFUNC_ABORT) }
    guard !state.hasServerEnded else { return 0 }
    let count: Int
    switch upload {
    case .bytes(let data):
      let start = data.startIndex + Int(state.uploaded)
      count = data.copyBytes(to: buffer, from: start..<data.endIndex)
    case .file(let file):
      do {
        count = try file.read(at: state.uploaded, into: buffer)
      } catch {
        state.failure = error
        return Int(CURL_READFUNC_ABORT)
      }
    case .stream(let pipe):
      let (mailbox, id) = (loop.mailbox, exchange.id)
      switch pipe.read(into: buffer, wake: { mailbox.post(.resumeUpload(id)) }) {
      case .bytes(let read): count = read
      case .end: count = 0
      case .nothing:
        if Self.asksBehindBytes, isBehindBytes(buffer) { return 0 }
        state.isSendingPaused = true
        if waitsForSource { deadlines.isPaused = true }
        return Int(CURL_READFUNC_PAUSE)
      case .failed(let error):
        state.failure = error
        return Int(CURL_READFUNC_ABORT)
      }
    }
    // libcurl may ask again for the end of a body whose length it does not know.
    if count > 0 || !state.hasReadEnd {
      deadlines.lastActivity = loop.now
      loop.bodyReads += 1
    }
    state.hasReadEnd = count == 0
    report(count, of: upload, to: exchange)
    // The response may have ended before. libcurl may ask again in each run until all is sent.
    if deadlines.hasHead, !state.isLookedAt, count == 0 || state.uploaded == upload.length {
      loop.lookAgain(at: self)
    }
    state.isLookedAt = false
    return count
  }

  /// Returns whether bytes that are still to be sent stand before a buffer of libcurl.
  ///
  /// libcurl 7.88 asks for more behind fewer than 8 KiB. It would not send them before the pause ends, and takes
  /// 0 bytes behind them for no end. A chunk of HTTP/1.1 leaves 12 bytes for its frame.
  private func isBehindBytes(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    buffer.count < Self.bufferSize && buffer.count != Self.bufferSize - 12
  }

  private static let asksBehindBytes =
    curl_version_info(CURLVERSION_FIRST).map { $0.pointee.version_num < 0x08_0000 } ?? false

  /// Prepares the body to be sent from its beginning.
  ///
  /// - Returns: `false` if it cannot be read again.
  func rewindBody() -> Bool {
    guard state.uploaded == 0 || rewind(to: 0) == Int(CURL_SEEKFUNC_OK) else { return false }
    state.isSendingPaused = false
    return true
  }

  /// Rewinds the body, if libcurl has to send it again.
  func rewind(to offset: Int64) -> Int {
    switch state.upload {
    case .bytes, .file:
      state.uploaded = offset
    case .stream where state.uploaded == offset:
      break
    case .stream(let pipe) where offset == 0 && exchange?.request.body?.isReplayable == true:
      pipe.close()
      state.upload = .stream(pipe.again())
      state.uploaded = 0
    default:
      return Int(CURL_SEEKFUNC_CANTSEEK)
    }
    return Int(CURL_SEEKFUNC_OK)
  }

  private func report(_ count: Int, of upload: CurlBody, to exchange: CurlExchange) {
    guard count > 0 else { return }
    state.uploaded += Int64(count)
    let progress = TransferProgress(sent: state.uploaded, total: upload.length)
    if exchange.receive(sent: progress) { loop.wake(exchange) }
  }
}
#endif
