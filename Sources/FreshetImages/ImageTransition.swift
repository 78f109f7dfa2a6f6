/// The transition from one picture to another.
///
/// A platform that does not have the transition uses the nearest one, see <doc:Images>.
public enum ImageTransition: Sendable, Hashable {
  /// The picture changes immediately.
  case none
  /// The new picture fades in over the old one.
  case crossFade
  /// The new picture fades in while it grows to its size.
  case scale
  /// The new picture fades in with a perspective effect.
  case perspective
  /// The new picture slides in over the old one.
  case slide(from: ImageEdge)
  /// Both pictures turn like the two sides of a card; the edge is the left or the right one.
  case flip(from: ImageEdge)
  /// The new picture spreads like a wave.
  case ripple
  /// Both pictures turn like two sides of a cube.
  case cube(from: ImageEdge)
  /// The new picture bounces into its size.
  case pulse

  /// All transitions, with every edge that is supported.
  public static var all: [ImageTransition] {
    [.none, .crossFade, .scale, .perspective, .ripple, .pulse]
      + ImageEdge.allCases.flatMap { [.slide(from: $0), .cube(from: $0)] }
      + [.flip(from: .left), .flip(from: .right)]
  }
}

/// The edge from which a transition comes.
public enum ImageEdge: String, Sendable, Hashable, CaseIterable {
  /// From above.
  case top
  /// From the left.
  case left
  /// From below.
  case bottom
  /// From the right.
  case right
}
