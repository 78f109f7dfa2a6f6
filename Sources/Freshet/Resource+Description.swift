extension Resource: RedactedDescribable {
  /// Status, URL, length, origin and freshness, without user, password, query and fragment.
  public var description: String {
    let mark = isFinal ? "" : ", not final"
    return "\(response.head), \(body) from \(source.rawValue), \(freshness.rawValue)\(mark)"
  }
  /// The request and the response, secrets left out, and the decisions.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "request": request, "head": response.head, "body": body, "source": source,
        "freshness": freshness, "isFinal": isFinal, "explanation": explanation.description,
      ]
    )
  }
}

extension ResourceBody: RedactedDescribable {
  /// The length, such as `4321 bytes`.
  public var description: String { "\(length) bytes" }
  /// The length.
  public var customMirror: Mirror { Mirror(self, children: ["length": length]) }
}

extension StoredResponse: RedactedDescribable {
  /// Status, URL and length, without user, password, query and fragment.
  public var description: String { "\(head), \(body)" }
  /// The head, secrets left out, and the body's length.
  public var customMirror: Mirror { Mirror(self, children: ["head": head, "body": body]) }
}
