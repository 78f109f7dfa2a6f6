#if os(Linux)
/// How much of a response has come that was begun while the request's body was still being sent.
///
/// A server may answer before it has read the body, and need not read it then (RFC 9112 section 9.3,
/// RFC 9113 section 8.1). libcurl goes on sending, for ever if nobody reads.
struct CurlArrival {
  /// The bytes of the body, as they are sent.
  var count: Int64 = 0
  /// How many there will be, if that is known.
  var length: Int64?
  /// Whether it comes in chunks, whose end only libcurl sees.
  var isChunked = false

  /// Whether nothing is missing.
  var isWhole: Bool { length == count && !isChunked }
}

extension CurlHandle {
  /// Begins to count when the head has come, with which the response may end.
  func noteArrival(ofHeadWith status: HTTPStatus?) {
    guard upload != nil else { return }
    if status?.endsWithHead == true { arrival.length = 0 }
    noteArrival(of: 0)
  }

  /// Counts bytes of the response's body; with the last one, the rest of the request's need not go.
  func noteArrival(of count: Int) {
    guard upload != nil else { return }
    arrival.count += Int64(count)
    guard arrival.isWhole else { return }
    deadlines.isAnswered = true
    loop.watch(self)
  }
}
#endif
