"""List what a project chooses one of, by what it does there.

A row is the role's own words, a bar, and the alternatives. `=` joins the names of one alternative,
`_` the
words of one name. A name with `!` is an everyday word too, and counts only where it is written as a
name.
"""

from __future__ import annotations

ROLES = (
    "database store table persist datenbank base_de_datos | "
    "postgresql=postgres=pgvector=tsvector=aurora_postgres "
    "mysql=mariadb=percona sqlite oracle mssql=sqlserver=sql_server mongodb=mongo cassandra=scylladb "
    "dynamodb "
    "cockroachdb duckdb couchdb firestore=firebase spanner db2 realm",
    "warehouse analytics | snowflake bigquery redshift clickhouse databricks synapse druid pinot "
    "trino=presto",
    "vector embedding similarity | pgvector=postgres=postgresql qdrant weaviate milvus pinecone "
    "chroma=chromadb "
    "faiss lancedb vespa elasticsearch=opensearch redis",
    "search index query suche búsqueda volltextsuche | elasticsearch opensearch solr meilisearch "
    "typesense "
    "algolia lucene tantivy sphinx postgres=postgresql=tsvector=pg_trgm sqlite=fts5 mongodb=mongo",
    "cache caching session zwischenspeicher caché | redis=valkey memcached hazelcast caffeine varnish "
    "dragonfly ehcache",
    "queue broker messag event topic cola mensajería nachricht warteschlange | rabbitmq kafka=redpanda "
    "nats=jetstream "
    "sqs=amazon_sqs pubsub=pub_sub activemq=artemis zeromq pulsar mqtt=mosquitto kinesis service_bus "
    "redis_streams",
    "job task worker background queue tarea | celery rq dramatiq huey arq procrastinate sidekiq resque "
    "delayed_job "
    "good_job solid_queue bullmq=bull agenda quartz hangfire temporal oban faktory que river!",
    "schedul orchestrat nightly load pipeline dag flow | airflow dagster prefect luigi argo_workflows "
    "cron=crontab "
    "temporal kestra mage! step_functions oozie systemd_timers azkaban",
    "log logging logger structured | structlog loguru logging_module=stdlib_logging log4j=log4j2 "
    "logback slf4j winston "
    "pino bunyan zap zerolog logrus slog tracing_crate env_logger serilog nlog spdlog timber glog",
    "log ship aggregat collect central | loki elasticsearch=elk=kibana splunk datadog graylog "
    "cloudwatch papertrail",
    "metric monitor dashboard alert | prometheus graphite influxdb datadog statsd cloudwatch new_relic "
    "zabbix nagios "
    "victoriametrics",
    "trace tracing span | jaeger zipkin tempo! honeycomb lightstep xray=x_ray",
    "error crash report exception | sentry bugsnag rollbar honeybadger crashlytics airbrake raygun",
    "dependency inject wire | hilt=dagger koin guice spring! kodein autofac unity_container wire! "
    "inversify tsyringe "
    "swinject needle! manual_injection=by_hand dependency_injector fx",
    "dependency package install lock | pip=pip-tools=piptools poetry uv=uv_lock pipenv conda=mamba pdm "
    "hatch rye",
    "dependency package install lock node | npm=package_lock pnpm yarn bun",
    "dependency package ios | cocoapods carthage spm=swift_package_manager",
    "dependency package c++ | conan vcpkg",
    "format formatter code style | black ruff yapf autopep8",
    "format formatter code style | prettier biome dprint standardjs",
    "lint linter check | eslint biome tslint oxlint jshint",
    "lint linter check | ruff flake8 pylint",
    "type typing check annotation | mypy pyright=pylance pytype pyre",
    "test unit runner spec suite | pytest unittest nose2=nose",
    "test unit runner spec suite | jest vitest mocha jasmine ava karma",
    "test unit runner spec suite | junit testng spock kotest",
    "test unit runner spec suite | catch2 googletest=gtest doctest boost_test cppunit",
    "test end-to-end browser e2e spec | cypress playwright selenium puppeteer webdriverio testcafe "
    "nightwatch",
    "test load performance | k6 locust jmeter gatling vegeta wrk artillery",
    "test mock http | wiremock mockserver msw nock pact!",
    "web framework api backend service | django flask fastapi litestar starlette tornado bottle "
    "pyramid sanic aiohttp",
    "web framework api backend service | express! fastify koa hapi nestjs=nest hono",
    "web framework api backend service | spring=spring_boot quarkus micronaut ktor vert.x=vertx "
    "dropwizard helidon",
    "web framework api backend service | axum actix=actix_web rocket! warp! poem!",
    "web framework api backend service | gin! echo! fiber! chi! gorilla=gorilla_mux",
    "web framework api backend | laravel symfony slim! yii",
    "frontend component view ui oberfläche | react=nextjs vue=nuxt svelte=sveltekit angular "
    "solidjs=solid_js preact "
    "ember=emberjs htmx lit! qwik alpine=alpinejs server_rendered",
    "state store client | redux=redux_toolkit zustand mobx recoil jotai pinia vuex xstate ngrx "
    "context_api",
    "state bloc flutter | riverpod bloc! provider! getx",
    "bundl build asset frontend | webpack vite rollup esbuild parcel! turbopack rspack gulp grunt",
    "css style stylesheet | tailwind bootstrap bulma sass=scss less! styled_components emotion! "
    "css_modules",
    "build compile | maven gradle bazel sbt",
    "build compile | cmake meson bazel scons autotools=autoconf xmake buck2 premake",
    "monorepo workspace | nx turborepo lerna rush!",
    "call talk api service speak rpc endpoint internal protocol schnittstelle | rest=restful=openapi "
    "grpc=protobuf=proto graphql soap "
    "thrift trpc jsonrpc=json_rpc xmlrpc odata",
    "push live update stream browser client real-time | websocket=websockets sse=server_sent_events "
    "long_polling=polling "
    "webrtc signalr socket.io mqtt",
    "format file save payload serialis export write land store data configuration config datei event "
    "message body | "
    "json=json_lines=ndjson=jsonl yaml=yml toml ini csv xml parquet protobuf=protocol_buffers avro "
    "msgpack=messagepack "
    "cbor flatbuffers capnproto=cap'n_proto excel=xlsx pickle orc arrow=feather hdf5 binary_format bson",
    "report document invoice pdf generat render template | weasyprint latex=xelatex reportlab "
    "wkhtmltopdf jasperreports=jasper "
    "puppeteer=chromium prince=princexml itext typst fop pdfkit docx=word!",
    "document manual docs documentation | sphinx mkdocs docusaurus hugo jekyll asciidoctor=antora "
    "mdbook vitepress",
    "document format | markdown asciidoc restructuredtext=rst confluence notion!",
    "secret credential key password token | vault=hashicorp_vault=openbao "
    "secrets_manager=secretsmanager=aws_secrets_manager "
    "parameter_store=ssm key_vault=azure_key_vault secret_manager=google_secret_manager "
    "sealed_secrets=sealedsecrets sops "
    "doppler infisical 1password bitwarden kubernetes_secrets env_file=.env=dotenv "
    "git_crypt keychain ansible_vault",
    "cloud host run deploy infrastructure | aws=amazon_web_services gcp=google_cloud azure heroku "
    "hetzner ovh digitalocean "
    "fly.io=flyio render.com vercel netlify railway! "
    "on_premises=on_prem=own_servers=own_hardware=servidores_propios=eigene_server "
    "nube=cloud_provider",
    "cdn edge asset | cloudfront cloudflare fastly akamai bunny=bunnycdn",
    "file object bucket share blob artifact checkpoint upload store backup | s3=amazon_s3=s3_bucket "
    "gcs=cloud_storage azure_blob=blob_storage "
    "nfs=nfs_share minio=ceph local_disk=local_filesystem=disk efs hdfs r2! sftp=ftp nas sharepoint "
    "dropbox glacier git_lfs=lfs tape",
    "ci pipeline build check run | jenkins github_actions=githubactions gitlab_ci=gitlab "
    "circleci=circle_ci travis buildkite "
    "teamcity azure_pipelines=azure_devops drone=droneci concourse! bitbucket_pipelines woodpecker "
    "tekton",
    "repository code host pull request | github gitlab bitbucket gitea=forgejo gerrit codeberg",
    "deploy rollout release gitops | argo_cd=argocd flux=fluxcd spinnaker=spinnaker_pipeline "
    "capistrano ansible helm_by_hand octopus! "
    "jenkins",
    "container orchestrat cluster run | kubernetes=k8s=k3s=eks=gke=aks nomad swarm=docker_swarm "
    "ecs=fargate mesos "
    "docker_compose=compose_file systemd=systemd_unit=systemd_units lambda=serverless",
    "container image build | docker=dockerfile podman buildah kaniko buildpacks=paketo jib "
    "nix=nixpacks bazel ko!",
    "infrastructure provision cluster | terraform=opentofu pulumi cloudformation cdk=aws_cdk bicep "
    "crossplane",
    "configuration server host provision | ansible chef! puppet! saltstack=salt!",
    "chart manifest template kubernetes | helm kustomize jsonnet=tanka cue! ytt",
    "mesh sidecar | istio linkerd consul_connect cilium",
    "proxy gateway ingress load balanc | nginx traefik envoy haproxy caddy kong apache=httpd",
    "orm query model database access map | sqlalchemy peewee tortoise=tortoise_orm django_orm sqlmodel "
    "psycopg=raw_sql=plain_sql=asyncpg=hand_written_sql",
    "orm query model database access map | prisma typeorm sequelize drizzle knex kysely mikroorm "
    "objection",
    "orm query model database access map | hibernate=jpa=eclipselink jooq mybatis exposed! "
    "jdbc=jdbc_template jdbi",
    "orm query model database access map | diesel sqlx seaorm=sea_orm",
    "orm query model database access map | gorm ent! sqlc sqlboiler bun_orm",
    "orm query model database access map | entity_framework=ef_core dapper nhibernate",
    "migrat schema | alembic flyway liquibase django_migrations rails_migrations golang_migrate goose! "
    "dbmate atlas! sqitch",
    "render graphic gpu draw | vulkan opengl=opengl_es directx=direct3d=dx12=dx11=d3d12 metal! "
    "webgpu=wgpu webgl",
    "engine game | unity! unreal=unreal_engine godot bevy cryengine",
    "physics collision engine | box2d bullet! physx havok jolt rapier chipmunk",
    "audio sound | fmod wwise openal miniaudio",
    "rtos operating schedul firmware task superloop bare-metal controller | freertos zephyr threadx "
    "rtems vxworks "
    "nuttx embos riot! mbed "
    "superloop=super_loop=bare_metal=baremetal=cyclic_executive=no_rtos=without_an_rtos qnx",
    "device transport bus field sensor | can!=can_bus=canopen modbus profinet ethercat rs485=rs_485 "
    "i2c spi! opc_ua",
    "radio sensor node network | lorawan=lora zigbee ble=bluetooth zwave=z_wave thread_network "
    "nb_iot=nbiot wifi=wi_fi sigfox",
    "payment billing charg subscri invoice checkout zahlung pago | stripe paddle adyen braintree "
    "mollie paypal klarna square! chargebee "
    "recurly worldpay redsys gocardless lemon_squeezy",
    "mail send transaction deliver email correo | mailgun sendgrid ses=amazon_ses postmark mailjet "
    "brevo=sendinblue postfix mandrill resend! "
    "exchange!",
    "sms text messag | twilio vonage=nexmo messagebird plivo sinch",
    "push notification | fcm=firebase_cloud_messaging apns onesignal airship",
    "auth login sign session user token api authenticat anmeldung | "
    "session_cookie=session_cookies=cookie_sessions jwt=jwts=json_web_tokens "
    "oauth=oauth2 saml api_key=api_keys basic_auth mtls=mutual_tls=client_certificates ldap paseto "
    "opaque_tokens=opaque_token kerberos "
    "magic_link=magic_links password=passwords passkey=passkeys=webauthn",
    "identity login provider sso | keycloak auth0 okta cognito entra=azure_ad=entra_id authentik "
    "zitadel firebase_auth supabase_auth",
    "hash password | bcrypt argon2=argon2id scrypt pbkdf2",
    "hash digest checksum | sha256=sha_256=sha_2 sha1=sha_1 md5 blake2=blake2b blake3 crc32 xxhash "
    "sha512=sha_512",
    "sign signature signed payload firmware webhook | hmac=hmac_sha256=shared_secret rsa=rs256 "
    "ed25519=eddsa ecdsa=es256 gpg=pgp minisign sigstore=cosign",
    "encrypt cipher | aes_gcm=aes chacha20=xchacha20 aes_cbc rc4 3des",
    "compress | gzip=gz=gzipped zstd=zstandard brotli lz4 snappy xz bzip2 deflate",
    "branch release feature deploy production rama zweig trunk | main=master=trunk=main_branch "
    "develop=develop_branch "
    "release_branch production_branch",
    "merge pull request history | squash=squashed rebase=rebased merge_commit=merge_commits",
    "branching model workflow | trunk_based=trunk_based_development git_flow=gitflow github_flow",
    "commit message subject prefix | conventional_commits=conventional_commit "
    "jira=jira_key=ticket_number=ticket_key=issue_key gitmoji imperative_mood",
    "version release number | semver=semantic_versioning calver=calendar_versioning "
    "date_based=versioned_by_date",
    "key id primary identifier clave schlüssel | uuid=uuidv4=uuidv7=uuids=guid=uuid4=uuid7 "
    "bigserial=serial=bigint=autoincrement=auto_increment="
    "integers=sequential_integers=identity_column ulid=ulids snowflake_ids=snowflake_id nanoid=nanoids "
    "natural_key=natural_keys cuid ksuid",
    "time timestamp date duration zone | iso_8601=iso8601=rfc3339 "
    "unix_timestamp=unix_timestamps=epoch_seconds=epoch=unix_time "
    "rfc2822",
    "timestamp time zone store | utc local_time=localtime=berlin_time=cet",
    "money price amount store currency | cents=cent=minor_units=integer_cents=integers "
    "float=floats=double decimal=numeric euros_as_strings",
    "length distance height width unit position coordinate longitud länge | "
    "meters=metres=meter=metre=metern=metros millimeters=millimetres=mm=millimetern=milímetros "
    "centimeters=centimetres=cm=zentimetern=centímetros inches=inch feet=foot kilometers=kilometres=km "
    "miles",
    "weight mass unit gewicht peso | gram=grams=gramm=gramos "
    "kilogram=kilograms=kilogramm=kilogramos=kg=kilos pound=pounds=lb tonnes=tons",
    "temperature temperatur | celsius=°c=grad_celsius kelvin fahrenheit",
    "angle rotation heading | degrees=degree radians=radian",
    "size unit memory limit | bytes=byte kilobytes megabytes=mebibytes",
    "duration unit api timeout field | milliseconds=millisecond=ms seconds=second "
    "microseconds=microsecond nanoseconds iso_8601=iso8601",
    "cod encod text character file | utf_8=utf8 utf_16=utf16 "
    "latin_1=latin1=iso_8859_1=iso8859_1=windows_1252",
    "indent | tab=tabs space=spaces",
    "name case field column json | camelcase=camel_case snakecase=snake_case kebabcase=kebab_case "
    "pascalcase=pascal_case",
    "page pagination list result | cursor=cursors=keyset "
    "offset=offsets=page_number=page_numbers=limit_offset",
    "retry retries wait delay | exponential=exponentially=exponential_backoff "
    "fixed_delay=constant_delay=fixed_interval=fixed_pause=immediately linear_backoff",
    "lock concurren write row | optimistic=optimistically pessimistic=pessimistically",
    "evict cache polic | lru=least_recently_used lfu=least_frequently_used fifo=first_in_first_out",
    "delet row record user | soft_delete=soft_deleted=softly=deletion_flag=deleted_at "
    "hard_delete=hard_deleted=physically=removed_for_good",
    "tenan isolation schema database | schema_per_tenant=own_schema database_per_tenant=own_database "
    "row_level_security=tenant_id_column=shared_tables",
    "architecture system backend | monolith=modular_monolith microservices=microservice",
    "error handl propagat | anyhow=eyre thiserror=error_enum snafu panics=panic=unwrap",
    "error return handl | exceptions=exception=raise result_type=result_types "
    "error_codes=error_code=return_codes",
    "async runtime | tokio async_std smol! glommio",
    "async runtime | asyncio trio! gevent twisted! curio",
    "http client request outbound | httpx requests_library aiohttp urllib3=urllib axios got! undici "
    "okhttp reqwest ky!",
    "parser grammar pars syntax | recursive_descent=hand_written=handwritten=pratt antlr=antlr4 "
    "yacc=bison=lalr=happy! tree_sitter=treesitter "
    "peg=pest=peggy nom=parser_combinators lark ply! menhir lalrpop",
    "html extract pars link page scrap | lxml regex=regexes=regular_expression=regular_expressions "
    "beautifulsoup=bs4 html5lib scrapy! selectolax jsoup",
    "code generat backend compil target | llvm cranelift qbe c_code=generated_c jvm=jvm_bytecode "
    "wasm=webassembly gcc",
    "memory manag collect | reference_counting=refcounting=arc "
    "mark_and_sweep=tracing_gc=garbage_collector=garbage_collected "
    "generational copying_collector borrow_checker=ownership",
    "typing type language | statically=static_typing dynamically=dynamic_typing gradual_typing",
    "string encoding language | utf_8=utf8 utf_16=utf16",
    "language write program service app script client program kod | kotlin java typescript javascript "
    "python rust go!=golang ruby php scala "
    "elixir dart swift! csharp=c# haskell clojure perl lua zig ocaml c++=cpp bash=shell_script "
    "fsharp=f#",
    "desktop client app installer window toolkit shell | electron tauri qt gtk=gtk4 javafx wpf=winui "
    "swing! flutter avalonia wxwidgets imgui",
    "mobile app cross-platform | react_native=reactnative flutter native_apps=swiftui=native_app "
    "xamarin=maui ionic=capacitor cordova kotlin_multiplatform",
    "ui view screen android | compose!=jetpack_compose xml_layouts=xml_layout",
    "ui view screen ios | swiftui uikit storyboards=storyboard",
    "local device persist offline note | room! realm sqldelight core_data=coredata swiftdata objectbox "
    "hive! datastore sharedpreferences=shared_preferences",
    "image load android | glide! coil! picasso fresco!",
    "http client android | retrofit ktor volley!",
    "map tile | mapbox google_maps openstreetmap=osm leaflet maplibre here_maps",
    "chart plot graph | d3=d3.js chartjs=chart.js echarts highcharts plotly vega=vega_lite recharts",
    "flag toggle feature | launchdarkly unleash! flagsmith growthbook split.io configcat",
    "model train deep learning network | pytorch tensorflow=keras jax mxnet",
    "model rank boost tree | xgboost lightgbm catboost random_forest logistic_regression two_tower "
    "neural_network=transformer",
    "experiment track run model | mlflow wandb=weights_and_biases=weights_&_biases neptune! comet! "
    "tensorboard clearml dvc",
    "serve inference model llm | vllm tgi triton! torchserve bentoml ollama llama.cpp=llamacpp "
    "sagemaker tensorrt kserve",
    "model llm provider answer generat | openai=gpt=gpt_4=gpt4=gpt_4o anthropic=claude gemini "
    "mistral=mixtral llama=llama_3 cohere",
    "embed model | ada_002=text_embedding_3=openai_embeddings e5=e5_large bge=bge_m3 "
    "sentence_transformers=minilm cohere_embed voyage!",
    "rerank retriev search | bm25=keyword_search cross_encoder=cross_encoders "
    "dense_retrieval=vector_search colbert",
    "label annotat data | label_studio prodigy labelbox doccano",
    "feature store | feast tecton hopsworks",
    "dataframe transform | pandas polars spark=pyspark dask vaex modin",
    "stream process event | flink kafka_streams spark_streaming=structured_streaming beam!=dataflow "
    "samza storm!",
    "table lake format | iceberg delta=delta_lake hudi",
    "transform model load warehouse | dbt=dbt_models stored_procedures=stored_procedure dataform "
    "sqlmesh informatica",
    "load ingest extract source replicat | fivetran airbyte stitch! debezium meltano singer! "
    "kafka_connect",
    "quality check expectation data | great_expectations soda! deequ pandera",
    "dashboard report bi | tableau looker power_bi=powerbi metabase superset grafana qlik",
    "partition table | by_day=by_date=daily by_month=monthly by_hash=hash by_year=yearly by_hour "
    "by_week by_customer=by_tenant",
    "drm playback protect | widevine fairplay playready clearkey",
    "stream playlist segment video deliver | hls dash!=mpeg_dash smooth_streaming rtmp webrtc",
    "video codec encod | h.264=h264=avc h.265=h265=hevc av1 vp9",
    "image format picture thumbnail asset texture | webp jpeg=jpg png avif gif svg tga=dds ktx2=ktx",
    "font icon | lucide font_awesome=fontawesome heroicons material_icons",
    "player video playback | exoplayer=media3 shaka=shaka_player hls.js video.js=videojs avplayer vlc",
    "chat alert notif on-call team message | slack microsoft_teams=ms_teams discord mattermost zulip "
    "telegram pagerduty opsgenie",
    "ticket issue track board | jira linear! github_issues youtrack redmine trello asana",
    "process team plan | scrum=sprints kanban shape_up",
    "license source | mit=mit_license apache_2=apache_2.0=apache_license gpl=gplv3=gpl_3 "
    "bsd=bsd_license mpl agpl=agplv3 lgpl proprietary",
    "distribut installer package linux | appimage flatpak snap! deb=debian_package rpm",
    "distro image base linux | alpine=alpine_linux debian=bookworm ubuntu distroless rhel=ubi=red_hat "
    "fedora arch_linux amazon_linux scratch!",
    "order consistency read | eventual=eventually_consistent strong=strongly_consistent=linearizable",
    "isolation transaction | serializable read_committed=readcommitted repeatable_read "
    "snapshot_isolation",
    "deploy release rollout | blue_green=bluegreen canary=canaries "
    "rolling_update=rolling=rolling_updates recreate big_bang",
    "conflict merge sync edit | last_write_wins=later_edit_wins=lww crdt=crdts=automerge=yjs "
    "operational_transformation=operational_transform manual_merge",
    "scale node pod | keda hpa=horizontal_pod_autoscaler cluster_autoscaler karpenter",
    "certificate tls | lets_encrypt=let's_encrypt=acme digicert internal_ca=own_ca self_signed "
    "wildcard_certificate",
    "region data host tenant server store customer eu site rechenzentrum servidor | "
    "frankfurt=fráncfort=eu_central_1 dublin=eu_west_1=ireland paris=parís=eu_west_3 "
    "london=eu_west_2=londres "
    "stockholm=eu_north_1 milan=milán=mailand zurich=zürich amsterdam=ámsterdam madrid barcelona "
    "berlin hamburg munich=münchen "
    "vienna=wien=viena warsaw oregon=us_west_2 virginia=us_east_1=n._virginia ohio=us_east_2 tokyo "
    "singapore=singapur sydney mumbai montreal "
    "helsinki falkenstein nuremberg=nürnberg lisbon=lisboa brussels=brüssel=bruselas lyon roubaix "
    "kassel leipzig köln=cologne bern=berne geneva=genf",
    "country data law jurisdiction | germany=deutschland=alemania france=frankreich=francia "
    "ireland=irland=irlanda spain=spanien=españa "
    "switzerland=schweiz=suiza united_states=usa united_kingdom=uk netherlands=niederlande "
    "austria=österreich italy=italien=italia poland=polen",
)
