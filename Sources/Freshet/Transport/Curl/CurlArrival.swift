#if !canImport(Darwin)
/// The amount received of a response, from which its end is known where libcurl does not report it.
///
/// A server may answer before it has read the body, and need not read it then (RFC 9112 section 9.3,
/// RFC 9113 section 8.1). libcurl would continue to send, forever if the server does not read.
struct CurlArrival {
  /// The number of body bytes received so far, as they are on the wire.
  var count: Int64 = 0
  /// The number of body bytes expected, if it is known; it is noted if the request has a body.
  var length: Int64?
  /// A Boolean value that indicates whether the body is chunked; only libcurl sees its end then.
  var isChunked = false

  /// The time of the last turn of the loop with bytes, and their number.
  private var turn: (time: UInt64, count: Int64) = (0, 0)
  /// The number of further turns with bytes after which libcurl may know more than it has delivered.
  private var doubts = 0

  /// A Boolean value that indicates whether the whole response has arrived.
  var isWhole: Bool { length == count && !isChunked }

  /// A Boolean value that indicates whether bytes of a known number are missing.
  var isIncomplete: Bool { length != nil && !isChunked && !isWhole }

  /// Counts bytes of the body.
  ///
  /// - Returns: A Boolean value that indicates whether libcurl may have stopped in the middle of what it has
  ///   read, see ``CurlLoop/lookAgain(at:)``. It stops at a full buffer, which the head shares, and again behind
  ///   what did not fit into it.
  mutating func add(
    _ bytes: Int,
    behind head: Int,
    at time: UInt64,
    readSize: Int
  ) -> Bool {
    count += Int64(bytes)
    if turn.time != time {
      turn = (time, Int64(head))
      doubts = max(0, doubts - 1)
    }
    turn.count += Int64(bytes)
    if turn.count >= readSize { doubts = 3 }
    return doubts > 0
  }
}

extension CurlHandle {
  /// Begins to count after the head, which may be the end of the response.
  func noteArrival(ofHeadWith status: HTTPStatus?) {
    guard state.upload != nil else { return }
    if status?.endsWithHead == true { state.arrival.length = 0 }
    noteArrival(of: 0)
    guard let exchange, let status, status.rawValue >= 300 else { return }
    // libcurl sends no more of the body after such a status, but would wait for a source that it has paused.
    if state.isSendingPaused {
      loop.mailbox.post(.resumeUpload(exchange.id))
    } else {
      loop.lookAgain(at: self)
    }
  }

  /// Counts bytes of the response's body; after the last one, the rest of the request's body is not needed.
  func noteArrival(of count: Int) {
    let isDoubtful = state.arrival.add(
      count,
      behind: state.lineBytes,
      at: loop.now,
      readSize: loop.readSize
    )
    if isDoubtful { loop.lookAgain(at: self) }
    guard state.upload != nil, state.arrival.isWhole else { return }
    deadlines.isAnswered = true
    if state.isSendingPaused, !state.isReceivingPaused { deadlines.isPaused = false }
    loop.watch(self)
  }
}
#endif
