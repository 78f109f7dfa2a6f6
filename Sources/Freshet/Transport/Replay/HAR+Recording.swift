import FreshetEssentials

extension HAR.Entry {
  init(_ recording: RecordedExchange, by recorder: HARRecorder) {
    let metrics = recording.metrics
    self.init(
      startedDateTime: recording.began.formatted(
        .iso8601.year().month().day().time(includingFractionalSeconds: true)
          .timeZone(
            separator: .omitted
          )
      ),
      time: metrics.total.milliseconds,
      request: HAR.Request(recording.request, version: metrics.networkProtocol, recorder),
      response: HAR.Response(recording, recorder),
      timings: HAR.Written(HAR.Timings(metrics)),
      comment: recording.comment.map(HAR.Written.init)
    )
  }
}

extension HAR.Timings {
  init(_ metrics: TransferMetrics) {
    dns = metrics.nameLookup.milliseconds
    // The handshake is a part of it, as the format wants it.
    connect = ((metrics.tls ?? metrics.connect) - metrics.nameLookup).milliseconds
    ssl = metrics.tls.map { ($0 - metrics.connect).milliseconds } ?? -1
    send = 0
    wait = (metrics.firstByte - (metrics.tls ?? metrics.connect)).milliseconds
    receive = (metrics.total - metrics.firstByte).milliseconds
  }
}

extension HAR.Request {
  init(_ request: Request, version: String, _ recorder: HARRecorder) {
    let rules = request.secretRules(recorder.rules)
    // An archive has URLs without fragments, which are not sent.
    let url = rules.redacted(url: String(request.url.absoluteString.prefix { $0 != "#" }))
    self.init(
      method: request.method.rawValue,
      url: url,
      httpVersion: version,
      headers: rules.redacted(request.headers)
        .map { .init(name: $0.name.rawValue, value: $0.value) },
      queryString: HAR.Pair.query(of: url),
      postData: request.body.map { HAR.PostData($0, of: request, recorder) },
      bodySize: request.body.map { $0.length ?? -1 } ?? 0
    )
  }
}

extension HAR.Pair {
  static func query(of url: String) -> [HAR.Pair] {
    let items = URLComponents(string: url)?.queryItems ?? []
    return items.map { HAR.Pair(name: $0.name, value: $0.value ?? "") }
  }
}

extension HAR.PostData {
  init(_ body: RequestBody, of request: Request, _ recorder: HARRecorder) {
    let type = request.headers[.contentType] ?? body.contentType?.description ?? ""
    mimeType = recorder.rules.values.redacted(type) ?? type
    guard let bytes = body.recordable(limit: recorder.maximumBodySize) else {
      comment = HAR.Written("The body was too large to record, or a stream.")
      return
    }
    let shown = request.secretRules(recorder.rules).shown(body: bytes, contentType: type)
    let recorded = shown.recorded
    (text, bytesEncoding) = (recorded.text, recorded.encoding)
    comment = recorded.comment.map(HAR.Written.init)
    if case .withheld(let withheld) = shown { digest = withheld.digest.hex }
  }
}

extension ShownBody {
  /// The text, its encoding, and the comment of an archive.
  fileprivate var recorded: (text: String?, encoding: String?, comment: String?) {
    switch self {
    case .text(let text): (text, nil, nil)
    case .bytes(let bytes): (bytes.base64EncodedString(), "base64", nil)
    case .withheld(let body): (nil, nil, "The body was not understood, and is not shown: \(body).")
    }
  }
}

extension RequestBody {
  /// Returns the bytes of the body, unless they exceed the limit or can be read only once.
  func recordable(limit: Int) -> Data? {
    switch source {
    case .bytes(let data): data.count <= limit ? data : nil
    case .file(let url): try? ResourceBody(BodyFile(opening: url)).data(limit: limit)
    case .stream: nil
    }
  }
}

extension HAR.Response {
  init(_ recording: RecordedExchange, _ recorder: HARRecorder) {
    let rules = recording.request.responseRules(recorder.rules, for: recording.head)
    let headers = rules.redacted(recording.head?.headers ?? [:])
    self.init(
      status: recording.head?.status.rawValue ?? 0,
      statusText: "",
      httpVersion: recording.metrics.networkProtocol,
      headers: headers.map { .init(name: $0.name.rawValue, value: $0.value) },
      content: HAR.Content(recording, rules),
      redirectURL: headers[.location] ?? "",
      bodySize: recording.metrics.bytesReceived,
      failure: recording.error?.description
    )
  }
}

extension HAR.Content {
  init(_ recording: RecordedExchange, _ rules: SecretRules) {
    size = recording.bodySize
    let type = recording.head?.headers[.contentType] ?? ""
    mimeType = rules.values.redacted(type) ?? type
    guard recording.bodySize == Int64(recording.body.count) else {
      comment = "The body was too large to record."
      return
    }
    (text, encoding, comment) = rules.shown(body: recording.body, contentType: type).recorded
  }
}

extension Duration {
  fileprivate var milliseconds: Double { max(0, self / .milliseconds(1)) }
}
