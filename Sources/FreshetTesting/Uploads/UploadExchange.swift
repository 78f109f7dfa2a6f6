import Freshet
import FreshetEssentials
import Synchronization

/// One request to a service of uploads, while its content arrives; used by the server's thread.
struct UploadExchange {
  /// The fate of the connection after a piece of content.
  enum Verdict {
    case goesOn
    case close
    case reset
  }

  private enum Action {
    case answer(LoopbackServer.Answer)
    /// Stores the content, and completes the upload if it is the last part.
    case store(Int, Protocol, isLast: Bool, isCreation: Bool)
  }

  enum `Protocol` {
    case ietf
    case tus
    case plain
  }

  private let service: UploadService
  private let action: Action
  private let number: Int
  private var rest: Int64?
  private var losesResponse = false
  private var stalls = false
  private var cutting = Verdict.close
  private var damages = false
  /// The number of bytes of the content so far, and whether they are more than the service takes.
  private var count: Int64 = 0
  private var isTooLarge = false
  /// The bytes to send before the response: an interim one.
  let interim: [UInt8]
  /// The header fields that the route adds to the response.
  let headers: HTTPHeaders

  init(_ head: RequestHead, _ service: UploadService, _ headers: HTTPHeaders) {
    self.service = service
    self.headers = headers
    var request = Incoming(head, service.configuration)
    let (number, action, interim, fault) = service.state.withLock { state in
      state.requests += 1
      var fault: UploadService.Fault?
      if request.carriesContent, !state.faults.isEmpty { fault = state.faults.removeFirst() }
      let (action, interim) = request.begin(&state, fault)
      if case .store(let id, _, _, _) = action { state.owners[id] = state.requests }
      return (state.requests, action, interim, fault)
    }
    self.number = number
    self.action = action
    self.interim = Array(interim.utf8)
    switch fault {
    case .cut(let count): rest = count
    case .reset(let count): (rest, cutting) = (count, .reset)
    case .stall(let count): (rest, stalls) = (count, true)
    case .loseResponse: losesResponse = true
    case .damage: damages = true
    case .status, .forget, nil: break
    }
  }

  /// Stores a piece of the content.
  mutating func receive(_ bytes: Data) -> Verdict {
    guard case .store(let id, _, _, _) = action else { return .goesOn }
    var bytes = bytes
    if damages, !bytes.isEmpty {
      bytes[bytes.startIndex] ^= 0xFF
      damages = false
    }
    if let rest {
      bytes = bytes.prefix(Int(min(rest, Int64(bytes.count))))
      self.rest = rest - Int64(bytes.count)
    }
    count += Int64(bytes.count)
    let isOwner = service.state.withLock { state in
      guard state.owners[id] == number else { return false }
      let whole = Int64((state.uploads[id]?.bytes.count ?? 0) + bytes.count)
      let isOverLength = state.uploads[id]?.length.map { whole > $0 } ?? false
      isTooLarge =
        isTooLarge || isOverLength || service.configuration.refuses(count, whole: whole)
      if !isTooLarge { state.uploads[id]?.bytes.append(bytes) }
      return true
    }
    guard isOwner else { return .reset }
    return stalls || rest != 0 ? .goesOn : cutting
  }

  /// Returns the answer after all of the content; `nil` resets the connection instead.
  func finish() -> LoopbackServer.Answer? {
    switch action {
    case .answer(let answer):
      return answer
    case .store where stalls:
      return .closeBeforeResponse.stalled()
    case .store(let id, let kind, let isLast, let isCreation):
      let (upload, isValid) = service.state.withLock { state in
        guard var upload = state.uploads[id] else { return (nil as UploadService.Upload?, false) }
        let count = Int64(upload.bytes.count)
        let ends = !isTooLarge && (kind == .tus ? count == upload.length : isLast)
        guard ends else { return (upload, true) }
        if upload.length == nil { upload.length = count }
        let isValid = count == upload.length && upload.hasItsDigest
        upload.isComplete = isValid
        if !isValid { upload.isRemoved = true }
        state.uploads[id] = upload
        return (upload, isValid)
      }
      guard let upload, !losesResponse else { return nil }
      if rest != nil { return cutting == .close ? .closeBeforeResponse : nil }
      if isTooLarge {
        return .response(413, headers: upload.state(kind, service.configuration))
      }
      return Self.answer(upload, kind, isValid, isCreation, service.configuration)
    }
  }

  private static func answer(
    _ upload: UploadService.Upload,
    _ kind: `Protocol`,
    _ isValid: Bool,
    _ isCreation: Bool,
    _ configuration: UploadService.Configuration
  ) -> LoopbackServer.Answer {
    var fields = upload.state(kind, configuration)
    if isCreation { fields[.location] = upload.location }
    guard isValid else {
      if kind == .ietf { fields["Upload-Complete"] = "?1" }
      return .response(400, headers: fields)
    }
    guard upload.isComplete else {
      return .response(isCreation ? 201 : .noContent, headers: fields)
    }
    fields["Repr-Digest"] = upload.digestField
    guard kind != .tus else { return .response(isCreation ? 201 : .noContent, headers: fields) }
    fields[.location] = nil
    return configuration.answer(upload).headers(fields)
  }
}

extension UploadExchange {
  /// A request before its content.
  private struct Incoming {
    let head: RequestHead
    let configuration: UploadService.Configuration
    let kind: `Protocol`

    init(_ head: RequestHead, _ configuration: UploadService.Configuration) {
      self.head = head
      self.configuration = configuration
      guard configuration.resumes else {
        kind = .plain
        return
      }
      kind =
        head.headers.contains("Tus-Resumable")
        ? .tus
        : head.headers.contains("Upload-Complete")
          || head.headers.contains("Upload-Draft-Interop-Version") ? .ietf : .plain
    }

    var carriesContent: Bool { head.framing != .length(0) }

    /// The upload that the path names.
    private func upload(in state: UploadService.State) -> UploadService.Upload? {
      guard configuration.resumes, let name = head.path.split(separator: "/").last,
        name.hasPrefix("upload-"), let id = Int(name.dropFirst("upload-".count))
      else { return nil }
      return state.uploads[id]
    }

    mutating func begin(
      _ state: inout UploadService.State,
      _ fault: UploadService.Fault?
    ) -> (Action, interim: String) {
      if case .status(let status) = fault { return (.answer(.status(status)), "") }
      if let upload = upload(in: state) {
        // An earlier request that still sends is over.
        state.owners[upload.id] = nil
        guard !upload.isRemoved else { return (.answer(.status(410)), "") }
        if fault == .forget {
          state.uploads[upload.id]?.isRemoved = true
          return (.answer(.status(.notFound)), "")
        }
        return (action(on: upload, &state), "")
      }
      switch head.method {
      case .options: return (.answer(.response(.noContent, headers: announcement)), "")
      case .post, .put, .patch: return create(&state)
      default: return (.answer(.status(.notFound)), "")
      }
    }

    private func action(
      on upload: UploadService.Upload,
      _ state: inout UploadService.State
    ) -> Action {
      var fields = upload.state(kind, configuration)
      fields[.cacheControl] = "no-store"
      let count = Int64(upload.bytes.count)
      switch head.method {
      case .head:
        if upload.isComplete { fields["Repr-Digest"] = upload.digestField }
        return .answer(.response(kind == .tus ? .ok : .noContent, headers: fields))
      case .delete:
        state.uploads[upload.id]?.isRemoved = true
        return .answer(.status(.noContent))
      case .patch:
        guard head.headers[.contentType] == kind.contentType else { return .answer(.status(415)) }
        guard Int64(head.headers["Upload-Offset"] ?? "") == count, !upload.isComplete else {
          return .answer(.response(409, headers: fields))
        }
        if case .length(let length) = head.framing,
          configuration.refuses(length, whole: count.saturatingSum(length))
        {
          return .answer(.response(413, headers: fields))
        }
        let isLast = head.headers["Upload-Complete"] == "?1"
        return .store(upload.id, kind, isLast: isLast, isCreation: false)
      default:
        return .answer(.response(405, headers: ["Allow": "HEAD, PATCH, DELETE"]))
      }
    }

    private func create(_ state: inout UploadService.State) -> (Action, interim: String) {
      let type = head.headers[.contentType]
      if type == Protocol.ietf.contentType || type == Protocol.tus.contentType {
        return (.answer(.status(.notFound)), "")
      }
      let isLast = head.headers["Upload-Complete"] != "?0" && kind != .tus
      var length = head.headers["Upload-Length"].flatMap { Int64($0) }
      if head.headers.contains("Upload-Length"), length.map({ $0 < 0 }) ?? true {
        return (.answer(.status(400)), "")
      }
      if case .length(let content) = head.framing {
        if isLast { length = length ?? content }
        if configuration.refuses(content, whole: 0) {
          return (.answer(.response(413, headers: announcement)), "")
        }
      }
      if let length, configuration.refuses(0, whole: length) {
        return (.answer(.response(413, headers: announcement)), "")
      }
      guard kind != .tus || length != nil else { return (.answer(.status(400)), "") }
      let id = state.uploads.count + 1
      var upload = UploadService.Upload(
        id: id,
        method: head.method,
        path: head.path,
        headers: head.headers
      )
      upload.length = length
      if let length { upload.bytes.reserveCapacity(Int(min(length, 1 << 30))) }
      state.uploads[id] = upload
      // It is only for clients of the same version of the draft.
      let field = "Upload-Draft-Interop-Version"
      let sends =
        kind == .ietf && head.headers[HTTPHeaders.Name(field)] == "8"
        && configuration.sendsInterim && head.minorVersion == 1
      let limits = configuration.limits.map { "Upload-Limit: \($0)\r\n" } ?? ""
      let interim =
        "HTTP/1.1 104 Upload Resumption Supported\r\n\(field): 8\r\n"
        + "Location: \(upload.location)\r\n\(limits)\r\n"
      return (.store(id, kind, isLast: isLast, isCreation: true), sends ? interim : "")
    }

    private var announcement: HTTPHeaders {
      var fields: HTTPHeaders = [:]
      if configuration.resumes {
        // By tus, the request for them names no version.
        fields = [
          "Accept-Patch": "application/partial-upload", "Tus-Version": "1.0.0",
          "Tus-Extension": "creation,termination",
        ]
        fields["Tus-Max-Size"] = configuration.maximumSize.map(String.init)
      }
      fields["Upload-Limit"] = configuration.limits
      return fields
    }
  }
}

extension UploadExchange.`Protocol` {
  fileprivate var contentType: String {
    self == .tus ? "application/offset+octet-stream" : "application/partial-upload"
  }
}

extension UploadService.Configuration {
  /// Returns a Boolean value that indicates whether the content of one request, or the upload that it makes, is
  /// larger than the service takes.
  fileprivate func refuses(_ content: Int64, whole: Int64) -> Bool {
    content > maximumAppend ?? .max || whole > maximumSize ?? .max
  }

  /// The value of `Upload-Limit`; `nil` without limits.
  fileprivate var limits: String? {
    let limits = [
      maximumSize.map { "max-size=\($0)" }, maximumAppend.map { "max-append-size=\($0)" },
    ]
    .compactMap(\.self)
    return limits.isEmpty ? nil : limits.joined(separator: ", ")
  }
}

extension UploadService.Upload {
  fileprivate var location: String {
    "\(path.hasSuffix("/") ? String(path.dropLast()) : path)/upload-\(id)"
  }

  fileprivate var digestField: String {
    "sha-256=:\(SHA256Hasher.digest(of: bytes).bytes.base64EncodedString()):"
  }

  /// A Boolean value that indicates whether the bytes have the digest that was announced for them.
  fileprivate var hasItsDigest: Bool {
    guard let announced = headers["Repr-Digest"] else { return true }
    return announced == digestField
  }

  /// Returns the fields that tell how far it is.
  fileprivate func state(
    _ kind: UploadExchange.`Protocol`,
    _ configuration: UploadService.Configuration
  ) -> HTTPHeaders {
    var fields: HTTPHeaders = [:]
    guard kind != .plain else { return fields }
    fields["Upload-Offset"] = String(bytes.count)
    if let length { fields["Upload-Length"] = String(length) }
    switch kind {
    case .tus: fields["Tus-Resumable"] = "1.0.0"
    case .ietf, .plain:
      fields["Upload-Complete"] = isComplete ? "?1" : "?0"
      fields["Upload-Limit"] = configuration.limits
    }
    return fields
  }
}
