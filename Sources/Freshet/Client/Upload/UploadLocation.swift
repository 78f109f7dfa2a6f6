import FreshetEssentials

/// The rules for the address of an upload, which a server or a journal names.
enum UploadLocation {
  /// Returns the reason why the upload of a request does not go to a URL, or `nil`.
  ///
  /// - Parameters:
  ///   - url: The address.
  ///   - request: The request that has begun the upload.
  /// - Returns: The reason, to be put behind the name of what has the address; it does not contain the URL.
  static func problem(with url: URL, of request: Request) -> String? {
    if let problem = URLCheck.problem(with: url) { return "is not requested: \(problem)" }
    guard !request.redirects.allowsDowngrade else { return nil }
    let schemes = [request.url, url].map { URLOrigin($0)?.scheme }
    return schemes == ["https", "http"] ? "leads from https to http" : nil
  }
}
