#if !canImport(Darwin)
import FreshetEssentials

/// A request's body, in a form that the loop can read.
enum CurlBody: Sendable {
  case bytes(Data)
  case file(CurlFile)
  case stream(CurlPipe)

  /// Opens the body's file or pipe; `nil` without a body.
  init?(_ request: borrowing Request) throws(FreshetError) {
    guard request.method.rawValue != "CONNECT", request.method.rawValue != "TRACE" else {
      throw Self.refused("CONNECT and TRACE are not supported; use another method", request)
    }
    guard let body = request.body else { return nil }
    guard request.method != .head else {
      throw Self.refused(
        "a HEAD request cannot have a body; remove it, or use another method",
        request
      )
    }
    switch body.source {
    case .bytes(let data): self = .bytes(data)
    case .file(let url): self = .file(try CurlFile(url))
    case .stream(let chunks):
      self = .stream(
        CurlPipe(length: body.length, url: Redaction.shown(request.url), chunks: chunks)
      )
    }
  }

  /// The length in bytes, if it is known.
  var length: Int64? {
    switch self {
    case .bytes(let data): Int64(data.count)
    case .file(let file): file.length
    case .stream(let pipe): pipe.length
    }
  }

  private static func refused(_ reason: String, _ request: Request) -> FreshetError {
    .invalidRequest(reason, url: Redaction.shown(request.url))
  }
}

/// An open file that is being sent.
final class CurlFile: Sendable {
  let length: Int64
  private let path: String
  private let file: OpenFile

  init(_ url: URL) throws(FreshetError) {
    path = url.path
    do throws(FileFailure) {
      let (file, status) = try OpenFile.regular(path)
      self.file = file
      length = Int64(status.st_size)
    } catch {
      throw error.error(at: path)
    }
  }

  /// Reads at an offset; throws if the file has become shorter.
  func read(
    at offset: Int64,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FreshetError)
    -> Int
  {
    let wanted = min(Int64(buffer.count), length - offset)
    guard wanted > 0 else { return 0 }
    var count = -1
    repeat {
      count = pread(file.descriptor, buffer.baseAddress, Int(wanted), off_t(offset))
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw .file(String(cString: strerror(errno)), path: path) }
    guard count > 0 else {
      throw .file("it became shorter while it was sent; send it again", path: path)
    }
    return count
  }
}
#endif
