extension Page {
  /// The style, for light and dark, wide and narrow windows.
  static let style = #"""
    :root {
      color-scheme: light dark;
      --ground: #ffffff; --panel: #f4f6f8; --line: #d8dee4; --text: #1b2228; --faint: #5c6773;
      --accent: #0b6bcb; --good: #1a7f4b; --doubtful: #94610a; --bad: #c02c38;
      --stores: #8f9aa5; --queue: #c9b458; --lookup: #3fa796; --connect: #e08a3c; --tls: #a56cc1;
      --wait: #5b9bd5; --body: #2f6fb3; --detour: #d1625f; --shared: #7dbb6d; --valid: #3f8f5f;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #14181c; --panel: #1d2329; --line: #343d46; --text: #e4e9ee; --faint: #9aa6b2;
        --accent: #6cb2ff; --good: #5ecb8f; --doubtful: #e3b050; --bad: #ff7b82;
        --stores: #6c7884; --queue: #b39f45; --wait: #6fa8dc; --body: #4d8fd6; --valid: #57b27c;
      }
    }
    * { box-sizing: border-box; }
    html, body { margin: 0; height: 100%; }
    body {
      background: var(--ground); color: var(--text);
      font: 14px/1.45 system-ui, sans-serif; display: flex; flex-direction: column;
    }
    [hidden] { display: none !important; }
    header {
      display: flex; flex-wrap: wrap; align-items: center; gap: 6px 20px; padding: 8px 16px;
      background: var(--panel); border-bottom: 1px solid var(--line);
    }
    h1 { font-size: 16px; margin: 0; }
    h1 span { color: var(--faint); font-weight: normal; }
    h2 { font-size: 15px; margin: 0 0 8px; overflow-wrap: anywhere; }
    h3 { font-size: 12px; margin: 18px 0 6px; color: var(--faint); text-transform: uppercase; }
    nav { display: flex; flex-wrap: wrap; gap: 4px; }
    button, select, input {
      font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line);
      border-radius: 6px; padding: 3px 10px;
    }
    button { cursor: pointer; }
    button[aria-selected="true"] { background: var(--accent); color: var(--ground); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    #connection { margin: 0 0 0 auto; color: var(--faint); }
    #connection.live { color: var(--good); }
    #connection.lost { color: var(--bad); }
    #totals { margin: 0; padding: 6px 16px; color: var(--faint); }
    #totals b { color: var(--text); font-variant-numeric: tabular-nums; }
    main { flex: 1; min-height: 0; display: flex; }
    section { flex: 1; min-width: 0; min-height: 0; overflow: auto; padding: 8px 16px 16px; }
    #calls { display: flex; flex-direction: column; overflow: hidden; }
    #filters { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 6px; }
    #filters input { flex: 1 1 200px; min-width: 0; }
    #legend { display: flex; flex-wrap: wrap; gap: 2px 12px; color: var(--faint); font-size: 12px; }
    #legend i { display: inline-block; width: 10px; height: 10px; margin-right: 4px; }
    .split { flex: 1; min-height: 0; display: flex; gap: 12px; }
    .scroll { flex: 1 1 0; min-width: 0; overflow: auto; }
    .split.open .wide, .split.open #table td:nth-child(7) { display: none; }
    table { border-collapse: collapse; width: 100%; }
    th, td {
      text-align: left; padding: 3px 8px; border-bottom: 1px solid var(--line);
      white-space: nowrap; vertical-align: top;
    }
    th { position: sticky; top: 0; background: var(--ground); color: var(--faint); z-index: 1;
      font-weight: normal; font-size: 12px; }
    td { font-variant-numeric: tabular-nums; }
    #table td:nth-child(2) { max-width: 30vw; overflow: hidden; text-overflow: ellipsis; }
    #rows tr { cursor: pointer; }
    #rows tr:hover, tr[aria-selected="true"] { background: var(--panel); }
    tr[aria-selected="true"] td:first-child { box-shadow: inset 3px 0 var(--accent); }
    .tag { background: var(--panel); border: 1px solid var(--line); border-radius: 4px;
      padding: 0 4px; margin-left: 4px; font-size: 12px; }
    .good { color: var(--good); } .doubtful { color: var(--doubtful); } .bad { color: var(--bad); }
    .faint { color: var(--faint); }
    .wide { width: 38%; }
    .bars { position: relative; height: 16px; min-width: 120px; }
    .bars i { position: absolute; top: 3px; height: 10px; min-width: 1px; }
    .stores { background: var(--stores); } .queue { background: var(--queue); }
    .lookup { background: var(--lookup); } .connect { background: var(--connect); }
    .tls { background: var(--tls); } .wait, .waiting { background: var(--wait); }
    .body { background: var(--body); } .shared { background: var(--shared); }
    .retry, .redirect { background: var(--detour); } .revalidate { background: var(--valid); }
    .pause, .ended { background: var(--line); }
    .waiting { animation: pulse 1.2s infinite alternate; }
    @keyframes pulse { to { opacity: .4; } }
    @media (prefers-reduced-motion: reduce) { .waiting { animation: none; } }
    aside {
      flex: 0 0 44%; min-width: 0; overflow: auto; border-left: 1px solid var(--line);
      padding: 4px 0 16px 12px;
    }
    .actions { display: flex; flex-wrap: wrap; gap: 6px; }
    .chain { list-style: none; margin: 0; padding: 0; }
    .chain li {
      position: relative; border: 1px solid var(--line); border-radius: 6px; padding: 4px 10px;
      margin-bottom: 12px; background: var(--panel);
    }
    .chain li:not(:last-child)::after {
      content: ""; position: absolute; left: 20px; top: 100%; height: 12px;
      border-left: 2px solid var(--line);
    }
    .chain li.answered { border-color: var(--accent); }
    .chain li.failed { border-color: var(--bad); }
    .chain li.idle { background: none; color: var(--faint); }
    .chain code { font-size: 12px; }
    .chain div { font-size: 13px; }
    .explanation { margin: 0; padding-left: 22px; overflow-wrap: anywhere; }
    .fields td { white-space: normal; overflow-wrap: anywhere; }
    .fields td:first-child { color: var(--faint); white-space: nowrap; width: 1%; }
    pre {
      margin: 0; padding: 8px; background: var(--panel); border-radius: 6px; overflow: auto;
      max-height: 320px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px;
    }
    .json { font: 12px/1.5 ui-monospace, monospace; }
    .json .json, .json > div { padding-left: 16px; }
    .json summary { cursor: pointer; }
    .preview { max-width: 100%; max-height: 320px; border: 1px solid var(--line); }
    .cards { display: flex; flex-wrap: wrap; gap: 10px; margin-bottom: 12px; }
    .card { border: 1px solid var(--line); border-radius: 8px; padding: 8px 14px;
      background: var(--panel); min-width: 160px; }
    .card b { display: block; font-size: 18px; }
    .batch { width: 100%; }
    .entries td:first-child { max-width: 26vw; overflow: hidden; text-overflow: ellipsis; }
    #values td:nth-child(2) { width: 1%; white-space: nowrap; }
    .map { position: relative; overflow: hidden; height: 220px; margin-bottom: 12px; background: var(--panel); }
    .map button {
      position: absolute; border: 1px solid var(--ground); border-radius: 0; padding: 2px 4px;
      overflow: hidden; text-align: left; font-size: 11px; color: #fff; white-space: nowrap;
      display: flex; align-items: flex-start;
    }
    .map .isFresh { background: #2b7a4b; } .map .isStale { background: #8a6414; }
    .map .isGone { background: #8c3038; }
    .life { position: relative; height: 14px; min-width: 160px; background: var(--panel); }
    .life i { position: absolute; top: 2px; height: 10px; }
    .life .isFresh { background: var(--good); } .life .isWhile { background: var(--doubtful); }
    .life .isError { background: var(--stores); } .life .now { top: -1px; width: 2px;
      height: 16px; background: var(--text); }
    .meter { height: 8px; background: var(--line); border-radius: 4px; overflow: hidden; }
    .meter i { display: block; height: 100%; background: var(--accent); }
    svg { width: 100%; height: 60px; margin-top: 6px; }
    polyline { fill: none; stroke: var(--accent); stroke-width: 1.5;
      vector-effect: non-scaling-stroke; }
    a { color: var(--accent); }
    @media (max-width: 760px) {
      body { height: auto; min-height: 100%; }
      header, #totals, section { padding-left: 10px; padding-right: 10px; }
      #calls { overflow: visible; }
      .split { display: block; }
      .split.open .scroll { display: none; }
      aside { border-left: 0; padding-left: 0; }
      #table th:first-child, #table td:first-child, .wide, #table td:nth-child(7),
      #table th:nth-child(5), #table td:nth-child(5) { display: none; }
      #table td:nth-child(2) { max-width: 36vw; }
      #table .tag { display: none; }
      #table th, #table td { padding-left: 5px; padding-right: 5px; }
      .entries th:nth-child(n+4), .entries td:nth-child(n+4):not(:last-child) { display: none; }
      .entries td:first-child { max-width: 34vw; }
      .entries td:last-child { white-space: normal; }
      .life { min-width: 80px; }
    }

    """#
}
