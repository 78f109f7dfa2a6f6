package import FreshetEssentials

// What an observer may show, by the rules of the diagnostics.

extension Request {
  /// The URL without user, password, query and fragment.
  package var shownURL: String { Redaction.shown(url) }

  /// A Boolean value that indicates whether the request can be sent again; a stream is read once only.
  package var canBeSentAgain: Bool {
    if case .stream? = body?.source { false } else { true }
  }

  /// The header fields and the body in a form for logs.
  ///
  /// - Parameter limit: The largest body that is shown, in bytes.
  /// - Returns: The message, without secrets.
  package func shownMessage(limit: Int) -> DiagnosticMessage {
    DiagnosticMessage(self, limit: limit)
  }

  /// Returns the header fields and the body of a response to this request in a form for logs.
  ///
  /// - Parameters:
  ///   - head: The head of the response.
  ///   - body: The body, or its beginning.
  ///   - count: The length of the whole body in bytes.
  ///   - limit: The largest body that is shown, in bytes.
  /// - Returns: The message, without secrets.
  package func shownMessage(
    of head: ResponseHead,
    _ body: Data,
    count: Int64,
    limit: Int
  ) -> DiagnosticMessage {
    DiagnosticMessage(head.headers, body, count: count, limit: limit, secretRules())
  }
}

extension Redirect {
  /// The target without user, password, query and fragment.
  package var shownTarget: String { Redaction.shown(target) }
}

extension URL {
  /// The URL without user, password, query and fragment.
  package var shownInDiagnostics: String { Redaction.shown(self) }
}

extension HARRecorder {
  /// Records an exchange that has ended.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - began: The time of its start.
  ///   - head: The head of the response, if one has arrived.
  ///   - body: The body, or an empty one if it was not kept.
  ///   - bodySize: The length of the whole body in bytes.
  ///   - metrics: The measurements of the transfer.
  ///   - error: The failure, if there was one.
  ///   - comment: A remark for readers of the archive.
  package func record(
    _ request: Request,
    began: Date,
    _ head: ResponseHead?,
    body: Data,
    bodySize: Int64,
    _ metrics: TransferMetrics,
    _ error: FreshetError?,
    comment: String? = nil
  ) {
    var recording = HAR.Recording(request: request, began: began)
    recording.head = head
    recording.body = body
    recording.bodySize = bodySize
    recording.metrics = metrics
    recording.error = error
    recording.comment = comment
    add(HAR.Entry(recording, by: self))
  }
}
