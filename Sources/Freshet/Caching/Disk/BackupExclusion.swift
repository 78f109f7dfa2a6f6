import FreshetEssentials

/// Includes a directory in the device's backups, or excludes it.
enum BackupExclusion {
  /// Sets whether a directory is excluded from backups; a failure is ignored.
  static func apply(_ isExcluded: Bool, to directory: URL) {
    #if canImport(Darwin)
    var values = URLResourceValues()
    values.isExcludedFromBackup = isExcluded
    var directory = directory
    try? directory.setResourceValues(values)
    #endif
  }
}
