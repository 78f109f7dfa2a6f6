import Foundation
import Freshet
import FreshetImages

private struct User: Decodable, Sendable {}
private struct ServiceFault: Decodable, Sendable { var message: String }
private struct Tweet: Decodable, Sendable {}
private struct TwitterUser: Decodable, Sendable {}
private struct TwitterError: Decodable, Sendable {}
private struct Post: Decodable, Sendable {}
private struct Meta: Decodable, Sendable {}
private struct GHUser: Decodable, Sendable {}
private struct GHOrg: Decodable, Sendable {}

private func show(_ value: some Any) {}
private func fail(_ error: any Error) {}
private func fail(_ message: String?, _ status: HTTPStatus?) {}

private func dockerDownload(client: Client, url: URL) async {
  let logo = client.resource(at: url) {
    $0.expiry = .after(.seconds(3600))
    $0.stale = .beforeValidation
    $0.revalidation = .head
  }
  do {
    for try await event in logo {
      if case .value(let logo) = event {
        show(try logo.data())
      }
    }
  } catch {
    fail(error)
  }
}

private struct DockerService {
  struct ShowUser: Endpoint {
    typealias Output = User
    typealias Failure = ServiceFault
    var id: Int
    var path: RequestPath { "users/\(id)" }
  }

  func load(_ client: Client) async {
    do throws(CallError<ServiceFault>) {
      let call = client.call(ShowUser(id: 7))
      show(try await call.output)
    } catch {
      fail(error.model?.message, error.head?.status)
    }
  }
}

private func overcoat(client: Client) async throws {
  let twitter = try Router([
    Route("statuses/*", [Tweet].self),
    Route("users/*", [TwitterUser].self),
    Route(error: TwitterError.self),
  ])

  let lookup = Request.get(
    "users/lookup.json",
    query: ["user_id": 42]
  )
  let users = try await client.send(lookup)
    .decode([TwitterUser].self, by: twitter)
    .output
  show(users)
}

private func overcoatEnvelope(client: Client) async throws {
  let posts = try await client.send(.get("posts"))
    .unwrap(at: "data")
    .decode([Post].self)
    .value
  let meta = try posts.sibling(at: "meta", as: Meta.self)
  show(meta)
}

private func sculptor(client: Client) async throws {
  let gitHub = try Router([
    Route("users/*", GHUser.self),
    Route("orgs/*", GHOrg.self),
  ])

  do {
    let user = try await client.send(.get("users/dcaunt"))
      .decode(GHUser.self, by: gitHub)
      .output
    show(user)
  } catch {
    fail(error)
  }
}

private func alamofire() async throws {
  let client = Client {
    $0.baseURL = URL(string: "https://api.example")
    $0.retry = .standard
  }
  let user = try await client.send(.get("users/7"))
    .decode(User.self)
    .output
  show(user)
}

private func alamofireUpload(client: Client, url: URL, photo: URL) async throws {
  let form = MultipartBody([.file("photo", photo)])
  let upload = client.send(
    Request(.post, url, body: try .multipart(form))
  )
  for try await event in upload {
    if case .progress(let progress) = event {
      show(progress.fraction)
    }
  }
}

private func alamofireDownload(client: Client, url: URL, file: URL) async throws {
  let film = try await client.download(url, to: file).value
  _ = film
}

private func nukePicture(client: Client, url: URL) async throws {
  func show(_ picture: Picture, _ explanation: Explanation) {}

  let loader = ImageLoader(client)
  let box = ImageTarget(width: 96, height: 96, scale: 2)
  let load = loader.image(at: url, target: box)
  let image = try await load.value
  show(image.picture, image.explanation)
}

@MainActor
private func dockerImageView(loader: ImageLoader, view: any ImageSurface, url: URL) {
  let presenter = ImagePresenter(
    loader: loader,
    surface: view
  )
  presenter.options.activity = .after(.zero)

  let box = ImageTarget(
    width: 96,
    height: 96,
    scale: 2,
    mode: .fill
  )
  presenter.show(ImageRequest(url, target: box))
}

private func nuke(url: URL, caches: URL) async throws {
  let client = Client {
    $0.disk = DiskStore(directory: caches)
  }

  let task = client.resource(at: url).start()
  for try await event in task.events {
    if case .progress(let progress) = event {
      show(progress.fraction)
    }
  }
  let bytes = try await task.value.data()
  show(bytes)
}
