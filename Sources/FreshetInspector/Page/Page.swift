/// The files of the page, as literals: a resource of the package would need its bundle beside the program, which one
/// that is linked statically has not.
enum Page {
  /// The markup; everything that comes from a call is added by the script, as text.
  static let markup = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Freshet inspector</title>
    <link rel="stylesheet" href="page.css">
    <script src="page.js" defer></script>
    </head>
    <body>
    <header>
      <h1>Freshet <span id="clients"></span></h1>
      <nav role="tablist" aria-label="Pages">
        <button role="tab" data-page="calls">Calls</button>
        <button role="tab" data-page="stores">Stores</button>
        <button role="tab" data-page="batches">Batches</button>
        <button role="tab" data-page="live">Live</button>
        <button role="tab" data-page="export">Export</button>
      </nav>
      <p id="connection" role="status">connecting</p>
    </header>
    <p id="totals" aria-live="off"></p>
    <main>
      <section id="calls" role="tabpanel" aria-label="Calls">
        <form id="filters" role="search">
          <input id="text" type="search" placeholder="Filter  ( / )" aria-label="Filter by text">
          <select id="host" aria-label="Host"><option value="">all hosts</option></select>
          <select id="tag" aria-label="Tag"><option value="">all tags</option></select>
          <select id="status" aria-label="Status">
            <option value="">all statuses</option><option>2xx</option><option>3xx</option>
            <option>4xx</option><option>5xx</option><option>running</option>
            <option>failed</option><option>abandoned</option>
          </select>
          <select id="source" aria-label="Source">
            <option value="">all sources</option><option>memory</option><option>disk</option>
            <option>seed</option><option>shared</option><option>network</option>
          </select>
        </form>
        <div id="legend" aria-label="Legend"></div>
        <div class="split">
          <div class="scroll">
            <table id="table">
              <thead><tr><th>#</th><th>Request</th><th>Status</th><th>Source</th><th>Bytes</th>
              <th>Time</th><th class="wide">Waterfall <span id="scale"></span></th></tr></thead>
              <tbody id="rows"></tbody>
            </table>
            <p id="none">No calls yet.</p>
          </div>
          <aside id="call" aria-label="One call" hidden></aside>
        </div>
      </section>
      <section id="stores" role="tabpanel" aria-label="Stores" hidden></section>
      <section id="batches" role="tabpanel" aria-label="Batches" hidden></section>
      <section id="live" role="tabpanel" aria-label="Live" hidden></section>
      <section id="export" role="tabpanel" aria-label="Export" hidden>
        <p><a href="export/calls.har" download>The calls as an HTTP archive (HAR)</a></p>
        <p><a href="export/explanations.txt" download>The explanations as text</a></p>
        <p>Both contain the newest calls, without secrets.</p>
      </section>
    </main>
    </body>
    </html>

    """#
}
