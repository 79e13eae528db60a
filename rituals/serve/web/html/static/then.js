// Moves through the past of a site, where no server can be asked: `diurnaPast` says how facts stood.
{
  const MOST_FACTS = 60, MOST_IDS = 6;
  const past = globalThis.diurnaPast;
  const form = document.querySelector("form.past");
  const field = form?.elements.at;
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

  function since(at) {
    const learned = behind(past.since.learned, at), fresh = new Set(learned);
    const corrected = behind(past.since.corrected, at, fresh);
    const faded = behind(past.since.faded, at, new Set([...learned, ...corrected]));
    const closed = behind(past.since.closed, at, fresh);
    const list = element("dl", "facts");
    for (const [word, facts] of Object.entries({ learned, corrected, faded, closed })) {
      const some = facts.slice(0, MOST_IDS).flatMap((one) => [link(past.facts[one]), " "]);
      const more = facts.length - MOST_IDS;
      if (more > 0) some.push(element("span", "", `and ${number(more)} more`));
      const said = element("dd", "", element("b", "number", number(facts.length)));
      if (some.length) said.append(element("p", "meta", ...some));
      list.append(element("dt", "", word), said);
    }
    return element("div", "", element("h2", "", "Since then"), list);
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
    const top = element("div", "then", tiers(counts), since(at));
    document.querySelector("#then").replaceChildren(point(at), top, ...groups);
    const here = new URL(location);
    here.searchParams.set("at", at);
    history.replaceState(null, "", here);
  }

  if (form) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    field.addEventListener("input", show);
    const asked = new URL(location).searchParams.get("at");
    if (asked !== null && /^\d{1,6}$/.test(asked)) {
      field.value = asked;
      show();
    }
  }
}
