/// One decision on the way to a value; its description is a line of the explanation.
public enum Decision: Sendable, Hashable {
  /// A store had nothing for the request.
  case missed(Resource.Origin)
  /// A store had a copy.
  case hit(Resource.Origin)
}

extension Decision: CustomStringConvertible {
  /// The decision as a sentence without a full stop.
  public var description: String {
    switch self {
    case .missed(let origin): "\(origin.rawValue): miss"
    case .hit(let origin): "\(origin.rawValue): hit"
    }
  }
}
