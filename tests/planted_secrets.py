"""A planted set: secrets of many kinds, drawn anew from a seed, and as many texts that only look like one.

No whole secret stands in this file: what follows a vendor's mark is drawn when the set is made, so no
scanner flags the repository, and no value was ever anybody's.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable
from typing import NamedTuple

_LOW, _UP, _NUM = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM, HEX = _LOW + _UP + _NUM, "0123456789abcdef"
WORD, BASE64 = ALNUM + "_-", ALNUM + "+/"


class Planted(NamedTuple):
    """A secret in its surroundings; `value` is what must not be seen any more."""

    kind: str
    text: str
    value: str


class Draw:
    """Draws made-up values from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def some(self, chars: str, count: int) -> str:
        """Draw characters; at least one letter and one digit where there are both."""
        while True:
            made = "".join(self._random.choices(chars, k=count))
            kinds = (any(c.isdigit() for c in made), any(c.isalpha() for c in made))
            if count < 8 or all(kinds) or not (set(chars) & set(_NUM) and set(chars) - set(_NUM)):
                if made[-1] not in "-_+/" and made[0] not in "-_+/":
                    return made

    def uuid(self) -> str:
        """Draw a UUID."""
        return "-".join(self.some(HEX, count) for count in (8, 4, 4, 4, 12))

    def block(self, label: str, lines: int = 6) -> str:
        """Draw a key in a block."""
        body = "\n".join(self.some(BASE64, 64) for _ in range(lines))
        return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"

    def jwt(self) -> str:
        """Draw a signed web token."""
        parts = [
            '{"alg":"HS256","typ":"JWT"}',
            f'{{"sub":"{self.some(_NUM, 10)}","iat":1700000000}}',
        ]
        coded = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts]
        return ".".join([*coded, self.some(WORD, 43)])


def _token(mark: str, chars: str, count: int) -> Callable[[Draw], str]:
    return lambda draw: mark + draw.some(chars, count)


def _sure(chars: str, *counts: int) -> Callable[[Draw], str]:
    return lambda draw: ".".join(draw.some(chars, count) for count in counts)


#: Kind -> how to draw one. Each is put into the sentences of `FRAMES`.
TOKENS: dict[str, Callable[[Draw], str]] = {
    "aws-access-key": _token("AKIA", _UP + "234567", 16),
    "aws-session-key": _token("ASIA", _UP + "234567", 16),
    "github-classic": _token("ghp_", ALNUM, 36),
    "github-oauth": _token("gho_", ALNUM, 36),
    "github-app": _token("ghs_", ALNUM, 36),
    "github-fine-grained": lambda d: f"github_pat_{d.some(ALNUM, 22)}_{d.some(ALNUM, 59)}",
    "gitlab": _token("glpat-", WORD, 20),
    "gitlab-runner": _token("glrt-", WORD, 20),
    "slack-bot": lambda d: f"xoxb-{d.some(_NUM, 12)}-{d.some(_NUM, 13)}-{d.some(ALNUM, 24)}",
    "slack-user": lambda d: f"xoxp-{d.some(_NUM, 12)}-{d.some(_NUM, 12)}-{d.some(_NUM, 12)}-{d.some(HEX, 32)}",
    "slack-app": lambda d: f"xapp-1-A{d.some(_UP + _NUM, 10)}-{d.some(_NUM, 13)}-{d.some(HEX, 64)}",
    "slack-webhook": lambda d: (
        f"https://hooks.slack.com/services/T{d.some(_UP + _NUM, 8)}/B{d.some(_UP + _NUM, 8)}/{d.some(ALNUM, 24)}"
    ),
    "stripe-live": _token("sk_live_", ALNUM, 24),
    "stripe-test": _token("sk_test_", ALNUM, 24),
    "stripe-restricted": _token("rk_live_", ALNUM, 99),
    "stripe-webhook": _token("whsec_", ALNUM, 32),
    "google-api-key": _token("AIza", WORD, 35),
    "google-oauth": _token("ya29.", WORD, 60),
    "google-client-secret": _token("GOCSPX-", WORD, 28),
    "azure-client-secret": lambda d: f"{d.some(ALNUM, 3)}8Q~{d.some(ALNUM, 34)}",
    "azure-devops": lambda d: f"{d.some(ALNUM, 76)}AZDO{d.some(ALNUM, 4)}",
    "npm": _token("npm_", ALNUM, 36),
    "pypi": _token("pypi-AgEIcHlwaS5vcmc", WORD, 150),
    "docker-hub": _token("dckr_pat_", WORD, 27),
    "hugging-face": _token("hf_", _LOW + _UP, 34),
    "openai": lambda d: f"sk-{d.some(ALNUM, 20)}T3BlbkFJ{d.some(ALNUM, 20)}",
    "openai-project": lambda d: f"sk-proj-{d.some(WORD, 74)}T3BlbkFJ{d.some(WORD, 74)}",
    "anthropic": lambda d: f"sk-ant-api03-{d.some(WORD, 93)}AA",
    "openrouter": _token("sk-or-v1-", HEX, 64),
    "twilio": _token("SK", HEX, 32),
    "sendgrid": lambda d: f"SG.{d.some(WORD, 22)}.{d.some(WORD, 43)}",
    "mailgun": _token("key-", HEX, 32),
    "mailchimp": lambda d: f"{d.some(HEX, 32)}-us{d.some('123456789', 1)}",
    "discord-bot": lambda d: (
        f"{base64.b64encode(d.some('123456789', 18).encode()).decode()}.{d.some(ALNUM, 6)}.{d.some(ALNUM, 38)}"
    ),
    "discord-webhook": lambda d: (
        f"https://discord.com/api/webhooks/{d.some(_NUM, 18)}/{d.some(WORD, 68)}"
    ),
    "telegram": lambda d: f"{d.some('123456789', 10)}:AA{d.some(WORD, 33)}",
    "shopify": _token("shpat_", HEX, 32),
    "square": _token("sq0csp-", WORD, 43),
    "heroku": _token("HRKU-AA", ALNUM, 58),
    "digitalocean": _token("dop_v1_", HEX, 64),
    "cloudflare-origin": lambda d: f"v1.0-{d.some(HEX, 24)}-{d.some(HEX, 146)}",
    "databricks": _token("dapi", HEX, 32),
    "new-relic": _token("NRAK-", _UP + _NUM, 27),
    "new-relic-license": lambda d: f"{d.some(HEX, 36)}NRAL",
    "sentry-user": _token("sntryu_", HEX, 64),
    "sentry-dsn": lambda d: f"https://{d.some(HEX, 32)}@o{d.some(_NUM, 6)}.ingest.sentry.io/{d.some(_NUM, 7)}",
    "linear": _token("lin_api_", ALNUM, 40),
    "notion": lambda d: f"ntn_{d.some(_NUM, 11)}{d.some(ALNUM, 35)}",
    "atlassian": _token("ATATT3xFfGF0", WORD, 180),
    "figma": _token("figd_", WORD, 40),
    "airtable": lambda d: f"pat{d.some(ALNUM, 14)}.{d.some(HEX, 64)}",
    "supabase": _token("sbp_", HEX, 40),
    "vault": _token("hvs.", WORD, 90),
    "terraform-cloud": lambda d: f"{d.some(ALNUM, 14)}.atlasv1.{d.some(ALNUM, 67)}",
    "jwt": Draw.jwt,
    "age": _token("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "grafana": lambda d: f"glsa_{d.some(ALNUM, 32)}_{d.some(HEX, 8)}",
    "doppler": _token("dp.pt.", ALNUM, 43),
    "pulumi": _token("pul-", HEX, 40),
    "postman": lambda d: f"PMAK-{d.some(HEX, 24)}-{d.some(HEX, 34)}",
    "rubygems": _token("rubygems_", HEX, 48),
    "groq": _token("gsk_", ALNUM, 52),
    "tailscale": lambda d: f"tskey-auth-{d.some(ALNUM, 17)}-{d.some(ALNUM, 32)}",
    "planetscale": _token("pscale_tkn_", WORD, 43),
}  # fmt: skip
FRAMES = (
    "The deploy broke because {} was revoked.",
    "Set it:\n\n```sh\nexport KEY={}\n```\n",
    '{{"value": "{}", "n": 1}}',
    "- Used `{}` for the call\n  <!-- id: a -->",
)


def tokens(seed: int) -> list[Planted]:
    """Draw every kind of token once in each frame."""
    draw = Draw(seed)
    found = []
    for kind, make in TOKENS.items():
        for frame in FRAMES:
            value = make(draw)
            found.append(Planted(kind, frame.format(value), _secret_part(value)))
    return found


def _secret_part(value: str) -> str:
    """Return the part that gives access: of a webhook its last part, of other addresses the user."""
    if value.startswith("https://"):
        return value.rsplit("/", 1)[1] if "@" not in value else value[8:].split("@")[0]
    return value


def others(seed: int) -> list[Planted]:
    """Draw secrets that their surroundings give away: assignments, blocks, addresses, encodings."""
    d = Draw(seed)
    found: list[Planted] = []

    def plant(kind: str, text: str, value: str) -> None:
        found.append(Planted(kind, text.replace("@@", value), value))

    for label in ("RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY",
                  "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"):  # fmt: skip
        key = d.block(label)
        plant("pem", f"Left in the repo:\n\n```\n{key}\n```\n", key.split("\n")[3])
    key = d.block("PRIVATE KEY").replace("\n", "\\n")
    plant("google-service-account", '{"type": "service_account", "private_key": "@@\\n"}', key)
    password = d.some(ALNUM + "!#%^", 12)
    plant("password", 'password = "@@"', password)
    plant("password", "DB_PASSWORD=@@\n", d.some(ALNUM, 16))
    plant("password", '{"password": "@@"}', d.some(ALNUM, 10))
    plant("password", "**Password:** `@@`", d.some(ALNUM, 14))
    plant("password", "mysql --password=@@ shop", d.some(ALNUM, 12))
    plant("password", "curl -u admin:@@ https://x.test/", d.some(ALNUM, 12))
    plant("aws-secret", "aws_secret_access_key = @@", d.some(BASE64, 40))
    plant("aws-secret", 'AWS_SECRET_ACCESS_KEY="@@"', d.some(BASE64, 40))
    plant("api-key", "DD_API_KEY=@@", d.some(HEX, 32))
    plant("datadog", "DATADOG_APP_KEY: @@", d.some(HEX, 40))
    plant("heroku-key", "HEROKU_API_KEY=@@", d.uuid())
    plant("cloudflare", "CLOUDFLARE_API_TOKEN=@@", d.some(WORD, 40))
    plant("twilio-auth", "TWILIO_AUTH_TOKEN: @@", d.some(HEX, 32))
    plant("algolia", 'apiKey: "@@",', d.some(HEX, 32))
    plant("generic", "client_secret: '@@'", d.some(WORD, 32))
    plant("generic", "The signing secret: @@", d.some(HEX, 32))
    plant("bearer", 'curl -H "Authorization: Bearer @@"', d.some(WORD, 40))
    plant("basic", "Authorization: Basic @@", base64.b64encode(f"ada:{password}".encode()).decode())
    plant("url-password", "postgres://shop:@@@db.internal:5432/shop", d.some(ALNUM, 14))
    plant("url-password", "redis://:@@@cache.internal:6379/0", d.some(ALNUM, 24))
    plant("url-password", "mongodb+srv://app:@@@c0.mongodb.net", d.some(ALNUM, 12))
    plant("url-token", "git clone https://@@@github.com/a/b.git", d.some(HEX, 40))
    plant("connection-string", "Server=db;Database=x;User Id=sa;Password=@@;", d.some(ALNUM, 11))
    plant("azure-storage", "AccountName=a;AccountKey=@@;EndpointSuffix=core.windows.net",
          d.some(BASE64, 86) + "==")  # fmt: skip
    plant("azure-sas", "https://a.blob.core.windows.net/c?sv=2022-11-02&se=2026-01-01&sp=r&sig=@@",
          d.some(ALNUM, 42) + "%3D")  # fmt: skip
    plant("netrc", "machine api.heroku.com login ada password @@", d.some(ALNUM, 20))
    plant("base64", "echo @@ | base64 -d", base64.b64encode(_plain(d).encode()).decode())
    twice = base64.b64encode(base64.b64encode(_plain(d).encode())).decode()
    plant("base64-twice", "data: @@", twice)
    plant("url-encoded", "https://x.test/?t=@@", _plain(d).replace("_", "%5F"))
    token = _plain(d)
    found.append(Planted("wrapped", f"a line\n  {token[:25]}\n  {token[25:]}\nmore", token[25:]))
    return found


def _plain(draw: Draw) -> str:
    return "ghp" + "_" + draw.some(ALNUM, 36)


def lookalikes(seed: int) -> list[str]:
    """Draw texts that only look like secrets."""
    d = Draw(seed)
    hex40, hex64, word = d.some(HEX, 40), d.some(HEX, 64), d.some(WORD, 43)
    image = base64.b64encode(bytes(random.Random(seed).randbytes(90))).decode()
    integrity = base64.b64encode(random.Random(seed).randbytes(64)).decode()
    return [
        f"Fixed in commit {hex40} and {hex40[:7]}.",
        f"commit: {hex40}",
        f"digest: {hex64}",
        f"sha256:{hex64}",
        f"The session {d.uuid()} ended.",
        f"trace_id={d.some(HEX, 32)} span_id={d.some(HEX, 16)}",
        f"![x](data:image/png;base64,{image})",
        f'"integrity": "sha512-{integrity}"',
        f"    resolved https://registry.npmjs.org/a/-/a-1.2.3.tgz#{hex40}",
        f"after: 2026-11-21-075501120-{d.some(HEX, 12)}",
        f"- Updated: api-timeouts (was {d.some(HEX, 8)}, {d.some(HEX, 8)})",
        f"https://github.com/a/b/blob/{hex40}/src/token_secret_password.py#L10-L20",
        f"https://drive.test/file/d/{word}/view",
        "password: <your password>", "password = xxx", "PASSWORD=$DB_PASSWORD", "password: changeme",
        "password: ${{ secrets.DB_PASSWORD }}", "token: {{ vault_token }}", "API_KEY=your-api-key-here",
        'api_key = os.environ["API_KEY"]', "token = process.env.GITHUB_TOKEN", "secret: inherit",
        "The password: at least 12 characters, one digit.", "token: string", "token_count: 120394",
        "max_tokens: 4096", "password_hash = bcrypt(password)", "secretName: shop-tls-2026",
        "token=self.tokens.next()", 'getToken("refresh")', "Token: webhook-retry-queue-v2",
        "- Created: api-token-rotation, secret-scan-2\n- Referenced: password-policy",
        "- Tokens: expire after 3600 s, secrets: rotate each 90 days",
        "<!-- id: api-key-in-header | kind: decision | tags: secret, token -->",
        "postgres://user:password@localhost:5432/db", "postgres://postgres:postgres@db/shop",
        "https://<token>@github.com/a/b", "redis://localhost:6379/0", "git@github.com:a/b.git",
        "ssh://git@github.com/a/b.git", "https://x.test/a@b:c", "mongodb://${USER}:${PASS}@db",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "`ghp_` begins a classic token, `sk-` a key.",
        "AKIA" + "IOSFODNN7EXAMPLE", "sk-ant-your-key-goes-here-as-always-in-docs",
        "sk_live_...", "xoxb-your-bot-token-goes-right-here", "AIza" + "x" * 35,
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "Look for `-----BEGIN RSA PRIVATE KEY-----` in the logs.",
        f"-----BEGIN CERTIFICATE-----\n{d.some(BASE64, 64)}\n-----END CERTIFICATE-----",
        f"-----BEGIN PUBLIC KEY-----\n{d.some(BASE64, 64)}\n-----END PUBLIC KEY-----",
        "eyJhbGciOi… is how a web token begins", "curl -u admin:$PASSWORD https://x.test",
        f"ssh-ed25519 AAAA{d.some(BASE64, 64)} ada", f"pk_live_{d.some(ALNUM, 24)}",
        "org.springframework.security.token.TokenAuthenticationProvider2",
        "src/auth/password_reset_token_controller_v2.spec.ts", "KEY-1234 and SK-2026 are tickets",
        "class TokenBucketRateLimiterConfiguration", "the sk-folding-cube spinner, key-value pairs",
        "docker pull ghcr.io/a/b@sha256:" + hex64, "mask-image: url(sprite@2x.png)",
        f"ETag: \"{d.some(HEX, 32)}\"", f"uploads/{d.some(HEX, 32)}.jpg", f"v1.0-{d.some(HEX, 12)}",
        f"boundary=----WebKitFormBoundary{d.some(ALNUM, 16)}", "[redacted: github-token]",
        "password: [redacted: credential]", "The secret santa: nobody tells", "auth: none",
    ]  # fmt: skip


def rate(found: int, of: int) -> str:
    """Write a share."""
    return f"{found}/{of} ({100 * found / of:.1f} %)"
