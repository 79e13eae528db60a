// The token stands in the fragment, which no browser sends: take it from the address, and send it as a form.
const token = location.hash.slice(1);
if (token) {
  history.replaceState(null, "", location.pathname + location.search);
  const form = document.forms[0];
  form.elements.t.value = token;
  form.submit();
}
