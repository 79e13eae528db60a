"""The kinds of secrets that are planted, each with the words that stand around it.

`KNOWN` are the kinds that the rules were written along. `SEEN` were written before the rules that this set came
with, of which they showed what was missing: 63 % of them were found at first. `HELD` came after all rules, and
none was changed to find one of them: what is said of them is what to expect of a kind that nobody thought of.
Kinds that were held out once are `SEEN` since: of the first 24 of them 83 % were found at first, of the next
two times 20, which were chosen to be hard, 67 and 55 %, of the next two times 40 and more 61 and 60 %, of the
next 120, three of each of 40 classes, 82 %, and of 60 that were chosen to be hard after those were mended 57 %.
As in `planted_secrets` every value is drawn from a seed and was never anybody's.
"""

from __future__ import annotations

import base64
from collections.abc import Callable

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

#: Two lists of what is pasted into terminals and chats, of which 61 and 60 % were found at first.
SEEN |= {
    "alter-user": _pass("ALTER USER shop WITH PASSWORD '@@';", 12),
    "identified-by": _pass("CREATE USER 'app'@'%' IDENTIFIED BY '@@';", 14),
    "chpasswd": _pass("echo 'root:@@' | chpasswd", 12),
    "htpasswd-b": _pass("htpasswd -b .htpasswd ada @@", 12),
    "net-use": _pass(r"net use Z: \\srv\share @@ /user:corp\ada", 14),
    "az-login": _in("az login --service-principal -u 3f2 -p @@ --tenant acme", WORD, 40),
    "az-storage-list": _in('[{"keyName": "key1", "permissions": "FULL", "value": "@@"}]', BASE64, 86, tail="=="),
    "gh-with-token": lambda d: ("echo @@ | gh auth login --with-token", "ghp_"+d.some(ALNUM, 36)),
    "wget-http": _pass("wget --user=ada --http-password=@@ https://x.test/a", 12),
    "pgpass-line": _pass("db-2.internal:5432:shop:app:@@", 16),
    "oauth2-gitlab": _in("https://oauth2:@@@gitlab.internal/a/b.git", WORD, 26),
    "snmp": _pass("snmpwalk -v2c -c @@ 10.0.0.1", 12),
    "heroku-config-table": _in("DATABASE_SECRET:      @@", ALNUM, 40),
    "vault-read-table": _pass("Key       Value\n---       -----\npassword  @@\nusername  app", 20),
    "sts-json": lambda d: (
        f'{{"AccessKeyId": "ASIA{d.some(_UP, 16)}", "SecretAccessKey": "@@"}}', d.some(BASE64, 40)
    ),
    "sts-session": lambda d: ('"SessionToken": "@@"', "IQoJb3JpZ2luX2Vj"+d.some(BASE64, 300)),
    "alibaba-secret": _in("ALIBABA_CLOUD_ACCESS_KEY_SECRET=@@", ALNUM, 30),
    "tencent-id": _in("SecretId: @@", ALNUM, 32, "AKID"),
    "yandex-iam": lambda d: ("@@", "t1."+d.some(WORD, 8)+"."+d.some(WORD, 180)),
    "vercel-env": _in("VERCEL_TOKEN=@@", ALNUM, 24),
    "fly": lambda d: ("fly deploy --access-token @@", "FlyV1 fm2_"+d.some(BASE64, 120)),
    "render": _in("@@", ALNUM, 28, "rnd_"),
    "neon-api": _in("@@", _LOW+_NUM, 64, "napi_"),
    "replicate": _in("REPLICATE=@@", ALNUM, 37, "r8_"),
    "deepseek": _in("@@", HEX, 32, "sk-"),
    "langfuse": lambda d: ("LANGFUSE_SK: @@", "sk-lf-"+d.uuid()),
    "pinecone": lambda d: ("@@", "pcsk_"+d.some(ALNUM, 6)+"_"+d.some(ALNUM, 63)),
    "wandb": _in("wandb login @@", HEX, 40),
    "cohere-client": _in('cohere.Client("@@")', ALNUM, 40),
    "openshift": _in("oc login --token=@@ --server=https://api.x.test", WORD, 43, "sha256~"),
    "harness": lambda d: ("x-api-key: @@",f"pat.{d.some(ALNUM, 22)}.{d.some(HEX, 24)}.{d.some(ALNUM, 20)}"),
    "launchdarkly": lambda d: ("LD_SDK_KEY=@@", "sdk-"+d.uuid()),
    "salesforce-sid": lambda d: ("sid=@@",f"00D{d.some(ALNUM, 12)}!AQ{d.some(WORD+'.', 90)}"),
    "twitter-bearer": _in("@@", ALNUM+"%", 80, "AAAAAAAAAAAAAAAAAAAAA"),
    "honeycomb": _in("@@", ALNUM, 58, "hcaik_01"),
    "elastic-cloud": _in("@@", BASE64, 60, "essu_"),
    "auth0-secret": _in("AUTH0_CLIENT_SECRET='@@'", WORD, 64),
    "adyen": _in("X-API-Key: @@", BASE64, 120, "AQE"),
    "shopify-app": _in("SHOPIFY_API_SECRET=@@", HEX, 32),
    "steam-web": _in("steam web api key @@", "0123456789ABCDEF", 32),
    "recovery-codes": lambda d: ("2FA recovery codes: @@",", ".join(d.some(_LOW+_NUM, 5)+"-"+d.some(_LOW+_NUM, 5) for _ in range(4))),
    "pin": _in("the door PIN is @@", _NUM, 6),
    "temp-password": _pass("Temporary password: @@ (change on first login)", 12),
    "user-pass-json": _pass('{"username": "ada", "pass": "@@"}', 12),
    "creds-in-sentence": _pass("log in as ada with @@", 14),
    "use-this-token": _in("use this token: @@", ALNUM, 32),
    "login-list": _pass("- user: ada\n- pw: @@", 12),
    "pw-abbreviated": _pass("pw=@@", 12),
    "db-pass-word": _pass("db pass: @@", 12),
    "restic": _pass("RESTIC_PASSWORD=@@ restic backup", 14),
    "borg": _pass("BORG_PASSPHRASE='@@' borg create", 14),
    "sshpass-env": _pass("SSHPASS=@@ sshpass -e ssh root@db", 12),
    "mssql-sa": _pass("docker run -e 'MSSQL_SA_PASSWORD=@@' mssql", 14),
    "sqlplus": _pass("sqlplus scott/@@@orcl", 12),
    "mongosh": _pass("mongosh -u admin -p @@ --authenticationDatabase admin", 14),
    "keycloak": _pass("kcadm.sh config credentials --user admin --password @@", 12),
    "ipmi": _pass("ipmitool -H bmc-3 -U admin -P @@ power status", 12),
    "smbclient": _pass("smbclient //srv/share -U ada%@@", 12),
    "rdp-file": _pass("cmdkey /add:srv-2 /user:ada /pass:@@", 12),
    "ldapsearch": _pass("ldapsearch -x -D cn=admin -w @@ -b dc=x", 12),
    "zip": _pass("unzip -P @@ backup.zip", 12),
    "7z": _pass("7z x backup.7z -p@@", 12),
    "curl-cookie": _in("curl -b 'sessionid=@@' https://x.test/me", _LOW+_NUM, 32),
    "django-csrf": _in("Cookie: csrftoken=abc; sessionid=@@", _LOW+_NUM, 32),
    "remember-cookie": _in("connect.sid=s%3A@@", WORD, 64),
    "msteams-logic": _in("https://prod-1.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sp=%2Ftriggers&sv=1.0&sig=@@", WORD, 43),
    "n8n-hook": lambda d: ("https://n8n.internal/webhook/@@",d.uuid()),
    "datadog-url": _in("https://http-intake.logs.datadoghq.com/v1/input/@@", HEX, 32),
    "bitrise": _in("BITRISE_TOKEN: @@", WORD, 86),
    "codecov": lambda d: ("CODECOV_TOKEN=@@",d.uuid()),
    "sonar": _in("sonar.login=@@", HEX, 40),
    "netrc-short": _pass("machine x.test login ada\n  password @@", 14),
    "pypirc": lambda d: ("[pypi]\nusername = __token__\npassword = @@", "pypi-AgEIcHlwaS5vcmc"+d.some(WORD, 120)),
    "composer-auth": _pass('{"http-basic": {"repo.x.test": {"username": "a", "password": "@@"}}}', 20),
    "docker-config": lambda d: ('{"auths": {"ghcr.io": {"auth": "@@"}}}',base64.b64encode(("ada:"+_password(d, 20)).encode()).decode()),
    "nuget-clear": _pass('<add key="ClearTextPassword" value="@@" />', 16),
    "gradle": _pass("signing.password=@@", 12),
    "fastlane": _pass("MATCH_PASSWORD=@@ fastlane match", 14),
    "app-specific": lambda d: ("FASTLANE_APPLE_APPLICATION_SPECIFIC_PASSWORD=@@","-".join(d.some(_LOW, 4) for _ in range(4))),
    "gmail-app": lambda d: ("the app password is @@"," ".join(d.some(_LOW, 4) for _ in range(4))),
    "pg-alter-role": _pass("ALTER ROLE app LOGIN PASSWORD '@@' VALID UNTIL 'infinity';", 14),
    "rabbitmqctl": _pass("rabbitmqctl add_user shop @@", 14),
    "useradd-p": _pass("rabbitmqctl change_password shop '@@'", 14),
    "s3cmd": _in("secret_key = @@", ALNUM, 40),
    "minio-alias": _in("mc alias set prod https://s3.internal AKEYNAME @@", ALNUM, 40),
    "boto": _in("boto3.client('s3', aws_secret_access_key='@@')", BASE64, 40),
    "rails-cred": _in("secret_key_base: @@", HEX, 128),
    "wp-config": lambda d: ("define('AUTH_KEY', '@@');",d.some(ALNUM+"!@#%^&*()-_=+[]{}|;:,.<>?", 64)),
    "wp-db": _pass("define( 'DB_PASSWORD', '@@' );", 14),
    "php-mysqli": _pass("new mysqli('db-2', 'shop', '@@', 'orders')", 14),
    "psycopg": _pass("psycopg2.connect(host='db-2', user='app', password='@@')", 14),
    "jdbc-three": _pass('DriverManager.getConnection(url, "app", "@@")', 14),
    "git-cred-store": _in("https://ada:@@@github.com", ALNUM, 36, "ghp_"),
    "ssh-config-note": _pass("root pw on bastion: @@", 12),
    "slack-message": _pass("btw the pw for grafana is @@", 12),
    "creds-slash": _pass("grafana creds: admin / @@", 12),
    "creds-arrow": _pass("staging login -> ada:@@", 12),
    "user-pass-pair": _pass("user=ada pass=@@ host=db", 12),
    "german": _pass("Das Passwort für den Staging-Server lautet @@.", 12),
    "spanish": _pass("contraseña: @@", 12),
    "french": _pass("le mot de passe est @@", 12),
    "otp-uri-bare": _in("TOTP secret: @@", _UP+"234567", 32),
    "k8s-literal": _pass("kubectl create secret generic db --from-literal=password=@@", 14),
    "docker-secret": _pass("printf '@@' | docker secret create db_password -", 14),
    "gh-secret-set": _in("gh secret set DEPLOY_TOKEN --body '@@'", ALNUM, 40),
    "aws-ssm": _pass("aws ssm put-parameter --name /shop/db_password --type SecureString --value '@@'", 14),
    "vault-kv": _pass("vault kv put secret/shop password=@@", 14),
    "consul": lambda d: ("CONSUL_HTTP_TOKEN=@@",d.uuid()),
    "pulumi-config": _pass("pulumi config set --secret dbPassword @@", 14),
    "fly-secrets": _in("fly secrets set STRIPE_KEY=@@", ALNUM, 32),
    "heroku-set": _in("heroku config:set JWT_SIGNING_KEY=@@", HEX, 64),
    "npm-otp": _in("npm config set //registry.npmjs.org/:_authToken @@", ALNUM, 36, "npm_"),
    "twine": _pass("twine upload -u ada -p @@ dist/*", 16),
    "ansible-e": _pass("ansible-playbook site.yml -e 'db_password=@@'", 14),
    "java-prop": _pass("java -Djavax.net.ssl.keyStorePassword=@@ -jar a.jar", 14),
    "x-auth-token": _in("X-Auth-Token: @@", HEX, 32),
    "graphql-var": _pass('mutation { login(email: "a", password: "@@") { token } }', 12),
    "form-body": _pass("curl -d 'grant_type=password&username=ada&password=@@' https://x.test/t", 14),
    "client-credentials": _in("client_id=shop&client_secret=@@&grant_type=client_credentials", WORD, 40),
    "nginx-auth": lambda d: ("proxy_set_header Authorization \"Basic @@\";",base64.b64encode(("a:"+_password(d, 14)).encode()).decode()),
    "env-json": _in('"env": {"OPENAI_KEY": "@@"}', ALNUM, 48),
    "hmac-shared": _in("shared secret: @@", HEX, 48),
    "db-url-at": _pass("mysql://root:@@@127.0.0.1/shop", 12),
}  # fmt: skip

#: Held out before, and two more lists of what is pasted, of which 82 and 57 % were found at first.
SEEN |= {
    "flag-password": _pass("keytool -list -keystore a.jks -storepass @@", 12),
    "powershell-plain": _pass("ConvertTo-SecureString '@@' -AsPlainText -Force", 14),
    "network-credential": _pass('new NetworkCredential("ada", "@@")', 14),
    "requests-auth": _pass('requests.get(url, auth=("ada", "@@"))', 14),
    "chat-here-is": _in("here's the token for staging: @@", ALNUM, 40),
    "set-basic-auth": _pass('req.SetBasicAuth("ada", "@@")', 14),
    "password-setter": _pass('user.setPassword("@@");', 14),
    "signed-web-token": _pass("jwt.sign(payload, '@@', { expiresIn: '1h' })", 28),
    "redis-setting": _pass("requirepass @@", 14),
    "wifi-command": _pass("nmcli dev wifi connect Office password @@", 12),
    "here-string": _pass("sudo -S systemctl restart x <<< '@@'", 12),
    "told-before": _pass("@@ is the root password", 12),
    "changed-to": _pass("The root password was changed to @@ yesterday.", 12),
    "elevenlabs": _in("@@", HEX, 48, "sk_"),
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
    "gitea-env": _in("GITEA_TOKEN=@@", HEX, 40),
    "jfrog-header": _in("curl -H 'X-JFrog-Art-Api: @@' https://x.test/a", ALNUM, 73),
    "opsgenie-header": lambda d: ("Authorization: GenieKey @@", d.uuid()),
    "zendesk-user": _in("curl -u ada@x.test/token:@@ https://x.test/api", ALNUM, 40),
    "tomcat-user": _pass('<user username="tomcat" password="@@" roles="manager-gui"/>', 14),
    "ini-passwd": _pass("db.passwd=@@", 12),
    "wireguard-shared": _in("PresharedKey = @@", BASE64, 43, tail="="),
    "kafka-jaas": _pass('PlainLoginModule required username="ada" password="@@";', 14),
    "broker-address": _pass("broker_url = 'amqp://ada:@@@mq//'", 14),
    "told-a-colleague": _pass("Username ada, password @@, please change it.", 12),
    "git-extra-header": _in('http.extraheader="AUTHORIZATION: bearer @@"', WORD, 52),
    "cisco-user": _pass("username ops privilege 15 secret 0 @@", 12),
    "remote-screen": _pass("x11vnc -display :0 -passwd @@", 12),
    "offered-in-chat": _pass("try @@ as the pw", 12),
    "sentence-in-italian": _pass("La password del server è @@", 12),
    "told-to-a-form": _pass('page.fill("#password", "@@")', 12),
    "licence-yaml": _in("licenseKey: @@", HEX, 32),
    "ftp-prompt": _pass("Name: ada / Password: @@", 12),
    "slack-signing": _in('"signing_secret": "@@"', HEX, 32),
    "dsn-semicolon": _pass("mysql:host=db;dbname=shop;user=app;password=@@", 14),
    "elastic-user": _pass("curl -k --user elastic:@@ https://es:9200", 20),
}  # fmt: skip
