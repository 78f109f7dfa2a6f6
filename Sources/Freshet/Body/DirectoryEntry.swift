import FreshetEssentials

/// The names in a directory.
enum DirectoryEntry {
  /// Returns all names except those that begin with a full stop; none if the directory cannot be read.
  ///
  /// The files that a ``ReplacementFile`` of an ended process has left are among them.
  static func names(in path: String) -> [String] { (try? list(path)) ?? [] }

  /// Returns the same names; none if there is no directory.
  ///
  /// - Throws: The failure of the system, if the directory exists and cannot be read, for want of
  ///   descriptors for instance.
  static func list(_ path: String) throws(FileFailure) -> [String] {
    var opened = opendir(path)
    while opened == nil, errno == EINTR { opened = opendir(path) }
    guard let stream = opened else {
      let failure = FileFailure("read", errno, path)
      if failure.isMissing { return [] }
      throw failure
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      // The end of the directory leaves the number as it is.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = name(entry)
      if !name.hasPrefix(".") || name.hasPrefix(ReplacementFile.prefix) { names.append(name) }
    }
    guard errno == 0 else { throw FileFailure("read", errno, path) }
    return names
  }

  /// Removes the files among these that belong to no other, and those that a ``ReplacementFile`` of
  /// a killed process has left.
  ///
  /// A file stays for a minute, because the one that it belongs to may be written moments later.
  static func removeStrays(
    _ files: [String],
    in path: String,
    now: Date,
    where isStray: (_ name: String) -> Bool
  ) {
    ReplacementFile.sweep(path)
    for file in files where !file.hasPrefix(ReplacementFile.prefix) && isStray(file) {
      let path = "\(path)/\(file)"
      if let age = age(of: path, now), abs(age) > 60 { unlink(path) }
    }
  }

  /// Returns the time since a file was modified, in seconds; `nil` if there is none.
  static func age(of path: String, _ now: Date) -> Double? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return now.timeIntervalSince1970 - modified(status)
  }

  /// Returns the modification time of a file, in seconds since 1970.
  static func modified(_ status: stat) -> Double {
    #if canImport(Darwin)
    Double(status.st_mtimespec.tv_sec) + Double(status.st_mtimespec.tv_nsec) / 1e9
    #else
    Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    #endif
  }

  /// Returns the modification time for an order by age: 0 for one that is more than a day ahead, which a clock
  /// that was wrong has written.
  static func orderingTime(_ status: stat) -> Double {
    let time = modified(status)
    return time > Date().timeIntervalSince1970 + Invalidations.longestTransfer ? 0 : time
  }

  /// Returns the name in an entry of `readdir`.
  private static func name(_ entry: UnsafeMutablePointer<dirent>) -> String {
    withUnsafePointer(to: &entry.pointee.d_name) { name in
      name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
        String(cString: $0)
      }
    }
  }
}

extension [String] {
  /// Returns the names of files with this suffix, without it.
  func names(before suffix: String) -> [String] {
    compactMap { $0.hasSuffix(suffix) ? String($0.dropLast(suffix.count)) : nil }
  }
}
