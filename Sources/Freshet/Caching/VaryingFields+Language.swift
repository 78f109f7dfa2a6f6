extension VaryingFields {
  /// The match of a stored response with a request.
  enum Fit: Sendable, Hashable {
    case none
    /// Its language is one that the request prefers most, whichever request selected it (RFC 9110
    /// section 12.5.4).
    case language
    /// The fields that selected it have the same values.
    case exact
  }

  /// Compares the fields that selected a response with those of a request.
  ///
  /// - Parameters:
  ///   - request: The request's header fields, with those that the transport would add.
  ///   - languages: The response's `Content-Language`; one in several languages matches by its
  ///     fields only.
  /// - Returns: The match.
  func fit(_ request: HTTPHeaders, in languages: @autoclosure () -> [String]) -> Fit {
    if match(request) { return .exact }
    guard let index = fields.firstIndex(where: { $0.name == "accept-language" }) else {
      return .none
    }
    var others = fields
    others.remove(at: index)
    guard VaryingFields(fields: others).match(request) else { return .none }
    let languages = languages()
    guard languages.count == 1 else { return .none }
    let preferred = PreferenceList.mostPreferred(request.members(of: .acceptLanguage))
    return preferred.contains(ASCII.lowercased(languages[0])) ? .language : .none
  }
}

extension ResponseHead {
  /// The members of `Content-Language`.
  var languages: [String] { headers.members(of: "Content-Language") }
}

extension StoredResponse {
  /// Returns its match with a request, see ``VaryingFields/fit(_:in:)``.
  func fit(_ request: HTTPHeaders) -> VaryingFields.Fit {
    varying.fields.isEmpty ? .exact : varying.fit(request, in: head.languages)
  }
}
