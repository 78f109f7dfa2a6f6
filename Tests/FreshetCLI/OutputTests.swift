import Foundation
import FreshetTesting
import TestSupport
import Testing

/// Where bodies and lines go.
@Suite struct OutputTests {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer(["/": .text("new")])
  }

  private var url: String { server.url("/").absoluteString }

  /// Runs a script in the folder, with `freshet` and `$url`.
  private func run(_ script: String) async throws -> ProgramRun {
    let shell = try #require(Program.path("sh"))
    let tools = URL(filePath: Program.built("freshet")).deletingLastPathComponent().path
    let preface = "set -e; export PATH='\(tools)':$PATH url='\(url)'; umask 022; "
    return try await ProgramRun(shell, ["-c", preface + script], in: folder.url)
  }

  @Test(arguments: [
    "mkfifo p; cat p > got & freshet fetch -o p $url; wait; test -p p; cat got",
    "mkfifo p; ln -s p l; cat p > got & freshet fetch -o l $url; wait; test -p p -a -L l; cat got",
    "echo old > f; ln -s f l; freshet fetch -o l $url; test -L l; cat f",
    "ln -s f l; freshet fetch -o l $url; test -L l; cat f",
    "echo old > f; chmod 600 f; freshet fetch -o f $url; test $(ls -l f | cut -c1-10) = -rw-------; cat f",
    "echo old > f; chmod 666 f; freshet fetch -o f $url; test $(ls -l f | cut -c1-10) = -rw-rw-rw-; cat f",
    "freshet fetch -o f $url; test $(ls -l f | cut -c1-10) = -rw-r--r--; cat f",
    "freshet fetch -o - $url; test ! -e ./-",
    "freshet fetch --json -o /dev/stdout $url | tail -n 1 | grep -o ^new",
  ])
  func `writes into a pipe, a device or the target of a link without replacing it`(
    script: String
  ) async throws {
    let result = try await run(script)

    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.hasPrefix("new"))
  }

  #if !canImport(Darwin)
  @Test func `writes through a link to a name that is not UTF-8`() async throws {
    let result = try await run(
      "f=$(printf 'caf\\351'); echo old > $f; ln -s $f l; freshet fetch -o l $url; ls | wc -l; cat $f"
    )

    #expect(result.text == "2\nnew")
  }

  /// A Boolean value that indicates whether the kernel refuses the pipes of others in shared directories.
  private static let arePipesProtected =
    (try? String(contentsOfFile: "/proc/sys/fs/protected_fifos", encoding: .utf8)) != "0\n"

  @Test(.enabled(if: geteuid() == 0 && arePipesProtected))
  func `writes into no pipe that another user has put into a shared directory`() async throws {
    let result = try await run(
      """
      mkdir d; chmod 1777 d; mkfifo -m 666 d/p; chown 65534 d/p
      cat d/p > got & reader=$!
      freshet fetch -o d/p $url || echo $?; kill $reader; wait $reader || cat got
      """
    )

    #expect(result.text == "1\n")
    #expect(result.error.contains("Permission denied"))
  }
  #endif

  @Test(arguments: ["d", "none/f"])
  func `refuses a file that cannot be written before anything is sent`(name: String) async throws {
    let result = try await run("mkdir d; freshet fetch -o \(name) $url")

    #expect(result.status == 1)
    #expect(result.error.contains("\(name) could not be used"))
    #expect(server.requestCount == 0)
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: [
      "fetch $url", "fetch --json $url", "explain $url", "explain --json $url", "--help", "tour",
      "man", "store list --json --store none",
    ]
  )
  func `a body that standard output refuses is a failure`(command: String) async throws {
    let result = try await run("freshet \(command) > /dev/full")

    #expect(result.status == 1)
    #expect(result.error.contains("standard output could not be used"))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a run ends with the first body that standard output refuses`() async throws {
    let result = try await run("freshet fetch --no-plan $url ${url}?2 ${url}?3 > /dev/full")

    #expect(result.status == 1)
    #expect(result.error.ranges(of: "standard output could not be used").count == 1)
  }

  @Test func `a closed standard output is a failure, and no other file takes its place`()
    async throws
  {
    let result = try await run(
      "freshet fetch --store s $url 2>&1 >&- | cat; freshet fetch --store s $url"
    )

    #expect(result.text.contains("standard output could not be used: writing failed: Bad file"))
    #expect(result.text.hasSuffix("new"))
  }

  @Test func `a reader that leaves the pipe of an option is a failure, and no signal`()
    async throws
  {
    // Much more than a pipe holds, so that the reader is missed.
    server.route("/large", .text(String(repeating: "x", count: 1 << 20)))

    let result = try await run(
      "mkfifo p; head -c 1 p > got & freshet fetch -sS -o p ${url}large || echo $?; wait"
    )

    #expect(result.text == "1\n")
    #expect(result.error.contains("p could not be used: its reader has closed it"))
  }

  @Test func `a reader that has closed is no failure`() async throws {
    let result = try await run(
      "trap '' PIPE; (freshet fetch $url; echo $? > status) | true; cat status"
    )

    #expect(result.text == "0\n")
  }
}
