import Foundation
import TestSupport

/// Zeros, compressed by the system's `gzip`: two gibibytes become nine mebibytes.
enum GzipBomb {
  static func make(in folder: URL, bytes: Int) async throws -> URL {
    let file = folder.appending(path: "bomb.gz")
    _ = try await ProgramRun(
      "/bin/sh",
      ["-c", "head -c \(bytes) /dev/zero | gzip -1 > '\(file.path)'"]
    )
    return file
  }
}
