#if canImport(SwiftUI)
import CoreGraphics
public import SwiftUI

/// The picture of a screen, its activity indicator, and nothing else.
public struct RemoteImageContent: View {
  private let screen: ImageScreen
  @State private var frame: DrawnFrame?

  /// Makes a view.
  public init(_ screen: ImageScreen) {
    self.screen = screen
  }

  /// What is drawn.
  public var body: some View {
    ZStack {
      if let drawn = screen.content.bitmap(at: frame)?.cgImage {
        Image(decorative: drawn, scale: 1)
          .resizable()
          .id(screen.content.image?.digest)
          .transition(screen.transition.onSwiftUI)
          .task(id: screen.content.image?.look) {
            guard let image = screen.content.image, image.picture.isAnimated else { return }
            for await bitmap in FrameSequence(image.picture) {
              // Its time may have come just before another picture took its place.
              if Task.isCancelled { return }
              frame = DrawnFrame(look: image.look, bitmap: bitmap)
            }
          }
      }
      if screen.isActive { ProgressView() }
    }
    .animation(
      screen.transition == .none ? nil : .easeInOut,
      value: screen.content.image?.digest
    )
  }
}

extension ImageTransition {
  /// The transition of SwiftUI that is nearest.
  var onSwiftUI: AnyTransition {
    switch self {
    case .none: .identity
    case .crossFade, .ripple: .opacity
    case .scale, .perspective, .pulse: .scale.combined(with: .opacity)
    case .slide(let edge): .move(edge: edge.onSwiftUI)
    case .flip(let edge), .cube(let edge): .push(from: edge.onSwiftUI)
    }
  }
}

extension ImageEdge {
  /// Left is where the language begins to be read.
  fileprivate var onSwiftUI: Edge {
    switch self {
    case .top: .top
    case .left: .leading
    case .bottom: .bottom
    case .right: .trailing
    }
  }
}
#endif
