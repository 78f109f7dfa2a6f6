#if GTK && !canImport(Darwin)
import CGTK
import Foundation
import FreshetImages

guard gtk_init_check() != 0 else {
  print("there is no display")
  exit(2)
}
GTKMainLoop.runMainActor()
let arguments = CommandLine.arguments.dropFirst()
Task {
  switch arguments.first {
  case "--states":
    await StatesTour.run()
  case "--calls":
    await CallsTour.run()
  case "--screenshots":
    await FeedTour.run(saving: arguments.dropFirst().first ?? "gallery")
  default:
    await FeedTour.run(saving: nil)
  }
}
let loop = g_main_loop_new(nil, 0)
g_main_loop_run(loop)
#elseif canImport(SwiftUI)
import SwiftUI

GalleryApp.main()
#else
print("The gallery needs Linux and the package trait GTK: swift run --traits GTK FreshetGallery")
#endif
