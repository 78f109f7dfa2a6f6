extension Page {
  /// The script: it only ever sets text, so that nothing that a server sends becomes markup.
  static let script = #"""
    "use strict";

    const $ = (id) => document.getElementById(id);
    const svg = "http://www.w3.org/2000/svg";
    const legend = [
      ["stores", "stores"], ["queue", "queue"], ["lookup", "name lookup"], ["connect", "connect"],
      ["tls", "TLS"], ["wait", "first byte"], ["revalidate", "revalidation"], ["body", "body"],
      ["retry", "retry or redirect"], ["pause", "pause"], ["shared", "shared with another"],
    ];
    const maximumShown = 300;
    const state = {
      calls: new Map(), totals: null, batches: new Map(), live: [], clients: [], capacity: 1000,
      selected: 0, rates: [], entries: [], storesAt: 0, dirty: new Set(), skipped: 0,
    };

    // MARK: Elements

    function el(tag, attributes, ...children) {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes ?? {})) {
        if (name === "on") element.addEventListener("click", value);
        else if (name === "class") element.className = value;
        else element.setAttribute(name, value);
      }
      element.append(...children.filter((child) => child !== null && child !== undefined));
      return element;
    }

    const bytes = (count) => {
      const units = ["B", "kB", "MB", "GB", "TB"];
      let unit = 0;
      let value = count ?? 0;
      while (value >= 1000 && unit < 4) { value /= 1000; unit += 1; }
      return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
    };
    const time = (ms) => {
      if (ms === undefined || ms === null) return "";
      if (ms < 1) return `${Math.round(ms * 1000)} µs`;
      if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
      return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 0)} s`;
    };
    const seconds = (value) => {
      if (value === null || value === undefined) return "no limit";
      const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
      for (const [size, name] of units) {
        if (Math.abs(value) >= size) return `${Math.round(value / size)} ${name}`;
      }
      return `${Math.round(value)} s`;
    };
    const path = (call) => {
      const parts = String(call.url).split("/");
      return parts.length > 3 ? "/" + parts.slice(3).join("/") : call.url;
    };
    const host = (call) => {
      try { return new URL(call.url).hostname; } catch { return ""; }
    };
    const json = async (url, options) => {
      const response = await fetch(url, options);
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.json();
    };
    const post = (url) => json(url, { method: "POST", headers: { "X-Freshet-Inspector": "1" } });

    // MARK: Changes

    async function readClients() {
      Object.assign(state, await json("api/clients"));
      $("clients").textContent = state.clients.map((client) => client.name).join(", ");
    }

    /** Clients are numbered from 1, and may be added while the page is open. */
    const isOfUnknownClient = (one) => one.client > state.clients.length;

    function take(change) {
      if (change.isWhole) { state.calls.clear(); state.batches.clear(); state.dirty.clear();
        state.rates = []; $("rows").replaceChildren(); }
      state.totals = change.totals;
      state.skipped = change.skipped;
      for (const call of change.calls) {
        call.seen = performance.now();
        call.host = host(call);
        state.calls.set(call.id, call);
        state.dirty.add(call.id);
      }
      for (const id of [...state.calls.keys()]) {
        if (id > change.totals.began - state.capacity) continue;
        state.calls.delete(id);
        // It is emptied by the page Calls alone.
        state.dirty.delete(id);
        $("rows").querySelector(`#c${id}`)?.remove();
      }
      if (change.calls.some(isOfUnknownClient)) readClients().catch(() => {});
      for (const batch of change.batches) state.batches.set(batch.id, batch);
      const ended = [...state.batches.keys()].slice(0, Math.max(0, state.batches.size - 50));
      for (const id of ended) state.batches.delete(id);
      if (change.live) state.live = change.live;
      const now = performance.now();
      state.rates.push([now, change.totals.began, change.totals.bytes]);
      while (state.rates.length > 2 && now - state.rates[0][0] > 5000) state.rates.shift();
      if (change.calls.some((call) => call.id === state.selected)) showCall();
      redraw();
    }

    function redraw() {
      if (state.frame) return;
      state.frame = true;
      const draw = () => { state.frame = false; drawTotals(); drawPage(); };
      // A frame may be late where there is no screen; a timer is not.
      setTimeout(draw, 16);
    }

    function drawTotals() {
      const totals = state.totals;
      if (!totals) return;
      const running = totals.began - totals.succeeded - totals.failed - totals.abandoned;
      const sources = totals.sources.map(([name, count]) => [`from ${name}`, count]);
      const answered = totals.sources.reduce((sum, [, count]) => sum + count, 0);
      const network = new Map(totals.sources).get("network");
      const first = state.rates[0];
      const last = state.rates[state.rates.length - 1];
      const span = last && first ? (last[0] - first[0]) / 1000 : 0;
      const parts = [
        ["calls", totals.began], ["running", running], ["failed", totals.failed],
        ...sources.filter(([, count]) => count > 0),
        ["without the network",
          answered ? `${Math.round(100 * (answered - network) / answered)} %` : "–"],
        ["received", bytes(totals.bytes)],
      ];
      if (span > 0.5) {
        parts.push(["calls/s", ((last[1] - first[1]) / span).toFixed(1)]);
        parts.push(["per second", bytes((last[2] - first[2]) / span)]);
      }
      if (state.skipped > 0) parts.push(["pending", state.skipped]);
      $("totals").replaceChildren(
        ...parts.flatMap(([name, value], index) =>
          [index ? " · " : "", el("b", {}, String(value)), ` ${name}`]));
    }

    // MARK: Calls

    const page = () => (location.hash.slice(1) || "calls").split("=")[0].replace(/^call$/, "calls");

    function statusWords(call) {
      if (call.state === "running") return ["running", "faint"];
      if (call.state === "abandoned") return ["abandoned", "faint"];
      if (call.state === "failed") return [call.status ? String(call.status) : "failed", "bad"];
      const kind = call.error ? "doubtful" : call.status >= 400 ? "bad" : "good";
      return [String(call.status ?? "done"), kind];
    }

    function matches(call) {
      const text = $("text").value.toLowerCase();
      if ($("host").value && call.host !== $("host").value) return false;
      if ($("tag").value && !call.tags.includes($("tag").value)) return false;
      if ($("source").value && call.source !== $("source").value) return false;
      const status = $("status").value;
      if (status.endsWith("xx")) {
        if (Math.floor((call.status ?? 0) / 100) !== Number(status[0])) return false;
      } else if (status && call.state !== status) return false;
      return !text || `${call.method} ${call.url} ${call.tags.join(" ")} ${call.status ?? ""} `
        .concat(call.source ?? "", " ", call.error ?? "").toLowerCase().includes(text);
    }

    function scaleOf(calls) {
      const longest = Math.max(1, ...calls.map((call) => call.ms));
      const step = 10 ** Math.floor(Math.log10(longest));
      return [1, 2, 5, 10].map((factor) => factor * step).find((value) => value >= longest);
    }

    function bars(call, scale) {
      return el("div", { class: "bars" }, ...call.bars.map(([name, start, end]) => {
        const bar = el("i", { class: name, title: `${name}: ${time(end - start)}` });
        bar.style.left = `${100 * start / scale}%`;
        bar.style.width = `${100 * (end - start) / scale}%`;
        return bar;
      }));
    }

    function row(call, scale) {
      const [words, kind] = statusWords(call);
      const source = call.source ? `${call.source}${call.freshness ? `, ${call.freshness}` : ""}` : "";
      const request = el("td", { title: call.url }, `${call.method} ${call.host}${path(call)}`,
        ...call.tags.map((tag) => el("span", { class: "tag" }, tag)));
      return el("tr", { id: `c${call.id}`, "data-scale": scale, tabindex: "-1",
        "aria-selected": String(call.id === state.selected), on: () => select(call.id) },
        el("td", { class: "faint" }, String(call.id)), request,
        el("td", { class: kind, title: call.error ?? "" }, words),
        el("td", {}, source), el("td", {}, bytes(call.bytes)), el("td", {}, time(call.ms)),
        el("td", { class: "wide" }, bars(call, scale)));
    }

    /** The call as it is now: the time of a running one goes on. */
    function aged(call) {
      if (call.state !== "running") return call;
      const more = performance.now() - call.seen;
      const bars = call.bars.map((bar, index) =>
        index === call.bars.length - 1 ? [bar[0], bar[1], bar[2] + more] : bar);
      return { ...call, ms: call.ms + more, bars };
    }

    function tick() {
      let isRunning = false;
      for (const call of state.calls.values()) {
        if (call.state === "running") { isRunning = true; state.dirty.add(call.id); }
      }
      if (isRunning) redraw();
    }

    function shownCalls() {
      const calls = [];
      // What had to wait for room is older than what has come before it.
      for (const call of [...state.calls.values()].sort((left, right) => right.id - left.id)) {
        if (matches(call)) calls.push(aged(call));
        if (calls.length === maximumShown) break;
      }
      return calls;
    }

    function drawCalls() {
      const calls = shownCalls();
      const scale = scaleOf(calls);
      const body = $("rows");
      const old = new Map([...body.children].map((child) => [child.id, child]));
      let position = body.firstChild;
      for (const call of calls) {
        let line = old.get(`c${call.id}`);
        old.delete(`c${call.id}`);
        if (!line || state.dirty.has(call.id) || line.dataset.scale !== String(scale)) {
          const fresh = row(call, scale);
          if (line) { if (line === position) position = fresh; line.replaceWith(fresh); }
          line = fresh;
        }
        line.setAttribute("aria-selected", String(call.id === state.selected));
        if (line === position) position = position.nextSibling;
        else body.insertBefore(line, position);
      }
      for (const line of old.values()) line.remove();
      state.dirty.clear();
      $("scale").textContent = calls.length ? `0 – ${time(scale)}` : "";
      $("none").hidden = calls.length > 0;
      choices("host", "all hosts", (call) => [call.host]);
      choices("tag", "all tags", (call) => call.tags);
    }

    function choices(id, title, values) {
      const all = [...new Set([...state.calls.values()].flatMap(values))].sort();
      const key = all.join("\n");
      if ($(id).dataset.key === key) return;
      const value = $(id).value;
      $(id).dataset.key = key;
      $(id).replaceChildren(el("option", { value: "" }, title),
        ...all.map((name) => el("option", { value: name }, name)));
      $(id).value = all.includes(value) ? value : "";
    }

    // MARK: One call

    function select(id) { location.hash = id ? `call=${id}` : "calls"; }

    async function showCall() {
      const id = state.selected;
      document.querySelector(".split").classList.toggle("open", id > 0);
      $("call").hidden = id === 0;
      if (!id || state.loading) { state.again = id > 0; return; }
      state.loading = true;
      try {
        const call = await json(`api/calls/${id}`);
        if (state.selected === id) $("call").replaceChildren(...details(call));
      } catch (error) {
        const words = `Call ${id} is no longer kept.`;
        if (state.selected === id) $("call").replaceChildren(el("p", { class: "bad" }, words));
      }
      state.loading = false;
      if (state.again || state.selected !== id) { state.again = false; setTimeout(showCall, 200); }
    }

    function details(call) {
      const [words, kind] = statusWords(call);
      const client = state.clients.find((one) => one.number === call.client);
      const repeat = (past) => async () => {
        try { await post(`api/calls/${call.id}/again${past ? "?past=stores" : ""}`); } catch {}
      };
      const parts = [
        el("h2", {}, `${call.method} ${call.url}`),
        el("p", {}, el("span", { class: kind }, words),
          ` · ${call.source ?? "no source"}${call.freshness ? `, ${call.freshness}` : ""}`,
          ` · ${bytes(call.bytes)} · ${time(call.ms)} · ${call.priority} priority`,
          client && state.clients.length > 1 ? ` · ${client.name}` : ""),
        el("div", { class: "actions" },
          el("button", { on: () => select(0) }, "Close"),
          call.canRepeat ? el("button", { on: repeat(false) }, "Again") : null,
          call.canRepeat && call.kind === "fetch"
            ? el("button", { on: repeat(true) }, "Again past the stores") : null,
          el("button", { on: () => navigator.clipboard?.writeText(call.curl) }, "Copy as curl")),
      ];
      if (call.error) parts.push(el("p", { class: "bad" }, call.error));
      parts.push(el("h3", {}, "Explanation"), sentences(call.explanation, "explanation"));
      if (call.refresh) {
        parts.push(el("h3", {}, `Background refresh, after ${time(call.refresh.at)}`),
          sentences(call.refresh.explanation, "refresh"));
      }
      parts.push(el("h3", {}, "Time"), bars(call, Math.max(call.ms, 0.001)));
      parts.push(fields(call.bars.map(([name, start, end]) => [name, time(end - start)]), "times"));
      if (call.timing) {
        const timing = call.timing;
        parts.push(el("p", { class: "faint" }, `${timing.protocol}, `,
          timing.reused ? "connection reused, " : "new connection, ",
          `${bytes(timing.bytesSent)} sent, ${bytes(timing.bytesReceived)} received`));
      }
      if (call.stages) parts.push(el("h3", {}, "Chain"), chain(call.stages));
      parts.push(el("h3", {}, "Request"), fields(call.request.headers, "requestFields"),
        ...body(call, call.request, "requestBody"));
      if (call.response) {
        parts.push(el("h3", {}, "Response"));
        if (call.response.url !== call.url) parts.push(el("p", {}, call.response.url));
        parts.push(fields(call.response.headers, "responseFields"));
        parts.push(...body(call, call.response, "responseBody"));
      }
      parts.push(el("h3", {}, "curl"), el("pre", { id: "curl" }, call.curl));
      return parts;
    }

    const sentences = (lines, id) =>
      el("ol", { class: "explanation", id }, ...lines.map((line) => el("li", {}, line)));

    const fields = (pairs, id) => el("table", { class: "fields", id }, el("tbody", {},
      ...pairs.map(([name, value]) => el("tr", {}, el("td", {}, name), el("td", {}, value)))));

    function chain(stages) {
      return el("ol", { class: "chain", id: "chain" }, ...stages.map((stage) => {
        const replied = stage.replies.map((reply) => reply.replied);
        const kind = replied.includes("failed") ? "failed"
          : replied.length === 0 ? "idle"
          : replied.some((word) => word !== "passed") ? "answered" : "";
        return el("li", { class: kind }, el("b", {}, stage.name), " ",
          el("code", { class: "faint" }, stage.code),
          ...(replied.length ? stage.replies.map((reply) => el("div", {},
            reply.took ? `${reply.took} → ` : "then ", reply.replied,
            el("span", { class: "faint" }, ` at ${time(reply.at)}`)))
            : [el("div", {}, "not reached or not involved")]));
      }));
    }

    function body(call, message, id) {
      const parts = [];
      if (message.picture) {
        parts.push(el("img", { class: "preview", src: `api/calls/${call.id}/picture`,
          alt: "The body as a picture" }));
      }
      if (message.body) {
        try {
          const value = JSON.parse(message.body);
          // A number of so many digits may have become another one.
          if (typeof value === "object" && value !== null && !/\d{16}/.test(message.body)) {
            parts.push(el("div", { class: "json", id }, tree(value, 0, [500])));
            return parts;
          }
        } catch {}
        parts.push(el("pre", { id }, message.body));
      } else if (message.length && !message.picture) {
        parts.push(el("p", { class: "faint" }, message.bodiesAreShown
          ? `${bytes(message.length)}, not kept`
          : `${bytes(message.length)}; the inspector hides bodies`));
      }
      return parts;
    }

    function tree(value, depth, budget) {
      if (typeof value !== "object" || value === null) return document.createTextNode(JSON.stringify(value));
      const isArray = Array.isArray(value);
      const entries = Object.entries(value);
      const lines = [];
      for (const [key, item] of entries) {
        if (budget[0] <= 0) { lines.push(el("div", { class: "faint" }, "…")); break; }
        budget[0] -= 1;
        const label = isArray ? "" : `${JSON.stringify(key)}: `;
        if (typeof item === "object" && item !== null) {
          const inner = tree(item, depth + 1, budget);
          inner.querySelector("summary")?.prepend(label);
          lines.push(inner);
        } else lines.push(el("div", {}, label, tree(item, depth + 1, budget)));
      }
      const title = isArray ? `[ ${entries.length} ]` : `{ ${entries.length} }`;
      const attributes = { class: "json" };
      if (depth < 2) attributes.open = "";
      return el("details", attributes, el("summary", {}, title), ...lines);
    }

    // MARK: Stores

    async function loadStores() {
      try {
        const answer = await json("api/stores");
        if (answer.stores.some(isOfUnknownClient)) await readClients();
        Object.assign(state, { stores: answer.stores, entries: answer.entries, models: answer.models,
          storesAt: Date.now() });
        drawStores();
      } catch (error) {
        $("stores").replaceChildren(el("p", { class: "bad" }, "The stores cannot be read."));
      }
    }

    const age = (entry) => entry.age === null ? Infinity : entry.age + (Date.now() - state.storesAt) / 1000;
    const limit = (value) => value === null ? Infinity : value;

    function phase(entry) {
      const late = age(entry) - limit(entry.lifetime);
      if (late < 0 && !entry.mustValidate) return ["fresh", "isFresh"];
      if (entry.mustValidate) return ["to be validated each time", "isStale"];
      if (late < limit(entry.whileRevalidating)) return ["stale while revalidating", "isStale"];
      if (late < limit(entry.onError)) return ["stale if error", "isStale"];
      return ["gone", "isGone"];
    }

    function life(entry) {
      const lifetime = limit(entry.lifetime);
      const spans = [["isFresh", entry.mustValidate ? 0 : lifetime],
        ["isWhile", limit(entry.whileRevalidating)], ["isError", limit(entry.onError)]];
      const known = [age(entry), lifetime, lifetime + limit(entry.whileRevalidating),
        lifetime + limit(entry.onError)].filter(Number.isFinite);
      const end = 1.1 * Math.max(1, ...known);
      let start = 0;
      const parts = [];
      for (const [name, length] of spans) {
        const stop = name === "isFresh" ? length : lifetime + length;
        const part = el("i", { class: name });
        part.style.left = `${100 * Math.min(1, start / end)}%`;
        part.style.width = `${100 * Math.max(0, Math.min(1, stop / end) - Math.min(1, start / end))}%`;
        parts.push(part);
        start = Math.max(start, stop);
      }
      const now = el("i", { class: "now" });
      now.style.left = `${100 * Math.min(0.995, age(entry) / end)}%`;
      return el("div", { class: "life", title: `${phase(entry)[0]}; ${entry.words}` }, ...parts, now);
    }

    function squares(entries, left, top, width, height, place) {
      const total = entries.reduce((sum, entry) => sum + entry.bytes, 0);
      if (!entries.length || !total) return;
      if (entries.length === 1) { place(entries[0], left, top, width, height); return; }
      let sum = 0;
      let count = 0;
      while (count < entries.length - 1 && (count === 0 || sum + entries[count].bytes <= total / 2)) {
        sum += entries[count].bytes;
        count += 1;
      }
      const share = sum / total;
      const [one, other] = [entries.slice(0, count), entries.slice(count)];
      if (width >= height) {
        squares(one, left, top, width * share, height, place);
        squares(other, left + width * share, top, width * (1 - share), height, place);
      } else {
        squares(one, left, top, width, height * share, place);
        squares(other, left, top + height * share, width, height * (1 - share), place);
      }
    }

    function modelTable(store) {
      const span = (value) => value.count === 0 ? "none"
        : `${value.count}, ${seconds((Date.now() - value.first) / 1000)} to `
          + `${seconds((Date.now() - value.last) / 1000)} ago`;
      const rows = store.types.map((type) => el("tr", {}, el("td", {}, type.name),
        el("td", {}, String(type.count)), el("td", {}, bytes(type.bytes)),
        el("td", {}, span(type.refreshes)), el("td", {}, span(type.pending))));
      return [el("h3", {}, store.name), store.error ? el("p", { class: "bad" }, store.error) : null,
        el("table", { class: "models" }, el("thead", {}, el("tr", {},
          ...["Model", "Number", "Size", "Live queries refreshed", "Changes pending"]
            .map((name) => el("th", {}, name)))), el("tbody", {}, ...rows))];
    }

    function drawStores() {
      const cards = el("div", { class: "cards" }, ...(state.stores ?? []).map((store) =>
        el("div", { class: "card" }, `${store.store}${state.clients.length > 1
          ? ` of ${state.clients.find((one) => one.number === store.client)?.name}` : ""}`,
          el("b", {}, `${store.count} responses`), bytes(store.bytes))));
      const map = el("div", { class: "map", "aria-label": "Sizes" });
      squares(state.entries.slice(0, 200), 0, 0, 100, 25, (entry, left, top, width, height) => {
        const box = el("button", { class: phase(entry)[1],
          title: `${entry.url}: ${bytes(entry.bytes)} in ${entry.store}, ${phase(entry)[0]}`,
          on: () => $(`e${entry.id}`)?.scrollIntoView({ block: "center" }) }, path(entry));
        Object.assign(box.style, { left: `${left}%`, top: `${4 * top}%`, width: `${width}%`,
          height: `${4 * height}%` });
        map.append(box);
      });
      // A link to #stores=/path shows what a fetch of it would do.
      const linked = [location.hash.replace(/^[^=]*=?/, "")];
      try { linked.push(decodeURIComponent(linked[0])); } catch {}
      const chosen = state.entries.find((entry) => linked.includes(path(entry)));
      const shown = state.entries.filter((entry, index) => index < 1000 || entry === chosen);
      const rows = shown.map((entry) => {
        const plan = el("tr", { hidden: "" }, el("td", { colspan: "7" }));
        const line = el("tr", { id: `e${entry.id}` },
          el("td", { title: entry.url }, entry.url,
            ...entry.tags.map((tag) => el("span", { class: "tag" }, tag)),
            entry.varies.length ? el("span", { class: "faint" }, ` by ${entry.varies.join(", ")}`) : null,
            entry.partition ? el("span", { class: "faint" }, ` of ${entry.partition}`) : null),
          el("td", {}, entry.store), el("td", {}, bytes(entry.bytes)),
          el("td", { class: "faint" }, `${entry.status} ${entry.type}`),
          el("td", { class: "phase" }, phase(entry)[0]),
          el("td", {}, life(entry), el("span", { class: "faint" },
            `age ${seconds(age(entry))} of ${seconds(entry.lifetime)}`)),
          el("td", {}, el("button", { on: () => showPlan(entry, plan) }, "Plan"), " ",
            entry.store === "seed" ? null : el("button", { on: async () => {
              try { await post(`api/stores/${entry.id}/remove`); } catch {}
              loadStores();
            } }, "Remove")));
        return [line, plan];
      });
      if (chosen) showPlan(chosen, rows[shown.indexOf(chosen)][1]);
      const models = (state.models ?? []).flatMap(modelTable).filter((part) => part !== null);
      $("stores").replaceChildren(cards, map,
        ...(models.length ? [el("div", { id: "models" }, ...models)] : []), el("p", { class: "actions" },
        el("button", { on: loadStores }, "Read again"),
        el("span", { class: "faint" }, "green: fresh · ochre: stale but usable · red: gone")),
        el("table", { class: "entries" }, el("thead", {}, el("tr", {},
          ...["URL", "Store", "Size", "Response", "Now", "Freshness", ""].map((name) => el("th", {}, name)))),
        el("tbody", { id: "entries" }, ...rows.flat())));
      if (!state.entries.length) $("stores").append(el("p", {}, "Nothing is stored."));
    }

    async function showPlan(entry, line) {
      const cell = line.firstChild;
      line.hidden = false;
      try {
        const plan = await json(`api/stores/${entry.id}/plan`);
        const words = plan.error ? plan.error
          : plan.sends ? `It would send ${plan.sends} (${plan.stage}).` : "It would send nothing.";
        cell.replaceChildren(el("p", { class: "plan" }, words,
          plan.shownMeanwhile ? ` Meanwhile it would show ${plan.shownMeanwhile}.` : "",
          plan.unknown?.length ? ` This variant may need other request fields: ${plan.unknown.join(", ")}.` : ""),
          sentences(plan.explanation ?? [], `p${entry.id}`),
          ...(plan.fields?.length ? [el("pre", {}, plan.fields.join("\n"))] : []));
      } catch {
        cell.replaceChildren(el("p", { class: "bad" }, "The entry is no longer listed."));
      }
    }

    // MARK: Batches and values

    function chart(rates) {
      const graphic = document.createElementNS(svg, "svg");
      graphic.setAttribute("viewBox", "0 0 100 20");
      graphic.setAttribute("preserveAspectRatio", "none");
      const end = Math.max(0.001, ...rates.map((rate) => rate[0]));
      const most = Math.max(1, ...rates.map((rate) => rate[1]));
      const line = document.createElementNS(svg, "polyline");
      line.setAttribute("points",
        rates.map((rate) => `${100 * rate[0] / end},${19 - 18 * rate[1] / most}`).join(" "));
      graphic.append(line);
      return [graphic, el("span", { class: "faint" }, `up to ${bytes(most)} per second`)];
    }

    function drawBatches() {
      const cards = [...state.batches.values()].reverse().map((batch) => {
        const fill = el("i", {});
        fill.style.width = `${100 * (batch.fraction ?? (batch.items ? batch.ended / batch.items : 0))}%`;
        return el("div", { class: "card batch" }, el("h2", {}, batch.words),
          el("p", {}, `${batch.ended} of ${batch.items} items, `,
            el("span", { class: batch.failed ? "bad" : "" }, `${batch.failed} failed`),
            `, ${bytes(batch.bytes)}${batch.total ? ` of ${bytes(batch.total)}` : ""}, ${batch.state}`,
            batch.timeLeft ? `, ${seconds(batch.timeLeft)} left` : "", batch.reason ? `: ${batch.reason}` : ""),
          el("div", { class: "meter" }, fill), ...(batch.rates.length > 1 ? chart(batch.rates) : []),
          batch.failures.length ? fields(batch.failures, `failures${batch.id}`) : null);
      });
      $("batches").replaceChildren(...(cards.length ? cards : [el("p", {}, "No batches yet.")]));
    }

    function drawLive() {
      $("live").replaceChildren(state.live.length
        ? el("table", { class: "fields", id: "values" }, el("tbody", {}, ...state.live.map((value) =>
          el("tr", {}, el("td", {}, value.name), el("td", { class: "faint" },
            `${value.count}${value.hasEnded ? ", ended" : ""}`), el("td", {}, value.text)))))
        : el("p", {}, "No values. An app adds sequences with inspector.show(_:_:)."));
    }

    // MARK: Pages

    function drawPage() {
      const name = page();
      if (name === "calls") drawCalls();
      if (name === "batches") drawBatches();
      if (name === "live") drawLive();
    }

    function route() {
      const name = page();
      for (const tab of document.querySelectorAll("[role=tab]")) {
        tab.setAttribute("aria-selected", String(tab.dataset.page === name));
        $(tab.dataset.page).hidden = tab.dataset.page !== name;
      }
      const match = /^#call=(\d+)$/.exec(location.hash);
      state.selected = match ? Number(match[1]) : 0;
      showCall();
      if (name === "stores") loadStores();
      redraw();
    }

    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.matches("input, select");
      if (event.key === "Escape") {
        if (isTyping) event.target.blur(); else if (state.selected) select(0);
        return;
      }
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const tabs = [...document.querySelectorAll("[role=tab]")];
      if (event.key === "/") { event.preventDefault(); location.hash = "calls"; $("text").focus(); }
      if (/^[1-5]$/.test(event.key)) location.hash = tabs[event.key - 1].dataset.page;
      const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
      if (step && page() === "calls") {
        event.preventDefault();
        const ids = shownCalls().map((call) => call.id);
        const index = ids.indexOf(state.selected);
        const id = ids[Math.max(0, Math.min(ids.length - 1, index < 0 ? 0 : index + step))];
        if (id) { select(id); $(`c${id}`)?.scrollIntoView({ block: "nearest" }); }
      }
    });

    for (const tab of document.querySelectorAll("[role=tab]")) {
      tab.addEventListener("click", () => { location.hash = tab.dataset.page; });
    }
    $("filters").addEventListener("input", redraw);
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    $("legend").append(...legend.map(([name, words]) =>
      el("span", {}, el("i", { class: name }), words)));
    addEventListener("hashchange", route);
    setInterval(tick, 500);

    function say(words, kind) {
      $("connection").textContent = words;
      $("connection").className = kind;
    }

    async function start() {
      try {
        await readClients();
      } catch { say("unreachable", "lost"); }
      if (new URLSearchParams(location.search).has("still")) {
        take(await json("api/state"));
        say("snapshot", "");
      } else {
        listen();
        document.addEventListener("visibilitychange", listen);
      }
      route();
    }

    /** Gets the changes while the page is visible: of a hidden one the inspector makes none. */
    function listen() {
      state.events?.close();
      state.events = null;
      if (document.hidden) return say("paused", "");
      const events = new EventSource("api/events");
      state.events = events;
      events.onopen = () => say("live", "live");
      events.onmessage = (event) => take(JSON.parse(event.data));
      events.onerror = () => say("not connected", "lost");
    }
    start();

    """#
}
