#if canImport(SwiftUI)
import CoreGraphics
public import SwiftUI

/// A SwiftUI view that shows the image at a URL.
///
/// ``ImagePresenter`` makes all decisions; the view draws the contents of an ``ImageScreen``.
///
/// ```swift
/// RemoteImage(ImageRequest(url), loader: loader)
/// RemoteImage(ImageRequest(url), loader: loader) { screen in
///   if screen.content.error != nil { Text("No picture") } else { RemoteImageContent(screen) }
/// }
/// ```
public struct RemoteImage<Content: View>: View {
  private let request: ImageRequest?
  private let loader: ImageLoader
  private let options: ImageOptions?
  private let content: (ImageScreen) -> Content
  @State private var screen = ImageScreen()
  @State private var presenter: ImagePresenter?

  /// Creates a view.
  ///
  /// - Parameters:
  ///   - request: The image to show; `nil` for the placeholder.
  ///   - loader: The loader of the image.
  ///   - options: The options of loads; `nil`, the default, uses those of the loader.
  ///   - content: A closure that returns the view for a screen.
  public init(
    _ request: ImageRequest?,
    loader: ImageLoader,
    options: ImageOptions? = nil,
    @ViewBuilder content: @escaping (ImageScreen) -> Content
  ) {
    self.request = request
    self.loader = loader
    self.options = options
    self.content = content
  }

  /// The content of the view.
  public var body: some View {
    // The stack stays while the content changes, and also while there is none: that would not appear.
    ZStack { content(screen) }
      .onAppear { show() }
      .onDisappear { presenter?.disappear() }
      .onChange(of: request) { show() }
      .onChange(of: options) { show() }
  }

  private func show() {
    let presenter = self.presenter ?? ImagePresenter(loader: loader, surface: screen)
    presenter.loader = loader
    presenter.options = options ?? loader.configuration.options
    self.presenter = presenter
    presenter.show(request)
  }
}

extension RemoteImage where Content == RemoteImageContent {
  /// Creates a view that only draws the picture, fitted as the request's target says.
  ///
  /// - Parameters:
  ///   - request: The image to show; `nil` for nothing.
  ///   - loader: The loader of the image.
  ///   - options: The options of loads; `nil`, the default, uses those of the loader.
  public init(_ request: ImageRequest?, loader: ImageLoader, options: ImageOptions? = nil) {
    self.init(request, loader: loader, options: options) {
      RemoteImageContent($0, mode: request?.target?.mode ?? .fit)
    }
  }
}
#endif
