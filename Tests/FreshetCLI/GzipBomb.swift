import Foundation

/// Zeros, compressed by the system's `gzip`: two gibibytes become two mebibytes.
enum GzipBomb {
  static func make(in folder: URL, bytes: Int) throws -> URL {
    let file = folder.appending(path: "bomb.gz")
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "head -c \(bytes) /dev/zero | gzip -1 > '\(file.path)'"]
    try process.run()
    process.waitUntilExit()
    return file
  }
}
