"""Passwords made of words, in the settings and sentences that announce them, in seven languages and more.

The sentences were written before the rule that finds them. `@@` is where the password stands; `USUAL` are what
people call a password when they choose one themselves. None was ever anybody's: each is drawn from a seed.
"""

from __future__ import annotations

import random

_WORDS = (
    "hunter sommer winter dragon sunflower kitchen tiger mango copper harbour velvet pepper rocket falcon "
    "maple thunder walnut cobalt lantern granite juniper orchid marble pelican saffron timber"
).split()
_FOREIGN = ("été", "Grüner", "осень", "montaña", "maçã", "Straße", "весна", "niño")
_CALLED = "Prod Staging Live Team Office Lager Shop Home".split()


def made(draw: random.Random, *, plain: bool = False) -> str:
    """Make a password as people make one: words, a year or a number, a sign.

    With `plain` it has words alone, as a passphrase.
    """
    one, two, three, four = draw.sample(_WORDS, 4)
    number, year = str(draw.randint(2, 98)), str(draw.randint(1988, 2027))
    if plain:
        return draw.choice((f"{one}-{two}-{three}-{four}", f"{one}_{two}_{three}", f"{one}{two}"))
    return draw.choice(
        (
            f"{one}{number}-{draw.choice(_CALLED)}-{year[2:]}", f"{one}-{year}-{draw.choice(_CALLED)}",
            f"{one.title()}{year}!", f"{one}_{two}_{number}", f"{one.title()}{two.title()}#{number[0]}",
            f"{one}{year}", f"{one}-{two}-{number}", f"{draw.choice(_CALLED)}.{one.title()}.{number}",
            f"{one.title()}&{two}{number}", f"{one[:4]}3{one[4:]}_{two.title()}!", f"{one.title()}-{two.title()}-{year}",
            f"{draw.choice(_FOREIGN)}-{one}-{number}",
        )
    )  # fmt: skip


#: Settings, code and what is typed.
SETTINGS = (
    "DB_PASSWORD=@@", "export DB_PASSWORD=@@", "PGPASSWORD=@@ psql -h db shop", "password: @@", 'password = "@@"',
    '{"user": "shop", "password": "@@"}', "'password' => '@@',", "db.password=@@", "spring.datasource.password: @@",
    "backup --password @@ --all", "tool --password=@@", "Server=db;User=sa;Password=@@;Encrypt=yes", "<password>@@</password>",
    "ENV DB_PASSWORD @@", "SMTP_PASS=@@", "  MYSQL_ROOT_PASSWORD: @@", "set PASSWORD=@@", '$env:DB_PASSWORD = "@@"',
    "docker run -e POSTGRES_PASSWORD=@@ postgres:16", "JWT_SECRET=@@", "SECRET_KEY='@@'", "API_TOKEN=@@", 'client_secret: "@@"',
    "passphrase: @@", "const dbPassword = '@@';", "password: @@  # rotate in May", "wpa_passphrase=@@", "ADMIN_PW=@@",
    "mysql -u root -p@@ shop", "curl -u admin:@@ https://x.test/a", "sshpass -p @@ ssh root@db-2",
    "postgres://shop:@@@db.internal/shop", "ALTER USER shop IDENTIFIED BY '@@';", "user: ada\npassword: @@",
    "| db | password | @@ |", "KEYSTORE_PASSWORD_PROD=@@", "ansible_become_pass: @@", "redis-cli -a @@ ping",
    'os.environ["DB_PASSWORD"] = "@@"', 'connect(host="db", user="shop", password="@@")', "encryption_key: @@-extra",
    "DB_PASSWORD: '@@'", "app.secret=@@", "GRAFANA_ADMIN_PASSWORD=@@", "[mail]\npass = @@",
)  # fmt: skip
#: Sentences.
TOLD = (
    "The database password is @@ from now on.", "We changed the admin password to @@.", "The new root password is @@",
    "Use @@ as the password.", "The password for staging: @@", "the wifi password is @@, ask Ada",
    "Set the password to @@ before the demo.", "the password for the replica was @@ until Monday",
    "My password is @@, do not tell anybody.", "Log in with the password @@ on the jump host.",
    "The passphrase of the deploy key is @@.", "The signing secret is @@ now.", "the staging pw is @@", "pw: @@", "Password -> @@",
    "The staging database password has been rotated to @@.", "I set POSTGRES_PASSWORD to @@ for now.", "root pw @@ on db-2",
    "It asks for a password (@@).", "credentials: admin / @@", "The password of the shop's database should be @@ everywhere.",
    "Remember that the VPN password is now @@.", "Username is ada and password is @@.", "@@ is the new password for Grafana.",
    "Das Passwort für die Datenbank ist ab jetzt @@.", "Das Passwort lautet @@", "Kennwort: @@", "Das neue Datenbankpasswort ist @@.",
    "Melde dich mit dem Passwort @@ an.", "Wir haben das Passwort auf @@ geändert.", "Das Kennwort vom Router heißt @@.",
    "Le mot de passe de la base est @@.", "mot de passe : @@", "Le mdp est @@", "On a changé le mot de passe en @@.",
    "Connecte-toi avec le mot de passe @@.", "Le nouveau mot de passe du serveur est désormais @@.",
    "La contraseña de la base de datos es @@.", "contraseña: @@", "La clave del servidor es @@", "Cambiamos la contraseña a @@.",
    "Entra con la contraseña @@.", "La nueva contraseña de producción será @@.",
    "A senha do banco de dados é @@.", "senha: @@", "A nova senha é @@ a partir de agora.", "Mudei a senha para @@.", "Entre com a senha @@.",
    "Пароль от базы данных: @@", "Пароль базы теперь @@.", "Новый пароль — @@", "Вход с паролем @@.", "Сменил пароль на @@.",
    "数据库密码是 @@。", "密码：@@", "密码改为@@，请更新。", "生产环境的密码是@@，请保密。", "口令: @@", "用密码 @@ 登录",
)  # fmt: skip
#: What is set to a passphrase of words alone; a sentence may say any word of a password.
PLAIN = (
    "DB_PASSWORD=@@", 'password: "@@"', '"password": "@@"', "passphrase: @@", "The passphrase is `@@`.", "export PGPASSWORD=@@",
)  # fmt: skip
#: A token of hex, which nothing but a sentence announces.
DRAWN = (
    "The auth token @@ is in the vault.", "use auth token @@ for the relay", "the API token is @@", "its secret @@ leaked",
    "the access token @@ expired", "with token @@",
)  # fmt: skip
#: What developers write and programs print with words that also name credentials: real texts showed the kinds.
ORDINARY = (
    "All tests pass, `lint.ps1` is clean.", "Unit tests pass: `e2e_login_v2.py` is next.", "    --- PASS: TestRouter/static/wild2 (0.11s)",
    "--- PASS: TestParser/empty-line-3", "PASS: test_reader_9.sh", "PASS: integration/suite-v2",
    "The checks pass; `release-2026.yml` is not needed now.", "You may pass ``allow_empty=False2`` to keep them out.",
    "We pass `retry-3x` to the runner on purpose.", "They pass, `build-v3.mjs` does not.", "It can pass `level2` down to the child.",
    "Both pass, `smoke-2.py` flakes.", "Now the lints pass: `ruff-0.14` and `mypy-1.19`.", "Pass the `chunk2` flag on to the worker.",
    "The second pass, `layout-2b`, is slower.", "A first pass: `parse2` and then `fold2`.", "This is a single-pass parser, v2.",
    "The key point is `cache-2b` stays warm.", "Key: `order_id_2` sorts first.", "The key insight: `fold-v2` is pure.",
    "The sort key is `created_at_2`.", "The primary key is `tenant-id-9`.", "The cache key is `user:42:cart`.",
    "The key `max-line-2` is unknown to the parser.", "The next token is `else2`.", "The token count is 4096 now.",
    "The tokenizer reads one token, `x2`, at a time.", "const inTokens = answer.usage?.prompt_tokens2 ?? 0;",
    "const out = reply.usage!.output_tokens ?? 0;", "The secret of a quick build is `ccache-4`.", "No secret here: `build-2.log` is public.",
    "An open secret, `v2-beta`, is out.", "grep -nE \"error|auth|401|403|ENEED9|E404\" out.log",
    "rg \"login|500|502|Bad_Gateway9\" access.log", "persist-credentials: true\n2026-07-02T09:11:02.1133445Z   clean: true",
    "always-auth: false\n419:2026-07-02T09:11:09.0000001Z npm warn", "js-tokens: 4.0.0\n./pnpm-lock.yaml:2001: js-tokens@4.0.0",
    "   112→    password: shop_local_password\n   113→  ports:", "git clone ssh://git@git.example.dev/${name}.git ./dist",
    "https://blog.example.dev/@ada.l/monorepos-at-scale-1a2b3c4d5e6f", "The login is at `/auth/v2/start`.", "auth: `oauth-v2` since spring.",
    "The auth header moved to `client-2.ts`.", "Credentials are read from `store-2.json`.", "The bearer of the `v2-label` wins.",
    "GITHUB_TOKEN Permissions\n2026-07-02T09:11:02.0000002Z Contents: read", "PASS: TestUsers/login-page-2",
    "The password field is `pw-input-2`.", "`tests pass` is what `ci-2.yml` prints.", "Once the gates pass, `deploy-2.sh` runs.",
    "The pass rate, `p95-2x`, went up.", "If those pass, `merge-2` is next.", "keys: `alpha-1`, `beta-2`", "tokens: 12_000 of 20_000",
)  # fmt: skip
#: What says nothing of what the password is.
NOTHING = (
    "DB_PASSWORD=${DB_PASSWORD}", "DB_PASSWORD=$PW_2026", "PGPASSWORD=<your-password-1>", "password: string", "password: str | None = None",
    "password: changeme-2026", "DB_PASSWORD_FILE=/run/secrets/db-password-2", "password: !vault |", "password = os.environ['PW2']",
    "password=settings.DB_PASSWORD_2", "password: {{ vault_db_password_2 }}", "The password is required since v2.4.", "the password is stored as sha256-crypt",
    "The password is rotated every 90 days.", "The password must have 12 characters.", "password policy v2", "password length: 12-64",
    "The token is valid for 3600s.", "the password was changed on 2026-11-21", "the password was changed in v2.3.1", "password reset for user-42 failed",
    "set the password to a value of 16 characters", "the password is read from secrets.yml", "the password is in config/prod-2.yml", "passwords: bcrypt-12, argon2id",
    "token bucket-2 is empty", "the token is base64url-encoded", "password: required|min:8|max:64", "password: at least 12 characters", "PASSWORD_MIN_LENGTH=12",
    "password: true", "Passwort: mindestens 12 Zeichen", "Das Passwort ist seit 2024 gehasht.", "mot de passe oublié ?", "La contraseña es obligatoria.",
    "A senha é obrigatória.", "Пароль обязателен", "密码是必填项。", "密码长度为8到16位", "The secret is synced by external-secrets-2.", "secretName: shop-tls-2026",
    "key: orders-2026-11", "secret: shop-tls-2026", "token: webhook-retry-queue-v2", "the password is 1Password's item db-2", "the key is user-id-2",
    "password for db-2 is kept in vault-prod-1", "The password field is input-2.", "password: Optional[str] = None", "password?: string;",
    "the api key is read from API_KEY_2", "type=password name=pw2", 'label for="password-2"', "input#password2", "The password hint is question2.",
    "the password is set in .env.production2", "PASSWORD=password123", "password: test1234", "pass: 12, fail: 3", "with password hashing v2",
)  # fmt: skip


def planted(seed: int) -> list[tuple[str, str]]:
    """Draw each setting and each sentence once: (the text, what must not stand in it any more)."""
    draw = random.Random(seed)
    drawn = [
        *((text, made(draw)) for text in SETTINGS + TOLD),
        *((text, made(draw, plain=True)) for text in PLAIN),
        *((text, "".join(draw.choices("0123456789abcdef", k=32))) for text in DRAWN),
    ]
    return [(text.replace("@@", value), value) for text, value in drawn]
