#if GTK && !canImport(Darwin)
import CGTK

/// The style sheet of the feed, which uses the colours of the theme.
enum FeedStyle {
  @MainActor
  static func load() {
    let provider = gtk_css_provider_new()
    gtk_css_provider_load_from_data(provider, sheet, -1)
    gtk_style_context_add_provider_for_display(
      gdk_display_get_default(),
      OpaquePointer(provider),
      guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION)
    )
  }

  private static let sheet = """
    gridview { background: @theme_bg_color; padding: 8px; }
    gridview > child { padding: 0; margin: 6px; border-radius: 12px; outline: none; }
    gridview > child:selected { background: alpha(@theme_selected_bg_color, 0.35); }
    .card { padding: 8px; color: @theme_fg_color; }
    .picture { border-radius: 10px; background: alpha(@theme_fg_color, 0.12); }
    .title { font-weight: bold; margin-top: 4px; color: @theme_fg_color; }
    .author { opacity: 0.65; font-size: 0.9em; color: @theme_fg_color; }
    .status { padding: 6px 14px; opacity: 0.75; font-size: 0.9em; }
    .inspector { padding: 14px; border-left: 1px solid alpha(@theme_fg_color, 0.15); }
    .heading { font-weight: bold; }
    .explanation { font-family: monospace; font-size: 0.85em; }
    progressbar > trough, progressbar > trough > progress { min-height: 4px; }
    """
}
#endif
