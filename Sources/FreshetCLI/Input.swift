import Foundation

/// A file, which may be a pipe, or standard input.
enum Input: Sendable, Equatable {
  case file(URL)
  case standardInput

  /// Makes the input that an argument names; `-` is standard input.
  init(_ path: String) {
    self = path == "-" ? .standardInput : .file(URL(filePath: path))
  }

  /// The name for messages.
  var name: String {
    switch self {
    case .file(let file): file.path
    case .standardInput: "standard input"
    }
  }

  /// Reads all bytes.
  func read() throws(Descriptor.Code) -> Data {
    guard case .file(let file) = self else { return try Descriptor.read(STDIN_FILENO) }
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Descriptor.Code(rawValue: errno) }
    defer { close(descriptor) }
    return try Descriptor.read(descriptor)
  }
}
