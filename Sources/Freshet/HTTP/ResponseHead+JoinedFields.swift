package import FreshetEssentials

extension ResponseHead {
  /// Makes a head from the fields of Foundation's `HTTPURLResponse`.
  ///
  /// Foundation joins repeated fields by commas; cookies are separated again.
  package init(status: Int, joinedFields: [AnyHashable: Any], url: URL) {
    let fields = joinedFields.flatMap { name, value -> [HTTPHeaders.Field] in
      guard let name = name as? String, let value = value as? String else { return [] }
      let field = HTTPHeaders.Name(name)
      // Repeated fields are joined, and a cookie's value may contain commas.
      let values = field == .setCookie ? JoinedCookies.split(value) : [value]
      return values.map { HTTPHeaders.Field(name: field, value: $0) }
    }
    self.init(status: HTTPStatus(status), headers: HTTPHeaders(fields), url: url)
  }
}
