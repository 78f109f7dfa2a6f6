/// How one picture takes the place of another.
///
/// A platform that has no such transition of its own takes the nearest one that it has, see
/// <doc:Images>.
public enum ImageTransition: Sendable, Hashable {
  /// At once.
  case none
  /// The new one fades in over the old one.
  case crossFade
  /// It fades in while it grows to its size.
  case scale
  /// It fades in out of a perspective.
  case perspective
  /// It slides in over the old one.
  case slide(from: ImageEdge)
  /// Both turn around as the two sides of a card; the edge is the left or the right one.
  case flip(from: ImageEdge)
  /// It spreads like a wave.
  case ripple
  /// Both turn as two sides of a cube.
  case cube(from: ImageEdge)
  /// It swings into its size.
  case pulse

  /// All of them, with every edge that makes sense.
  public static var all: [ImageTransition] {
    [.none, .crossFade, .scale, .perspective, .ripple, .pulse]
      + ImageEdge.allCases.flatMap { [.slide(from: $0), .cube(from: $0)] }
      + [.flip(from: .left), .flip(from: .right)]
  }
}

/// Where a transition comes from.
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
