#if canImport(SwiftUI)
import CoreGraphics
public import SwiftUI

/// The picture of a screen, its activity indicator, and nothing else.
public struct RemoteImageContent: View {
  private let screen: ImageScreen
  @State private var frame: Bitmap?

  /// Makes a view.
  public init(_ screen: ImageScreen) {
    self.screen = screen
  }

  /// What is drawn.
  public var body: some View {
    ZStack {
      if let picture = screen.content.visiblePicture,
        let drawn = (frame ?? picture.bitmap).cgImage
      {
        Image(decorative: drawn, scale: 1)
          .resizable()
          .id(screen.content.image?.digest)
          .transition(screen.transition.onSwiftUI)
          .task(id: screen.content.image?.digest) {
            frame = nil
            guard picture.isAnimated else { return }
            for await bitmap in FrameSequence(picture) { frame = bitmap }
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
