import Foundation
import Freshet

/// Where `--output` says that a body goes.
///
/// A regular file is replaced by a whole one with the same mode, behind a link too. Anything else, such
/// as a pipe or a device, is written into and stays what it is.
struct OutputFile {
  let url: URL
  private let queue = DispatchQueue(label: "output")

  init(_ url: URL) {
    self.url = url
  }

  /// Writes the body.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` with this path if it cannot be written, and why the body
  ///   cannot be read.
  func take(_ body: ResourceBody) async throws(FreshetError) {
    var status = stat()
    guard stat(url.path, &status) == 0 else {
      // A link to nothing: opening it makes its target.
      guard lstat(url.path, &status) == 0 else { return try body.write(to: url) }
      return try await stream(body, O_CREAT)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return try await stream(body, 0) }
    guard let target = replaceable else { return try await stream(body, O_TRUNC) }
    do throws(FreshetError) {
      try body.write(to: target, permissions: status.st_mode & 0o777)
    } catch .file(let reason, _) {
      throw .file(reason, path: url.path)
    }
  }

  /// The file behind links, if another may take its name: it may be written, and so may its directory.
  private var replaceable: URL? {
    // There, names stand for files that are open already.
    guard !url.path.hasPrefix("/dev/"), !url.path.hasPrefix("/proc/"),
      access(url.path, W_OK) == 0, let resolved = realpath(url.path, nil)
    else { return nil }
    defer { free(resolved) }
    let target = URL(filePath: String(cString: resolved))
    return access(target.deletingLastPathComponent().path, W_OK) == 0 ? target : nil
  }

  private func stream(_ body: ResourceBody, _ flags: Int32) async throws(FreshetError) {
    // Opening a pipe waits for its reader.
    let path = url.path
    let (descriptor, code) = await onQueue {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o666)
      return (descriptor, errno)
    }
    guard descriptor >= 0 else {
      throw .file("opening failed: \(String(cString: strerror(code)))", path: path)
    }
    defer { close(descriptor) }
    for try await chunk in body.chunks {
      if case .failed(let problem) = await onQueue({ Descriptor.write(chunk, to: descriptor) }) {
        throw .file(problem, path: path)
      }
    }
  }

  private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
  }
}
