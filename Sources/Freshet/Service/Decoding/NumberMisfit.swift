import FreshetEssentials

/// A JSON number that does not fit the requested type, such as 2.5 for an `Int`.
///
/// Foundation's decoder throws a private error for it, which contains no path, and replaces it by
/// “not valid JSON” at the top level.
struct NumberMisfit {
  /// The number as it is written.
  let number: String

  /// The reason, without any text of the body.
  static let kind = "a number does not fit its type"

  var reason: String { "the number \(number) does not fit its type" }

  /// Reads it from an error that a decoder has thrown, if it is one of these.
  init?(_ error: any Error) {
    guard "\(type(of: error))" == "JSONError",
      let payload = Mirror(reflecting: error).children.first,
      payload.label?.hasPrefix("number") == true
    else { return nil }
    let parts = [payload.value] + Mirror(reflecting: payload.value).children.map(\.value)
    guard let number = parts.lazy.compactMap({ $0 as? String }).first else { return nil }
    self.number = number
  }

  /// Decodes once more to find the error that the decoder has replaced; the data is JSON.
  init?(decoding target: Any.Type, from data: Data) {
    guard let target = target as? any Decodable.Type,
      let error = Self.error(decoding: target, from: data)
    else { return nil }
    self.init(error)
  }

  /// Returns the path of the number in the data, below that element if there is one; `nil` unless it
  /// occurs exactly once.
  func place(in data: Data, element: String?) -> PayloadPath? {
    JSONScanner.place(of: number, below: element, in: data)
  }

  private static func error<Target: Decodable>(
    decoding target: Target.Type,
    from data: Data
  ) -> (any Error)? {
    do {
      _ = try JSONDecoder().decode(Probe<Target>.self, from: data)
      return nil
    } catch {
      return (error as? Caught)?.error
    }
  }

  /// An error that the decoder does not recognise, and therefore does not replace.
  private struct Caught: Error {
    let error: any Error
  }

  private struct Probe<Target: Decodable>: Decodable {
    init(from decoder: any Decoder) throws {
      do {
        _ = try decoder.singleValueContainer().decode(Target.self)
      } catch {
        throw Caught(error: error)
      }
    }
  }
}
