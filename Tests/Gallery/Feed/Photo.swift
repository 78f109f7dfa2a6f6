import Foundation
import Freshet
import FreshetModels

/// A photograph in the feed.
struct Photo: PersistableModel, Equatable {
  static let modelName = "Photo"
  static let indexes = [ModelIndex(\Photo.position, "position")]

  let id: Int
  /// The position in the feed.
  var position: Int
  var title: String
  var url: URL
  var author: Author
}

/// The photographer, who is stored once for all photographs.
struct Author: PersistableModel, Equatable {
  static let modelName = "Author"

  let id: Int
  var name: String
}

/// A page of the feed.
struct PhotoPage: Decodable, PersistableContainer {
  var photos: [Photo]
  var nextPage: Int?
  var persistedPart: [Photo] {
    get { photos }
    set { photos = newValue }
  }
}

/// The service call for a page.
struct ListPhotos: Endpoint {
  typealias Output = PhotoPage
  var page = 1
  var path: RequestPath { "photos" }
  var query: ParameterList { ["page": page] }
}
