// What is recorded elsewhere comes by itself: new rows are marked, and the reader stays where they were.
// It asks nothing while nobody looks, and takes nothing away from whoever writes.
{
  const notice = one(".fresh");
  const named = (row) => one("a[href]", row)?.getAttribute("href");
  const places = (from) => new Map(all("[data-row]", from).map((row) => [named(row), row]));
  const typed = () =>
    all("main :is(input, textarea, select)").some((field) =>
      field.type === "checkbox" || field.type === "radio" ? field.checked !== field.defaultChecked
        : field.matches("select") ? field.selectedIndex !== Math.max(0, [...field.options].findIndex((choice) => choice.defaultSelected))
        : field.type !== "hidden" && field.value !== field.defaultValue);
  function keptPlace(main) {
    const active = document.activeElement, height = (each) => each.getBoundingClientRect();
    const seen = all("[data-row]", main).filter((each) => height(each).bottom > 80 && height(each).top < innerHeight);
    const row = seen.find((each) => each.contains(active)) ?? seen[0];
    const [name, top] = [row && named(row), row?.getBoundingClientRect().top];
    const focused = main.contains(active) && {
      row: active.closest("[data-row]"), path: active.id ? `#${CSS.escape(active.id)}` : active.getAttribute("href") ?? active.name,
    };
    const open = all("details", main).map((each) => each.open && one("summary", each).textContent);
    return () => {
      const fresh = places(main), again = fresh.get(name);
      if (again) scrollBy({ top: again.getBoundingClientRect().top - top, behavior: "instant" });
      for (const each of all("details", main)) each.open ||= open.includes(one("summary", each).textContent);
      if (!focused) return;
      const from = (focused.row && fresh.get(named(focused.row))) || main;
      const same = active.matches("[data-row]") ? from : all(active.localName, from).find((each) =>
        (each.id ? `#${CSS.escape(each.id)}` : each.getAttribute("href") ?? each.name) === focused.path);
      (same ?? main).focus({ preventScroll: true });
    };
  }
  async function renew() {
    const answer = await fetch(location.href);
    const fresh = answer.ok && !answer.redirected && parsed(await answer.text());
    if (!fresh || typed()) return false;
    const main = one("main"), known = places(main), back = keptPlace(main);
    const recorded = one(".recorded", main);  // it is said once, and holds the undo
    main.replaceChildren(...(recorded ? [recorded] : []), ...one("main", fresh).childNodes);
    for (const [name, row] of places(main)) {
      if (known.has(name) || !name) continue;
      row.classList.add("came");
      const mark = document.createElement("span");
      mark.textContent = "new";
      (one(".meta", row) ?? row).prepend(mark);
    }
    for (const part of ["footer", ".top nav"]) one(part).replaceWith(one(part, fresh));
    document.body.dataset.mark = fresh.body.dataset.mark;
    ready();
    back();
    return true;
  }
  function tell(words, link = "", leads = location.href) {
    notice.replaceChildren(words);
    if (link) {
      const made = document.createElement("a");
      [made.href, made.textContent] = [leads, link];
      notice.append(" ", made);
    }
    notice.hidden = !words;
  }
  let failed = 0, quiet;
  async function look() {
    if (document.hidden) return;
    const { tip, mark, again } = document.body.dataset;
    try {
      const answer = await fetch(`${tip}?since=${mark}`);
      if (answer.redirected) return tell("This server was started anew.", "Log in again");
      const now = await answer.json();
      if (failed > 1) tell("");
      failed = 0;
      if (now.tip === mark || "typed" in document.body.dataset) return;
      if (!(await renew())) return tell(now.news, "Show it");
      tell(now.news);
      clearTimeout(quiet);
      quiet = setTimeout(() => tell(""), 8000);
    } catch {
      failed += 1;
      if (failed === 2) tell(`The server has ended. Start it again: ${again}`);
    }
  }
  setInterval(look, 2000);
  document.addEventListener("visibilitychange", look);
}
