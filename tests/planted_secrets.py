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


def more_lookalikes(seed: int) -> list[str]:
    """Draw more texts that only look like secrets or like personal data."""
    d = Draw(seed + 1000)
    return [*_ids_and_hashes(d), *_documented(d), *_numbers(d)]


def _ids_and_hashes(d: Draw) -> list[str]:
    """Draw what machines name things by."""
    sealed = f"2026-11-21-083012417-{d.some(HEX, 12)}"
    return [
        f"Merged {d.some(HEX, 40)} into main, see {d.some(HEX, 12)}..{d.some(HEX, 12)}.",
        f"| `{d.some(HEX, 8)}` | {d.some(HEX, 40)} | 2026-11-21 |",
        f"request_id: {d.uuid()}",
        f"Correlation-Id: {d.uuid()}, tenant {d.uuid()}",
        f'"_id": "{d.some(HEX, 24)}"',
        f'uv.lock: {{ url = "https://files.test/a.whl", hash = "sha256:{d.some(HEX, 64)}" }}',
        f'    "integrity": "sha384-{d.some(BASE64, 64)}",',
        f'checksum = "{d.some(HEX, 64)}"',
        f"pnpm: /react@19.0.0: resolution: {{integrity: sha512-{d.some(BASE64, 86)}==}}",
        f"go.sum: golang.org/x/net v0.30.0 h1:{d.some(BASE64, 43)}=",
        f"image: api@sha256:{d.some(HEX, 64)}",
        f"![chart](data:image/png;base64,iVBORw0KGgo{d.some(BASE64, 200)})",
        f'src="data:font/woff2;base64,d09GMgAB{d.some(BASE64, 120)}"',
        f"The log {sealed} was written before {sealed[:-1]}0.",
        f'etag W/"{d.some(HEX, 16)}"',
        f"assets/index-{d.some(ALNUM, 8)}.js and chunk-{d.some(HEX, 20)}.css",
        f"pod api-{d.some(HEX, 10)}-x2v9k",
        f"cursor={d.some(ALNUM, 20)}",
        f"message {d.some(HEX, 32)} in queue orders",
        f"arn:aws:iam::{d.some('123456789', 12)}:role/deploy",
        f"commit {d.some(HEX, 40)}\nparent {d.some(HEX, 40)}\ntree {d.some(HEX, 40)}",
        f"blob {d.some(HEX, 40)}\n{d.some(HEX, 40)}\n{d.some(HEX, 40)}",
        f"v2.14.{d.some(_NUM, 3)}+build.{d.some(HEX, 7)}",
        f"trace {d.some(HEX, 32)}-{d.some(HEX, 16)}-01",
        f"ulid 01J{d.some(_UP + _NUM, 23)}",
        f"i-0{d.some(HEX, 16)} in eu-west-1",
        f"dedupe key: orders:{d.uuid()}",
        f"Session-Id {d.some(HEX, 24)} ended",
        f"cache key v1-{d.some(HEX, 40)}",
        f"ssh-rsa AAAAB3NzaC1yc2E{d.some(BASE64, 200)} ada@host",
        f"SHA256:{d.some(BASE64, 43)} is the host's fingerprint",
        f"nonce-{d.some(BASE64, 22)}",
        f"video https://video.test/watch?v={d.some(WORD, 11)}",
        f"gs://bucket/{d.uuid()}/part-0",
        f"https://docs.test/d/{d.some(WORD, 44)}/edit#gid=0",
        f"cid Qm{d.some(ALNUM, 44)}",
        f"0x{d.some(HEX, 40)} is the contract",
    ]


def _documented(d: Draw) -> list[str]:
    """Draw what documents put for a secret, and sentences about secrets."""
    return [
        "export TOKEN=<your-token>",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "-H 'X-Api-Key: YOUR_KEY'",
        "aws_access_key_id = AKIA" + "IOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI" + "/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "stripe.api_key = 'sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc'",
        "api_key: sk-your-openai-key-here-please-change",
        "token: ghp_" + "0" * 36,
        "password: ********",
        "password=hunter2-style passwords are refused",
        "`password`: the user's password",
        "The password is stored as a bcrypt hash.",
        "the admin password is kept in the vault",
        "The password is sha256 hashed, then salted.",
        "the password is required",
        "the token is base64url without padding",
        "The default password is empty.",
        "the secret is rotated weekly",
        "mysql -p asks for it",
        "mysql -u root -p$MYSQL_PWD shop",
        "mysql -pPASSWORD shop",
        "cp -p a b; mkdir -p src/app/models",
        '{"key": "password", "value": "required"}',
        '{"key": "page", "value": "' + d.some(HEX, 12) + '"}',
        "- name: DB_PASSWORD\n  valueFrom: secretKeyRef",
        "${DB_PASSWORD:-}",
        "${DB_PASSWORD:-changeme}",
        "${DB_PASSWORD:?must be set}",
        "${API_TOKEN:-none}",
        "password: ${PW:-password}",
        "DB_PASSWORD=changeme-please",
        "DB_PASSWORD=change-me-in-production",
        "SECRET_KEY=replace-me",
        "getenv('API_TOKEN', 'unset')",
        "os.environ.get('DB_PASSWORD', '')",
        "process.env.API_TOKEN || ''",
        "process.env.JWT_SECRET || 'development'",
        "A file with -----BEGIN PRIVATE KEY----- in it is refused.",
        "`-----BEGIN OPENSSH PRIVATE KEY-----` begins one",
        "-----BEGIN RSA PRIVATE KEY-----\n<key>\n-----END RSA PRIVATE KEY-----",
        "tokens\\_per\\_minute and max\\_tokens",
        "`api\\_key` is read from the environment",
        'say "foo" + "bar" or "a" "b"',
        "it's 'x' + 'y'",
        "&lt;token&gt; and &amp;key=",
        "\\u00e9 is é",
        "line one of prose that ends here\nand goes on with a lower-case word",
        "- password-policy\n- secret-rotation\n- api-key-2026",
        "the secret of\nsuccess-2026 is rest",
        "?sig=abc&sv=1",
        "sig=v1 is the signature's version",
        "https://a.test/?sig=<signature>",
        "Password must be 12 characters, Token TTL is 3600s, Secret size is 256 bits",
        "secret_version: 14, token_type: bearer",
        "auth_token_expiry: 86400",
        "passwordless login, tokenless webhooks, keyless signing",
        "def reset_password(token: str, new_password: str) -> None:",
        "if password == user.password_hash:",
        "token = tokens[index]",
        "const secret = await getSecret(name)",
        "API_KEY_HEADER = 'X-Api-Key'",
        "password_reset_token_generator_v2",
        "api-token: see 1Password item 'Deploy'",
        "use `op://vault/item/password`",
        "vault:secret/data/shop#password",
        "The GPIO PIN is 13, the PIN is asked for at the door.",
        "recovery codes: none are left; backup codes are in the vault",
        "login: ada, pw: required, pw=$PW",
        f"sessionid={d.uuid()} was resumed",
        'client = Client("production-eu-west-1-shop-cluster-2")',
        "credentials: see 1Password / ops, creds: admin / admin",
        "self.add_user name, Administrator2; set_password user.email_address",
        "Basic InternationalizationSupport and Basic Authentication2Factor",
        "CREATE USER app IDENTIFIED BY 'password'",
        "log in as ada with the password from 1Password",
        "aws ssm put-parameter --name /shop/region --value eu-west-1",
        "getConnection(url, user, password)",
        "password  required\nusername  app",
    ]


def _numbers(d: Draw) -> list[str]:
    """Draw numbers that are nobody's."""
    return [
        f"order 415-{d.some('23456789', 3)}-{d.some(_NUM, 4)}",
        f"Order #{d.some('123456789', 16)}",
        f"invoice 2026-{d.some(_NUM, 4)}-{d.some(_NUM, 4)}",
        "2026-11-21 08:30:12",
        "2026-11-21T08:30:12.417Z",
        "20261121083012417",
        "1763713812417000000",
        "2026.11.21",
        "21.11.2026 and 11/21/2026",
        f"timestamp {d.some('123456789', 13)}",
        f"id {d.some('123456789', 18)}",
        "port 65535, pid 4192837",
        "10.0.0.1, 192.168.178.21, 255.255.255.255",
        "1,234,567,890 rows",
        "+1,234 -567 lines",
        "+123456 -7890",
        "UTC+0200, GMT+01:00",
        "+20% and +1000 ms",
        "version 4.15.2026.1121",
        f"ISBN 978-3-{d.some(_NUM, 2)}-{d.some(_NUM, 6)}-{d.some(_NUM, 1)}",
        "4242 4242 4242 4242",
        "4111111111111111",
        "5555 5555 5555 4444",
        "378282246310005",
        "(555) 555-0100",
        "555-0123",
        "415-555-0142",
        "+1 415 555 0142",
        "phone: 1234567890",
        "078-05-1120",
        "123-45-6789",
        "000-12-3456",
        f"ticket 123-45-{d.some(_NUM, 4)}",
        f"L{d.some(_NUM, 3)}-{d.some(_NUM, 2)}-{d.some(_NUM, 4)}x",
        "3.14159265358979323846",
        "lines 100-200-300",
        f"sku {d.some('123456789', 3)}-{d.some('123456789', 2)}-{d.some('123456789', 4)}",
        f"run {d.some('123456789', 11)}",
        "0123456789abcdef",
        f"job {d.some('123456789', 10)} took 415.231.100 ns",
        "800x600, 1920x1080, 4096 x 2160",
        "SSN is a number of nine digits",
    ]


def rate(found: int, of: int) -> str:
    """Write a share."""
    return f"{found}/{of} ({100 * found / of:.1f} %)"
