"""The planted set in full: kinds of secrets, the places of a log they stand in, and how they are disguised.

`KNOWN` are the kinds that the rules were written along. `SEEN` were written before the rules that this set came
with, of which they showed what was missing: 63 % of them were found at first. `HELD` came after all rules, and
none was changed to find one of them: what is said of them is what to expect of a kind that nobody thought of.
Kinds that were held out once are `SEEN` since: of the first 24 of them 83 % were found at first, of the next
two times 20, which were chosen to be hard, 67 and 55 %.
As in `planted_secrets` every value is drawn from a seed and was never anybody's.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import NamedTuple

from ledger.model.event import FactCreated, FactReferenced
from ledger.model.session import SessionLog
from tests.planted_secrets import ALNUM, BASE64, HEX, TOKENS, WORD, Draw

_LOW, _UP, _NUM = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
#: A snippet holds `@@` where its value stands.
Made = tuple[str, str]
Make = Callable[[Draw], Made]


def _in(snippet: str, chars: str, count: int, mark: str = "", tail: str = "") -> Make:
    return lambda draw: (snippet, mark + draw.some(chars, count) + tail)


def _password(draw: Draw, count: int = 12) -> str:
    """Draw what a person's generator makes."""
    return draw.some(_LOW, 3) + draw.some(_UP, 2) + draw.some(_NUM, 2) + draw.some(ALNUM, count - 7)


def _pass(snippet: str, count: int = 12) -> Make:
    return lambda draw: (snippet, _password(draw, count))


def _token(make: Callable[[Draw], str]) -> Make:
    def made(draw: Draw) -> Made:
        value = make(draw)
        if value.startswith("https://"):
            head, _, last = value.rpartition("/")
            if "@" in value:
                user, _, host = value[8:].partition("@")
                return f"https://@@@{host}", user
            return f"{head}/@@", last
        return "@@", value

    return made


#: The kinds that the rules were written along.
KNOWN: dict[str, Make] = {
    **{kind: _token(make) for kind, make in TOKENS.items()},
    "azure-sas-alone": _in("https://a.blob.core.windows.net/c?sig=@@", ALNUM, 42, tail="%3D"),
    "password-is": _pass("the admin password is @@"),
    "password-for-is": _pass("The password for the staging database is @@, ask ops."),
    "mysql-p": _pass("mysql -u root -p@@ shop"),
    "aws-secret-in-tags": lambda d: (f"AKIA{d.some(_UP + '234567', 16)}, @@", d.some(BASE64, 40)),
    "key-value-pair": _pass('{"key": "DB_PASSWORD", "value": "@@"}', 14),
    "name-value-pair": _pass("- name: DB_PASSWORD, value: @@", 14),
    "shell-default": _pass("${DB_PASSWORD:-@@}", 14),
    "assigned-default": _pass("password: ${PW:-@@}", 14),
    "changeme-real": lambda d: ("password=@@", f"changeme-{_password(d, 14)}"),
    "password-assigned": _pass("DB_PASSWORD=@@", 14),
    "api-key-assigned": _in("api_key = @@", HEX, 32),
    "url-password": _pass("postgres://shop:@@@db.internal:5432/shop", 14),
    "bearer": _in("Authorization: Bearer @@", WORD, 40),
    "aws-secret": _in("aws_secret_access_key = @@", BASE64, 40),
}
#: The kinds that showed what was missing.
SEEN: dict[str, Make] = {
    "github-refresh": _in("@@", ALNUM, 36, "ghr_"),
    "gitlab-deploy": _in("@@", WORD, 20, "gldt-"),
    "slack-config": lambda d: ("@@", f"xoxe.xoxp-1-{d.some(ALNUM, 160)}"),
    "stripe-organisation": _in("stripe.api_key = '@@'", ALNUM, 98, "sk_org_live_"),
    "duffel": _in("@@", WORD, 43, "duffel_live_"),
    "flutterwave": _in("@@", HEX, 32, "FLWSECK-", "-X"),
    "scalingo": _in("@@", WORD, 48, "tk-us-"),
    "nvidia": _in("@@", WORD, 64, "nvapi-"),
    "tavily": _in("@@", ALNUM, 32, "tvly-"),
    "amazon-mws": lambda d: ("@@", f"amzn.mws.{d.uuid()}"),
    "docker-swarm": lambda d: ("@@", f"SWMTKN-1-{d.some(_LOW + _NUM, 50)}-{d.some(_LOW + _NUM, 25)}"),
    "teams-webhook": lambda d: (
        f"https://acme.webhook.office.com/webhookb2/{d.uuid()}@{d.uuid()}/IncomingWebhook/@@/{d.uuid()}",
        d.some(HEX, 32),
    ),
    "crates-io": _in("cargo login @@", ALNUM, 32, "cio"),
    "password-was": _pass("We rotated it: the old password was @@."),
    "passwort-lautet": _pass("the root password for db-2 is `@@`"),
    "login-slash": _pass("login with admin / password @@ on staging"),
    "credentials-user-colon": _pass("credentials: deploy:@@"),
    "sshpass": _pass("sshpass -p @@ ssh root@db-2"),
    "redis-cli": _pass("redis-cli -h cache -a @@ ping", 20),
    "mysqldump": _pass("mysqldump -uroot -p@@ shop > dump.sql"),
    "docker-login": _pass("docker login -u ci -p @@ registry.internal", 16),
    "openssl-pass": _pass("openssl enc -aes-256-cbc -pass pass:@@ -in a"),
    "getenv-default": _pass('os.environ.get("DB_PASSWORD", "@@")', 14),
    "node-default": _pass("process.env.JWT_SECRET || '@@'", 24),
    "xml-attribute": _pass('<add key="DbPassword" value="@@" />', 14),
    "plist": _pass("<key>apiToken</key><string>@@</string>", 24),
    "jdbc": _pass("jdbc:sqlserver://db;user=sa;password=@@;encrypt=true", 14),
    "helm-set": _pass("helm upgrade shop . --set postgres.auth.password=@@", 14),
    "header-x-api-key": _in('curl -H "X-Api-Key: @@"', ALNUM, 40),
    "query-access-token": _in("GET /v1/orders?access_token=@@&page=2", ALNUM, 40),
    "session-cookie": _in("Cookie: session_token=@@; Path=/", ALNUM, 48),
    "env-passphrase": _pass("GPG_PASSPHRASE='@@'", 16),
    "private-key-hex": _in("private_key: 0x@@", HEX, 64),
    "webhook-secret": _in("WEBHOOK_SIGNING_SECRET = @@", HEX, 40),
    "kubernetes-secret": lambda d: (
        "kind: Secret, data: {password: @@}", base64.b64encode(_password(d, 15).encode()).decode()
    ),
    "ftp-url": _pass("ftp://deploy:@@@files.internal/releases", 10),
    "amqp-url": _pass("amqps://shop:@@@mq.internal:5671/vhost", 16),
    "basic-auth-url": _pass("git clone https://ci:@@@git.internal/a.git", 20),
    "django-secret": _in("SECRET_KEY = '@@'", ALNUM + "!@#%^&*(-_=+)", 50, "django-insecure-"),
    "rails-master-key": _in("RAILS_MASTER_KEY=@@", HEX, 32),
    "jwt-held": lambda d: ("token @@ expired", d.jwt()),
    "npmrc": _in("//registry.npmjs.org/:_authToken=@@", HEX + "-", 36),
    "pgpass": _pass("PGPASSWORD=@@ psql -h db shop", 12),
}  # fmt: skip

#: The kinds that were held out before, and then showed what was missing.
SEEN |= {
    "github-user": _in("@@", ALNUM, 36, "ghu_"),
    "gitlab-feed": _in("@@", WORD, 20, "glft-"),
    "slack-legacy": lambda d: ("@@", f"xoxs-{d.some(_NUM, 12)}-{d.some(_NUM, 12)}-{d.some(HEX, 32)}"),
    "google-refresh": _in("refresh_token: @@", WORD, 60, "1//0"),
    "dropbox-short": _in("@@", WORD, 130, "sl."),
    "aws-bedrock": lambda d: ("@@", "ABSK" + base64.b64encode(d.some(ALNUM, 90).encode()).decode()),
    "mistral-env": _in("MISTRAL_API_KEY=@@", ALNUM, 32),
    "datadog-header": _in("DD-API-KEY: @@", HEX, 32),
    "asana-pat": lambda d: ("asana token: @@", f"1/{d.some(_NUM, 16)}:{d.some(HEX, 32)}"),
    "okta-header": _in("Authorization: SSWS @@", WORD, 40, "00"),
    "snyk-env": lambda d: ("SNYK_TOKEN=@@", d.uuid()),
    "trello-query": _in("https://api.trello.com/1/boards?key=abc&token=@@", HEX, 64),
    "grafana-cloud": lambda d: ("@@", "glc_" + base64.b64encode(d.some(ALNUM, 75).encode()).decode()),
    "kubeconfig-token": lambda d: ("token: @@", d.jwt()),
    "password-quoted-in-prose": _pass("ssh in as root, the passphrase is '@@'"),
    "psql-uri": _pass("psql 'postgresql://app:@@@10.0.0.5/app?sslmode=require'", 16),
    "smtp-env": _pass("SMTP_PASS=@@", 12),
    "ansible-become": _pass("ansible_become_password: '@@'", 14),
    "spring-property": _pass("spring.datasource.password=@@", 14),
    "json-nested": _pass('{"db": {"user": "a", "passwd": "@@"}}', 12),
    "yaml-apikey": _in("apikey: @@", HEX, 40),
    "terraform-variable": _pass('variable "db_password" { default = "@@" }', 16),
    "dockerfile-env": _pass("ENV ADMIN_PASSWORD @@", 14),
    "http-basic-header": lambda d: (
        "Authorization: Basic @@", base64.b64encode(f"ci:{_password(d, 18)}".encode()).decode()
    ),
}  # fmt: skip

SEEN |= {
    "zoom-secret": _in("ZOOM_API_SECRET=@@", ALNUM, 36),
    "confluent-secret": _in("api.secret: @@", BASE64, 64),
    "elastic-header": lambda d: (
        "Authorization: ApiKey @@", base64.b64encode(d.some(ALNUM, 43).encode()).decode()
    ),
    "wireguard-key": _in("PrivateKey = @@", BASE64, 43, tail="="),
    "htpasswd-line": _in("deploy:@@", ALNUM + "./", 53, "$2y$10$"),
    "pagerduty-address": _in("https://events.pagerduty.com/integration/@@/enqueue", HEX, 32),
    "s3-presigned": _in("https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-Signature=@@", HEX, 64),
    "totp-seed": _in("otpauth://totp/shop:ada?secret=@@&issuer=shop", _UP + "234567", 32),
    "product-key": lambda d: (
        "The product key is @@", "-".join(d.some(_UP + _NUM, 5) for _ in range(5))
    ),
    "sudo-piped": _pass("echo '@@' | sudo -S apt update", 12),
    "terraform-env": _pass("TF_VAR_db_password=@@ terraform apply", 16),
    "firebase-key": lambda d: ("@@", f"AAAA{d.some(WORD, 7)}:APA91b{d.some(WORD, 134)}"),
    "fastly-header": _in("curl -H 'Fastly-Key: @@' https://api.fastly.com/service", WORD, 32),
    "segment-key": _in("analytics.load({ writeKey: '@@' })", ALNUM, 32),
    "plink-password": _pass("plink -ssh root@db-2 -pw @@ uptime", 14),
    "azure-function": _in("https://shop.azurewebsites.net/api/x?code=@@", WORD, 54, tail="=="),
    "twitch-chat": _in("PASS oauth:@@", _LOW + _NUM, 30),
    "session-header": _in("Set-Cookie: PHPSESSID=@@; HttpOnly", _LOW + _NUM, 26),
    "cloudinary-address": _in("CLOUDINARY_URL=cloudinary://123456789012345:@@@shop", WORD, 27),
    "zapier-hook": _in("https://hooks.zapier.com/hooks/catch/1234567/@@/", _LOW + _NUM, 7),
}  # fmt: skip

SEEN |= {
    "gcs-hmac-key": _in("@@", _UP + _NUM, 55, "GOOG1E"),
    "mattermost-bot": _in("MM_BOT_TOKEN: @@", _LOW + _NUM, 26),
    "jenkins-user": _in("curl -u admin:@@ https://ci.internal/job/shop/build", HEX, 32, "11"),
    "ldap-bind": _pass("bindpw @@", 14),
    "wifi": _pass('wpa_psk="@@"', 16),
    "vault-file": _pass("ansible_vault_pass: @@", 16),
    "laravel-key": _in("APP_KEY=base64:@@", BASE64, 43, tail="="),
    "flask-secret": _in("app.config['SECRET_KEY'] = '@@'", HEX, 48),
    "rclone-remote": _in("pass = @@", WORD, 32),
    "maven-server": _pass("<username>ci</username><password>@@</password>", 14),
    "npm-auth": lambda d: (
        "//npm.internal/:_auth=@@", base64.b64encode(f"ci:{_password(d, 15)}".encode()).decode()
    ),
    "bitbucket-app": _pass("https://ada:@@@bitbucket.org/a/b.git", 20),
    "kubectl-flag": _in("kubectl --token=@@ get pods", ALNUM, 40),
    "mosquitto": _pass("mosquitto_pub -h mq -u shop -P @@ -t orders", 14),
    "mailjet": _in("MJ_APIKEY_PRIVATE=@@", HEX, 32),
    "stripe-payment": _in("@@", ALNUM, 25, "pi_3NqLs2Kd81MvTbQx0cYwR7Zu_secret_"),
    "neon-address": _in("postgresql://shop_owner:@@@ep-cool-1.aws.neon.tech/db", ALNUM, 12, "npg_"),
    "remote-desktop": _pass("xfreerdp /v:srv-2 /u:ada /p:@@", 14),
    "gpg-batch": _pass("Passphrase: @@", 16),
    "pusher": _in('pusher_secret = "@@"', HEX, 20),
}  # fmt: skip

#: The kinds that no rule was written along: what somebody pastes, two or three of each class.
HELD: dict[str, Make] = {
    "mysql-connection": _pass("mysql+pymysql://shop:@@@db-3.internal/shop?charset=utf8mb4", 16),
    "odbc-connection": _pass("Driver={ODBC 18};Server=db-3;Uid=shop;Pwd=@@;Encrypt=yes", 14),
    "redis-connection": _in("REDIS_URL=rediss://default:@@@cache-2.internal:6380", ALNUM, 32),
    "ovh-secret": _in("OVH_APPLICATION_SECRET=@@", HEX, 32),
    "scaleway-secret": lambda d: ("SCW_SECRET_KEY: @@", d.uuid()),
    "oracle-auth": _in("oci_auth_token = '@@'", ALNUM + "<>;[]", 20),
    "mattermost-hook": _in("https://chat.internal/hooks/@@", _LOW + _NUM, 26),
    "rocket-hook": lambda d: (
        f"https://chat.internal/hooks/{d.some(HEX, 24)}/@@", d.some(ALNUM, 48)
    ),
    "google-chat-hook": _in(
        "https://chat.googleapis.com/v1/spaces/AAA/messages?key=x&token=@@", WORD, 43
    ),
    "json-client-secret": _in('{"web": {"client_id": "shop", "client_secret": "@@"}}', WORD, 40),
    "yaml-token": _in("registry: {user: ci, token: @@}", ALNUM, 32),
    "env-signing": _in("export HMAC_SIGNING_SECRET=@@", BASE64, 44),
    "flag-token": _in("vercel deploy --prod --token @@", ALNUM, 24),
    "flag-password": _pass("keytool -list -keystore a.jks -storepass @@", 12),
    "key-in-environment": lambda d: (
        "TLS_KEY_B64=@@",
        base64.b64encode(f"-----BEGIN PRIVATE KEY-----\n{d.some(BASE64, 64)}".encode()).decode(),
    ),
    "refresh-jwt": lambda d: ('{"refresh": "@@"}', d.jwt()),
    "basic-in-feed": _pass("pip install --index-url https://ci:@@@pypi.internal/simple shop", 18),
    "svn-in-address": _pass("svn co https://ada:@@@svn.internal/trunk", 12),
    "jetbrains-licence": lambda d: (
        "licence: @@", "-".join(d.some(_UP + _NUM, 6) for _ in range(5))
    ),
    "mac-serial-code": lambda d: (
        "activation code @@", "-".join(d.some(_UP + _NUM, 4) for _ in range(6))
    ),
}  # fmt: skip

Disguise = Callable[[str], str]


def _split(value: str, by: str) -> str:
    """Put something into a value twice, near its front and behind its midst; into a short one once."""
    if len(value) < 20:
        return value[: len(value) // 2] + by + value[len(value) // 2 :]
    first, second = min(7, len(value) // 3), len(value) * 3 // 5
    return value[:first] + by + value[first:second] + by + value[second:]


def _each(value: str, form: Callable[[str], str]) -> str:
    """Write every fifth character of a value in another form."""
    return "".join([form(char) if at % 5 == 1 else char for at, char in enumerate(value)])


DISGUISES: dict[str, Disguise] = {
    "plain": lambda value: value,
    "ansi": lambda value: _split(value, "\x1b[1;31m"),
    "markdown": lambda value: "".join(
        [f"\\{char}" if char in "_-.!#*+~" else char for char in value]
    ),
    "zero-width": lambda value: _split(value, "\u200b"),
    "soft-hyphen": lambda value: _split(value, "\u00ad"),
    "wrapped": lambda value: _split(value, "\n"),
    "unicode-escapes": lambda value: _each(value, lambda char: f"\\u{ord(char):04x}"),
    "entities": lambda value: _each(value, lambda char: f"&#{ord(char)};"),
    "concatenated": lambda value: _split(value, '" + "'),
}
#: What a place makes of a snippet; where it is on one line, no wrapped value stands there.
ONE_LINE = ("title", "footer", "remark", "header", "table")


class Planted(NamedTuple):
    """One secret in one place: `parts` of the value as they stand in the text."""

    kind: str
    place: str
    disguise: str
    snippet: str
    parts: tuple[str, ...]


def plant(kind: str, make: Make, place: str, disguise: str, draw: Draw) -> Planted:
    """Draw a secret, disguise it and put it into its snippet."""
    snippet, value = make(draw)
    said = DISGUISES[disguise](value)
    if disguise == "concatenated":
        snippet = _quoted(snippet)
    if place == "url" and snippet == "@@":
        snippet = "https://x.test/a?t=@@&n=1"
    if place == "table":
        snippet = f"| key | {snippet} |"
    if place == "code":
        snippet = f"```sh\nexport A=1\n{snippet}\n```"
    return Planted(kind, place, disguise, snippet.replace("@@", said), _parts(value, disguise))


def _quoted(snippet: str) -> str:
    """Put the word of a snippet that holds the value into quotes, where it has none."""
    at = snippet.index("@@")
    start = 1 + max([snippet.rfind(char, 0, at) for char in " \"'`|"])
    if "://" not in snippet[start:at] and "${" not in snippet[start:at]:
        start = max(start, 1 + max([snippet.rfind(char, 0, at) for char in "={"]))
    end = min(
        [stop for stop in (snippet.find(char, at) for char in " \"'`|,;") if stop >= 0]
        or [len(snippet)]
    )
    if snippet[start - 1 : start] in ('"', "'", "`") and start:
        return snippet[: start - 1] + '"' + snippet[start:end] + '"' + snippet[end + 1 :]
    return f'{snippet[:start]}"{snippet[start:end]}"{snippet[end:]}'


def _parts(value: str, disguise: str) -> tuple[str, ...]:
    """Return what of a value must not be left: all of it, or each piece of some length."""
    if disguise in ("unicode-escapes", "entities", "markdown", "plain"):
        said = DISGUISES[disguise](value)
        return (said, said[len(said) // 2 :][:24])
    pieces = sorted(_split(value, "\0").split("\0"), key=len)
    return (pieces[-1], *[piece for piece in pieces[:-1] if len(piece) > 7])


PLACES = ("title", "prose", "text", "footer", "remark", "header", "code", "table", "url")


def logs(kinds: dict[str, Make], seed: int) -> list[tuple[SessionLog, list[Planted]]]:
    """Make logs that hold each kind in each disguise in each place: one log for each kind and disguise."""
    draw = Draw(seed)
    made = []
    for kind, make in kinds.items():
        for disguise in DISGUISES:
            put = {
                place: plant(kind, make, place, disguise, draw)
                for place in PLACES
                if disguise != "wrapped" or place not in ONE_LINE
            }
            made.append((_log(put), list(put.values())))
    return made


def _log(put: dict[str, Planted]) -> SessionLog:
    """Put each secret into its place."""
    said = {place: one.snippet for place, one in put.items()}
    prose = "\n\n".join(
        [said[place] for place in ("prose", "code", "table", "url") if place in said]
    )
    footer = (("source", said["footer"]),) if "footer" in said else ()
    events = (
        FactReferenced("relied-on", remark=said.get("remark", "")),
        FactCreated("born", f"What was found.\n{said['text']}", "", footer),
    )
    header = (("agent", "a"), *((("host", said["header"]),) if "header" in said else ()))
    return SessionLog(header, said.get("title", "A title"), prose, events)


def leftover(log: SessionLog, planted: list[Planted]) -> list[Planted]:
    """Return the secrets of which a part can still be read where it was put."""
    created = log.events[1]
    assert isinstance(created, FactCreated)
    held = {
        "title": log.title,
        "text": created.text or "",
        "footer": repr(dict(created.meta).get("source", "")).replace("\\\\", "\\"),
        "remark": log.events[0].remark,
        "header": log.get("host"),
    }
    return [
        one for one in planted if any(part in held.get(one.place, log.prose) for part in one.parts)
    ]
