public import Freshet
public import FreshetEssentials
import Synchronization

/// An upload server for the routes of a ``LoopbackServer``: resumable uploads as the IETF's draft and tus 1.0
/// say, and ordinary ones.
///
/// A request with `Tus-Resumable` speaks tus, one with `Upload-Complete` the draft
/// (draft-ietf-httpbis-resumable-upload). Any other `POST`, `PUT` or `PATCH` is an upload at once.
///
/// - What has arrived before a connection breaks is kept.
/// - A request to an upload ends the connection of an earlier one that still sends to it.
/// - A `Repr-Digest` (RFC 9530) is compared when the upload is complete, and the SHA-256 of what is there is
///   in the response.
///
/// ```swift
/// let service = UploadService()
/// let server = try LoopbackServer(["/files": .uploads(service), "/files/*": .uploads(service)])
/// service.inject([.cut(after: 100_000), .loseResponse])
/// ```
public final class UploadService: Sendable {
  /// The configuration of a service.
  public struct Configuration: Sendable {
    /// The largest content of one request in bytes, announced in `Upload-Limit`; `nil`, no limit, by default.
    public var maximumAppend: Int64?
    /// The largest upload in bytes, announced in `Upload-Limit`; `nil`, no limit, by default.
    public var maximumSize: Int64?
    /// A Boolean value that indicates whether a 104 announces each upload of the draft; `true` by default.
    public var sendsInterim = true
    /// A Boolean value that indicates whether the draft and tus are supported; `true` by default.
    public var resumes = true
    /// A closure that returns the answer to a complete upload; status 201 by default.
    ///
    /// A ``LoopbackServer/Answer/handler(_:)`` gets the last request without its body. Of a
    /// ``LoopbackServer/Answer/sequence(_:)``, the first answer is used.
    public var answer: @Sendable (Upload) -> LoopbackServer.Answer = { _ in .status(201) }

    /// Makes the default configuration.
    public init() {}
  }

  /// An upload as the service has it.
  public struct Upload: Sendable, Identifiable {
    /// The number of the upload in the order of creation, from 1.
    public let id: Int
    /// The method, the path and the header fields of the request that began it.
    public let method: HTTPMethod
    /// The path of the request that began it.
    public let path: String
    /// The header fields of the request that began it.
    public let headers: HTTPHeaders
    /// The bytes so far.
    public internal(set) var bytes = Data()
    /// The announced length; `nil` if there was none.
    public internal(set) var length: Int64?
    /// A Boolean value that indicates whether all of it has arrived.
    public internal(set) var isComplete = false
    /// A Boolean value that indicates whether a client has removed it.
    public internal(set) var isRemoved = false
  }

  /// A fault of one request that carries content.
  public enum Fault: Sendable, Hashable {
    /// The connection is closed after this many bytes of the request's content were stored; after the whole
    /// content, instead of the response.
    case cut(after: Int64)
    /// As ``cut(after:)``, by a reset, which may overtake what the client has not read yet, such as a 104.
    case reset(after: Int64)
    /// Only this many bytes of the request's content are stored, and no response is sent.
    case stall(after: Int64)
    /// The content is stored, and the connection is reset instead of the response.
    case loseResponse
    /// Nothing is stored, and the answer is a status.
    case status(HTTPStatus)
    /// The upload of an append is forgotten, and the answer is 404.
    case forget
    /// The first byte of the content is stored as another one.
    case damage
  }

  struct State {
    var uploads: [Int: Upload] = [:]
    /// The number of the newest request to each upload.
    var owners: [Int: Int] = [:]
    var requests = 0
    var faults: [Fault] = []
  }

  let configuration: Configuration
  let state = Mutex(State())

  /// Makes a service without uploads; the closure changes the default configuration.
  public init(_ configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration()
    configure(&configuration)
    self.configuration = configuration
  }

  /// The uploads in the order of creation, those that were removed too.
  public var uploads: [Upload] { state.withLock { $0.uploads.values.sorted { $0.id < $1.id } } }

  /// The faults that no request has had yet.
  public var pendingFaults: [Fault] { state.withLock(\.faults) }

  /// Adds faults, each for one request that carries content, in order.
  public func inject(_ faults: [Fault]) {
    state.withLock { $0.faults += faults }
  }
}

extension LoopbackServer.Answer {
  /// Answers with a service of uploads.
  ///
  /// Set it for a path and for everything below it, where its uploads are: `/files` and `/files/*`. It is a
  /// route of its own, and no part of a ``sequence(_:)`` or result of a ``handler(_:)``.
  ///
  /// - Parameter service: The service; the server retains it.
  /// - Returns: An answer. Of its own properties only header fields have an effect.
  public static func uploads(_ service: UploadService) -> Self {
    Self(.uploads(service))
  }
}
