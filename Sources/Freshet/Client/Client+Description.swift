extension Client: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The transport and the base URL, without header fields and parameters.
  public var description: String { configuration.description }
  /// The ``description``.
  public var debugDescription: String { description }
  /// Nothing: what a client adds to its requests may be secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Client.Configuration: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The transport and the base URL, without header fields and parameters.
  public var description: String {
    let base = baseURL.map { ", at \(Redaction.shown($0))" } ?? ""
    return "client over \(PipelineText.transport(transport))\(base)"
  }
  /// The ``description``.
  public var debugDescription: String { description }
  /// Nothing: what a client adds to its requests may be secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Batch: CustomReflectable {
  /// The client: only that knows which fields of the requests are secret.
  public var customMirror: Mirror { Mirror(self, children: ["client": client]) }
}
