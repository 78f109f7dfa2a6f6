import Foundation
import Freshet

/// The file of `--output`.
///
/// A regular file, also one behind a link, is replaced by a complete one with the same mode.
/// Anything else, such as a pipe or a device, is written to and keeps its kind.
struct OutputFile {
  let url: URL
  private let queue = DispatchQueue(label: "output")

  init(_ url: URL) {
    self.url = url
  }

  /// A Boolean value that indicates whether it is a regular file that is not empty.
  var hasContent: Bool {
    var status = stat()
    return stat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
  }

  /// Throws if it cannot be written whatever the body is, so that none is received for nothing.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` with this path.
  func check() throws(FreshetError) {
    guard !Paths.isDirectory(url) else {
      throw .file("it is a directory; see --into", path: url.path)
    }
    guard Paths.isDirectory(url.deletingLastPathComponent()) else {
      throw .file("its directory does not exist", path: url.path)
    }
  }

  /// Writes the body, after the head if there is one.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` with this path if it cannot be written, and the error
  ///   of reading the body.
  func take(_ body: ResourceBody, after head: Data = Data()) async throws(FreshetError) {
    var status = stat()
    guard stat(url.path, &status) == 0 else {
      // A dangling link: opening it creates its target.
      guard lstat(url.path, &status) == 0 else {
        return try body.write(to: url, after: head, permissions: nil)
      }
      return try await stream(head, body)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return try await stream(head, body) }
    guard let target = replaceable else { return try await stream(head, body, O_TRUNC) }
    do throws(FreshetError) {
      try body.write(to: target, after: head, permissions: status.st_mode & 0o777)
    } catch .file(let reason, _) {
      throw .file(reason, path: url.path)
    }
  }

  /// The file behind links, if it can be replaced: it and its directory are writable, and its name
  /// is UTF-8.
  private var replaceable: URL? {
    // There, names stand for open files.
    guard !url.path.hasPrefix("/dev/"), !url.path.hasPrefix("/proc/"),
      access(url.path, W_OK) == 0, let resolved = realpath(url.path, nil)
    else { return nil }
    defer { free(resolved) }
    guard let path = String(validatingCString: resolved) else { return nil }
    let target = URL(filePath: path)
    let isReplaceable = access(target.deletingLastPathComponent().path, W_OK) == 0
    return isReplaceable && !Self.isMountPoint(target.path) ? target : nil
  }

  /// Returns whether something is mounted there, as a single file in a container, which no file can replace.
  private static func isMountPoint(_ path: String) -> Bool {
    guard let table = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8) else {
      return false
    }
    let escaped = path.replacing("\\", with: "\\134").replacing(" ", with: "\\040")
    return table.split(separator: "\n")
      .contains { $0.split(separator: " ").dropFirst(4).first == escaped[...] }
  }

  private func stream(
    _ head: Data,
    _ body: ResourceBody,
    _ flags: Int32 = 0
  ) async throws(FreshetError) {
    // Opening a pipe waits for its reader. With O_CREAT, Linux refuses one that another user has put into a shared
    // directory.
    let path = url.path
    let (descriptor, code) = await queue.result {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o666)
      return (descriptor, errno)
    }
    guard descriptor >= 0 else {
      throw .file("opening failed: \(String(cString: strerror(code)))", path: path)
    }
    let file = OpenFile(owning: descriptor)
    // A pipe whose reader has gone is a failure, as with cURL, and no signal that ends the process.
    let usual = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, usual) }
    if !head.isEmpty { try await write(head, to: descriptor) }
    for try await chunk in body.chunks { try await write(chunk, to: descriptor) }
    do throws(FileFailure) {
      try file.settle()
    } catch {
      throw .file(error.reason, path: path)
    }
  }

  private func write(_ data: Data, to descriptor: Int32) async throws(FreshetError) {
    switch await queue.result(of: { Descriptor.write(data, to: descriptor) }) {
    case .written: break
    case .unwanted: throw .file("its reader has closed it", path: url.path)
    case .failed(let problem): throw .file(problem, path: url.path)
    }
  }
}
