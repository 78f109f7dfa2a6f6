#if !canImport(Darwin)
import CLinux
import Foundation

/// What this process holds.
struct Census: Sendable {
  var threads = 0
  var descriptors = 0
  var residentMiB = 0.0
  /// What has been allocated and not freed, without what the allocator keeps for later.
  var allocatedMiB = 0.0
  /// Files below the folder for temporary ones and in the stores' spools.
  var files = 0

  static func take(_ folders: [URL] = []) -> Census {
    var census = Census()
    census.threads = count("/proc/self/task")
    // The one that reads the folder is among them.
    census.descriptors = count("/proc/self/fd") - 1
    census.files = folders.reduce(0) { $0 + files(in: $1).count }
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    let kibibytes = line.split(separator: " ").compactMap { Double($0) }.first ?? 0
    census.residentMiB = kibibytes / 1_024
    census.allocatedMiB = Double(allocatedBytes()) / 1_048_576
    return census
  }

  /// A sanitizer has an allocator of its own, of which the C library knows nothing.
  private static func allocatedBytes() -> Int {
    guard let symbol = dlsym(nil, "__sanitizer_get_current_allocated_bytes") else {
      return freshet_allocated_bytes()
    }
    return unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)()
  }

  /// The regular files below a folder.
  static func files(in folder: URL) -> [String] {
    let all = FileManager.default.enumerator(atPath: folder.path)
    return (all?.compactMap { $0 as? String } ?? [])
      .filter { name in
        var isFolder: ObjCBool = false
        let path = folder.appending(path: name).path
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
          && !isFolder.boolValue
      }
  }

  /// Waits until no more is held than before, at most so many seconds; what is too much.
  static func settle(
    _ before: Census,
    _ folders: [URL] = [],
    seconds: Double = 30
  ) async -> [String] {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      let now = take(folders)
      var problems: [String] = []
      if now.threads > before.threads {
        problems.append("\(now.threads) threads, \(before.threads) before: \(threadNames())")
      }
      if now.descriptors > before.descriptors {
        problems.append(
          "\(now.descriptors) descriptors, \(before.descriptors) before: \(descriptorNames())"
        )
      }
      if now.files > before.files {
        problems.append("files left: \(folders.flatMap(files).prefix(8))")
      }
      guard !problems.isEmpty, Date() < deadline else { return problems }
      // What a process gives back, nobody tells it.
      try? await Task.sleep(for: .milliseconds(2))
    }
  }

  private static func count(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
  }

  private static func threadNames() -> [String] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.compactMap {
      try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
        .trimmingCharacters(in: .newlines)
    }
  }

  private static func descriptorNames() -> [String] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return numbers.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
  }
}
#endif
