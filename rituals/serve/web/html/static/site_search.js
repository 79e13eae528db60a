// Searches the facts of a site, where no server can be asked. Simpler than `diurna recall`: words, no meaning.
{
  const LIMIT = 50;
  const field = document.querySelector("input[data-site-search]");
  const hits = document.querySelector("#hits");
  const help = [...hits.childNodes];
  const facts = globalThis.diurnaFacts.map(([id, file, tier, text]) => {
    const lower = text.toLowerCase();
    return { id, file, tier, text, lower, words: ` ${lower.replace(/[^\p{L}\p{N}]+/gu, " ")}` };
  });

  // An id that is the word comes first, then ids that begin with it, ids, words of the text, parts of words.
  function weight(fact, word) {
    if (fact.id === word) return 16;
    if (fact.id.startsWith(word)) return 8;
    if (fact.id.includes(word)) return 4;
    if (fact.words.includes(` ${word}`)) return 2;
    return fact.lower.includes(word) ? 1 : 0;
  }

  function found(asked) {
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const ranked = [];
    for (const fact of facts) {
      const weights = words.map((word) => weight(fact, word));
      if (weights.every(Boolean)) ranked.push([weights.reduce((sum, one) => sum + one), fact]);
    }
    return ranked.sort((one, other) => other[0] - one[0]).map(([, fact]) => fact);
  }

  function element(name, kind, ...inside) {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.append(...inside);
    return made;
  }

  function row({ id, file, tier, text }) {
    const link = element("a", "id", id);
    link.href = file;
    const word = tier === "archive-candidate" ? "fading" : tier;
    const meta = element("p", "meta", element("span", `tier t-${tier}`, word), link);
    const made = element("article", "row", meta, element("div", "text clamp", text));
    made.dataset.row = "";
    made.tabIndex = -1;
    return made;
  }

  function show() {
    remember();
    if (!field.value.trim()) return hits.replaceChildren(...help);
    const rows = found(field.value);
    const count = `${rows.length} fact${rows.length === 1 ? "" : "s"}`;
    const more = rows.length > LIMIT ? `, the first ${LIMIT} of them here` : "";
    const said = element("p", "meta", count + more);
    said.setAttribute("role", "status");
    hits.replaceChildren(said, ...rows.slice(0, LIMIT).map(row));
  }

  function remember() {
    const here = new URL(location);
    field.value ? here.searchParams.set("q", field.value) : here.searchParams.delete("q");
    history.replaceState(null, "", here);
  }

  field.value = new URL(location).searchParams.get("q") ?? "";
  field.form.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", show);
  if (field.value) show();
}
