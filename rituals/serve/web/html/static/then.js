// Moves through the past of a site, where no server can be asked: `diurnaPast` says how facts stood.
{
  const MOST_FACTS = 60, MOST_IDS = 6;
  const past = globalThis.diurnaPast;
  const form = document.querySelector("form.past");
  const field = form?.elements.at;
  const LISTS = {
    learned: "Learned since", corrected: "Reworded or false since", faded: "Faded since", closed: "Closed since",
  };
  const asked = new URL(location).searchParams;
  const number = (count) => count.toLocaleString("en");

  function element(name, kind, ...inside) {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.append(...inside);
    return made;
  }

  const tier = (at) => element("span", `tier t-${past.tiers[at][0]}`, past.tiers[at][1]);

  function link(fact) {
    const made = element("a", "id", fact[0]);
    made.href = fact[1];
    return made;
  }

  // The last turn of a fact that is not behind a session: [session, tier, section, closed, texts].
  const turn = (fact, session) => fact[6].findLast((one) => one[0] <= session);

  function became([, , reason, closed, texts], then) {
    if (reason) return reason;
    if (closed && !then[3]) return "closed";
    return texts.join() === then[4].join() ? "" : "reworded";
  }

  // A text is made of texts, and of elements: [name, text, where a link leads].
  function text(version) {
    const inside = past.texts[version].map((part) => {
      if (typeof part === "string") return part;
      const made = element(part[0], "", part[1]);
      if (part[2]) made.href = part[2];
      if (part[2]?.includes(":")) made.rel = "noreferrer noopener nofollow ugc";
      return made;
    });
    return element("div", "text clamp", ...inside);
  }

  function row([fact, then]) {
    const sides = then[4].map(text);
    for (const side of sides.length > 1 ? sides : []) side.className = "side card text clamp";
    const said = sides.length > 1 ? element("div", "sides", ...sides) : sides[0];
    const since = became(fact, then);
    const aside = element("p", "aside", tier(then[1]));
    if (since) aside.append(element("span", "", `since ${since}`));
    const made = element("article", since ? "row fact gone" : "row fact");
    made.append(element("div", "", said, element("p", "meta", link(fact))), aside);
    made.dataset.row = "";
    made.tabIndex = -1;
    return made;
  }

  function section(title, at, held) {
    const uses = ([fact]) => fact[5].filter((one) => one <= at).length;
    const facts = held.sort((one, other) => uses(other) - uses(one) || (one[0][0] < other[0][0] ? -1 : 1));
    const heading = element("h2", "", `${title} `, element("small", "", number(facts.length)));
    const made = element("section", "group", heading, ...facts.slice(0, MOST_FACTS).map(row));
    const more = facts.length - MOST_FACTS;
    if (more > 0) made.append(element("p", "meta", `and ${number(more)} more`));
    return made;
  }

  function behind(changes, at, but = new Set()) {
    const found = new Set(changes.filter(([session]) => session > at).map(([, fact]) => fact).reverse());
    return [...found].filter((fact) => !but.has(fact));
  }

  // What became of facts behind a session: the places of the facts, by the word.
  function sinceThen(at) {
    const learned = behind(past.since.learned, at), fresh = new Set(learned);
    const corrected = behind(past.since.corrected, at, fresh);
    const faded = behind(past.since.faded, at, new Set([...learned, ...corrected]));
    const closed = behind(past.since.closed, at, fresh);
    return { learned, corrected, faded, closed };
  }

  function toList(at, word, said) {
    const made = element("a", "", said);
    made.href = word ? `?at=${at}&list=${word}` : `?at=${at}`;
    return made;
  }

  function since(at, became) {
    const list = element("dl", "facts");
    for (const [word, facts] of Object.entries(became)) {
      const some = facts.slice(0, MOST_IDS).flatMap((one) => [link(past.facts[one]), " "]);
      const more = facts.length - MOST_IDS;
      if (more > 0) some.push(element("span", "", `and ${number(more)} more`));
      if (some.length) some.push(toList(at, word, "all with texts"));
      const said = element("dd", "", element("b", "number", number(facts.length)));
      if (some.length) said.append(element("p", "meta", ...some));
      list.append(element("dt", "", word), said);
    }
    return element("div", "", element("h2", "", "Since then"), list);
  }

  // The words of a text, with what is new in them and what is gone: by the longest that both have.
  function differences(before, after) {
    const [old, now] = [before, after].map((said) => said.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []);
    const best = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
    for (let at = old.length - 1; at >= 0; at--)
      for (let to = now.length - 1; to >= 0; to--)
        best[at][to] = old[at] === now[to] ? best[at + 1][to + 1] + 1 : Math.max(best[at + 1][to], best[at][to + 1]);
    const made = element("div", "diff");
    const add = (name, word) => {
      const last = made.lastElementChild;
      if (!name) made.append(word);
      else if (last?.localName === name && !last.nextSibling) last.append(word);
      else made.append(element(name, "", word));
    };
    for (let at = 0, to = 0; at < old.length || to < now.length; ) {
      if (old[at] === now[to]) add("", old[at++], to++);
      else if (to >= now.length || (at < old.length && best[at + 1][to] >= best[at][to + 1])) add("del", old[at++]);
      else add("ins", now[to++]);
    }
    return made;
  }

  function changed(fact, at, word) {
    const [now, then] = [fact[6].at(-1), turn(fact, at)];
    const became = then && word !== "learned" ? fact[2] || (fact[3] && !then[3] ? "closed" : "") : fact[2];
    const versions = fact[4].map(text), before = (then?.[4] ?? []).map(text);
    const said = word === "corrected" && !became && before.length
      ? differences(before.map((one) => one.textContent).join("\n"), versions.map((one) => one.textContent).join("\n"))
      : element("div", "", ...(versions.length ? versions : before));
    const meta = element("p", "meta", link(fact), element("span", "", became || (word === "corrected" ? "reworded" : "")));
    const made = element("article", "row fact", element("div", "", said, meta), element("p", "aside", tier(now[1])));
    made.dataset.row = "";
    made.tabIndex = -1;
    return made;
  }

  function listed(at, word, became) {
    const facts = became[word].map((one) => past.facts[one]);
    const heading = element("h2", "", `${LISTS[word]} `, element("small", "", number(facts.length)));
    const others = Object.keys(became).filter((one) => became[one].length);
    const links = others.flatMap((one) => [one === word ? element("b", "", one) : toList(at, one, one), " "]);
    const rows = facts.map((fact) => changed(fact, at, word));
    if (!rows.length) rows.push(element("p", "empty", "Nothing."));
    return element("section", "group", heading, element("p", "meta", ...links, toList(at, "", "What held then")), ...rows);
  }

  function tiers(counts) {
    const head = document.querySelector("#then table").cloneNode(true);
    head.tBodies[0].replaceChildren(
      ...counts.map((count, at) =>
        element("tr", "", element("td", "", tier(at)),
          element("td", "number", number(count)), element("td", "number", number(past.now[at])))),
    );
    return head;
  }

  function point(at) {
    const said = element("p", "");
    said.setAttribute("role", "status");
    const all = number(past.dates.length);
    if (at) said.append("After session ", element("b", "number", number(at)), ` of ${all}, ${past.dates[at - 1]}`);
    else said.append(`Before the first of ${all} sessions`);
    return element("div", "point", said);
  }

  function show() {
    const at = Number(field.value);
    const counts = past.tiers.map(() => 0), sections = past.sections.map(() => []);
    for (const fact of past.facts) {
      const then = turn(fact, at);
      if (!then) continue;
      counts[then[1]] += 1;
      if (then[2] >= 0) sections[then[2]].push([fact, then]);
    }
    const groups = sections.flatMap((held, name) => (held.length ? [section(past.sections[name], at, held)] : []));
    if (!groups.length) groups.push(element("p", "empty", "Nothing held then; what an import brought later counts from that day on."));
    const became = sinceThen(at), word = asked.get("list");
    const top = element("div", "then", tiers(counts), since(at, became));
    const below = Object.hasOwn(LISTS, word) ? [listed(at, word, became)] : groups;
    const whens = document.querySelector(".whens");
    whens.querySelector("[type=date]").value = past.dates[at - 1] ?? "";
    document.querySelector("#then").replaceChildren(whens, point(at), top, ...below);
    const here = new URL(location);
    here.searchParams.set("at", at);
    history.replaceState(null, "", here);
  }

  // A session by its number, a month or a day by the last session of it, a release by its name.
  function session(said) {
    if (/^\d{1,6}$/.test(said)) return said;
    if (/^\d{4}-\d\d(-\d\d)?$/.test(said)) return past.dates.filter((one) => one.slice(0, said.length) <= said).length;
    return past.releases.find(([name]) => name === said)?.[1];
  }

  if (form) {
    for (const part of document.querySelectorAll("[data-past]")) part.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    field.addEventListener("input", show);
    const found = session(asked.get("at") ?? "");
    if (found !== undefined) {
      field.value = found;
      show();
      const choice = document.querySelector(".when select");
      if (past.releases.some(([name]) => name === asked.get("at"))) choice.value = asked.get("at");
    } else if (asked.has("list")) show();
  }
}
