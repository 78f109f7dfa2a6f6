import Foundation
import Freshet
import FreshetImages
import FreshetModels
import FreshetTesting

private struct User: Decodable, Sendable {}
private struct ServiceFault: Decodable, Sendable { var message: String }
private struct Tweet: Decodable, Sendable {}
private struct TwitterUser: Decodable, Sendable {}
private struct TwitterError: Decodable, Sendable {}
private struct Post: Decodable, Sendable {}
private struct Meta: Decodable, Sendable {}
private struct GHUser: Decodable, Sendable {}
private struct GHOrg: Decodable, Sendable {}
private struct Token: Decodable, Sendable {
  var access: String
  var refresh: String
  var lifetime: Double
}
private struct Hero: PersistableModel {
  static let modelName = "Hero"
  let id: Int
  var name: String
}
private struct ShowHero: Endpoint {
  typealias Output = Hero
  var id: Int
  var path: RequestPath { "heroes/\(id)" }
}

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
    if case .progress(let progress) = event,
      progress.isSent
    {
      show(progress.fraction)
    }
  }
}

private func alamofireParameters(client: Client, name: String) throws {
  let created = client.send(
    .post("users", body: try .json(["name": name, "age": 7]))
  )
  _ = created
}

private func alamofireToken(saved: Credential, api: URL) {
  let session = Authenticator(saved, for: [api]) { old, transport in
    let token = try await Client { $0.transport = transport }
      .send(
        Request(
          .post,
          api.appending(path: "oauth/token"),
          body: try .form([
            "grant_type": "refresh_token",
            "refresh_token": old.refreshToken,
          ])
        )
      )
      .decode(Token.self)
      .output
    return .bearer(
      token.access,
      expires: Date(timeIntervalSinceNow: token.lifetime),
      refreshToken: token.refresh
    )
  }
  let client = Client {
    $0.transport = DefaultTransport().authenticated(by: session)
  }
  _ = client
}

private func alamofireForbidden(session: Authenticator) -> any Transport {
  let transport = DefaultTransport()
    .intercepted { request, next in
      next(request)
        .mapEvents { event in
          guard case .head(var head) = event, head.status == 403
          else { return event }
          head.status = 401
          return .head(head)
        }
    }
    .authenticated(by: session)
  return transport
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

private func urlSessionMock() {
  let mock = ScriptedTransport { request in
    request.url.path == "/users/7"
      ? .json(#"{"name": "Ada"}"#)
      : ScriptedResponse(404)
  }
  let client = Client {
    $0.transport = mock
    $0.baseURL = URL(string: "https://api.example")
  }
  _ = client
}

#if !canImport(Darwin)
private func asyncHTTPClient(authorities: URL, proxy: URL) async {
  let client = Client {
    $0.timeouts.connect = .seconds(2)
    $0.timeouts.firstByte = .seconds(30)
    $0.timeouts.idle = .seconds(30)
    $0.transport = CurlTransport {
      $0.maximumConnectionsPerHost = 8
      $0.trust = .file(authorities)
      $0.proxy = .url(proxy)
    }
  }

  await client.shutdown(grace: .seconds(10))
}
#endif

private func asyncHTTPClientBodies(client: Client, request: Request) async throws {
  func write(_ chunk: Data, of head: ResponseHead) {}

  let call = client.send(request) {
    $0.timeouts.total = .seconds(30)
    $0.bodyLimit = 1 << 20
  }
  let response = try await call.value

  var film = client.stream(request).makeAsyncIterator()
  let head = try await film.head()
  while let chunk = try await film.next() {
    write(chunk, of: head)
  }
  _ = response
}

private func asyncHTTPClientCopy(client: Client, source: Request, backup: URL) async throws {
  let copy = Request(
    .put,
    backup,
    body: .stream { client.stream(source) }
  )
  _ = try await client.send(copy).validate().value
}

private func apollo(client: Client, models: ModelStore) async throws {
  func show(_ hero: Hero?, _ state: some Any) {}

  let hero = models.live(Hero.self, id: 7, by: client.call(ShowHero(id: 7)))
  for try await live in hero {
    show(live.value, live.state)
  }
}

private enum GraphQL {
  struct QueryFault: Decodable, Sendable {
    struct Entry: Decodable, Sendable { var message: String }
    var errors: [Entry]
  }

  struct HeroQuery: Endpoint {
    struct Output: Decodable, Sendable { var hero: Hero }
    typealias Failure = QueryFault
    var id: Int
    let payload: PayloadPath = "data"
    var method: HTTPMethod { .post }
    var path: RequestPath { "graphql" }
    var body: RequestBody? {
      get throws {
        let variables: ParameterList = ["id": id]
        let query = "query Hero($id: ID!) { hero(id: $id) { id name } }"
        return try .json(["query": query, "variables": variables])
      }
    }
    func isError(_ response: Response<Data>) -> Bool {
      !response.status.isSuccess || response.hasValue(at: "errors")
    }
  }

  struct PartialHero: Endpoint {
    typealias Output = Hero?
    typealias Failure = QueryFault
    var id: Int
    let payload: PayloadPath = "data.hero"
    var path: RequestPath { "graphql" }
    func isError(_ response: Response<Data>) -> Bool {
      !response.status.isSuccess || !response.hasValue(at: "data")
    }
  }

  static func partial(client: Client) async throws -> [QueryFault.Entry] {
    let response = try await client.call(PartialHero(id: 7)).value
    let errors = try response.sibling(at: "errors", as: [QueryFault.Entry]?.self) ?? []
    return errors
  }
}
