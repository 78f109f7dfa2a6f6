#if !canImport(Darwin)
import CCurl
import FreshetEssentials

extension CurlHandle {
  /// Fills a buffer with bytes of the request's body.
  ///
  /// - Returns: The number of bytes, 0 at the end, `CURL_READFUNC_PAUSE` or `CURL_READFUNC_ABORT`.
  func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let exchange, let upload else { return Int(CURL_READFUNC_ABORT) }
    guard !hasServerEnded else { return 0 }
    let count: Int
    switch upload {
    case .bytes(let data):
      let start = data.startIndex + Int(uploaded)
      count = data.copyBytes(to: buffer, from: start..<data.endIndex)
    case .file(let file):
      do {
        count = try file.read(at: uploaded, into: buffer)
      } catch {
        failure = error
        return Int(CURL_READFUNC_ABORT)
      }
    case .stream(let pipe):
      switch read(pipe, for: exchange.id, into: buffer) {
      case .bytes(let read): count = read
      case .end: count = 0
      case .nothing:
        isSendingPaused = true
        if waitsForSource { deadlines.isPaused = true }
        return Int(CURL_READFUNC_PAUSE)
      case .failed(let error):
        failure = error
        return Int(CURL_READFUNC_ABORT)
      }
    }
    // libcurl may ask again for the end of a body whose length it does not know.
    if count > 0 || !hasReadEnd {
      deadlines.lastActivity = loop.now
      loop.bodyReads += 1
    }
    hasReadEnd = count == 0
    report(count, of: upload, to: exchange)
    // The response may have ended before. libcurl may ask again in each run until all is sent.
    if deadlines.hasHead, !isLookedAt, count == 0 || uploaded == upload.length {
      loop.lookAgain(at: self)
    }
    isLookedAt = false
    return count
  }

  /// Rewinds the body, if libcurl has to send it again.
  func rewind(to offset: Int64) -> Int {
    switch upload {
    case .bytes, .file:
      uploaded = offset
    case .stream where uploaded == offset:
      break
    case .stream(let pipe) where offset == 0 && exchange?.request.body?.isReplayable == true:
      pipe.close()
      upload = .stream(pipe.again())
      uploaded = 0
    default:
      return Int(CURL_SEEKFUNC_CANTSEEK)
    }
    return Int(CURL_SEEKFUNC_OK)
  }

  private func read(
    _ pipe: CurlPipe,
    for id: Int,
    into buffer: UnsafeMutableRawBufferPointer
  ) -> CurlPipe.Reading {
    let mailbox = loop.mailbox
    return pipe.read(into: buffer) { mailbox.post(.resumeUpload(id)) }
  }

  private func report(_ count: Int, of upload: CurlBody, to exchange: CurlExchange) {
    guard count > 0 else { return }
    uploaded += Int64(count)
    let progress = TransferProgress(completed: uploaded, total: upload.length)
    if exchange.receive(sent: progress) { loop.wake(exchange) }
  }
}
#endif
