public import FreshetEssentials

extension Client {
  /// The file in which the disk store keeps the body for a request, as
  /// ``DiskStore/location(for:partition:)`` finds it.
  ///
  /// The store is asked with the client's header fields, its partition, and the fields that its
  /// transport adds. Nothing is fetched.
  ///
  /// - Parameter request: The request; relative to ``Configuration/baseURL``.
  /// - Returns: The file; `nil` if nothing is stored for the request, or the client has no disk store.
  /// - Throws: ``FreshetError/store(_:)`` if a small body could not be moved to a file.
  public func location(for request: Request) async throws(FreshetError) -> URL? {
    guard let disk = configuration.disk else { return nil }
    let (key, headers) = question(for: request)
    return try await disk.location(of: key, for: headers)
  }
}
