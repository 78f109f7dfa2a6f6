/// A type whose description shows no secrets, and neither do its other texts: those of a debugger and of `dump`.
package protocol RedactedDescribable: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension RedactedDescribable {
  /// The value of `description`.
  public var debugDescription: String { description }
  /// Nothing: `dump` shows the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
