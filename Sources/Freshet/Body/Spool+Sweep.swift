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
    let names = try FileFailure.reporting(at: path) { () throws(FileFailure) in
      try DirectoryEntry.list(path)
    }
    return names.count { SpoolFile.isName($0) && SpoolFile.removeIfAbandoned("\(path)/\($0)") }
  }
}
