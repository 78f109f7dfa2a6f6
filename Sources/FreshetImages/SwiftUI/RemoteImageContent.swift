#if canImport(SwiftUI)
import CoreGraphics
public import SwiftUI

/// A view with the picture of a screen and its activity indicator.
public struct RemoteImageContent: View {
  private let screen: ImageScreen
  @State private var frame: DrawnFrame?

  /// Creates a view for a screen.
  public init(_ screen: ImageScreen) {
    self.screen = screen
  }

  /// The content of the view.
  public var body: some View {
    ZStack {
      if let drawn = screen.content.bitmap(at: frame)?.cgImage {
        Image(decorative: drawn, scale: 1)
          .resizable()
          .id(screen.content.image?.look)
          .transition(screen.transition.onSwiftUI)
          .task(id: screen.content.image?.look) {
            guard let image = screen.content.image, image.picture.isAnimated else { return }
            for await bitmap in FrameSequence(image.picture) {
              // The frame may be due just before another picture is played.
              if Task.isCancelled { return }
              frame = DrawnFrame(look: image.look, bitmap: bitmap)
            }
          }
      }
      if screen.isActive { ProgressView() }
    }
    .animation(
      screen.transition == .none ? nil : .easeInOut,
      value: screen.content.image?.look
    )
  }
}

extension ImageTransition {
  /// The nearest transition of SwiftUI.
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
  /// `left` is the leading edge of the layout direction.
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
