public import Foundation

extension Client {
  /// The bytes of a resource, to be read at any place; see ``RemoteBytes``.
  ///
  /// ```swift
  /// let archive = client.bytes(at: url)
  /// let end = try await archive.length
  /// let directory = try await archive.read(end - 4_096..<end)
  /// ```
  ///
  /// - Parameters:
  ///   - url: Where the resource is: an absolute `http` or `https` URL.
  ///   - policy: How its blocks are fetched; the client's by default.
  ///   - configure: Changes the sizes of blocks and memory.
  /// - Returns: The bytes; nothing is asked for before they are read.
  public func bytes(
    at url: URL,
    policy: ResourcePolicy? = nil,
    _ configure: (inout RemoteBytes.Configuration) -> Void = { _ in }
  ) -> RemoteBytes {
    bytes(Request(.get, url), policy: policy, configure)
  }

  /// The bytes of the resource that a `GET` describes, to be read at any place.
  ///
  /// - Parameters:
  ///   - request: What is wanted; a `Range` of its own is dropped.
  ///   - policy: How its blocks are fetched; the client's by default.
  ///   - configure: Changes the sizes of blocks and memory.
  /// - Returns: The bytes; nothing is asked for before they are read.
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
