import Foundation

/// Whether a sanitizer watches, which the environment tells of.
///
/// It keeps a shadow of the memory and does not give back at once what is freed.
package enum Sanitizer {
  package static let isOn = ProcessInfo.processInfo.environment["FRESHET_SANITIZED"] != nil
}
