import FreshetEssentials

extension Spool {
  /// Removes the files of processes that have ended before the files were finished or taken over.
  ///
  /// A file in use, by this process or another one, is locked by its owner and stays. Files that
  /// are not a spool's stay as well.
  ///
  /// - Returns: The number of removed files; 0 if the directory does not exist.
  /// - Throws: ``FreshetError/file(_:path:)`` if the directory cannot be read.
  @discardableResult
  public func sweep() throws(FreshetError) -> Int {
    let path = directory.path
    guard let stream = opendir(path) else {
      let failure = FileFailure("read", errno, path)
      if failure.isMissing { return 0 }
      throw failure.error(at: path)
    }
    defer { closedir(stream) }
    var count = 0
    while let entry = readdir(stream) {
      let name = DirectoryEntry.name(entry)
      guard SpoolFile.isName(name) else { continue }
      if SpoolFile.removeIfAbandoned(path + "/" + name) { count += 1 }
    }
    return count
  }
}
