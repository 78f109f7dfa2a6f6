import Foundation

/// Zeros, compressed by the system's `gzip`: two gibibytes become nine mebibytes.
enum GzipBomb {
  static func make(in folder: URL, bytes: Int) async throws -> URL {
    let file = folder.appending(path: "bomb.gz")
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "head -c \(bytes) /dev/zero | gzip -1 > '\(file.path)'"]
    try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return file
  }
}
