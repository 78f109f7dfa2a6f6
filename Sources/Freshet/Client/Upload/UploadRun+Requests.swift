import FreshetEssentials

extension UploadRun {
  /// The method and the URL of the upload, by which its journal is recognised.
  var target: String { "\(request.method) \(request.url.absoluteString)" }

  /// The request that begins the upload.
  var creation: Purpose {
    // A server without resumable uploads would take a part for the whole.
    let isCut = maximumAppend.map { $0 < source?.length ?? 0 } ?? false
    return .creation(isWhole: !isCareful && !isCut)
  }

  /// Returns the request that sends what follows an offset.
  func append(at offset: Int64) -> Purpose {
    let length = source?.length ?? 0
    let size = max(1, min(options.maximumAppend ?? length, maximumAppend ?? length))
    let end = length - offset > size ? offset + size : length
    return .append(offset..<end, isLast: end == length)
  }

  func request(for purpose: Purpose) -> Request {
    switch purpose {
    case .support:
      return resource(.options, at: request.url)
    case .creation(let isWhole):
      return creation(isWhole: isWhole)
    case .offset:
      return resource(.head, at: location ?? request.url)
    case .append(let range, let isLast):
      return append(range, isLast: isLast)
    }
  }

  private func creation(isWhole: Bool) -> Request {
    var request = request
    guard let source else { return request }
    let type = request.headers.contains(.contentType) ? nil : source.contentType
    let range = isWhole ? 0..<source.length : 0..<0
    let isTus = options.resumption == .tus
    request.body = source.body(range, contentType: isTus ? nil : type)
    // A request without content must not have it (RFC 9110 section 10.1.1).
    if range.isEmpty { request.headers["Expect"] = nil }
    if !isWhole {
      for name in UploadFields.contentOfWhole { request.headers[name] = nil }
    }
    let (name, version) = UploadFields.version(options.resumption)
    request.headers[name] = version
    request.headers[UploadFields.length] = String(source.length)
    if isTus {
      request.method = .post
      request.headers[.contentType] = nil
      if options.metadata != nil || !request.headers.contains(UploadFields.metadata) {
        let metadata = UploadFields.metadata(metadata)
        request.headers[UploadFields.metadata] = metadata.isEmpty ? nil : metadata
      }
    } else {
      request.headers[UploadFields.complete] = UploadFields.boolean(isWhole)
    }
    options.retry.addKey(key, to: &request)
    if options.sendsDigest, let digest {
      if !request.headers.contains(.reprDigest) {
        request.headers[.reprDigest] = "sha-256=:\(digest.bytes.base64EncodedString()):"
      }
      request.headers[.wantReprDigest] = "sha-256=1"
    }
    return request
  }

  private var metadata: [String: String] {
    if let metadata = options.metadata { return metadata }
    var metadata: [String: String] = [:]
    metadata["filename"] = source?.name
    // Servers exist that refuse an upload without a type.
    metadata["filetype"] =
      request.headers[.contentType] ?? source?.contentType?.description
      ?? "application/octet-stream"
    return metadata
  }

  private func append(_ range: Range<Int64>, isLast: Bool) -> Request {
    var request = resource(.patch, at: location ?? request.url)
    request.headers[UploadFields.offset] = String(range.lowerBound)
    let type: MediaType
    switch options.resumption {
    case .ietf:
      type = UploadFields.partial
      request.headers[UploadFields.complete] = UploadFields.boolean(isLast)
      if options.sendsDigest, isLast { request.headers[.wantReprDigest] = "sha-256=1" }
    case .tus:
      type = UploadFields.tusPartial
    }
    request.headers[.contentType] = nil
    request.body = source?.body(range, contentType: type)
    if !range.isEmpty { request.headers["Expect"] = expectation }
    client.settings.defaults.expectContinue(in: &request)
    return request
  }

  /// Returns a request without content, with the fields of the first one that are not of its body.
  func resource(_ method: HTTPMethod, at url: URL) -> Request {
    var next = request
    next.method = method
    next.url = url
    next.body = nil
    var headers = HTTPHeaders(request.headers.filter { !UploadFields.describesBody($0.name) })
    if !url.hasSameOrigin(as: request.url) {
      headers = request.redirects.withoutSecrets(headers)
    }
    let (name, version) = UploadFields.version(options.resumption)
    headers[name] = version
    next.headers = headers
    return next
  }
}
