extension Manual {
  static let tour = ManualPage(
    name: "tour",
    summary: "show the framework at work with a server on loopback",
    about: """
      Starts a server on loopback and shows what Freshet does: each step prints the code that \
      runs, its events, and the explanation of its result. It needs no network.
      """,
    usage: ["freshet tour"],
    examples: ["freshet tour"]
  )

  static let completion = ManualPage(
    name: "completion",
    summary: "print a completion script for a shell",
    about: "Prints a script with which a shell completes the commands and options of this tool.",
    usage: ["freshet completion bash|zsh|fish"],
    actions: Completion.allCases.map { ($0.rawValue, "a script for \($0.rawValue)") },
    examples: [
      "freshet completion bash >> ~/.bashrc",
      "mkdir -p ~/.zfunc && freshet completion zsh > ~/.zfunc/_freshet",
      "mkdir -p ~/.config/fish && freshet completion fish >> ~/.config/fish/config.fish",
    ]
  )

  static let man = ManualPage(
    name: "man",
    summary: "print the man page",
    about: "Prints the man page, to read it with man or to install it.",
    usage: ["freshet man"],
    examples: [
      "freshet man | man -l -",
      "mkdir -p ~/.local/share/man/man1 && freshet man > ~/.local/share/man/man1/freshet.1",
    ]
  )

  static let help = ManualPage(
    name: "help",
    summary: "show what a command does",
    about: "Shows what a command does, or lists all commands.",
    usage: ["freshet help [COMMAND]"],
    examples: ["freshet help fetch"]
  )
}
