public import Foundation

/// A list of the domains under which strangers have their own, with the day it is from.
struct PublicSuffixList: Sendable {
  /// The time of the list's newest change.
  let date: Date
  /// Returns whether a domain, in lower case and without a dot at its end, is on the list.
  let contains: @Sendable (String) -> Bool

  /// The list of the system, if there is one; it is looked for once.
  static let system: PublicSuffixList? = {
    #if os(Linux)
    LoadedSuffixList.load()
    #else
    nil
    #endif
  }()
}

extension CookieJar {
  /// A Boolean value that indicates whether strangers have their own domains under a domain.
  ///
  /// On Linux the system's list decides, where `libpsl` is installed: it is what curl, wget and WebKitGTK
  /// use, Debian's libcurl brings it along, and the distribution keeps it up to date. Everywhere else
  /// ``isUsualSuffix(_:)`` decides.
  ///
  /// - Parameter domain: The domain in lower case; a dot at its end makes no difference.
  /// - Returns: `true` if so.
  public static func isPublicSuffix(_ domain: String) -> Bool {
    isPublicSuffix(domain, by: .system)
  }

  static func isPublicSuffix(_ domain: String, by list: PublicSuffixList?) -> Bool {
    let domain = domain.hasSuffix(".") ? String(domain.dropLast()) : domain
    return list?.contains(domain) ?? isUsualSuffix(domain)
  }

  /// The time of the newest change in the system's list of public suffixes; `nil` if there is none.
  ///
  /// A list that is years old does not have the suffixes that were registered since.
  public static var publicSuffixListDate: Date? { PublicSuffixList.system?.date }
}
