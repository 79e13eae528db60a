"""Hold the words by which one knows that a sentence is about the work.

They are folded as those of `person_words` are; a word that ends in `-` begins one.
"""

from __future__ import annotations

#: What is made, and what it is made of and with.
WORK = """\
processus process proceso worker scheduler proc hilo descriptor descritor importe centimos redondeo
calculo calcul calcular compute date datum rounding cents category categories holiday-calendar calendar
calendrier calendario kalender berechnung rechenkern moteur motor engine расчет- дат- процесс- дескриптор-
календар- категори- правил- access account adapter admin alert algorithm api apis app apps architecture
archive argument array artifact async audit auth authentication authorization autoscal- backend backlog
backup bandwidth banner basket batch benchmark benchmarks billing binary bit blob board boilerplate
boolean branch breaking browser bucket buffer bug bugs build builds bundle button byte cache cached caches
caching callback canary cart catalog catalogue cdn cell certificate channel chart checkbox checkout
checkpoint ci class cleanup cli click client-side clock clone cloud cluster code codebase coding column
command comment commit commits compil- component compression config connection console constant constraint
constructor container contract controller convention cookie coordinator copy-paste core coverage crash
credentials cron crud csv currency cursor data database dataset deadlock debug debugger decimal decorator
default dependency dependencies deploy deploys deployed detector diagram diff digest directory disk dns
docs documentation domain download draft driver dropdown dto edge-case editor encoding encryption endpoint
enum environment error event exception exponential export exports expression extension failover fallback
feature feed field file filter firewall fixture flag flaky float flow folder footer fork form format
framework frontend function gateway getter git glob grid handler handshake hash header heap helper hook
host hotfix html http icon id identifier idempotent ids image implementation import imports index indices
inference infra ingest input instance integer integration interface interpolation interval invoice issue
iterator jar job jobs join js json jwt kernel key keys label lambda latency launcher layer layout ledger
lib libraries library limit line link linter linting list load-balancer loader locale localhost lock
lockfile log logger logging login logs loop lookup machine macro main mainline makefile manifest map
mapper mapping markdown master memory merge merged merges metadata method metric middleware milestone
minified mock mocks model models modal module monolith monorepo mutex namespace naming navbar network node
notebook notification null number oauth object offset option orchestrator order orm output overflow
override package page pager pair-programming panel parameter parser parsing partition patch path pattern
payload payment percentile permission pipeline pixel placeholder platform plugin pointer policy polling
pool port postmortem pr precision prefix preprocess- processor prod product profile profiler prompt
property protocol prototype provider proxy prs query queries queue race readme rebase record refactor
refactored reference regex regression registry release releases render repo report repository request
resolver resource response-body rest retention retries retry review reviews rewrite rollback rollout root
route router routing row rows rule runbook runner runtime sandbox sass schema scope screen script sdk
search secret seed selector sentinel serial- server service session setting settings setup shard shell
signature signup singleton slug snapshot socket software source spec spinner spreadsheet sprint sql ssl
stack staging standard state status stderr stdin stdout step storage store stream string struct
style-guide stylesheet subnet subscription suffix suite symbol sync syntax system tab tabs table tag tags
target task template tenant terminal terraform test tests testing theme thread throughput ticket timeout
timestamp tls toggle token tool tooling tooltip trace tracing traffic transaction transform tree trigger
trunk tuple type typing ui unit upload upstream uri url urls usecase user users utc utils uuid validation
validator value variable vendor version view vm warning watcher webhook website widget wizard workflow
workspace wrapper xml yaml zip postgres postgresql mysql mariadb sqlite mongo mongodb redis kafka rabbitmq
nats celery kubernetes docker helm python rust golang java kotlin swift ruby php perl scala elixir react
vue svelte angular nextjs django flask fastapi rails spring laravel npm pnpm yarn bun vite webpack babel
eslint prettier ruff mypy pytest jest vitest mocha playwright cypress graphql grpc protobuf ansible nginx
apache aws gcp azure s3 github gitlab jira jenkins linux macos windows android ios stripe paypal sentry
grafana prometheus datadog snowflake bigquery duckdb pandas numpy pytorch tensorflow css tailwind
bootstrap qt electron wasm uv pip poetry cargo gradle maven bazel cmake make bash zsh rotation on-call
oncall roadmap stakeholder requirement specification kpi sla customer supplier warehouse stock inventory
pricing price tax vat shipment shipping appointment-slot patient patients employee payroll assertion
deserializer quota cardinality idempotency backoff jitter debounce throttle sharding replica
leader-election follower consensus checksum- whitespace indentation newline interpreter bytecode opcode
register gpu cpu ram ssd latencies breakpoint datenbank- tabelle spalte datei dienst dienste
schnittstelle- abfrage schlussel- zweig feld zeile rechnung bestellung umgebung fehler anmeldung modul
klasse funktion methode warteschlange ordner pfad pfade anfrage antwortzeit prozess prozesse rolle seite
skript skripte speicher verbindung vorlage zeitstempel zeichenkette zertifikat paket pakete einstellung
auftrag auftrage abhangigkeit- bibliothek- entwurf konfiguration- migration- testfall testfalle protokoll-
rechte nutzer benutzer kunde lager lizenz wahrung base donnees tableau colonne fichier requete branche
champ ligne facture commande erreur fonction classe cle cles dossier chemin serveur dependance-
bibliotheque- depot parametre- utilisateur- environnement deploiement journal journaux tache formulaire
sauvegarde- paquet tampon jeton modele paiement datos tabla columna fichero archivo consulta rama campo
linea factura pedido funcion metodo clase clave carpeta ruta servidor dependencia- biblioteca libreria
repositorio parametro- usuario- entorno despliegue registro tarea formulario cola modulo pago prueba
paquete esquema migracion- servicio plantilla cliente dados banco tabela coluna arquivo ficheiro fila
linha erro funcao funcoes chave pasta caminho rota ambiente implantacao tarefa pagamento- teste testes
pacote migracao migracoes versao servico fatura dati tabella colonna errore errori funzione servizio coda
richiesta баз- таблиц- колонк- столб- файл- сервис- интерфейс- запрос- ключ- ветк- поле поля полей строк-
счет- заказ- ошибк- модул- класс- функци- метод- переменн- очеред- кэш- кеш- папк- путь пути роль роли
страниц- скрипт- памят- соединени- верси- шаблон- сертификат- пакет- настройк- зависимост- библиотек-
конфиг- миграц- тест- код- сервер- деплой- релиз- репозитори- коммит- ревью пользовател- клиент- апи
эндпоинт- токен- лог логи логах логов схем- платеж- задач- формат- парсер- компонент- индекс- протокол-
preis preise font color colour caller callee datetime timezone plan leak temp raiz noeud knoten cabecalho
logik logic logica logique логик- pod pods histórico history historial modif correctif fix fixes arreglo
cambio correcao ajuste правка правки правку исправлени- change changes anderung umbau folha teto faixa
indemnite abschnitt abschnitte antrag antrage formular recalculo padron registrado registrada unidad
expediente schwelle frist beitrag satz satze steuersatz barème bareme plafond seuil versement montant
contrat contrato vertrag vertrage договор- salarie salariee empleado empleada mitarbeiter mitarbeitende
сотрудник- работник- kindergeld pflegezeit allowance guardian applicant incidencia incident laudo licenca-
высокодоступ- выгрузк- загрузк- импорт- экспорт- дописать логин- права прав доступ- уведомлени- отчет-
статус- событи- фич- билд- сборк- контейнер- кластер- окружен- отступ- имен- комментари- эксперимент-
поиск- фуга fuga conexion permissao permissoes permiso autorisation berechtigung- ubersetzung traduccion
traducao traducoes traduction busqueda recherche suche busca componente botao boton bouton schaltflache
tela pantalla ecran maske ansicht vista vues gabarit alerta aviso hinweis mensaje message mensagem
mensagens nachricht сообщени- autenticacao autenticacion authentification authentifizierung аутентификац-
шифровани- estorno devolucion remboursement erstattung pix boleto nota-fiscal iva tva mwst umsatzsteuer
ндс comprobante recibo quittung beleg belege storno dublette duplicado doublon дублик- reihenfolge
orden_sql ordre sortierung- paginacion paginacao pagination- drehbuch lauf laufe nachtlauf ejecucion
execucao execution ausfuhrung запуск- puffer- ubertragung transferencia virement uberweisung
перевод_платеж lote dispositivo gerat gerate appareil устройств- requisito anforderung exigence требовани-
norme norma richtlinie регламент- licence licencia лицензи- arquitetura arquitectura architektur
архитектур- produccion producao produktion прод- автотест- покрыти- линт- формул- округл- валют- сумм-
скидк- склад- товар- остатк- накладн- чек- касс- revue revisiones revisoes securite seguridad seguranca
sicherheit безопасност- startup connector konnektor tage each every optional required mandatory shown
displayed deleted counted jede jeder chaque cada facultatif facultative opcional необязател- angezeigt
geloscht affiche affichee supprimes mostrado exibido показыва- хран- удаля- paciente пациент- schuler
studierende mitglieder versicherte bewerber mieterkonto eleves etudiants adherents assures candidats
alumnos socios afiliados alunos segurados associados ученик- студент- участник- buchung lohnlauf direccion
adresse endereco адрес адреса адресов address consentimiento einwilligung consentement consentimento
согласи- биллинг- tariff tarif tarifa expire expired expirent caducan vencem verfallen verfallt mineurs
menores minderjahrige beneficiaries surcharge musl plantage absturz fluss образ образа образы падени-
пайплайн- мердж- мержит несовершеннолетн- отпуску отпуска_график части частей abrechnung lohnsteuer
buchhaltung criteria criterion сгора- блокировк- письм- клиник- gemeinde maximum cotisation cotisations
livraison livraisons liste listes controle entrega entregas регулярк- автомат- konstante beitrage"""
#: What is done to it, and to nothing of a person's life.
DOING = """\
add added adding remove removed removing rename renamed renaming implement implemented implementing merge
merged deploy deployed migrate migrated migrating refactor refactored rewrite rewrote rewritten configure
configured store stored storing cache cached pin pinned bump bumped revert reverted extract extracted wire
wired parse parsed validate validated serialise serialize serialized encode encoded encrypt encrypted hash
hashed index indexed export exported import imported render rendered model modelled modeled document
documented test tested debug debugged profile profiled benchmark benchmarked rebase rebased push pushed
commit committed tag tagged normalise normalize normalized mock mocked anonymise anonymize anonymized mask
masked seed seeded split patch patched upgrade upgraded downgrade downgraded switch switched replace
replaced generate generated hinzugefugt entfernt umbenannt umgestellt eingebaut implementiert migriert
gespeichert ersetzt umgebaut ausgelagert konfiguriert ajoute supprime renomme implemente migre remplace
stocke anadi anadido elimine renombre reemplace guardo adicionei removi renomeei implementei migrei
substitui добавил- удалил- переименова- реализова- внедрил- заменил- вынес- настроил- перен- написал-
исправил- починил- почистил- поправил- сломал- переписал- подключил- выкинул- arregle arregla quite anade
corrigi corrige resolvi resuelto refactorice refatorei corregi borre borrado apague eingefuhrt abgeschafft
abgeschaltet eingestellt verworfen verwerfen behob corrigee retire retiré supprimee bascule basculé"""
#: In scripts without blanks.
SIGNS = """\
规则 计算 天数 员工 系统 工具 流程 任务 命令 环境 密钥 证书 网关 集群 数据 接口 测试 代码 部署 函数 变量 缓存 队列 日志 服务 表 字段 列 索引 脚本 配置 文件 目录 分支 提交
版本 模块 组件 前端 后端 请求 响应 超时 重试 错误 异常 线程 进程 内存 用户 权限 订单 支付 页面 按钮 参数 类型 依赖 框架 模型 训练 迁移 文档 仓库 构建 编译 データ テスト コード
関数 変数 サーバ 接続 設定 ファイル 依存 移行 连接 释放 泄漏 优化 逻辑 算法 架构 上线 发布 回滚 监控 告警 压测 性能 重构 单测 用例 断言 编码 解析 序列 路由 事务 主键 外键 分页
排序 查询 连接池 家长确认 周期 状态 字符 数组 对象 金额 单位 登记 触发 户号 合同 上传 证明 业务 需求 编号 灰度 库 主干 容器 镜像 网络 客户 内网 外网 供应商 银行 年底 归档 开关
约定 规范 命名 评审 负责 归 排期 待办 字符串 时区 幂等 鉴权 限流 熔断 降级 埋点 报表 导出 导入 批次 对账 清算 发票 税率 库存 商品 物流 审批 工单 修复 搜索 过滤 校验 格式
编辑器_ 弹窗 样式 渲染 打包 流水线 患者 病人 地址 学生 会员 客户端 下单 逾期 工作日 养老金 日期 年龄限制 过期 失效 崩溃 填 受益人 最多 至少 不准 不能 必须 禁止"""
#: What somebody does who decides about the work, or finds something out about it.
DECIDING = """\
think believe suspect assume guess went denke glaube vermute pense crois creo pienso acho penso думаю
полагаю guardar usar cambiar mover poner quitar anadir subir bajar dejar salvar mudar trocar colocar
adicionar remover utiliser garder mettre ajouter enlever changer deplacer passer stocker verwenden nehmen
umstellen einbauen lassen использовать хранить поменять добавить убрать оставить перенести decided decide
chose choose chosen picked settled opted agreed approve approved accepted reject rejected measured measure
found noticed saw learned discovered traced reproduced confirmed verified checked tried ran want need
require insist propose suggest moved move put set made make changed change use used using keep kept drop
dropped fix fixed create created wrote write build built ship shipped raise raised lower lowered enable
enabled disable disabled bisected entschieden entscheide beschlossen gewahlt aufgefallen gemerkt gefunden
gemessen festgestellt geandert verschoben gesetzt gelost behoben will mochte brauche nehme benutze
verwende setze stelle erhohe erhoht gesenkt choisi opte constate trouve mesure remarque veux voudrais faut
utilise mis mets deplace corrige decidi decidido elegi eleji optado quiero necesito subi baje cambie movi
medi encontre vi note puse corregi arregle escolhi quero preciso mudei achei encontrei notei usei coloquei
corrigi aumentei reduzi troquei решил- выбрал- нашел нашла заметил- измерил- хочу нужно поменял- изменил-
увеличил- уменьшил- поставил- сделал- использую использовал- перешел перешла отключил- включил- сдвинул-
leave left update updated support clarify no_longer push haven corrected told asked showed explained
requested reported splitting moving keeping dropping switching changing replacing renaming leaving running
working_on putting setting making writing building testing fixing gestellt umgestellt hinzugefugt passe
monte descendu ajoute enleve augmente baisse cambiado puesto quitado anadido movido usado subido bajado
encontrado visto medido tirei adicionei baixei deixei добавил- убрал- перевел- rolled restored chased
narrowed reduced increased should verlegt ausgebaut gebaut geschrieben korrigiert repariert geloscht
angelegt angepasst getestet gepruft gefixt eingerichtet aktualisiert ausgetauscht zusammengefuhrt
aufgeteilt erweitert vereinfacht aktiviert deaktiviert hochgesetzt runtergesetzt ermittelt eingegrenzt
reproduziert gestrichen getrennt verbunden verteilt gebundelt gemergt gepusht deployt trouvee decale ecrit
active desactive reduit separe fusionne livre teste verifie isole reproduit limite escribi escrito
corregido activado desactivado reducido separado fusionado probado verificado aislado descobri escrevi
corrigido ativei desativei separei testei verifiquei isolei ajustei обнаружил- выяснил- написал- настроил-
выключил- разделил- объединил- проверил- вынес- собрал- починил- ускорил- ограничил- investigated isolated
refined adjusted tuned tweaked swapped deduplicated normalised flattened inlined hoisted hardcoded bundled
compiled minified gzipped compressed encrypted decrypted signed escaped sanitised sanitized quoted
formatted linted typed annotated instrumented logged profiled sharded partitioned replicated backfilled
vacuumed reindexed batched throttled debounced memoised memoized paginated sorted grouped joined queried
scheduled retried queued dispatched subscribed published emitted streamed buffered flushed locked unlocked
released acquired mounted bound exposed proxied routed redirected rewired registered declared defined
derived computed estimated counted summed averaged rounded truncated padded trimmed assigned allocated
freed leaked overflowed deadlocked tagged branched cherry-picked squashed amended stashed forked cloned
vendored bisecting reproducing looking_at versucht probiert ausprobiert starten essaye tente probe intente
tentei попробовал- пробовал- запустил- try experimented rebuilt reconstruit reconstrui refiz refait refis
пересобрал- neu_gebaut rehice wrong geirrt trompe equivoque enganei ошибся ошиблась"""
#: What says whose a part of the work is.
OWNING = """\
owns own maintain maintainer review reviews reviewer responsible charge approves approver sign-off signs
contact ask ping talk leads handles looks publishes releases decides coordinates runs on-call oncall
assigned assignee cares wrote designed reported proposed merged fixed added deploys supports zustandig
verantwortlich verantwortet betreut pflegt pruft genehmigt setzt fragen fragt reviewt besitzt wartet
kummert gehort macht entscheidet abstimmen freigabe responsable s-occupe occupe maintient relit valide
publie gere approuve decide demander contacter voir mantiene revisa aprueba lleva encarga gestiona publica
pregunta preguntar consultar hablar responsavel mantem aprova cuida gerencia revisao perguntar falar
отвечает ответственн- согласу- ведет поддержива- ревьюит проверя- утвержда- решает спрашива- спросить
владел- публику- занимается call bereitschaft guardia plantao astreinte belongs appartient appartiennent
pertenece pertenecen pertence pertencem принадлежит manager passez passer_par pasad pasa fale falem
geht_an ansprechpartner- owner- zustandigkeit gehoren владеет владеют steward curates triage"""
