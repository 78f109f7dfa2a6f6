import FreshetEssentials

extension Request {
  /// Returns the request for the next page that a page names.
  ///
  /// Like a redirect, it sends no credentials to another origin and accepts only http and https.
  func moved(to target: String, from page: Response<Data>) throws(FreshetError) -> Request {
    let refused = { (reason: String) -> FreshetError in
      .invalidResponse("its next page \(reason)", url: Redaction.shown(page.head.url))
    }
    if let problem = URLCheck.ambiguity(in: target) {
      throw refused("is not requested: \(problem)")
    }
    guard let url = URL(unicode: target, relativeTo: page.head.url)?.absoluteURL else {
      throw refused("has no valid http or https URL")
    }
    if let problem = URLCheck.problem(with: url) { throw refused("is not requested: \(problem)") }
    guard let origin = URLOrigin(url) else { throw refused("has no valid http or https URL") }
    let own = URLOrigin(self.url)
    if own?.scheme == "https", origin.scheme == "http" { throw refused("leads from https to http") }
    var next = self
    next.url = url
    if origin != own { next.headers = redirects.withoutSecrets(next.headers) }
    return next
  }

  func setting(_ name: String, to value: String) -> Request {
    // A path that was refused keeps its problem, and is not sent.
    if case .path(let path) = target, path.problem != nil { return self }
    var request = self
    request.url = url.setting(name, to: value)
    return request
  }

  /// Returns the request with the sum as a query item; `nil` if it overflows.
  func setting(_ name: String, to number: Int, plus step: Int) -> Request? {
    let (sum, overflow) = number.addingReportingOverflow(step)
    return overflow ? nil : setting(name, to: "\(sum)")
  }

  /// Returns the value of a query item.
  func item(_ name: String) -> String? {
    URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems?
      .last { $0.name == name }?
      .value
  }
}

extension Response<Data> {
  /// Returns the string, or the number as it is written, at a path; `nil` if it is missing, `null`
  /// or empty.
  func scalar(at path: PayloadPath) throws(FreshetError) -> String? {
    let payload = try unwrapped(at: path)
    if payload.record.absence == nil, let number = payload.value.writtenNumber { return number }
    let text = try Decoding<String?>.json.value(of: payload).value ?? ""
    return text.isEmpty ? nil : text
  }

  /// Returns the number of elements of the array at a path, 0 if it is missing or `null`.
  func itemCount(at path: PayloadPath) throws(FreshetError) -> Int {
    let items = try unwrapped(at: path)
    guard items.record.absence == nil else { return 0 }
    guard let count = try? JSONScanner.elementCount(in: items.value) else {
      throw items.decodingFailure(of: "an array", "it is not an array")
    }
    return count
  }
}

extension URL {
  /// Returns the URL with one query item, which replaces all items of the same name.
  fileprivate func setting(_ name: String, to value: String) -> URL {
    let text = absoluteString
    let (path, query, fragment) = RequestPath.split(text[...])
    let items = (query ?? "").split(separator: "&")
      .filter { PercentEncoding.name(of: $0) != name }
    let item = "\(PercentEncoding.url.encode(name))=\(PercentEncoding.url.encode(value))"
    let rest = fragment.map { "#" + $0 } ?? ""
    return URL(string: "\(path)?\((items + [item[...]]).joined(separator: "&"))\(rest)") ?? self
  }
}

extension Data {
  /// The text of the JSON if it is a number; `nil` otherwise.
  fileprivate var writtenNumber: String? {
    guard let first = first(where: { $0 > 0x20 }), ASCII.isDigit(first) || first == 0x2D,
      (try? JSONDecoder().decode(Double.self, from: self)) != nil
    else { return nil }
    return String(String(decoding: self, as: UTF8.self).filter { !$0.isWhitespace })
  }
}
