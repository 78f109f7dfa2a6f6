import Foundation

/// Whether a directory is in the device's backups.
enum BackupExclusion {
  /// Leaves a directory out of backups, or not; a failure costs room in a backup and nothing else.
  static func apply(_ isExcluded: Bool, to directory: URL) {
    #if canImport(Darwin)
    var values = URLResourceValues()
    values.isExcludedFromBackup = isExcluded
    var directory = directory
    try? directory.setResourceValues(values)
    #endif
  }
}
