// The token stands in the fragment, which no browser sends: take it from the address, and send it as a form.
function open() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  const form = document.forms[0];
  form.elements.t.value = token;
  form.submit();
}
addEventListener("hashchange", open); // the address was pasted where this page stands already
open();
