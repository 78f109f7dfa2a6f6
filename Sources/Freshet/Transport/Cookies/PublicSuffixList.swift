public import FreshetEssentials

/// A list of public suffixes, with its date.
struct PublicSuffixList: Sendable {
  /// The time of the list's latest change.
  let date: Date
  /// Returns whether a domain, in lower case and without a trailing dot, is on the list.
  let contains: @Sendable (String) -> Bool

  /// The list of the system, if there is one; it is loaded once.
  static let system: PublicSuffixList? = {
    #if !canImport(Darwin)
    LoadedSuffixList.load()
    #else
    nil
    #endif
  }()
}

extension CookieJar {
  /// Returns whether a domain is a public suffix, below which others can register domains.
  ///
  /// On Linux, the system's list is used if `libpsl` is installed: curl, wget and WebKitGTK use it too,
  /// Debian's libcurl depends on it, and the distribution keeps it up to date. Otherwise
  /// ``isUsualSuffix(_:)`` decides.
  ///
  /// - Parameter domain: The domain in lower case; a trailing dot makes no difference.
  /// - Returns: `true` if the domain is a public suffix.
  public static func isPublicSuffix(_ domain: String) -> Bool {
    isPublicSuffix(domain, by: .system)
  }

  static func isPublicSuffix(_ domain: String, by list: PublicSuffixList?) -> Bool {
    let domain = domain.hasSuffix(".") ? String(domain.dropLast()) : domain
    return list?.contains(domain) ?? isUsualSuffix(domain)
  }

  /// The time of the latest change of the system's list of public suffixes; `nil` if there is none.
  ///
  /// A list that is years old lacks the suffixes that were registered since.
  public static var publicSuffixListDate: Date? { PublicSuffixList.system?.date }
}
