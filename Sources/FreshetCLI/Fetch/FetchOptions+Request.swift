import Foundation
import Freshet

extension FetchOptions {
  /// Returns the request for a URL, with the method and the body of `--request` and `--data`.
  func request(_ url: String) throws(FreshetError) -> Request {
    var request = limited(try URLText.request(usedMethod, url))
    guard !data.isEmpty else { return request }
    if case .content(.file(let file)) = data[0], data.count == 1, !Self.isPipe(file) {
      request.body = .file(file, contentType: contentType)
    } else {
      request.body = .bytes(try joined(), contentType: contentType)
    }
    return request
  }

  var usedMethod: HTTPMethod {
    if heads == .only { return .head }
    return method ?? (data.isEmpty ? .get : .post)
  }

  /// The media type of a form, unless there is a header field for it.
  private var contentType: MediaType? {
    server.headers.contains(.contentType) ? nil : MediaType("application/x-www-form-urlencoded")
  }

  /// Returns a Boolean value that indicates whether a file is a pipe or a device, which is read once.
  private static func isPipe(_ file: URL) -> Bool {
    var status = stat()
    return stat(file.path, &status) == 0
      && [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
  }

  private func joined() throws(FreshetError) -> Data {
    var bytes = Data()
    for (index, piece) in data.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "&")) }
      switch piece {
      case .text(let text):
        bytes.append(contentsOf: text.utf8)
      case .content(let input):
        do throws(Descriptor.Code) {
          bytes.append(try input.read())
        } catch {
          throw .file("it cannot be read", path: input.name)
        }
      }
    }
    return bytes
  }
}
