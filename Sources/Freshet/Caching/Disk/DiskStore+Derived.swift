import FreshetEssentials

extension DiskStore {
  /// Returns a body that was made from a stored response, see ``keepDerived(_:_:from:digest:for:)``.
  ///
  /// - Parameters:
  ///   - name: Its name among those made from the same response.
  ///   - key: The key of the response.
  ///   - digest: The digest of the bytes that it must have been made from.
  ///   - headers: The header fields of the request, which choose among variants.
  /// - Returns: The body; `nil` if there is none that was made from these bytes.
  package func derived(
    _ name: String,
    from key: CacheKey,
    digest: SHA256Checksum,
    for headers: HTTPHeaders
  ) async -> ResourceBody? {
    let response = await find(key.derived(name), for: headers)
    return response?.head.headers[.derivedFrom] == digest.hex ? response?.body : nil
  }

  /// Stores a body that was made from a stored response, under a key that extends the response's, so that
  /// it is removed and invalidated with it.
  ///
  /// Nothing is stored if the response is not in the store, has other bytes by now, or is removed in the
  /// meantime. A failure leaves the store as it was.
  package func keepDerived(
    _ body: ResourceBody,
    _ name: String,
    from key: CacheKey,
    digest: SHA256Checksum,
    for headers: HTTPHeaders
  ) async {
    let began = EventInstant.now
    guard let response = await find(key, for: headers)?.copyOfResource, response.digest == digest,
      response.mayBeKept
    else { return }
    var fields = HTTPHeaders(
      response.head.headers.filter { [.date, .cacheControl].contains($0.name) }
    )
    fields[.derivedFrom] = digest.hex
    let derived = response.extended(by: CacheKey.derived(name), headers: fields, body: body)
    _ = try? await keep(derived.asked(at: began))
  }

  /// Removes what was made from the response with this key; a failure leaves it.
  package func removeDerived(from key: CacheKey) async {
    try? await remove(CacheKey(text: "\(key.text) \(CacheKey.derivedMark)"))
  }
}

extension CacheKey {
  fileprivate static let derivedMark = "derived"

  fileprivate static func derived(_ name: String) -> String {
    "\(derivedMark) \(SHA256Hasher.digest(of: Data(name.utf8)).hex)"
  }

  fileprivate func derived(_ name: String) -> CacheKey {
    CacheKey(text: "\(text) \(Self.derived(name))")
  }
}

extension HTTPHeaders.Name {
  /// The digest of the bytes from which a stored body was made.
  fileprivate static let derivedFrom: Self = "Freshet-Derived-From"
}
