/// A shell with support for completion.
enum Completion: String, CaseIterable {
  case bash
  case zsh
  case fish

  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  private static var names: String { Manual.pages.map(\.name).joined(separator: " ") }

  /// Returns the possible first arguments of a command.
  private static func arguments(_ page: ManualPage) -> [String] {
    page.name == "help" ? Manual.pages.map(\.name) : page.actions.map(\.name)
  }

  /// Returns the words that may follow a command: its actions, its options, and the help.
  private static func words(_ page: ManualPage) -> String {
    (arguments(page) + page.options.flatMap(\.names) + ["--help"]).joined(separator: " ")
  }
}

// MARK: - bash

extension Completion {
  private static var bashScript: String {
    let values = valued.map { "      \($0.names.joined(separator: "|"))) \($0.action) ;;" }
    let commands = Manual.pages.map {
      "      \($0.name)) words=\"\(words($0))\" ;;"
    }
    return """
      # Completes freshet in bash.
      _freshet() {
        local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W "\(names) --help --version" -- "$word"))
          return
        fi
        case "$before" in
      \(values.joined(separator: "\n"))
        esac
        case "${COMP_WORDS[1]}" in
      \(commands.joined(separator: "\n"))
        esac
        COMPREPLY=($(compgen -W "$words" -- "$word"))
      }
      complete -o default -F _freshet freshet
      """
  }

  /// The options with a value, each once, and bash's action for them.
  private static var valued: [(names: [String], action: String)] {
    var seen: Set<String> = []
    return Manual.pages.flatMap(\.options)
      .compactMap { option in
        guard let value = option.value, seen.insert(option.names[0]).inserted else { return nil }
        switch value {
        case .file: return (option.names, "COMPREPLY=($(compgen -f -- \"$word\")); return")
        case .directory: return (option.names, "COMPREPLY=($(compgen -d -- \"$word\")); return")
        case .choice(_, let choices):
          let words = choices.joined(separator: " ")
          return (option.names, "COMPREPLY=($(compgen -W \"\(words)\" -- \"$word\")); return")
        case .text: return (option.names, "return")
        }
      }
  }
}

// MARK: - zsh

extension Completion {
  private static var zshScript: String {
    let commands = Manual.pages.map { "    '\($0.name):\(quoted($0.summary))'" }
    let cases = Manual.pages.map { page in
      let options = page.options.flatMap { option in option.names.map { zsh($0, option) } }
      let arguments = arguments(page)
      let first =
        arguments.isEmpty ? "'*:URL:_urls'" : "'1:action:(\(arguments.joined(separator: " ")))'"
      return "    \(page.name)) _arguments \((options + [first]).joined(separator: " ")) ;;"
    }
    return """
      #compdef freshet
      # Completes freshet in zsh.
      _freshet() {
        local -a commands=(
      \(commands.joined(separator: "\n"))
        )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        local command=$words[2]
        shift words
        (( CURRENT-- ))
        case $command in
      \(cases.joined(separator: "\n"))
        esac
      }
      _freshet "$@"
      """
  }

  private static func zsh(_ name: String, _ option: ManualPage.Option) -> String {
    let text = quoted(option.text).replacing("[", with: "\\[").replacing("]", with: "\\]")
    let action =
      switch option.value {
      case nil: ""
      case .file: ":file:_files"
      case .directory: ":directory:_directories"
      case .choice(let name, let choices): ":\(name):(\(choices.joined(separator: " ")))"
      case .text: ":value: "
      }
    return "'*\(name)[\(text)]\(action.replacing("after:", with: "after\\:"))'"
  }

  /// Returns a text for single quotation marks, with colons escaped, which would end the name.
  private static func quoted(_ text: String) -> String {
    text.replacing("'", with: "’").replacing(":", with: "\\:")
  }
}

// MARK: - fish

extension Completion {
  private static var fishScript: String {
    let commands = Manual.pages.map {
      "complete -c freshet -n __fish_use_subcommand -f -a \($0.name) -d '\(plain($0.summary))'"
    }
    let options = Manual.pages.flatMap { page in
      page.actions.map { action in
        "complete -c freshet -n '__fish_seen_subcommand_from \(page.name)' -f"
          + " -a \(action.name) -d '\(plain(action.text))'"
      }
        + page.options.map { fish($0, of: page.name) }
    }
    return (["# Completes freshet in fish."] + commands + options).joined(separator: "\n")
  }

  private static func fish(_ option: ManualPage.Option, of command: String) -> String {
    let names = option.names.map { name in
      name.hasPrefix("--") ? "-l \(name.dropFirst(2))" : "-s \(name.dropFirst())"
    }
    let value =
      switch option.value {
      case nil: ""
      case .file: " -r -F"
      case .directory: " -x -a '(__fish_complete_directories)'"
      case .choice(_, let choices): " -x -a '\(choices.joined(separator: " "))'"
      case .text: " -x"
      }
    return "complete -c freshet -n '__fish_seen_subcommand_from \(command)'"
      + " \(names.joined(separator: " "))\(value) -d '\(plain(option.text))'"
  }

  private static func plain(_ text: String) -> String {
    text.replacing("'", with: "’")
  }
}
