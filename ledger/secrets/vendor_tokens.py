"""Find tokens that begin with their vendor's mark: `ghp_…`, `AKIA…`, `xoxb-…`; and secrets by shape alone.

A row of the table says what follows the mark: of which characters, how many at least and at most. A mark
is found by `str.find`, and its token is the run of such characters behind it. By shape are found key
blocks, addresses with passwords, marks within a token: each repeat and look ahead has a limit (fault:G23).
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger.secrets.label_values import HEX, distinct, is_placeholder, is_random, is_stock
from ledger.secrets.match import Hit, expression, hit

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ALNUM = "abcdefghijklmnopqrstuvwxyz0123456789" + _UPPER
_CHARS = {
    "a": _ALNUM, "w": _ALNUM + "_-", "d": _ALNUM + "_-.", "h": HEX, "H": HEX + "ABCDEF",
    "U": _UPPER + "0123456789", "b": _ALNUM + "+/=_-", "s": _ALNUM + "_-.+/=%", "p": _ALNUM + "/",
    "x": HEX + "-", "t": HEX + "-/",
}  # fmt: skip
#: rule: marks / characters, at least, at most (0: any number).
_TABLE = """
adafruit-key: aio_ / a 28 28
age-key: AGE-SECRET-KEY-1 / U 58 58
airtable-token: pat / d 79 79
alibaba-key: LTAI / a 20 20
amazon-mws-token: amzn.mws. / x 36 36
anthropic-key: sk-ant- / w 32 0
artifactory-key: AKCp / a 69 69
artifactory-key: cmVmdGtu / a 56 56
atlassian-token: ATATT3 ATCTT3 / s 60 0
atlassian-token: ATBB / a 32 32
aws-access-key: AKIA ASIA ABIA ACCA / U 16 16
aws-session-token: IQoJb3JpZ2luX2Vj FwoGZXIvYXdz FQoGZXIvYXdz / b 100 0
azure-storage-key: AccountKey= SharedAccessKey= / b 43 90
brevo-key: xkeysib- xsmtpsib- / w 60 90
buildkite-token: bkua_ / h 40 40
circleci-token: CCIPAT_ CCIPRJ_ / w 40 0
clojars-token: CLOJARS_ / a 60 60
cloudflare-origin-key: v1.0- / x 171 171
contentful-token: CFPAT- / w 43 43
crates-io-token: cio / a 32 32
databricks-token: dapi / x 32 34
datadog-key: /v1/input/ / h 32 32
digitalocean-token: dop_v1_ doo_v1_ dor_v1_ / h 64 64
discord-webhook: /api/webhooks/ / s 60 120
docker-swarm-token: SWMTKN-1- / w 70 90
docker-token: dckr_pat_ dckr_oat_ / w 24 40
doppler-token: dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit. / d 40 90
duffel-token: duffel_live_ duffel_test_ / w 43 43
dynatrace-token: dt0c01. dt0s01. / d 80 100
e2b-key: e2b_ / h 40 40
easypost-key: EZAK EZTK / a 54 54
elastic-key: essu_ / b 50 0
elevenlabs-key: sk_ / h 48 48
facebook-token: EAAM EAAC EAAB EAAG / a 80 0
figma-token: figd_ figo_ figr_ figu_ / w 36 60
firecrawl-key: fc- / h 32 32
flutterwave-key: FLWSECK- FLWSECK_TEST- / w 32 40
fly-token: fm2_ fm1r_ fo1_ / s 40 0
github-fine-grained-token: github_pat_ / w 36 255
github-token: ghp_ gho_ ghu_ ghs_ ghr_ / a 36 255
gitlab-token: glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- / d 20 300
gitlab-token: GR1348941 / w 20 20
google-api-key: AIza / w 35 35
google-oauth-secret: GOCSPX- / w 28 28
google-oauth-token: ya29. / w 20 0
google-oauth-token: 1//0 / w 30 0
grafana-token: glsa_ / w 41 41
grafana-token: glc_ / b 32 0
groq-key: gsk_ / a 48 60
heroku-key: HRKU- / w 36 80
hubspot-token: pat-na1- pat-na2- pat-eu1- / x 36 36
huggingface-token: hf_ api_org_ / a 34 40
infracost-key: ico- / a 32 32
langfuse-key: sk-lf- / x 36 36
langsmith-key: lsv2_pt_ lsv2_sk_ / w 36 60
launchdarkly-key: sdk- / x 36 36
linear-key: lin_api_ lin_oauth_ lin_wh_ / a 40 80
mailgun-key: key- / h 32 32
mapbox-token: sk.eyJ / d 60 0
microsoft-webhook: /IncomingWebhook/ / t 60 90
neon-key: napi_ / a 56 72
netlify-token: nfp_ nfc_ / w 36 60
new-relic-key: NRAK- / U 27 27
new-relic-key: NRJS- / h 19 19
new-relic-key: NRII- / w 32 32
notion-token: ntn_ / a 44 54
notion-token: secret_ / a 43 43
nuget-key: oy2 / a 43 43
npm-token: npm_ / a 36 36
nvidia-key: nvapi- / w 60 72
onepassword-token: ops_eyJ / b 100 0
openai-key: sk-proj- sk-svcacct- sk-admin- / w 40 0
openai-key: sk- / a 32 64
openrouter-key: sk-or-v1- / h 64 64
perplexity-key: pplx- / a 40 60
plaid-token: access-sandbox- access-production- access-development- / x 36 36
planetscale-token: pscale_tkn_ pscale_pw_ pscale_oauth_ / d 32 64
posthog-key: phx_ / w 40 60
postman-key: PMAK- / w 59 59
prefect-key: pnu_ pnb_ / a 36 36
pulumi-token: pul- / h 40 40
pypi-token: pypi-AgE / w 50 0
readme-key: rdme_ / a 70 70
render-key: rnd_ / a 28 36
replicate-token: r8_ / w 37 37
rubygems-key: rubygems_ / h 48 48
scalingo-token: tk-us- tk-eu- / w 48 48
sendgrid-key: SG. / d 60 75
sentry-token: sntrys_ / b 60 0
sentry-token: sntryu_ / h 64 64
shippo-token: shippo_live_ shippo_test_ / h 40 40
shopify-token: shpat_ shpss_ shpca_ shppa_ / H 32 32
slack-token: xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxd- xoxe- xoxe. xoxo- xapp- / s 20 0
slack-webhook: hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/ / p 35 90
sonarqube-token: sqp_ squ_ sqa_ / h 40 40
sourcegraph-token: sgp_ slk_ / w 40 110
square-token: EAAA / w 60 60
square-token: sq0atp- / w 22 22
square-token: sq0csp- / w 43 43
stripe-key: sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ / a 16 255
stripe-key: sk_org_live_ sk_org_test_ / a 16 255
stripe-webhook-secret: whsec_ / b 24 90
supabase-key: sbp_ sb_secret_ / w 30 60
tailscale-key: tskey- / w 20 80
tavily-key: tvly- / w 28 60
tencent-key: AKID / a 32 32
twilio-key: SK / h 32 32
twitch-token: oauth: / a 30 30
twitter-token: AAAAAAAAAAAAAAAAAAAAA / s 60 130
typeform-token: tfp_ / d 40 70
vault-token: hvs. hvb. hvr. / w 24 0
xai-key: xai- / a 70 90
yandex-key: AQVN / w 35 38
"""
#: How much of a token that may be of any length is looked at.
_CAP = 4096

_ROWS = [
    (mark, rule, _CHARS[chars], int(least), int(most) or _CAP)
    for line in _TABLE.strip().split("\n")
    for rule, rest in (line.split(": ", 1),)
    for *marks, _, chars, least, most in (rest.split(" "),)
    for mark in marks
]
# the longest mark first: `sk-ant-` before `sk-`
MARKS = tuple(sorted(_ROWS, key=lambda row: (-len(row[0]), row[0], row[1])))
#: What follows a line break with one of these is no rest of the word before it.
FRONTS = tuple([mark for mark, *_ in MARKS])
#: Marks that are no part of the token: of an address, what is behind the place is the secret.
_PLACES = frozenset(
    "AccountKey= SharedAccessKey= /api/webhooks/ /IncomingWebhook/ hooks.slack.com/services/ "
    "hooks.slack.com/workflows/ hooks.slack.com/triggers/ /v1/input/".split()
)


def find_tokens(text: str, words: str) -> list[Hit]:
    """Find tokens that begin with a vendor's mark, which stands in `words`, the long words of the text."""
    found: list[Hit] = []
    for mark, rule, chars, least, most in MARKS:
        if mark not in words:
            continue
        inside, at = mark in _PLACES, text.find(mark)
        while at >= 0:
            begin, before = at + len(mark), text[at - 1 : at]
            end = _end(text, begin, chars, least, most)
            if end and (inside or not (before.isalnum() or (before == "_" != mark[-1]))):
                place = (begin, end) if inside else (at, end, mark)
                found.append(hit(rule, *place))
            at = text.find(mark, end or begin)
    return found


def _end(text: str, at: int, chars: str, least: int, most: int) -> int:
    """Return where the token ends whose mark ends at `at`, 0 when it is none."""
    tail = text[at : at + most + 1]
    tail = tail[: len(tail) - len(tail.lstrip(chars))]
    if not chars.endswith("="):  # the end of a sentence is no token's
        tail = tail.rstrip(".-_=/+%,")
    end = at + len(tail)
    if not least <= len(tail) <= most or text[end : end + 1].isalnum() or is_placeholder(tail):
        return 0
    return end if is_random(tail) or (tail.isupper() and distinct(tail) > 7) else 0


#: How a private key begins; a block of PuTTY has no end.
_BEGIN = expression(
    r"-----BEGIN ([^\n-]{0,60}(?:PRIVATE KEY|Static key)[^\n-]{0,20})-----"
    r"|(---- BEGIN SSH2 ENCRYPTED PRIVATE)[^\n]{0,40}|Private-Lines:[^\n]{0,20}\n"
)
#: How far its end is looked for; else it goes on for so many lines of base64.
_BLOCK_CHARS = 20_000
_BODY = expression(r"(?:[ \t>]*+[A-Za-z0-9+/=\\]*+[\"',]*+[ \t]*+(?:\n|\Z)){0,200}+")
_DENSE = expression(r"[A-Za-z0-9+/=]{16,}")
#: (mark within the token, rule, the token)
_INFIXES = (
    ("T3BlbkFJ", "openai-key", r"(?<![\w-])[\w-]{20,80}T3BlbkFJ[\w-]{20,80}(?![\w-])"),
    (".atlasv1.", "terraform-token", r"(?<![^\W_])[^\W_]{14}\.atlasv1\.[\w-]{40,80}(?![\w-])"),
    ("Q~", "azure-client-secret", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),
    ("AZDO", "azure-devops-token", r"(?<![^\W_])[^\W_]{76}AZDO[^\W_]{4}(?![^\W_])"),
    (":AA", "telegram-token", r"(?<![^\W_])\d{8,10}:AA[\w-]{33}(?![\w-])"),
    ("-us", "mailchimp-key", r"(?<![^\W_])[0-9a-f]{32}-us\d{1,2}(?![^\W_])"),
    ("NRAL", "new-relic-key", r"(?<![^\W_])[0-9a-f]{36}NRAL(?![^\W_])"),
)
_BOT = expression(r"(?a)([MNO](?<![\w.-].)[\w-]{22,27})\.[\w-]{6,7}\.([\w-]{27,42})(?!\.?[\w-])")
#: Who an address names before its host; a password may hold `/`, `#` or `?`, not escaped as it should be.
_ADDRESS = expression(
    r"""(?x)(\w{0,12})://(?:([^\s/?\#"'`<>|\\)\]},;]{1,500})@([^\s/"'`]{0,80})
    |([^\s:/@"'`<>]{0,100}:(?!\d+/)(?:(?!//)[^\s@"'`<>]){3,400})@(?=[^\s"'`<>]{0,80}\.))"""
)
_USUAL = ("x-oauth-basic", "postgres", "guest", "redis")  #: passwords that nobody keeps
_SENTRY = expression(r"[0-9a-f]{32}(?![0-9a-f])")


def find_shapes(text: str, words: str, drawn: str) -> list[Hit]:
    """Find secrets by their shape.

    `words` are the long words of the text, `drawn` those that have digits or capitals.
    """
    found: list[Hit] = []
    if "BEGIN " in text or "Private-Lines:" in text:
        found += _blocks(text)
    if "://" in words:
        found += _addresses(text)
    for mark, rule, pattern in _INFIXES if drawn else ():
        for said in expression(f"(?a){pattern}").finditer(text) if mark in drawn else ():
            if is_random(said[0]) and not is_placeholder(said[0]):
                found.append(hit(rule, *said.span()))
    # the tokens of bots of Discord: an id in base64, a time and a hash, known by their lengths
    for said in _BOT.finditer(text) if "." in drawn else ():
        if is_random(said[1]) and is_random(said[2]):
            found.append(hit("discord-token", *said.span()))
    return found


def _blocks(text: str) -> Iterator[Hit]:
    """Find private keys, on lines or escaped in JSON, up to their end; a cut one has none."""
    last, ends = 0, text.rfind("END ")  # where no block ends any more none is looked for
    for begun in _BEGIN.finditer(text):
        start, body = begun.start() if begun[1] or begun[2] else begun.end(), begun.end()
        mark = f"-----END {begun[1]}" if begun[1] else "---- END SSH2"
        near = text.find(mark, body, body + _BLOCK_CHARS) if last <= body <= ends else -1
        lines = _BODY.match(text, body)
        end = body + len((lines[0] if lines else "").rstrip())
        if near >= 0 and start != body:
            end = near + len(mark)
            end += 5 * text.startswith("-----", end)
        content = "".join(_DENSE.findall(text[body : min(end, body + 4000)].replace("\\n", "")))
        if start >= last and distinct(content) > 15:
            yield hit("private-key", start, end, begun[0][:-5] if begun[1] else "")
            last = end


def _addresses(text: str) -> Iterator[Hit]:
    """Find passwords and tokens in addresses: `scheme://user:password@host`."""
    for said in _ADDRESS.finditer(text):
        which = 2 if said[2] else 4
        (start, end), (name, colon, password) = said.span(which), said[which].partition(":")
        if "sentry" in (said[3] or "") and _SENTRY.match(name):
            yield hit("sentry-dsn", start, end)
        elif colon and len(password) > 2 and password not in (name, *_USUAL):
            if not (is_placeholder(password) or is_stock(password)):
                yield hit("url-password", start + len(name) + 1, end)
        elif not colon and len(name) > 15 and "http" in said[1] and is_random(name):
            yield hit("url-token", start, end)
