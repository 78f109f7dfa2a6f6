#if !canImport(Darwin)
/// The amount received of a response that began while the request's body was still being sent.
///
/// A server may answer before it has read the body, and need not read it then (RFC 9112 section 9.3,
/// RFC 9113 section 8.1). libcurl would continue to send, forever if the server does not read.
struct CurlArrival {
  /// The number of body bytes received so far, as they are on the wire.
  var count: Int64 = 0
  /// The number of body bytes expected, if it is known.
  var length: Int64?
  /// A Boolean value that indicates whether the body is chunked; only libcurl sees its end then.
  var isChunked = false

  /// A Boolean value that indicates whether the whole response has arrived.
  var isWhole: Bool { length == count && !isChunked }
}

extension CurlHandle {
  /// Begins to count after the head, which may be the end of the response.
  func noteArrival(ofHeadWith status: HTTPStatus?) {
    guard upload != nil else { return }
    if status?.endsWithHead == true { arrival.length = 0 }
    noteArrival(of: 0)
    guard let exchange, let status, status.rawValue >= 300 else { return }
    // libcurl sends no more of the body after such a status, but would wait for a source that it has paused.
    if isSendingPaused {
      loop.mailbox.post(.resumeUpload(exchange.id))
    } else {
      loop.lookAgain(at: self)
    }
  }

  /// Counts bytes of the response's body; after the last one, the rest of the request's body is not needed.
  func noteArrival(of count: Int) {
    arrival.count += Int64(count)
    // Only a full buffer can have made libcurl stop in the middle of what it had read.
    if arrival.count >= Self.bufferSize { loop.lookAgain(at: self) }
    guard upload != nil, arrival.isWhole else { return }
    deadlines.isAnswered = true
    if isSendingPaused, !isReceivingPaused { deadlines.isPaused = false }
    loop.watch(self)
  }
}
#endif
