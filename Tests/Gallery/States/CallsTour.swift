#if GTK && !canImport(Darwin)
import CGTK
import Foundation
import Freshet
import FreshetInspector
import FreshetTesting

/// Shows the calls of a client in an inspector's widget, and writes the texts of the widget to the standard error.
@MainActor
enum CallsTour {
  static func run() async {
    do {
      let client = Client {
        $0.memory = MemoryStore()
        $0.transport = ScriptedTransport { request in
          guard request.url.path == "/logo" else { return ScriptedResponse(404) }
          return ScriptedResponse(headers: [.cacheControl: "max-age=60"], body: Data("logo".utf8))
        }
      }
      let inspector = Inspector()
      inspector.add(client)
      let view = InspectorView(inspector)
      show(view.widget)
      _ = try await client.resource(Request("https://shop.example/logo?token=secret")).value
      _ = try await client.resource(Request("https://shop.example/logo?token=secret")).value
      _ = try? await client.resource(Request("https://shop.example/missing")).value
      var lines = ""
      // A call is in the list while it runs, and the last one fails.
      while !lines.contains("failed · ") {
        try await Task.sleep(for: .milliseconds(10))
        lines = texts(below: view.widget).joined(separator: "\n")
      }
      FileHandle.standardError.write(Data("\(lines)\n".utf8))
      FileHandle.standardOutput.write(Data("calls\n".utf8))
      exit(0)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func show(_ widget: UnsafeMutablePointer<GtkWidget>) {
    let window = gtk_window_new()
    let pointer = UnsafeMutableRawPointer(window)?.assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_default_size(pointer, 640, 480)
    gtk_window_set_child(pointer, widget)
    gtk_window_present(pointer)
  }

  /// The title and the explanation of each call, from the top to the bottom.
  private static func texts(below widget: UnsafeMutablePointer<GtkWidget>) -> [String] {
    let pointer = OpaquePointer(widget)
    if isExpander(widget) {
      let label = gtk_expander_get_child(pointer)
      return [gtk_expander_get_label(pointer), gtk_label_get_text(OpaquePointer(label))]
        .compactMap { $0.map { String(cString: $0) } }
    }
    var texts: [String] = []
    var child = gtk_widget_get_first_child(widget)
    while let current = child {
      texts += Self.texts(below: current)
      child = gtk_widget_get_next_sibling(current)
    }
    return texts
  }

  private static func isExpander(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
    let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
    return g_type_check_instance_is_a(instance, gtk_expander_get_type()) != 0
  }
}
#endif
