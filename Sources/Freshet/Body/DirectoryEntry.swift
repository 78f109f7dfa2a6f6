import Foundation

/// The names in a directory.
enum DirectoryEntry {
  /// All of them but those that begin with a full stop; none if the directory cannot be read.
  static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = name(entry)
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  /// When a file was written last, in seconds since 1970.
  static func modified(_ status: stat) -> Double {
    #if canImport(Darwin)
    Double(status.st_mtimespec.tv_sec)
    #else
    Double(status.st_mtim.tv_sec)
    #endif
  }

  /// What `readdir` returns.
  static func name(_ entry: UnsafeMutablePointer<dirent>) -> String {
    withUnsafePointer(to: &entry.pointee.d_name) { name in
      name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
        String(cString: $0)
      }
    }
  }
}
