public import FreshetEssentials

extension Client {
  /// Returns the bytes of a resource for random access, see ``RemoteBytes``.
  ///
  /// ```swift
  /// let archive = client.bytes(at: url)
  /// let end = try await archive.length
  /// let directory = try await archive.read(max(0, end - 4_096)..<end)
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of the resource: an absolute `http` or `https` URL.
  ///   - policy: The policy of fetching its blocks; the client's by default.
  ///   - configure: A closure that changes the sizes of blocks and memory.
  /// - Returns: The bytes; nothing is requested before they are read.
  public func bytes(
    at url: URL,
    policy: ResourcePolicy? = nil,
    _ configure: (inout RemoteBytes.Configuration) -> Void = { _ in }
  ) -> RemoteBytes {
    bytes(Request(.get, url), policy: policy, configure)
  }

  /// Returns the bytes of the resource of a `GET` for random access.
  ///
  /// - Parameters:
  ///   - request: The request; a `Range` of its own is dropped.
  ///   - policy: The policy of fetching its blocks; the client's by default.
  ///   - configure: A closure that changes the sizes of blocks and memory.
  /// - Returns: The bytes; nothing is requested before they are read.
  public func bytes(
    _ request: Request,
    policy: ResourcePolicy? = nil,
    _ configure: (inout RemoteBytes.Configuration) -> Void = { _ in }
  ) -> RemoteBytes {
    var configuration = RemoteBytes.Configuration()
    configure(&configuration)
    var request = request
    request.headers.remove(.range)
    request.headers.remove(.ifRange)
    return RemoteBytes(RemoteBlocks(self, request, policy, configuration))
  }
}
