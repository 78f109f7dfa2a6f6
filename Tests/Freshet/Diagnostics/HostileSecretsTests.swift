import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// Secrets in every disguise, in recordings, commands, diagnostics and excerpts.
@Suite struct HostileSecretsTests {
  static let form = "application/x-www-form-urlencoded"

  /// A body in which `hunter2` is a secret, and its type.
  struct Case: Sendable, CustomTestStringConvertible {
    let type: String?
    let body: Data
    var testDescription: String {
      "\(type ?? "none") \(String(decoding: body.prefix(60), as: UTF8.self))"
    }

    init(_ type: String?, _ body: String) {
      self.init(type, Data(body.utf8))
    }

    init(_ type: String?, _ body: Data) {
      (self.type, self.body) = (type, body)
    }
  }

  static let json: [Case] = [
    #"{"password":"hunter2"}"#, #"{"\u0070assword":"hunter2"}"#, #"{"PASS-WORD":"hunter2"}"#,
    #"{"a":[{"b":{"token":["hunter2"]}}]}"#, #"{"token":{"hunter2":1}}"#,
    #"{"token":{"a":{"hunter2":[1]}}}"#,
    #"{"name":"token","value":{"hunter2":1}}"#, #"["token",{"hunter2":[true]}]"#,
    #"{"a":"{\"password\":\"hunter2\"}"}"#,
    #"{"a":"{\"b\":\"{\\\"password\\\":\\\"hunter2\\\"}\"}"}"#,
    #"{"a":"[{\"token\":\"x\\\"hunter2\"}]"}"#, #"["{\"token\":\"hunter2\"}"]"#,
    #""{\"token\":\"hunter2\"}""#, #"{"{\"token\":\"hunter2\"}":1}"#,
    #"{"a":"\"{\\\"token\\\":\\\"hunter2\\\"}\""}"#,
    #"{"a":"{\"password\":\"hunter2\""}"#, #"{"a":"x {\"password\":\"a\", \"b\":\"hunter2\"}"}"#,
    #"{"name":"password","value":"hunter2"}"#, #"[{"value":["hunter2"],"Key":"X-Auth-Token"}]"#,
    #"["password","hunter2"]"#, #"[["a","b"],["token","hunter2"]]"#,
    #"["Host","x","Authorization","hunter2"]"#,
    #"{"a":"token=hunter2"}"#, #"{"a":"a=1;token=hunter2"}"#, #"{"a":"a=1&token=x,hunter2"}"#,
    #"{"a":"password: x, hunter2"}"#, #"{"a":"password: \"x\", hunter2"}"#,
    #"{"a":"password=x&amp;hunter2"}"#, #"{"a":"password&#61;hunter2"}"#,
    #"{"a":"&quot;password&quot;:&quot;hunter2&quot;"}"#, #"{"a":"&#x22;token&#x22;&#58;hunter2"}"#,
    #"{"a":"\\u0070assword=hunter2"}"#, #"{"a":"\\\"password\\\":\\\"hunter2\\\""}"#,
    #"{"a":"https://x/?token=hunter2"}"#, #"{"a":"see https://x/?code=hunter2 now"}"#,
    #"{"a":"https://ann:hunter2@x/"}"#, #"{"a":"see https://ann:hunter2@x/"}"#,
    #"{"a":"https://x/a;token=hunter2/b"}"#, #"{"a":"https://x/#access_token=hunter2"}"#,
    #"{"a":"https://x/#/in?token=hunter2"}"#, #"{"a":"https%3A%2F%2Fx%2F%3Ftoken%3Dhunter2"}"#,
    #"{"a":"https%253A%252F%252Fx%252F%253Ftoken%253Dhunter2"}"#,
    #"{"a":"?u=https%3A%2F%2Fx%2F%3Fv%3Dhttps%253A%252F%252Fy%252F%253Ftoken%253Dhunter2"}"#,
    #"{"a":"https://x/?q={\"password\":\"hunter2\"}"}"#,
    #"{"a":"Bearer hunter2hunter2hunter2"}"#, #"{"a":"Basic aHVudGVyMjpodW50ZXIy"}"#,
    #"{"a":"eyJwYXNzd29yZCI6Imh1bnRlcjIifQ"}"#, #"{"a":"dG9rZW49aHVudGVyMiZhPTE="}"#,
    #"{"a":"W3sicGFzc3dvcmQiOiJodW50ZXIyIn1d"}"#, #"{"a":"<password>hunter2</password>"}"#,
    #"{"a":"<ns:Password type='x' b='y'>hunter2</ns:Password>"}"#,
    #"{"a":"<input name='password' value='hunter2'>"}"#,
    ##"{"query":"mutation { login(user:\"ann\", password:\"hunter2\") { id } }"}"##,
    ##"{"query":"mutation($p:String!){a(p:$p)}","variables":{"password":"hunter2"}}"##,
    ##"{"variables":"{\"input\":{\"newPassword\":\"hunter2\"}}"}"##,
    #"{"a":"<token a>hunter2</token>"}"#, #"{"pass\u200Bword":"hunter2"}"#,
    #"{"a":"jdbc:x://ann:hunter2@db/a"}"#, #"{"a":"https:\\\\ann:hunter2@x"}"#,
    #"{"a":"https:ann:hunter2@x"}"#, #"{"a":"//ann:hunter2@x"}"#,
    #"{"a":"Cookie: a=b; id=hunter2"}"#,
    #"{"a":"data:application/json;base64,W3sicGFzc3dvcmQiOiJodW50ZXIyIn1d"}"#,
    #"{"a":"-----BEGIN PRIVATE KEY-----\nhunter2\n"}"#, #"{"a":"'https://x/?code=hunter2'"}"#,
    #"{"a":"Server=x;User=ann;Password=hunter2"}"#, #"{"h":["Authorization: hunter2"]}"#,
    #"{"a":"user=bob@example.org&password=hunter2&at=12:30"}"#, #"{"a":"password:P@hunter2"}"#,
    #"{"a":"password=P@ss:hunter2"}"#, #"{"a":"Password=hunter2;Server=tcp:db;User=a@b"}"#,
    #"{"a":"ann@x:token=hunter2"}"#, ##"{"a":"token:abc#hunter2"}"##,
    #"{"a":"password:hunter2?x"}"#,
    #"{"a":"token:abc://hunter2"}"#, #"{"a":"https://x/map?center=52.5,13.4&key=hunter2"}"#,
    #"{"a":"https://x/in?scope=read,write&code=hunter2"}"#,
    #"{"a":"see https://x/in?scope=read,write&code=hunter2 now"}"#,
    #"{"a":"https://ann:hunter2,x@x/"}"#, #"{"a":"https://a,b:hunter2@x/"}"#,
    #"{"a":"see https://ann:x,hunter2@x/ now"}"#, #"{"a":"/geo/8.5,47.3?fields=a,b&code=hunter2"}"#,
    #"{"a":"https://x/8.5,47.3,12/400x300.png?path=8.5,47.3&key=hunter2"}"#,
    #"{"a":"https://x/a,b?sig=S&key=hunter2"}"#, #"{"a":"https://x/a,,b,token=hunter2?x=1"}"#,
    #"{"a":"amqp://u:hunter2@h1:5672/v,amqp://u:hunter2@h2:5672/v"}"#,
    #"{"a":"https://a.x/,https://u:hunter2@b.x/"}"#, #"{"a":"https://u:p@a,https://u:hunter2@b/"}"#,
    #"{"a":"redis://:p@h:6379/0,redis://:hunter2@h2:6379/0"}"#,
    #"{"a":"brokers amqp://u:p@h1/v,amqp://u:hunter2@h2/v here"}"#,
    #"{"a":"https://x/a,token=hunter2"}"#, #"{"a":"/login,token=hunter2"}"#,
    #"{"a":"/cb,password:hunter2"}"#, #"{"a":"https://x/?a=1,https://u:hunter2@b/"}"#,
    #"{"a":"/x?a=1,token=hunter2"}"#, ##"{"a":"https://x/#a,password:hunter2"}"##,
    ##"{"a":"postgres://u:12#hunter2@h/"}"##, #"{"a":"postgres://u:12?hunter2@h/"}"#,
    #"{"a":"https://x/a,https://y/in?code=hunter2"}"#, ##"{"a":"postgres://ann:p#hunter2@db/x"}"##,
    #"{"a":"amqp://u:p@h1/v,amqp://u:hunter2Pass=1@h2/v"}"#,
    #"{"a":"https://x/a,https://hunter2-token:x@h/"}"#, #"{"a":"/a,//ann:hunter2secret:x@h"}"#,
    #"{"a":"see amqp://h1/v,amqp://u:x,hunter2Pass:1@h2/v now"}"#,
    #"{"a":"https://x/a,token=ab,hunter2"}"#, #"{"a":"/cb,password:ab,hunter2"}"#,
    #"{"a":"see https://x/a,password:ab,hunter2 now"}"#, #"{"a":"u=/cb,token=ab,hunter2"}"#,
    #"{"a":"https://x/a,token=ab?hunter2"}"#, ##"{"a":"/cb,token:abc#hunter2"}"##,
    #"{"a":"https://x/token=hunter2,b"}"#, #"{"a":"/password:hunter2,b"}"#,
    #"{"a":"see https://x/password:hunter2,https://u:p@b/ now"}"#,
    #"{"a":"see amqp://u:x,hunter2Pass=1@h/v"}"#, #"{"a":"see https://u:x,hunter2@h/v?a=1 now"}"#,
    #"{"a":"postgres://ann:p/hunter2@db/x"}"#, #"{"a":"see postgres://ann:p?hunter2@db/x now"}"#,
    // None of these is JSON.
    #"{"name":"password","value":"hunter2",}"#, #"{"name":"X-Api-Key","value":"hunter2""#,
    #"{"value":"hunter2","name":"password""#, #"["password","hunter2""#,
    #"{"name":"token","value":{"a":"hunter2","b":x}}"#, #"[1,{"k":"token","v":["hunter2"],"#,
    #"{"password":"hunter2"#, #"{"a":1}{"password":"hunter2"}"#, #"{password:'hunter2'}"#,
    #"{"a":1} hunter2"#, #"{"a":1,/* password */"b":"hunter2"}"#,
    #"callback({"password":"hunter2"})"#, "\u{FEFF}x {\"password\":\"hunter2\"}", "hunter2",
  ]
  .map { Case("application/json", $0) }

  static let lines: [Case] = [
    Case("application/x-ndjson", "{\"a\":1}\n{\"password\":\"hunter2\"}\n"),
    Case("application/json-seq", "\u{1E}{\"a\":1}\n\u{1E}{\"password\":\"hunter2\"}\n"),
    Case("application/jsonl", "{\"a\":1}\r\n{\"a\":\"token=hunter2\"}\r\n\r\n"),
    Case("application/x-ndjson", "{\"a\":1}\nhunter2\n"),
  ]

  static let events: [Case] =
    json.map {
      Case("text/event-stream", Data("event: a\ndata: ".utf8) + $0.body + Data("\n\n".utf8))
    }
    + [
      "data: {\"a\":1}\n\ndata: hunter2\n\n", "data: {\"password\":\ndata: \"hunter2\"}\r\r",
      "event: token\ndata: \"hunter2\"\n\n", "event: password=hunter2\ndata: 1\n\n",
      "id: token=hunter2\n\n", "id: password\ndata: \"hunter2\"\n\n", ": hunter2\n\ndata: 1\n\n",
      "hunter2: 1\ndata: 1\n\n",
      "retry: hunter2\ndata: 1\n\n", "data: 1\n\ndata: {\"a\":\"hunter2\"}",
    ]
    .map { Case("text/event-stream; charset=utf-8", $0) }

  static let forms: [Case] = [
    "password=hunter2", "a=1&token=hunter2", "a=1;token=hunter2", "a=1;token=x;hunter2;b=2",
    "PassWord=hunter2", "user[password]=hunter2", "password[]=hunter2", "pass%77ord=hunter2",
    "pass%2577ord=hunter2", "pass%252577ord=hunter2", "%70%61%73%73word=hunter2",
    "pass+word=hunter2", "redirect=https%3A%2F%2Fx%2F%3Ftoken%3Dhunter2",
    "redirect=https%3A%2F%2Fx%2F%3Fcode%3Dhunter2", "u=https://x/?token=hunter2",
    "u=https%253A%252F%252Fx%252F%253Ftoken%253Dhunter2", "u=%2Fin%23token%3Dhunter2",
    #"json={"password":"hunter2"}"#, "json=%7B%22password%22%3A%22hunter2%22%7D",
    "json=%257B%2522password%2522%253A%2522hunter2%2522%257D", #"{"password":"hunter2"}"#,
    #"{"password":"a=1&b=hunter2"}"#, "a=x,token=y,hunter2", "a=x%2Ctoken%3Dy%2Chunter2",
    "note=password:+a,+hunter2", "note=password%3A+%22a%22%2C+hunter2", "token=a&amp;hunter2",
    "token=a&#38;hunter2", "token=a&quot;b=hunter2", "=x&=token=hunter2", "a==token=hunter2",
    "u=https%3A%2F%2Fann%3Ahunter2%40x%2F", "u=https://ann:hunter2@x/", "token=a%26b%3Dhunter2",
    "state=user%3Dbob%40x.org%26password%3Dhunter2%26at%3D12%3A30",
    "next=https%3A%2F%2Fx%2Fin%3Fscope%3Da%2Cb%26code%3Dhunter2",
    "token\u{301}=hunter2", "a=1&token\t=hunter2", "[\"password\",\"hunter2\"]",
  ]
  .map { Case(form, $0) }

  private static func multipart(_ type: String, _ lines: String...) -> Case {
    Case(type, lines.joined(separator: "\r\n"))
  }

  private static let formData = "multipart/form-data; boundary=b"

  static let multipart: [Case] =
    [
      "Content-Disposition: form-data; name=\"password\"",
      "content-disposition: FORM-DATA; NAME=password",
      "Content-Disposition: form-data; name=\"pass\\word\"",
      "Content-Disposition: form-data; name*=utf-8''pass%77ord",
      "Content-Disposition: form-data; name=\"a\"; name=\"password\"",
      "Content-Disposition: form-data; name*0=\"pass\"; name*1=\"word\"",
      "Content-Disposition: form-data; name=\"pass%77ord\"", "X-No-Disposition: a",
      "Content-Disposition: form-data; name=\"password\"; filename=\"a.txt\"\r\nContent-Type: text/plain",
      "Content-Disposition: form-data; name=\"a\"; filename=\"a.txt\"",
      "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: text/xml",
      "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: application/json",
      "Content-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: quoted-printable",
      "Content-Disposition: form-data; name=\"a\"\r\nContent-Disposition: form-data; name=\"token\"",
    ]
    .map { multipart(formData, "--b", $0, "", "hunter2", "--b--", "") } + [
      multipart(
        formData,
        "--b",
        "Content-Disposition: form-data; name=a",
        "",
        "token=hunter2",
        "--b--"
      ),
      multipart(
        formData,
        "--b",
        "Content-Disposition: form-data; name=a",
        "",
        #"{"token":"hunter2"}"#,
        "--b--"
      ),
      multipart(
        formData,
        "--b",
        "Content-Disposition: form-data; name=a",
        "Content-Type: application/json",
        "",
        #"{"token":"hunter2"}"#,
        "--b--"
      ),
      multipart(
        formData,
        "--b",
        "Content-Disposition: form-data; name=a",
        "X-Auth-Token: hunter2",
        "",
        "1",
        "--b--"
      ),
      multipart(
        formData,
        "--b",
        "Content-Disposition: form-data; name=\"a\"; filename=\"https://x/?token=hunter2\"",
        "",
        "1",
        "--b--"
      ),
      multipart(
        formData,
        "--b",
        "Content-Disposition: form-data; name=\"password\"",
        "Content-Type: multipart/mixed; boundary=c",
        "",
        "--c",
        "Content-Disposition: attachment; filename=a",
        "",
        "hunter2",
        "--c--",
        "--b--"
      ),
      multipart(
        formData,
        "--b",
        "Content-Disposition: form-data; name=\"a\"",
        "Content-Type: multipart/mixed; boundary=c",
        "",
        "--c",
        "Content-Type: application/json",
        "",
        #"{"password":"hunter2"}"#,
        "--c",
        "",
        "hunter2",
        "--c--",
        "--b--"
      ),
      multipart("multipart/mixed; boundary=b", "--b", "", "hunter2", "--b--"),
      multipart(
        formData,
        "hunter2",
        "--b",
        "Content-Disposition: form-data; name=a",
        "",
        "1",
        "--b--"
      ),
      multipart(
        formData,
        "--b",
        "Content-Disposition: form-data; name=a",
        "",
        "1",
        "--b--",
        "hunter2"
      ),
      multipart(formData, "--b", "Content-Disposition: form-data; name=a", "", "hunter2"),
      multipart(
        formData,
        "--b",
        "Content-Disposition: form-data; name=a",
        " ; x=hunter2",
        "",
        "1",
        "--b--"
      ),
      multipart(formData, "--bhunter2", "Content-Disposition: form-data; name=a", "", "1", "--b--"),
      Case(formData, "--b\nContent-Disposition: form-data; name=\"password\"\n\nhunter2\n--b--\n"),
      Case("multipart/form-data", "--b\r\n\r\nhunter2\r\n--b--\r\n"),
      Case(
        formData,
        Data("--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n".utf8)
          + Data("--b\r\nContent-Disposition: form-data; name=a; filename=x\r\n\r\n".utf8)
          + Data([0xFF, 0xFE]) + Data("hunter2\r\n--b--\r\n".utf8)
      ),
    ]

  static let others: [Case] = [
    Case("text/xml", "<Envelope><Body><PIN>hunter2</PIN></Body></Envelope>"),
    Case("application/soap+xml", "<a:Password xmlns:a='x'>hunter2</a:Password>"),
    Case("text/html", "<p>hunter2</p>"), Case("text/plain", "My word is hunter2."),
    Case("text/csv", "user,password\nann,hunter2"), Case("application/yaml", "password: hunter2"),
    Case(nil, "a=1;token=hunter2"), Case("nonsense", "hunter2"),
    Case("text/event-stream", "data: hunter2"),
    Case("application/octet-stream", Data([0xFF]) + Data("password=hunter2".utf8)),
    Case("application/x-protobuf", Data([0x0A, 0x07]) + Data("hunter2".utf8) + Data([0xFF])),
    Case("application/json", #"{"password":"hunter2"}"#.data(using: .utf16) ?? Data()),
    Case("application/json", Data([0xFF]) + Data(#"{"password":"hunter2"}"#.utf8)),
    Case(
      "text/plain; charset=latin1",
      Data("caf\u{E9} hunter2".unicodeScalars.map { UInt8($0.value) })
    ),
    Case(form, Data("password=hunter2&a=".utf8) + Data([0xE9])),
  ]

  static let bodies = json + lines + events + forms + multipart + others

  /// What a reader finds who decodes what is shown.
  private func shows(_ text: String) -> Bool {
    var views = [text]
    for _ in 0..<4 { views.append(PercentEncoding.url.decode((views.last ?? "")[...])) }
    let utf16 = String(decoding: "hunter2".data(using: .utf16LittleEndian) ?? Data(), as: UTF8.self)
    let words = ["hunter2", utf16]
    let coded = words.flatMap { word in
      (0..<3)
        .map { shift in
          let data = Data(repeating: 0x20, count: shift) + Data(word.utf8)
          return String(data.base64EncodedString().dropFirst(4).dropLast(4))
        }
    }
    return views.contains { view in (words + coded).contains { view.contains($0) } }
  }

  @Test(arguments: bodies)
  func `no body shows its secret in a recording, a command or an excerpt`(body: Case) async throws {
    var headers: HTTPHeaders = [:]
    headers[.contentType] = body.type
    let fields = headers
    let wire = ScriptedTransport { _ in ScriptedResponse(headers: fields, body: body.body) }
    let recorder = HARRecorder()
    var request = try Request(.post) { $0.body = .bytes(body.body) }
    request.headers[.contentType] = body.type

    _ = await wire.recording(to: recorder).call(request)

    let archive = String(decoding: try recorder.data(), as: UTF8.self)
    #expect(!shows(archive), "\(archive)")
    #expect(!shows(request.curlCommand()), "\(request.curlCommand())")
    let excerpt = Excerpt(body.body).text()
    #expect(!shows(excerpt), "\(excerpt)")
    #expect(request.curlCommand(redacting: .none) != request.curlCommand())
  }

  @Test(arguments: [
    #"{"a":"x","b":[1,-2.5e3,true,null,"ü"]}"#, #"{"url":"https://x/a;v=1/b?page=2&q=a%20b#top"}"#,
    #"{"a":"{\"b\":1}"}"#, #"{"tokens":17}"#, #"["name","value"]"#, #"{"name":"page","value":"2"}"#,
    #"{"text":"Hello, world: it's 5 > 3 & more"}"#, #"{"html":"<p class=\"a\">Hi</p>"}"#,
    #"{"id":"dGhpcyBpcyBwbGFpbg=="}"#, #"{"date":"2026-01-01T00:00:00Z","m":"a=b"}"#,
    #"{"a":"https://x/tokens?page=2","b":"at 12:30, ann@x","c":"http://[::1]:80/a@b"}"#,
    #"{"a":"mongodb://h1:27017,h2:27017/db?mail=a@b","b":"/proxy//img:large/@2x.png"}"#,
    #"{"a":"https://x/8.5,47.3,12/a.png?at=8.5,47.3#x,y","b":"/geo/8.5,47.3"}"#,
    #"{"a":"https://x/?at=1,2","b":"http://a/ann:x@b","c":"items?page=2","d":"ann@x:25"}"#,
    #"{"m":"ann@x.example","u":"mailto:ann@x"}"#, #"{"s":"urn:a:b","t":"12:30:00","p":"C:\\a\\b"}"#,
  ])
  func `shows JSON without secrets as it is`(text: String) {
    #expect(SecretRules.standard.redacted(body: text, contentType: "application/json") == text)
  }

  @Test(arguments: [
    #"{"token":"cut o"#, #"{"token":"#, #"{"a":1,}"#, #"{"a":1}{"a":2}"#, #"{'a':1}"#, "[1 2]",
    "[01]",
    #"["a"# + "\n" + #""]"#, "nul", #"{"a"}"#, #"{"a":1"#,
  ])
  func `shows the length and digest of text that is almost JSON`(text: String) {
    let withheld = WithheldBody(Data(text.utf8)).description
    #expect(SecretRules.standard.redacted(body: text, contentType: "application/json") == withheld)
  }

  @Test(arguments: [
    "id: 7\nevent: stop\ndata: {\"usage\":{\"output_tokens\":2}}\n\n", "data: [DONE]\n\n",
    "retry: 2000\nid: 1\n\ndata: {\ndata: \"a\": 1}\n\ndata: \n\n",
    "retry: 9223372036854775807\ndata: 1\n\n", "",
  ])
  func `shows events of JSON without secrets as they are`(text: String) {
    #expect(SecretRules.standard.redacted(body: text, contentType: "text/event-stream") == text)
  }

  @Test func `shows events of JSON as a reader gets them`() {
    let body = ": ping\r\n\r\nevent:a\r\nx: 1\r\ndata:{\"token\":\"hunter2\"}\r\n\r\ndata: {\"cut"

    let shown = SecretRules.standard.redacted(body: body, contentType: "text/event-stream")

    #expect(shown == "event: a\ndata: {\"token\":\"<redacted>\"}\n\n")
  }

  @Test(arguments: [
    "a=1&b=2", "a=1;b=2&c=%20x+y", "q=it%27s&url=https%3A%2F%2Fx%2F%3Fpage%3D2", "=&&a",
    "tokens=17",
  ])
  func `shows forms without secrets as they are`(text: String) {
    #expect(SecretRules.standard.redacted(body: text, contentType: Self.form) == text)
  }

  @Test func `shows a multipart body part by part`() {
    let (end, binary) = ("\r\n", Data([1, 2, 0xFF]))
    let lines = [
      "--b", "Content-Disposition: form-data; name=\"user\"", "", "ann", "--b",
      "Content-Disposition: form-data; name=\"password\"", "", "hunter2", "--b",
      "Content-Disposition: form-data; name=\"j\"", "Content-Type: application/json", "",
      #"{"otp":1,"a":2}"#, "--b", "Content-Disposition: form-data; name=\"f\"; filename=\"f\"", "",
    ]
    let body = Data((lines.joined(separator: end) + end).utf8) + binary + Data("\r\n--b--\r\n".utf8)

    let shown = SecretRules.standard.shown(body: body, contentType: Self.formData)

    let expected = [
      "--b", "Content-Disposition: form-data; name=\"user\"", "", "ann", "--b",
      "Content-Disposition: form-data; name=\"password\"", "", "<redacted>", "--b",
      "Content-Disposition: form-data; name=\"j\"", "Content-Type: application/json", "",
      #"{"otp":0,"a":2}"#, "--b",
      "Content-Disposition: form-data; name=\"f\"; filename=\"f\"", "", "\(WithheldBody(binary))",
      "--b--", "",
    ]
    guard case .text(let text) = shown else {
      Issue.record("\(shown)")
      return
    }
    #expect(text == expected.joined(separator: end))
  }

  @Test(arguments: [
    ("Refresh", "5; url=https://x/?token=hunter2"), ("refresh", "0;URL='https://x/?code=hunter2'"),
    ("Authentication-Info", "nextnonce=\"hunter2\""), ("Proxy-Authentication-Info", "a=hunter2"),
    ("X-Url", "https://x/?token=hunter2"), ("X-Url", "\"https://x/?a=1&code=hunter2\""),
    ("X-Url", "https://ann:hunter2@x/"), ("X-Url", "see https://ann:hunter2@x/ now"),
    ("X-Url", "https://x/#access_token=hunter2"), ("X-Url", "/a;token=hunter2"),
    ("X-Url", "https%3A%2F%2Fx%2F%3Ftoken%3Dhunter2"), ("X-Urls", "/a, https://x/?code=hunter2"),
    ("X-Urls", "<https://x/?sig=hunter2>; rel=a"), ("Content-Location", "/a?token=hunter2"),
    ("Location", "/a;token=hunter2?u=https%3A%2F%2Fx%2F%3Ftoken%3Dhunter2"),
    ("Link", "</a?token=hunter2>; rel=next"), ("Link", "https://x/?token=hunter2; rel=next"),
    ("Link", "</a>; rel=next; anchor=\"https://x/?token=hunter2\""),
    ("Link", "</a>; rel=next; title=\"password: hunter2\""), ("Link", "</a>; token=hunter2"),
    ("Link", "</a>; title=\"<password: hunter2>\""), ("Link", "<https://x/?token=hunter2; rel=a"),
    ("Referer", "https://x/#/in?token=hunter2"),
    ("Origin", "https://ann:hunter2@x"),
    ("Report-To", #"{"endpoints":[{"url":"/?token=hunter2"}]}"#),
    ("WWW-Authenticate", "Basic realm=\"x\", Negotiate hunter2hunter2=="),
    ("WWW-Authenticate", "Negotiate, Basic realm=\"x\",\tntlm\thunter2="),
    ("WWW-Authenticate", "Negotiate hunter2"), ("WWW-Authenticate", "NTLM hunter2"),
    ("Content-Security-Policy", "default-src 'self'; report-uri https://x/?token=hunter2"),
    ("X-Info", "user=a, password=b, hunter2"), ("X-Info", "a=1;token=hunter2"),
    ("Set-Cookie", "id=hunter2"), ("Cookie", "a=\"x; id=hunter2"), ("cOOkie", "hunter2"),
    ("Cookie2", "$Version=1; id=\"hunter2\""), ("X-Json", #"{"password":"hunter2"}"#),
    ("Content-Type", "text/html; token=hunter2"), ("Content-Disposition", "a; token=\"hunter2\""),
  ])
  func `no field shows its secret`(name: String, value: String) async throws {
    let fields = HTTPHeaders([.init(name: HTTPHeaders.Name(name), value: value)])
    let wire = ScriptedTransport { _ in ScriptedResponse(headers: fields) }
    let recorder = HARRecorder()
    var request = try Request()
    request.headers = fields

    _ = await wire.recording(to: recorder).call(request)

    let archive = String(decoding: try recorder.data(), as: UTF8.self)
    #expect(!shows(archive), "\(archive)")
    #expect(!shows(request.curlCommand()))
    #expect(!shows(fields.description))
    #expect(fields == SecretRules.none.redacted(fields))
  }

  @Test(arguments: [
    ("Cache-Control", "max-age=60, private"), ("ETag", "W/\"a=b\""),
    ("Date", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ("Content-Type", "multipart/form-data; boundary=b"), ("Accept", "text/*;q=0.3, */*;q=0.5"),
    ("User-Agent", "Freshet/1.0 (Linux; x86_64)"), ("Location", "https://x/a;v=1?page=2#top"),
    ("WWW-Authenticate", "Basic realm=\"a\""),
    ("WWW-Authenticate", "Negotiate, NTLM, Basic realm=\"a\""),
    ("Link", "<https://x/?page=2>; rel=\"next\", </a>; rel=preload; as=style; type=\"text/css\""),
    ("X-Name", "it's <b> & \"c\""),
    ("Alt-Svc", "h3=\":443\"; ma=86400"), ("Content-Range", "bytes 0-1/2"),
    ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
  ])
  func `shows fields without secrets as they are`(name: String, value: String) {
    let fields = HTTPHeaders([.init(name: HTTPHeaders.Name(name), value: value)])

    #expect(SecretRules.standard.redacted(fields) == fields)
  }

  @Test(arguments: [
    "http://a/x;token=hunter2", "http://a/x;v=1;token=hunter2/y", "http://a/?a=1;token=hunter2",
    "http://a/?pass%2577ord=hunter2", "http://a/?u=https%3A%2F%2Fx%2F%3Fcode%3Dhunter2",
    "http://a/?u=https%253A%252F%252Fx%252F%253Fcode%253Dhunter2", "http://a/#/in?token=hunter2",
    "http://a/?q=%7B%22password%22%3A%22hunter2%22%7D",
    "http://a/https%3A%2F%2Fx%3Ftoken%3Dhunter2",
    "http://a/?a=b?token=hunter2", "http://a/?token=a&amp;hunter2", "http://ann:hunter2@a/",
    "http://a/?u=//ann:hunter2@x/", "http://a/?TOKEN[]=hunter2", "http://a/?key=a;hunter2",
  ])
  func `no URL shows its secret`(url: String) throws {
    #expect(!shows(SecretRules.standard.redacted(url: url)))
    #expect(!shows(Redaction.shown(url)))
    let wrapped = "{\"a\":\"\(url)\"}"
    #expect(!shows(SecretRules.standard.redacted(body: wrapped, contentType: "application/json")))
  }

  @Test func `values that are nested too deeply are hidden`() {
    var text = #"{"password":"hunter2"}"#
    for _ in 0..<12 {
      let literal = (try? JSONEncoder().encode(text)) ?? Data()
      text = "{\"a\":\(String(decoding: literal, as: UTF8.self))}"
    }
    let nested =
      String(repeating: "[", count: 10_000) + "\"hunter2\""
      + String(repeating: "]", count: 10_000)
    var encoded = "token=hunter2"
    for _ in 0..<30 { encoded = "a=" + PercentEncoding.url.encode(encoded) }

    for (body, type) in [
      (text, "application/json"), (nested, "application/json"), (encoded, Self.form),
    ] {
      #expect(!shows(SecretRules.standard.redacted(body: body, contentType: type)))
    }
  }

  @Test(arguments: [0, 5_000, 70_000], 0..<10)
  func `no value shows what is encoded several times, however long it is`(
    count: Int,
    levels: Int
  ) {
    var text = "?token=hunter2&b=" + String(repeating: "x", count: count)
    for _ in 0..<levels { text = "a=" + PercentEncoding.url.encode(text) }

    let shown = SecretRules.standard.redacted(["X-A": text])["X-A"] ?? ""

    #expect(!shows(shown) && !shown.isEmpty)
    #expect(!shows(SecretRules.standard.redacted(url: "https://a.test/?\(text)")))
  }

  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      "a=", "%25", "&amp;", "\\u0041", "=;&", "[[", "https://x/?", "@:", "<a>", "eyJ", "a b=", "/;",
      "\"",
      "a@b:", "{\"a\":", "\\\"", "//", "token ", "= ", "%2525&amp;amp;\\\\\\\\u0041",
      "\\u0041%26{\\x25\"?%253Da=a=[",
    ]
  )
  func `a long body is read in linear time`(text: String) throws {
    func time(_ length: Int) throws -> Duration {
      let body = String(repeating: text, count: length / text.utf8.count)
      let literal = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
      let members = (0..<length / 8)
        .map { "\"\($0)\":\"\(text.first == "a" ? "a=b" : "a")\"" }
      let object = "{\(members.joined(separator: ",")),\"name\":\"token\"}"
      return threadTime {
        for (body, type) in [
          (body, Self.form), ("[\(literal)]", "application/json"), (object, "application/json"),
          (body, "multipart/form-data; boundary=b"),
        ] {
          #expect(!SecretRules.standard.redacted(body: body, contentType: type).isEmpty)
        }
        #expect(!SecretRules.standard.redacted(url: body).isEmpty)
        #expect(!SecretRules.standard.redacted(["X-A": body]).isEmpty)
      }
    }

    let few = try time(1 << 12)
    let many = try time(1 << 16)

    #expect(many < few * 64 + .milliseconds(500), "\(many) beside \(few)")
  }
}
