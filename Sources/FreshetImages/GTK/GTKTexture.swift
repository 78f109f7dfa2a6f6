#if GTK && !canImport(Darwin)
import CGTK

/// Creates GDK textures from bitmaps.
enum GTKTexture {
  /// Returns a texture with a copy of the pixels, which the caller has to release.
  static func make(_ bitmap: Bitmap) -> OpaquePointer {
    let bytes = g_bytes_new(bitmap.pixels, gsize(bitmap.pixels.count))
    defer { g_bytes_unref(bytes) }
    return gdk_memory_texture_new(
      Int32(bitmap.size.width),
      Int32(bitmap.size.height),
      GDK_MEMORY_R8G8B8A8_PREMULTIPLIED,
      bytes,
      gsize(bitmap.size.width * 4)
    )
  }
}

extension ImageTransition {
  /// The nearest transition of `GtkStack`.
  var onGTK: GtkStackTransitionType {
    switch self {
    case .none: GTK_STACK_TRANSITION_TYPE_NONE
    case .crossFade, .scale, .perspective, .ripple, .pulse: GTK_STACK_TRANSITION_TYPE_CROSSFADE
    case .slide(from: .top): GTK_STACK_TRANSITION_TYPE_SLIDE_DOWN
    case .slide(from: .left): GTK_STACK_TRANSITION_TYPE_SLIDE_RIGHT
    case .slide(from: .bottom): GTK_STACK_TRANSITION_TYPE_SLIDE_UP
    case .slide(from: .right): GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT
    case .flip(from: .right), .cube(from: .right): GTK_STACK_TRANSITION_TYPE_ROTATE_LEFT
    case .flip, .cube(from: .left): GTK_STACK_TRANSITION_TYPE_ROTATE_RIGHT
    case .cube(from: .top): GTK_STACK_TRANSITION_TYPE_SLIDE_DOWN
    case .cube(from: .bottom): GTK_STACK_TRANSITION_TYPE_SLIDE_UP
    }
  }
}
#endif
