import FreshetEssentials

extension DemoAnswer {
  /// Returns the body, whose file is in a directory.
  func open(in directory: URL) throws(FreshetError) -> ResourceBody {
    switch body {
    case .bytes(let data): return ResourceBody(data)
    case .file(let name):
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      guard !parts.contains(where: { $0.isEmpty || $0 == ".." }) else {
        throw .file("its name leads out of the demo's directory", path: name)
      }
      return ResourceBody(try BodyFile(opening: directory.appending(path: name)))
    }
  }

  /// Returns the head of the response for a body.
  func head(for body: ResourceBody, at url: URL) -> ResponseHead {
    var headers = headers
    if case .file(let name) = self.body, !headers.contains(.contentType) {
      headers[.contentType] = Self.contentType(of: name)
    }
    if !headers.contains(.contentLength), status.mayHaveBody {
      headers[.contentLength] = String(body.length)
    }
    // A store would serve it as the server's after the demo.
    if !headers.contains(.cacheControl) { headers[.cacheControl] = "no-store" }
    return ResponseHead(status: status, headers: headers, url: url)
  }

  private static func contentType(of name: String) -> String? {
    switch name.split(separator: ".").last?.lowercased() {
    case "json": "application/json"
    case "ndjson", "jsonl": "application/x-ndjson"
    case "txt": "text/plain; charset=utf-8"
    case "html", "htm": "text/html; charset=utf-8"
    case "xml": "application/xml"
    case "plist": "application/x-plist"
    case "csv": "text/csv; charset=utf-8"
    case "png": "image/png"
    case "jpg", "jpeg": "image/jpeg"
    case "gif": "image/gif"
    case "webp": "image/webp"
    case "svg": "image/svg+xml"
    case "pdf": "application/pdf"
    default: nil
    }
  }
}
