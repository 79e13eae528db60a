"""List what the words of engineers mean to each other: units, synonyms, antonyms, alternatives.

Plain tables, in the spelling of people; `normalize` brings them into its normal form. They are
deliberately small: a word that is missing costs a finding, a wrong one costs trust.
"""

from __future__ import annotations

#: Words that say nothing about what a fact is about.
SMALL = frozenset(
    "a an the this that these those it its they them their we our us you your i my he she his her "
    "of to in on at by for from with into onto over under via using through per as than then so "
    "and or but also too both either while where when which who whose what how why if "
    "is are was were be been being am do does did done doing has have had having get gets got "
    "getting will would shall should must may might can could need needs needed let lets "
    "use uses used using there here just only really very every each any all some such own "
    "about around approximately roughly new more still already again yet please always "
    "gets another other others one's e.g i.e etc respectively else".split()
)
#: Words that turn a statement round.
NEGATORS = frozenset(
    "not no never without none nothing nobody neither nor cannot avoid stop stopped".split()
)
#: Neighbouring words that are one: what they become ("" to leave them out).
PHRASES = {
    ("no", "longer"): "not",
    ("any", "more"): "",
    ("any", "longer"): "",
    ("not", "only"): "",
    ("not", "yet"): "not",
    ("not", "just"): "",
    ("instead", "of"): "instead",
    ("rather", "than"): "instead",
    ("turned", "on"): "enabled",
    ("switched", "on"): "enabled",
    ("turned", "off"): "disabled",
    ("switched", "off"): "disabled",
    ("turn", "on"): "enable",
    ("turn", "off"): "disable",
    ("local", "time"): "localtime",
    ("client", "side"): "clientside",
    ("server", "side"): "serverside",
    ("on", "server"): "serverside",
    ("on", "client"): "clientside",
    ("at", "least"): "atleast",
    ("at", "most"): "atmost",
    ("up", "to"): "atmost",
    ("less", "than"): "below",
    ("fewer", "than"): "below",
    ("more", "than"): "above",
    ("in", "order"): "ordered",
    ("read", "only"): "readonly",
    ("by", "hand"): "manually",
    ("next", "to"): "beside",
    ("opt", "in"): "optin",
    ("opt", "out"): "optout",
    ("command", "line"): "cli",
    ("source", "code"): "code",
    ("node", "js"): "node",
    ("environment", "variable"): "environmentvariable",
    ("environment", "variables"): "environmentvariable",
    ("env", "vars"): "environmentvariable",
    ("session", "cookies"): "sessioncookie",
    ("session", "cookie"): "sessioncookie",
    ("iso", "8601"): "iso8601",
    ("unix", "timestamps"): "unixtimestamp",
    ("unix", "timestamp"): "unixtimestamp",
    ("github", "actions"): "githubactions",
    ("sequential", "integers"): "integer",
    ("sql", "server"): "sqlserver",
    ("copy", "on"): "copyon",
}
#: Another spelling or word -> the one that stands for it.
SYNONYMS = {
    "db": "database", "dbs": "database", "postgres": "postgresql", "pg": "postgresql",
    "mongo": "mongodb", "config": "configuration", "configs": "configuration",
    "configured": "configuration", "configure": "configuration", "settings": "configuration",
    "repo": "repository", "repos": "repository", "env": "environment", "auth": "authentication",
    "docs": "documentation", "doc": "documentation", "spec": "specification",
    "specs": "specification", "dir": "directory", "dirs": "directory", "folder": "directory",
    "folders": "directory", "msg": "message", "k8s": "kubernetes", "js": "javascript",
    "ts": "typescript", "py": "python", "golang": "go", "ui": "interface", "app": "application",
    "apps": "application", "prod": "production", "dev": "development", "max": "maximum",
    "min": "minimum", "sync": "synchronous", "async": "asynchronous", "synchronously": "synchronous",
    "asynchronously": "asynchronous", "straight": "direct", "directly": "direct", "beside": "near",
    "alongside": "near", "params": "parameter", "args": "argument", "deps": "dependency",
    "lib": "library", "libs": "library", "id": "id", "ids": "id", "uuid": "uuid", "over": "above",
    "tls": "tls", "ssl": "tls", "perms": "permission", "calls": "call", "must": "must",
    "mandatory": "required", "compulsory": "required", "prohibited": "forbidden",
    "disallowed": "forbidden", "banned": "forbidden", "permitted": "allowed", "erase": "delete",
    "deploys": "deploy", "deployments": "deploy", "deployment": "deploy", "starts": "start",
    "maximal": "maximum", "email": "mail", "emails": "mail", "e-mail": "mail", "mails": "mail",
    "serially": "sequential", "concurrently": "parallel", "monthly": "month", "weekly": "week",
    "daily": "day", "hourly": "hour", "nightly": "night", "yearly": "year", "written": "write",
    "wrote": "write", "kept": "keep", "held": "hold", "ran": "run", "sent": "send",
    "built": "build", "taken": "take", "took": "take", "made": "make", "chosen": "choose",
    "chose": "choose", "left": "leave", "lost": "lose", "began": "begin", "begun": "begin",
    "thrown": "throw", "threw": "throw", "shown": "show", "drawn": "draw", "found": "find",
    "lives": "live", "living": "live", "caught": "catch", "broken": "break", "broke": "break",
    "goes": "go", "going": "go", "gone": "go", "spoken": "speak", "bound": "bind",
    "maximise": "maximize", "behaviour": "behavior", "colour": "color", "licence": "license",
    "serialise": "serialize", "normalise": "normalize", "initialise": "initialize",
}  # fmt: skip
#: Words that can not both hold of one thing. Every word of the left goes with every one of the right.
ANTONYMS = (
    ("always", "never"),
    ("enable enabled", "disable disabled"),
    ("required mandatory", "optional"),
    ("synchronous", "asynchronous"),
    ("before", "after"),
    ("mutable", "immutable"),
    ("public", "private internal"),
    ("clientside", "serverside"),
    ("parallel concurrent", "sequential serial"),
    ("allowed allow", "forbidden forbid deny denied disallow"),
    ("eager eagerly", "lazy lazily"),
    ("stateless", "stateful"),
    ("localtime", "utc"),
    ("ordered", "unordered"),
    ("push pushed", "pull pulled"),
    ("hold acquire", "release"),
    ("include", "exclude"),
    ("accept", "reject"),
    ("blocking", "nonblocking"),
    ("automatic automatically", "manual manually"),
    ("deprecated", "recommended supported"),
    ("ascending", "descending"),
    ("strict", "lenient"),
    ("dynamic", "static"),
    ("encrypted", "unencrypted plaintext"),
    ("signed", "unsigned"),
    ("buffered", "unbuffered"),
    ("cached", "uncached"),
    ("persistent", "ephemeral transient"),
    ("sensitive", "insensitive"),
    ("atleast", "atmost"),
    ("optin", "optout"),
    ("readonly", "writable"),
    ("safe", "unsafe"),
    ("supported", "unsupported"),
    ("centralized", "decentralized"),
    ("first", "last"),
    ("minimum", "maximum"),
    ("open", "closed"),
    ("big", "little"),
    ("success succeed", "failure fail"),
    ("keep retain", "discard drop delete remove"),
    ("inbound incoming", "outbound outgoing"),
    ("global", "local"),
    ("shared", "exclusive"),
    ("inclusive", "exclusive"),
    ("inside", "outside"),
    ("relative", "absolute"),
    ("increase", "decrease"),
    ("true", "false"),
    ("compiled", "interpreted"),
    ("tolerated", "refused"),
    ("up", "down"),
)
#: Things of which a project chooses one for one purpose.
FAMILIES = (
    "postgresql mysql mariadb sqlite mongodb oracle sqlserver cassandra dynamodb cockroachdb duckdb "
    "redis memcached elasticsearch opensearch firestore couchdb clickhouse bigquery snowflake valkey",
    "rabbitmq kafka nats sqs pubsub activemq zeromq pulsar redis mqtt kinesis",
    "npm pnpm yarn bun deno",
    "pip poetry uv pipenv conda pdm hatch rye setuptools",
    "pytest unittest nose doctest",
    "jest vitest mocha jasmine ava karma",
    "cypress playwright selenium puppeteer webdriver",
    "tab tabs space spaces",
    "json yaml toml ini xml csv ndjson parquet protobuf avro msgpack messagepack cbor hocon",
    "rest grpc graphql soap thrift websocket websockets trpc sse jsonrpc",
    "jenkins githubactions circleci travis buildkite gitlab drone teamcity concourse argo",
    "black ruff yapf autopep8 blue",
    "prettier biome dprint",
    "eslint biome tslint oxlint",
    "ruff flake8 pylint pyflakes",
    "mypy pyright pytype pyre",
    "react vue svelte angular solid preact ember htmx",
    "redux zustand mobx recoil jotai pinia vuex",
    "django flask fastapi starlette tornado bottle sanic litestar",
    "express fastify koa hapi nestjs hono",
    "spring guice dagger micronaut quarkus",
    "httpx requests aiohttp urllib urllib3 axios fetch got undici okhttp reqwest curl",
    "webpack vite rollup esbuild parcel turbopack rspack",
    "maven gradle bazel sbt ant make cmake meson ninja just pants buck",
    "docker podman containerd buildah nerdctl",
    "kubernetes nomad swarm ecs mesos",
    "terraform pulumi cloudformation ansible cdk opentofu chef puppet",
    "aws gcp azure heroku fly render hetzner",
    "vault environmentvariable keychain dotenv secretsmanager sops ssm",
    "kotlin flutter swift java typescript javascript python go rust ruby php scala elixir dart "
    "reactnative csharp cpp haskell clojure perl lua zig ocaml",
    "sessioncookie jwt oauth saml apikey basicauth mtls ldap oidc paseto",
    "float floats integer integers decimal decimals string strings double bigint",
    "squash rebase mergecommit fastforward",
    "main master trunk develop",
    "uuid ulid integer snowflake nanoid autoincrement sequence",
    "iso8601 unixtimestamp rfc2822 rfc3339 epoch",
    "utf utf16 latin1 ascii utf8",
    "sentry bugsnag rollbar datadog honeybadger",
    "prometheus graphite influxdb datadog statsd cloudwatch",
    "celery rq dramatiq huey arq airflow dagster prefect sidekiq resque",
    "sqlalchemy peewee tortoise django prisma typeorm sequelize drizzle knex hibernate jooq mybatis "
    "diesel sqlx seaorm gorm ent activerecord",
    "tokio asyncstd smol rayon glommio",
    "git mercurial svn perforce jj",
    "slack teams discord mattermost zulip",
    "tailwind bootstrap bulma sass less styledcomponents emotion",
    "click argparse typer docopt fire",
    "second millisecond microsecond nanosecond minute hour day week",
    "byte kilobyte megabyte gigabyte kibibyte mebibyte gibibyte bit",
    "cent dollar euro",
    "camelcase snakecase kebabcase pascalcase",
    "mit apache gpl bsd mpl agpl lgpl",
    "sha1 sha256 sha512 md5 blake2 blake3 crc32",
    "bcrypt argon2 scrypt pbkdf2",
    "gzip zstd brotli lz4 snappy xz bzip2 deflate",
    "linux windows macos freebsd",
    "vim emacs vscode intellij",
    "scrum kanban",
    "optimistic pessimistic",
    "leastrecent lru lfu fifo lifo arc",
    "polling webhook webhooks websocket push",
    "monorepo polyrepo",
    "monolith microservice microservices",
)
#: A unit -> (what it measures, how many of the smallest it is).
UNITS = {
    "ns": ("time", 1), "nanosecond": ("time", 1), "us": ("time", 1000), "µs": ("time", 1000),
    "microsecond": ("time", 1000), "ms": ("time", 10**6), "msec": ("time", 10**6),
    "millisecond": ("time", 10**6), "s": ("time", 10**9), "sec": ("time", 10**9),
    "second": ("time", 10**9), "m": ("time", 60 * 10**9), "min": ("time", 60 * 10**9),
    "minute": ("time", 60 * 10**9), "h": ("time", 3600 * 10**9), "hr": ("time", 3600 * 10**9),
    "hour": ("time", 3600 * 10**9), "d": ("time", 86400 * 10**9), "day": ("time", 86400 * 10**9),
    "week": ("time", 604800 * 10**9), "byte": ("size", 1), "kb": ("size", 1 << 10),
    "kib": ("size", 1 << 10), "mb": ("size", 1 << 20), "mib": ("size", 1 << 20),
    "gb": ("size", 1 << 30), "gib": ("size", 1 << 30), "tb": ("size", 1 << 40),
    "tib": ("size", 1 << 40), "%": ("share", 1), "percent": ("share", 1), "px": ("px", 1),
    "eur": ("money", 1), "usd": ("money", 1), "hz": ("rate", 1), "khz": ("rate", 1000),
    "x": ("times", 1),
}  # fmt: skip
NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"fifteen": "15", "twenty": "20", "thirty": "30", "fifty": "50", "hundred": "100", "once": "1",
     "twice": "2"}  # fmt: skip
#: A number behind one of these is a name, no value: increment 12, PR 412, step 2.
LABELS = frozenset(
    "increment step phase pr issue adr chapter section sprint milestone ticket stage round part "
    "line page commit build task bug rfc item note item option case rule level tier wave batch "
    "iteration row week day quarter appendix figure table test http status code error revision story "
    "epic job question decision finding attempt exit d e k q".split()
)
#: A number of these is what somebody counted once, no rule.
COUNTED = frozenset("tests suites failures errors warnings commits specs assertions".split())
#: Words that say that a fact tells of one moment, so that another one may say something else.
MOMENTS = frozenset(
    "january february march april june july august september october november december monday "
    "tuesday wednesday thursday friday saturday sunday today yesterday released tagged shipped "
    "published landed closed merged fixed resolved bumped measured completed green passed failed".split()
)
#: Where or for what something holds; one more of them on one side makes it an exception, no contradiction.
SCOPES = frozenset(
    "test tests testing production staging development local ci windows linux macos legacy old "
    "admin guest mobile web desktop browser nightly release debug preview sandbox arm64 amd64 "
    "except unless eu us default unit integration e2e benchmark experimental internal external".split()
)
#: Words right before what was chosen: "use X", "written in X", "is X".
CHOOSING = frozenset(
    "use uses using used with is are by via over through as choose chooses prefer prefers adopt "
    "run runs requires require needs need run".split()
)
#: Words right before what was chosen, behind what was done with it: "written in X", not "tests in X".
PLACING = frozenset("in from to on at into against".split())
#: What has one value at a time, so that "the X is A" and "the X is B" can not both hold.
SLOTS = frozenset(
    "default format branch broker framework language runner tool library store backend engine name "
    "location path strategy owner license scheme protocol encoding database cache formatter linter "
    "manager compiler provider registry host hostname region timezone algorithm prefix suffix "
    "extension separator delimiter parser orm queue maintainer role directory file url endpoint "
    "model editor shell platform architecture key primary leader".split()
)
