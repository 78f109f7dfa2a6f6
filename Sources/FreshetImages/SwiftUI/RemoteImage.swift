#if canImport(SwiftUI)
import CoreGraphics
public import SwiftUI

/// A SwiftUI view that shows what is at a URL.
///
/// All decisions are those of ``ImagePresenter``; the view draws what an ``ImageScreen`` says.
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

  /// Makes a view.
  ///
  /// - Parameters:
  ///   - request: What to show, or `nil` for the placeholder.
  ///   - loader: What loads the picture.
  ///   - options: How loads show themselves; as the loader is configured, by default.
  ///   - content: Draws what there is to show.
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

  /// What is drawn.
  public var body: some View {
    content(screen)
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
  /// Makes a view that draws the picture alone.
  ///
  /// - Parameters:
  ///   - request: What to show, or `nil` for nothing.
  ///   - loader: What loads the picture.
  ///   - options: How loads show themselves; as the loader is configured, by default.
  public init(_ request: ImageRequest?, loader: ImageLoader, options: ImageOptions? = nil) {
    self.init(request, loader: loader, options: options) { RemoteImageContent($0) }
  }
}
#endif
