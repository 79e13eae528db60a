"""List what a project chooses one of: a line holds the alternatives of one sort, an indent continues it.

`=` joins the names of one alternative, `_` the words of one name. A name with `!` is an everyday word
too, and counts only where it is written as a name and tells no other thing from its like.
"""

from __future__ import annotations

FAMILIES = (
    """
rocksdb leveldb lmdb badger berkeleydb
ffmpeg gstreamer mediaconvert handbrake
gunicorn uvicorn uwsgi hypercorn waitress puma unicorn
jinja=jinja2 mako handlebars mustache ejs liquid thymeleaf freemarker
pydantic marshmallow attrs cerberus
zod yup joi ajv valibot
dayjs momentjs luxon date_fns
nox tox invoke taskfile justfile makefile
fluentd fluentbit=fluent_bit logstash filebeat vector! promtail
consul etcd zookeeper eureka
wireguard openvpn ipsec tailscale
route53 cloudflare bind9 powerdns
artifactory nexus harbor ecr=elastic_container_registry ghcr docker_hub=dockerhub
systemd supervisord=supervisor runit monit
lockstep rollback client_prediction=client_side_prediction
gltf=glb fbx usd=openusd collada wavefront_obj
glsl hlsl wgsl spir_v=spirv
opus aac mp3 vorbis=ogg flac
mp4 mkv=matroska webm
big_endian=bigendian little_endian=littleendian
row_major=rowmajor column_major=columnmajor
x_axis y_axis z_axis
token_bucket leaky_bucket sliding_window fixed_window
round_robin=roundrobin least_connections random_choice consistent_hashing
raft paxos zab
write_through write_back write_behind
btree=b_tree lsm=lsm_tree hash_index
pkce implicit_flow client_credentials device_flow
bar! kilopascal=kilopascals=kpa=pascal=pascals psi
volt=volts millivolt=millivolts
knots kmh=km/h mph m/s
net=netto=neto gross=brutto=bruto
english=englisch=inglés german=deutsch=alemán french=französisch=francés spanish=spanisch=español
mondays=monday=montags=lunes tuesdays=tuesday=dienstags=martes wednesdays=wednesday=mittwochs=miércoles
  thursdays=thursday=donnerstags=jueves fridays=friday=freitags=viernes saturdays=saturday=samstags
  sundays=sunday=sonntags=domingo
backblaze wasabi
otel=opentelemetry opencensus
babel swc esbuild tsc
rxjava coroutines=kotlin_coroutines
moq nsubstitute mockito mockk easymock
xunit nunit mstest
rspec minitest
celsius=°c=grad_celsius kelvin fahrenheit
sqlcipher bitlocker luks
postgresql=postgres=pgvector=tsvector=aurora_postgres mysql=mariadb=percona sqlite oracle
  mssql=sqlserver=sql_server mongodb=mongo cassandra=scylladb dynamodb cockroachdb duckdb couchdb
  firestore=firebase spanner db2 realm redis memcached elasticsearch opensearch clickhouse
  bigquery snowflake valkey
snowflake bigquery redshift clickhouse databricks synapse druid pinot trino=presto
pgvector=postgres=postgresql qdrant weaviate milvus pinecone chroma=chromadb faiss lancedb vespa
  elasticsearch=opensearch redis
elasticsearch opensearch solr meilisearch typesense algolia lucene tantivy sphinx
  postgres=postgresql=tsvector=pg_trgm sqlite=fts5 mongodb=mongo
redis=valkey memcached hazelcast caffeine varnish dragonfly ehcache
rabbitmq kafka=redpanda nats=jetstream sqs=amazon_sqs pubsub=pub_sub activemq=artemis zeromq
  pulsar mqtt=mosquitto kinesis service_bus redis_streams redis
celery rq dramatiq huey arq procrastinate sidekiq resque delayed_job good_job solid_queue
  bullmq=bull agenda quartz hangfire temporal oban faktory que river! airflow dagster prefect
airflow dagster prefect luigi argo_workflows cron=crontab temporal kestra mage! step_functions
  oozie systemd_timers azkaban
structlog loguru logging_module=stdlib_logging log4j=log4j2 logback slf4j winston pino bunyan zap
  zerolog logrus slog tracing_crate env_logger serilog nlog spdlog timber glog
loki elasticsearch=elk=kibana splunk datadog graylog cloudwatch papertrail
prometheus graphite influxdb datadog statsd cloudwatch new_relic zabbix nagios victoriametrics
jaeger zipkin tempo! honeycomb lightstep xray=x_ray
sentry bugsnag rollbar honeybadger crashlytics airbrake raygun datadog
hilt=dagger koin guice spring! kodein autofac unity_container wire! inversify tsyringe swinject
  needle! manual_injection=by_hand dependency_injector fx micronaut quarkus
pip=pip-tools=piptools poetry uv=uv_lock pipenv conda=mamba pdm hatch rye setuptools
npm=package_lock pnpm yarn bun deno
cocoapods carthage spm=swift_package_manager
conan vcpkg
black ruff yapf autopep8 blue
prettier biome dprint standardjs
eslint biome tslint oxlint jshint
ruff flake8 pylint pyflakes
mypy pyright=pylance pytype pyre
pytest unittest nose2=nose doctest
jest vitest mocha jasmine ava karma
junit testng spock kotest
catch2 googletest=gtest doctest boost_test cppunit
cypress playwright selenium puppeteer webdriverio testcafe nightwatch webdriver
k6 locust jmeter gatling vegeta wrk artillery
wiremock mockserver msw nock pact!
django flask fastapi litestar starlette tornado bottle pyramid sanic aiohttp
express! fastify koa hapi nestjs=nest hono
spring=spring_boot quarkus micronaut ktor vert.x=vertx dropwizard helidon
axum actix=actix_web rocket! warp! poem!
gin! echo! fiber! chi! gorilla=gorilla_mux
laravel symfony slim! yii
react=nextjs vue=nuxt svelte=sveltekit angular solidjs=solid_js preact ember=emberjs htmx lit!
  qwik alpine=alpinejs server_rendered solid
redux=redux_toolkit zustand mobx recoil jotai pinia vuex xstate ngrx context_api
riverpod bloc! provider! getx
webpack vite rollup esbuild parcel! turbopack rspack gulp grunt
tailwind bootstrap bulma sass=scss less! styled_components emotion! css_modules
maven gradle bazel sbt
cmake meson bazel scons autotools=autoconf xmake buck2 premake
nx turborepo lerna rush!
rest=restful=openapi grpc=protobuf=proto graphql soap thrift trpc jsonrpc=json_rpc xmlrpc odata
  websocket websockets sse
websocket=websockets sse=server_sent_events long_polling=polling webrtc signalr socket.io mqtt
json=json_lines=ndjson=jsonl yaml=yml toml ini csv xml parquet protobuf=protocol_buffers avro
  msgpack=messagepack cbor flatbuffers capnproto=cap'n_proto excel=xlsx pickle orc arrow=feather
  hdf5 binary_format bson hocon
weasyprint latex=xelatex reportlab wkhtmltopdf jasperreports=jasper puppeteer=chromium
  prince=princexml itext typst fop pdfkit docx=word!
sphinx mkdocs docusaurus hugo jekyll asciidoctor=antora mdbook vitepress
markdown asciidoc restructuredtext=rst confluence notion!
vault=hashicorp_vault=openbao secrets_manager=secretsmanager=aws_secrets_manager
  parameter_store=ssm key_vault=azure_key_vault secret_manager=google_secret_manager
  sealed_secrets=sealedsecrets sops doppler infisical 1password bitwarden kubernetes_secrets
  env_file=.env=dotenv git_crypt keychain ansible_vault environmentvariable
aws=amazon_web_services gcp=google_cloud azure heroku hetzner ovh digitalocean fly.io=flyio
  render.com vercel netlify railway!
  on_premises=on_prem=own_servers=own_hardware=servidores_propios=eigene_server
  nube=cloud_provider fly!
cloudfront cloudflare fastly akamai bunny=bunnycdn
s3=amazon_s3=s3_bucket gcs=cloud_storage azure_blob=blob_storage nfs=nfs_share minio=ceph
  local_disk=local_filesystem=disk efs hdfs r2! sftp=ftp nas sharepoint dropbox glacier
  git_lfs=lfs tape
jenkins github_actions=githubactions gitlab_ci=gitlab circleci=circle_ci travis buildkite teamcity
  azure_pipelines=azure_devops drone=droneci concourse! bitbucket_pipelines woodpecker tekton argo
github gitlab bitbucket gitea=forgejo gerrit codeberg
argo_cd=argocd flux=fluxcd spinnaker=spinnaker_pipeline capistrano ansible helm_by_hand octopus!
  jenkins
kubernetes=k8s=k3s=eks=gke=aks nomad swarm=docker_swarm ecs=fargate mesos
  docker_compose=compose_file systemd=systemd_unit=systemd_units lambda=serverless
docker=dockerfile podman buildah kaniko buildpacks=paketo jib nix=nixpacks bazel ko! containerd
  nerdctl
terraform=opentofu pulumi cloudformation cdk=aws_cdk bicep crossplane ansible chef puppet
ansible chef! puppet! saltstack=salt!
helm kustomize jsonnet=tanka cue! ytt
istio linkerd consul_connect cilium
nginx traefik envoy haproxy caddy kong apache=httpd
sqlalchemy peewee tortoise=tortoise_orm django_orm sqlmodel
  psycopg=raw_sql=plain_sql=asyncpg=hand_written_sql
prisma typeorm sequelize drizzle knex kysely mikroorm objection
hibernate=jpa=eclipselink jooq mybatis exposed! jdbc=jdbc_template jdbi
diesel sqlx seaorm=sea_orm
gorm ent! sqlc sqlboiler bun_orm
entity_framework=ef_core dapper nhibernate
alembic flyway liquibase django_migrations rails_migrations golang_migrate goose! dbmate atlas!
  sqitch
vulkan opengl=opengl_es directx=direct3d=dx12=dx11=d3d12 metal! webgpu=wgpu webgl
unity! unreal=unreal_engine godot bevy cryengine
box2d bullet! physx havok jolt rapier chipmunk
fmod wwise openal miniaudio
freertos zephyr threadx rtems vxworks nuttx embos riot! mbed
  superloop=super_loop=bare_metal=baremetal=cyclic_executive=no_rtos=without_an_rtos qnx
can!=can_bus=canopen modbus profinet ethercat rs485=rs_485 i2c spi! opc_ua
lorawan=lora zigbee ble=bluetooth zwave=z_wave thread_network nb_iot=nbiot wifi=wi_fi sigfox
stripe paddle adyen braintree mollie paypal klarna square! chargebee recurly worldpay redsys
  gocardless lemon_squeezy
mailgun sendgrid ses=amazon_ses postmark mailjet brevo=sendinblue postfix mandrill resend!
  exchange!
twilio vonage=nexmo messagebird plivo sinch
fcm=firebase_cloud_messaging apns onesignal airship
session_cookie=session_cookies=cookie_sessions jwt=jwts=json_web_tokens oauth=oauth2 saml
  api_key=api_keys basic_auth mtls=mutual_tls=client_certificates ldap paseto
  opaque_tokens=opaque_token kerberos magic_link=magic_links password=passwords
  passkey=passkeys=webauthn oidc
keycloak auth0 okta cognito entra=azure_ad=entra_id authentik zitadel firebase_auth supabase_auth
bcrypt argon2=argon2id scrypt pbkdf2
sha256=sha_256=sha_2 sha1=sha_1 md5 blake2=blake2b blake3 crc32 xxhash sha512=sha_512
hmac=hmac_sha256=shared_secret rsa=rs256 ed25519=eddsa ecdsa=es256 gpg=pgp minisign
  sigstore=cosign
aes_gcm=aes chacha20=xchacha20 aes_cbc rc4 3des
gzip=gz=gzipped zstd=zstandard brotli lz4 snappy xz bzip2 deflate
main=master=trunk=main_branch develop=develop_branch release_branch production_branch
squash=squashed rebase=rebased merge_commit=merge_commits fastforward
trunk_based=trunk_based_development git_flow=gitflow github_flow
conventional_commits=conventional_commit jira=jira_key=ticket_number=ticket_key=issue_key gitmoji
  imperative_mood
semver=semantic_versioning calver=calendar_versioning date_based=versioned_by_date
uuid=uuidv4=uuidv7=uuids=guid=uuid4=uuid7
  bigserial=serial=bigint=autoincrement=auto_increment=integers=sequential_integers=identity_column
  ulid=ulids snowflake_ids=snowflake_id nanoid=nanoids natural_key=natural_keys cuid ksuid integer
  snowflake sequence
iso_8601=iso8601=rfc3339 unix_timestamp=unix_timestamps=epoch_seconds=epoch=unix_time rfc2822
utc local_time=localtime=berlin_time=cet
cents=cent=minor_units=integer_cents=integers float=floats=double decimal=numeric euros_as_strings
  integer decimals string strings bigint
meters=metres=meter=metre=metern=metros millimeters=millimetres=mm=millimetern=milímetros
  centimeters=centimetres=cm=zentimetern=centímetros inches=inch feet=foot
  kilometers=kilometres=km miles
gram=grams=gramm=gramos kilogram=kilograms=kilogramm=kilogramos=kg=kilos pound=pounds=lb
  tonnes=tons
degrees=degree radians=radian
bytes=byte kilobytes megabytes=mebibytes
milliseconds=millisecond=ms seconds=second microseconds=microsecond nanoseconds iso_8601=iso8601
  nanosecond minute hour day week
utf_8=utf8 utf_16=utf16 latin_1=latin1=iso_8859_1=iso8859_1=windows_1252 utf ascii
tab=tabs space=spaces
camelcase=camel_case snakecase=snake_case kebabcase=kebab_case pascalcase=pascal_case
cursor=cursors=keyset offset=offsets=page_number=page_numbers=limit_offset
exponential=exponentially=exponential_backoff
  fixed_delay=constant_delay=fixed_interval=fixed_pause=immediately linear_backoff
optimistic=optimistically pessimistic=pessimistically
lru=least_recently_used lfu=least_frequently_used fifo=first_in_first_out leastrecent lifo arc
soft_delete=soft_deleted=softly=deletion_flag=deleted_at
  hard_delete=hard_deleted=physically=removed_for_good
schema_per_tenant=own_schema database_per_tenant=own_database
  row_level_security=tenant_id_column=shared_tables
monolith=modular_monolith microservices=microservice
anyhow=eyre thiserror=error_enum snafu panics=panic=unwrap
exceptions=exception=raise result_type=result_types error_codes=error_code=return_codes
tokio async_std smol! glommio rayon
asyncio trio! gevent twisted! curio
httpx requests_library aiohttp urllib3=urllib axios got! undici okhttp reqwest ky! requests fetch
  curl
recursive_descent=hand_written=handwritten=pratt antlr=antlr4 yacc=bison=lalr=happy!
  tree_sitter=treesitter peg=pest=peggy nom=parser_combinators lark ply! menhir lalrpop
lxml regex=regexes=regular_expression=regular_expressions beautifulsoup=bs4 html5lib scrapy!
  selectolax jsoup
llvm cranelift qbe c_code=generated_c jvm=jvm_bytecode wasm=webassembly gcc
reference_counting=refcounting=arc mark_and_sweep=tracing_gc=garbage_collector=garbage_collected
  generational copying_collector borrow_checker=ownership
statically=static_typing dynamically=dynamic_typing gradual_typing
kotlin! java! typescript! javascript! python! rust! go!=golang ruby! php! scala! elixir! dart! swift!
  csharp=c# haskell clojure perl lua zig ocaml c++=cpp bash=shell_script fsharp=f# flutter
  reactnative
electron tauri qt gtk=gtk4 javafx wpf=winui swing! flutter avalonia wxwidgets imgui
react_native=reactnative flutter native_apps=swiftui=native_app xamarin=maui ionic=capacitor
  cordova kotlin_multiplatform
compose!=jetpack_compose xml_layouts=xml_layout
swiftui uikit storyboards=storyboard
room! realm sqldelight core_data=coredata swiftdata objectbox hive! datastore
  sharedpreferences=shared_preferences
glide! coil! picasso fresco!
retrofit ktor volley!
mapbox google_maps openstreetmap=osm leaflet maplibre here_maps
d3=d3.js chartjs=chart.js echarts highcharts plotly vega=vega_lite recharts
launchdarkly unleash! flagsmith growthbook split.io configcat
pytorch tensorflow=keras jax mxnet
xgboost lightgbm catboost random_forest logistic_regression two_tower neural_network=transformer
mlflow wandb=weights_and_biases=weights_&_biases neptune! comet! tensorboard clearml dvc
vllm tgi triton! torchserve bentoml ollama llama.cpp=llamacpp sagemaker tensorrt kserve
openai=gpt=gpt_4=gpt4=gpt_4o anthropic=claude gemini mistral=mixtral llama=llama_3 cohere
ada_002=text_embedding_3=openai_embeddings e5=e5_large bge=bge_m3 sentence_transformers=minilm
  cohere_embed voyage!
bm25=keyword_search cross_encoder=cross_encoders dense_retrieval=vector_search colbert
label_studio prodigy labelbox doccano
feast tecton hopsworks
pandas polars spark=pyspark dask vaex modin
flink kafka_streams spark_streaming=structured_streaming beam!=dataflow samza storm!
iceberg delta=delta_lake hudi
dbt=dbt_models stored_procedures=stored_procedure dataform sqlmesh informatica
fivetran airbyte stitch! debezium meltano singer! kafka_connect
great_expectations soda! deequ pandera
tableau looker power_bi=powerbi metabase superset grafana qlik
by_day=by_date=daily by_month=monthly by_hash=hash by_year=yearly by_hour by_week
  by_customer=by_tenant
widevine fairplay playready clearkey
hls dash!=mpeg_dash smooth_streaming rtmp webrtc
h.264=h264=avc h.265=h265=hevc av1 vp9
webp jpeg=jpg png avif gif svg tga=dds ktx2=ktx
lucide font_awesome=fontawesome heroicons material_icons
exoplayer=media3 shaka=shaka_player hls.js video.js=videojs avplayer vlc
slack microsoft_teams=ms_teams discord mattermost zulip telegram pagerduty opsgenie teams
jira linear! github_issues youtrack redmine trello asana
scrum=sprints kanban shape_up
mit=mit_license apache_2=apache_2.0=apache_license gpl=gplv3=gpl_3 bsd=bsd_license mpl agpl=agplv3
  lgpl proprietary apache
appimage flatpak snap! deb=debian_package rpm
alpine=alpine_linux debian=bookworm ubuntu distroless rhel=ubi=red_hat fedora arch_linux
  amazon_linux scratch!
eventual=eventually_consistent strong=strongly_consistent=linearizable
serializable read_committed=readcommitted repeatable_read snapshot_isolation
blue_green=bluegreen canary=canaries rolling_update=rolling=rolling_updates recreate big_bang
last_write_wins=later_edit_wins=lww crdt=crdts=automerge=yjs
  operational_transformation=operational_transform manual_merge
keda hpa=horizontal_pod_autoscaler cluster_autoscaler karpenter
lets_encrypt=let's_encrypt=acme digicert internal_ca=own_ca self_signed wildcard_certificate
frankfurt=fráncfort=eu_central_1 dublin=eu_west_1=ireland paris=parís=eu_west_3
  london=eu_west_2=londres stockholm=eu_north_1 milan=milán=mailand zurich=zürich
  amsterdam=ámsterdam madrid barcelona berlin hamburg munich=münchen vienna=wien=viena warsaw
  oregon=us_west_2 virginia=us_east_1=n._virginia ohio=us_east_2 tokyo singapore=singapur sydney
  mumbai montreal helsinki falkenstein nuremberg=nürnberg lisbon=lisboa brussels=brüssel=bruselas
  lyon roubaix kassel leipzig köln=cologne bern=berne geneva=genf
germany=deutschland=alemania france=frankreich=francia ireland=irland=irlanda spain=spanien=españa
  switzerland=schweiz=suiza united_states=usa united_kingdom=uk netherlands=niederlande
  austria=österreich italy=italien=italia poland=polen
maven gradle bazel sbt ant make cmake meson ninja just pants buck
sqlalchemy peewee tortoise django prisma typeorm sequelize drizzle knex hibernate jooq mybatis
  diesel sqlx seaorm gorm ent activerecord
git mercurial svn perforce jj
click argparse typer docopt fire
byte kilobyte megabyte gigabyte kibibyte mebibyte gibibyte bit
cent dollar euro
linux windows macos freebsd
vim emacs vscode intellij
monorepo polyrepo
""".strip()
    .replace("\n  ", " ")
    .split("\n")
)
