#if GTK && !canImport(Darwin)
public import CGTK

/// A GTK 4 widget that shows the image at a URL.
///
/// It is a `GtkStack` of two pictures, with a spinner as an overlay. ``ImagePresenter`` makes all
/// decisions. It is used on the main actor, which ``GTKMainLoop`` runs.
///
/// - The presenter is released with the last reference to this object; the widget belongs to its parent.
/// - When the widget is unmapped permanently, call ``ImagePresenter/disappear()``.
///
/// ```swift
/// let picture = RemotePicture(loader: loader)
/// gtk_box_append(box, picture.widget)
/// picture.show(ImageRequest(url, target: ImageTarget(width: 96, height: 96, mode: .fill)))
/// ```
@MainActor
public final class RemotePicture: ImageSurface {
  /// The widget to add to a window.
  public let widget: UnsafeMutablePointer<GtkWidget>
  /// The bitmap to show while there is no picture, and after a failure; none by default.
  public var placeholder: Bitmap? { didSet { redrawIfEmpty() } }
  /// The bitmap to show after a failure; the placeholder by default.
  public var failure: Bitmap? { didSet { redrawIfEmpty() } }
  /// The way pictures are fitted to the widget; ``ImageTarget/Mode/fit`` by default.
  public var mode = ImageTarget.Mode.fit { didSet { fit() } }
  /// A closure that receives the reports of loads; it does nothing by default.
  public var onCompletion: (ImageReport) -> Void = { _ in }
  /// The presenter that runs the loads.
  public private(set) lazy var presenter = ImagePresenter(loader: loader, surface: self)

  private let loader: ImageLoader
  private let stack: OpaquePointer
  private let spinner: OpaquePointer
  private let sheets: [OpaquePointer]
  private var front = 0
  private var content = ImageContent.placeholder
  private let player = FramePlayer()

  /// Creates a widget that shows its placeholder.
  ///
  /// - Parameter loader: The loader of the pictures.
  public init(loader: ImageLoader) {
    self.loader = loader
    let overlay = gtk_overlay_new()
    let stackWidget = gtk_stack_new()
    let spinnerWidget = gtk_spinner_new()
    let sheetWidgets = [gtk_picture_new(), gtk_picture_new()]
    guard let overlay, let stackWidget, let spinnerWidget else {
      preconditionFailure("call gtk_init() before creating a widget")
    }
    widget = overlay
    stack = OpaquePointer(stackWidget)
    spinner = OpaquePointer(spinnerWidget)
    sheets = sheetWidgets.compactMap { $0.map(OpaquePointer.init) }
    for sheet in sheetWidgets {
      gtk_stack_add_child(stack, sheet)
      gtk_picture_set_can_shrink(sheet.map(OpaquePointer.init), 1)
    }
    gtk_overlay_set_child(OpaquePointer(overlay), stackWidget)
    gtk_widget_set_halign(spinnerWidget, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(spinnerWidget, GTK_ALIGN_CENTER)
    gtk_overlay_add_overlay(OpaquePointer(overlay), spinnerWidget)
    // The window may destroy the widget before this object is released.
    g_object_ref_sink(overlay)
  }

  isolated deinit {
    g_object_unref(widget)
  }

  /// Shows the image of a request, or the placeholder for `nil`.
  ///
  /// - Parameter request: The image to show.
  public func show(_ request: ImageRequest?) {
    presenter.show(request)
  }

  /// Shows content.
  ///
  /// - Parameters:
  ///   - content: The content to show.
  ///   - transition: The transition to it; see ``ImageTransition`` for the ones that GTK supports.
  public func display(_ content: ImageContent, transition: ImageTransition) {
    self.content = content
    front = 1 - front
    redraw()
    gtk_stack_set_transition_type(stack, transition.onGTK)
    let sheet = UnsafeMutablePointer<GtkWidget>(sheets[front])
    gtk_stack_set_visible_child(stack, sheet)
  }

  /// Starts or stops the spinner.
  public func showActivity(_ isActive: Bool) {
    gtk_spinner_set_spinning(spinner, isActive ? 1 : 0)
  }

  /// Passes the report to ``onCompletion``.
  public func complete(_ report: ImageReport) {
    onCompletion(report)
  }

  private func fit() {
    let fit = mode == .fit ? GTK_CONTENT_FIT_CONTAIN : GTK_CONTENT_FIT_COVER
    for sheet in sheets { gtk_picture_set_content_fit(sheet, fit) }
  }

  private func redraw() {
    player.stop()
    switch content {
    case .placeholder: draw(placeholder)
    case .failure: draw(failure ?? placeholder)
    case .arriving(let picture): draw(picture.bitmap)
    case .picture(let image): player.play(image.picture) { [weak self] in self?.draw($0) }
    }
  }

  /// Shows a new placeholder, which does not concern a visible picture and its animation.
  private func redrawIfEmpty() {
    if content.visiblePicture == nil { redraw() }
  }

  private func draw(_ bitmap: Bitmap?) {
    let texture = bitmap.map(GTKTexture.make)
    gtk_picture_set_paintable(sheets[front], texture)
    if let texture { g_object_unref(UnsafeMutableRawPointer(texture)) }
  }
}
#endif
