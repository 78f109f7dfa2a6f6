#if GTK && !canImport(Darwin)
public import CGTK

/// A GTK 4 widget that lists the newest calls of an inspector, each with its explanation behind an expander.
///
/// It is made and released on the main thread, whose GLib loop updates it. It needs no port: an inspector that listens on
/// none is enough.
///
/// ```swift
/// let view = InspectorView(inspector)
/// gtk_window_set_child(window, view.widget)
/// ```
@MainActor
public final class InspectorView {
  /// The widget to add to a window.
  public let widget: UnsafeMutablePointer<GtkWidget>
  private let inspector: Inspector
  private let list: OpaquePointer
  private var rows: [Row] = []
  private var version: Int?
  private var source: guint = 0

  private struct Row {
    var call: CallSummary
    let expander: UnsafeMutablePointer<GtkWidget>
    let explanation: OpaquePointer
  }

  /// The milliseconds between two looks at the inspector.
  private static let interval: guint = 200

  /// Creates a widget that lists the calls of an inspector.
  public init(_ inspector: Inspector) {
    guard let scroll = gtk_scrolled_window_new(), let box = gtk_list_box_new() else {
      preconditionFailure("call gtk_init() before a widget is made")
    }
    self.inspector = inspector
    widget = scroll
    list = OpaquePointer(box)
    gtk_scrolled_window_set_child(OpaquePointer(scroll), box)
    // The window may destroy the widget before this object is released.
    g_object_ref_sink(scroll)
    update()
    source = g_timeout_add(
      Self.interval,
      { view in
        guard let view else { return 0 }
        // The view removes the source before it is released, on the thread of the loop.
        MainActor.assumeIsolated {
          Unmanaged<InspectorView>.fromOpaque(view).takeUnretainedValue().update()
        }
        return 1
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  isolated deinit {
    g_source_remove(source)
    g_object_unref(widget)
  }

  /// Shows the calls as they are now.
  func update() {
    guard version != inspector.recorder.version else { return }
    version = inspector.recorder.version
    let calls = inspector.summaries
    let oldest = calls.last?.id ?? 0
    while let row = rows.last, row.call.id < oldest {
      // The list has put the expander into a row of its own, and removes nothing else.
      if let item = gtk_widget_get_parent(row.expander) { gtk_list_box_remove(list, item) }
      rows.removeLast()
    }
    let known = rows.first?.call.id ?? 0
    for call in calls.reversed() where call.id > known { insert(call) }
    for (index, call) in calls.enumerated() where rows[index].call != call { show(call, at: index) }
  }

  private func insert(_ call: CallSummary) {
    guard let expander = gtk_expander_new(nil), let label = gtk_label_new(nil) else { return }
    let explanation = OpaquePointer(label)
    gtk_label_set_wrap(explanation, 1)
    gtk_label_set_xalign(explanation, 0)
    gtk_label_set_selectable(explanation, 1)
    gtk_expander_set_child(OpaquePointer(expander), label)
    gtk_list_box_prepend(list, expander)
    rows.insert(Row(call: call, expander: expander, explanation: explanation), at: 0)
    show(call, at: 0)
  }

  private func show(_ call: CallSummary, at index: Int) {
    rows[index].call = call
    gtk_expander_set_label(OpaquePointer(rows[index].expander), "\(call.title)\n\(call.details)")
    let sentences = inspector.sentences(of: call.id).joined(separator: "\n")
    gtk_label_set_text(rows[index].explanation, sentences)
  }
}
#endif
