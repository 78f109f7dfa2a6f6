extension Client: RedactedDescribable {
  /// The transport and the base URL, without header fields and parameters.
  public var description: String { configuration.description }
}

extension Client.Configuration: RedactedDescribable {
  /// The transport and the base URL, without header fields and parameters.
  public var description: String {
    let base = baseURL.map { ", at \(Redaction.shown($0))" } ?? ""
    return "client over \(PipelineText.transport(transport))\(base)"
  }
}

extension Batch: CustomReflectable {
  /// The client: only that knows which fields of the requests are secret.
  public var customMirror: Mirror { Mirror(self, children: ["client": client]) }
}
