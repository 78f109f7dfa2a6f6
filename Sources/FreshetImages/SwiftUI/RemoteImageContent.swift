#if canImport(SwiftUI)
import CoreGraphics
public import SwiftUI

/// A view with the picture of a screen and its activity indicator.
///
/// The view takes the space that it is offered, and the picture keeps its shape in it.
public struct RemoteImageContent: View {
  private let screen: ImageScreen
  private let mode: ImageTarget.Mode
  @State private var frame: DrawnFrame?
  @State private var drawing = Drawing()

  /// Creates a view for a screen.
  ///
  /// - Parameters:
  ///   - screen: The screen.
  ///   - mode: The way the picture is fitted to the view, which cuts off what is beyond it;
  ///     ``ImageTarget/Mode/fit`` by default.
  public init(_ screen: ImageScreen, mode: ImageTarget.Mode = .fit) {
    self.screen = screen
    self.mode = mode
  }

  /// The content of the view.
  public var body: some View {
    ZStack {
      if let drawn = screen.content.bitmap(at: frame).flatMap(drawing.image) {
        Image(decorative: drawn, scale: 1)
          .resizable()
          .aspectRatio(contentMode: mode == .fill ? .fill : .fit)
          .frame(minWidth: 0, maxWidth: .infinity, minHeight: 0, maxHeight: .infinity)
          .clipped()
          // What is cut off takes no taps of the views beside it.
          .contentShape(Rectangle())
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

/// The last bitmap with its image, which is copied once and not by each evaluation of the view.
@MainActor
private final class Drawing {
  private var bitmap: Bitmap?
  private var image: CGImage?

  /// Creates a drawing of nothing.
  nonisolated init() {}

  func image(of bitmap: Bitmap) -> CGImage? {
    if self.bitmap != bitmap { (self.bitmap, image) = (bitmap, bitmap.cgImage) }
    return image
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
