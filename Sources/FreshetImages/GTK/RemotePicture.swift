#if GTK && os(Linux)
public import CGTK
import Freshet

/// A GTK 4 widget that shows what is at a URL.
///
/// It is a `GtkStack` of two pictures, a spinner and the placeholder over them; all decisions are those
/// of ``ImagePresenter``. It lives on the main actor, which ``GTKMainLoop`` runs.
///
/// - Its presenter ends with the last reference to it; the widget itself belongs to its parent.
/// - When the widget is unmapped for good, call ``ImagePresenter/disappear()``.
///
/// ```swift
/// let picture = RemotePicture(loader: loader)
/// gtk_box_append(box, picture.widget)
/// picture.show(ImageRequest(url, target: ImageTarget(width: 96, height: 96, mode: .fill)))
/// ```
@MainActor
public final class RemotePicture: ImageSurface {
  /// The widget to put into a window.
  public let widget: UnsafeMutablePointer<GtkWidget>
  /// What is shown while there is no picture, and after a failure; nothing by default.
  public var placeholder: Bitmap? { didSet { redraw() } }
  /// What is shown after a failure; the placeholder by default.
  public var failure: Bitmap? { didSet { redraw() } }
  /// How pictures are brought into the widget; whole inside of it by default.
  public var mode = ImageTarget.Mode.fit { didSet { fit() } }
  /// Takes what a load has come to; nothing by default.
  public var onCompletion: (ImageReport) -> Void = { _ in }
  /// What runs the loads.
  public private(set) lazy var presenter = ImagePresenter(loader: loader, surface: self)

  private let loader: ImageLoader
  private let stack: OpaquePointer
  private let spinner: OpaquePointer
  private let sheets: [OpaquePointer]
  private var front = 0
  private var content = ImageContent.placeholder
  private let player = FramePlayer()

  /// Makes a widget that shows its placeholder.
  ///
  /// - Parameter loader: What loads the pictures.
  public init(loader: ImageLoader) {
    self.loader = loader
    let overlay = gtk_overlay_new()
    let stackWidget = gtk_stack_new()
    let spinnerWidget = gtk_spinner_new()
    let sheetWidgets = [gtk_picture_new(), gtk_picture_new()]
    guard let overlay, let stackWidget, let spinnerWidget else {
      preconditionFailure("call gtk_init() before a widget is made")
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
    // The wrapper may be dropped after its window has destroyed the widget.
    g_object_ref_sink(overlay)
  }

  isolated deinit {
    g_object_unref(widget)
  }

  /// Shows what a request describes, or the placeholder for `nil`.
  ///
  /// - Parameter request: What to show.
  public func show(_ request: ImageRequest?) {
    presenter.show(request)
  }

  /// Puts something on the screen.
  ///
  /// - Parameters:
  ///   - content: What to show.
  ///   - transition: How it takes the place; see ``ImageTransition`` for what GTK has.
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

  /// Hands the report on.
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

  private func draw(_ bitmap: Bitmap?) {
    let texture = bitmap.map(GTKTexture.make)
    gtk_picture_set_paintable(sheets[front], texture)
    if let texture { g_object_unref(UnsafeMutableRawPointer(texture)) }
  }
}
#endif
