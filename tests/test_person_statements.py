"""What is about a person is told from what is about the work, by sentence, in several languages."""

from __future__ import annotations

import pytest

from ledger.secrets.person_statements import CONFIDENCE, about_person, paragraphs

PERSONAL = {
    "health": """\
I can't look at flashing spinners, they trigger my epilepsy
Had an MRI this morning so I'm a bit out of it, go slowly
Typing one-handed today, broke my thumb skating
my tinnitus is killing me, no more audio demos please
Ich bin seit Montag krankgeschrieben und teste nur nebenbei
Nach der Chemo werde ich schnell müde, mach bitte kleine Schritte
Hab Fieber, heute nur noch das Nötigste
Je sors d'une opération du genou, je ne peux pas rester assise longtemps
Elle fait une dépression depuis la fusion, ne lui confie rien d'urgent
Tengo hernia discal y no aguanto más de una hora sentado
Me han diagnosticado TDAH, así que dame las tareas de una en una
Estou com dengue, só volto segunda
У меня мигрень, сделай экран потемнее
Врач запретил мне работать по ночам
我失眠好几天了，今天脑子不清楚
我有多动症，请一步一步来
""",
    "family": """\
My son starts school on Monday, so I'm offline until ten
Our second baby is due in March and I'd like the migration done before
got to fetch the twins, back in an hour
Ihr Mann hat sie verlassen, seitdem kommt sie ständig zu spät
Unsere Kleine zahnt, ich habe kaum geschlafen
Mon beau-père est hospitalisé, je dois partir tôt
Mes gosses sont à la maison toute la semaine
Mi mujer está de parto, os dejo
Cuido a mi madre por las tardes, así que nada de reuniones
Minha sogra mora com a gente, então não ligo a câmera
Моя жена ждёт ребёнка, в мае меня не будет
我得去接孩子放学，剩下的你来跑
我妈住院了，这周我可能不在
""",
    "pay": """\
They only pay me 52k, I'm not doing on-call on top of it
I didn't get the raise I asked for
My rent went up again so I can't afford the bigger plan
Ich verdiene weniger als der Praktikant, ehrlich
Der Andreas kriegt 20 Prozent mehr als alle anderen
Je touche 1900 euros, faut pas exagérer
Cobro una miseria, no voy a documentar nada
Ganho menos que o estagiário e ninguém faz nada
Мне урезали премию, так что без энтузиазма
我月薪才八千，别指望我加班
""",
    "plans": """\
I've accepted an offer from Datadog but nobody here knows
After the launch I'm taking a year off to sail
Looking for something new, so keep my notes tidy for whoever comes next
Ich höre zum Jahresende auf
Ich fange im Herbst ein Studium in Wien an
Je passe un entretien chez Dassault jeudi
Dejo la empresa en junio, prepárame una lista de traspaso
Vou sair da empresa depois do carnaval
В июне увольняюсь и уезжаю в Грузию
我下个月跳槽，先别告诉组里
""",
    "place": """\
I live two blocks from the datacenter, I can walk over
Currently on a train to Prague with bad wifi
I'm in Denver this week, mountain time
Ich sitze gerade im Zug nach Hamburg
Wir sind nach Freiburg gezogen, die Leitung ist langsam
J'habite à côté de Nantes, la fibre n'arrive qu'en mars
Estoy en casa de mis padres, en Oviedo
Moro no interior de Minas e a internet cai
Я сейчас на даче, связь плохая
我现在在上海出差，住酒店
""",
    "opinion": """\
Between the lot of them only Priyanka knows what she's doing
Honestly Carl is a terrible programmer
Don't bother asking Wen, he never reads anything
Our lead takes all the credit and does none of the work
Der Kollege aus dem Backend ist eine Katastrophe
Mit Frau Krüger kann man einfach nicht arbeiten
Le stagiaire est complètement perdu, franchement
Benoît se croit supérieur à tout le monde
Mi compañera nueva no da una
El de sistemas es un borde
O Marcelo é péssimo, só atrapalha
Мой начальник самодур
Наташа опять ничего не сделала
产品经理就是个白痴
他写的代码烂得要命，人也懒
""",
    "taste": """\
I prefer short answers without emojis
I love it when you draw a table, do that more
Please stop apologising, it gets on my nerves
I'm more of a night owl, so schedule long jobs for the evening
Ich mag keine langen Erklärungen
Duz mich bitte
Erklär mir alles in einfachen Worten
Je préfère qu'on me tutoie
Tu peux être plus direct avec moi, j'aime ça
Prefiero que me hables de usted
Odio los diagramas, dame texto
Prefiro que você vá direto ao ponto
Я предпочитаю короткие ответы
Не называй меня Александром, просто Саша
我喜欢简短的回答
跟我说话用中文就好
""",
    "third": """\
Marta is pregnant but hasn't told the team
The new dev on payments told me he is getting divorced
Yusuf's visa runs out in April
Peter trinkt wieder
Die Kollegin aus dem Support wurde gestern entlassen
Antoine a perdu son père la semaine dernière
A Lucía le han detectado un tumor
Fernanda terminou o noivado e está péssima
Костя лежит в больнице после аварии
小王上周离婚了，状态很差
""",
    "kept": """\
This stays between us: I skipped the security review
Off the record, the benchmark was cherry-picked
Don't tell anyone, but the demo was faked
Das bleibt unter uns, das Audit war geschönt
Garde ça pour toi, le client va partir
Que quede entre nosotros, no hicimos copias
Isso fica entre nós, o teste nunca rodou
Это между нами: тесты мы не гоняли
这事你知我知，数据是我改的
""",
    "mixed": """\
sorry for the typos, the baby kept me up
Rosa quit drinking in spring so no whisky emojis in release notes
deploy after nine please, I take my grandmother to church in the morning
the linter config is strict because Ivan is a pedant
I can't do stairs so put the server list on the ground floor map
my ADHD makes long diffs unreadable
Bianca is leaving for Zalando, act surprised
our PO has never shipped anything in his life
we only ship on Mondays because Luke has custody every other weekend
I'm vegetarian, change the sample data
I wouldn't trust Henrik with the keys
I earn less than the contractor whose code I'm fixing
keep answers under five lines, I'm reading on my phone on the bus
I'm from Ghana, spell my name right in the header
the reason this module is bad is that Viktor wrote it drunk
wir haben uns getrennt, ich schlafe im Büro
Ich brauch nach jeder Stunde eine Pause wegen meinem Rücken
ich bin der Einzige hier der was kann
kürzer bitte, ich werd sonst wahnsinnig
meinem Sohn ist schlecht, ich muss los
Ralf hat Schulden und nimmt jeden Job
ma copine m'a quitté, je bosse la nuit
explique comme si j'avais dix ans
Luc touche une prime pour chaque ticket fermé
je déteste le mode clair
je suis végane, pas de jambon dans les exemples
l'alternante est enceinte
tengo dos niños pequeños así que commits cortos
Javier miente en los estándares
me mareo con las animaciones
a mí háblame en catalán
quiero cambiar de empresa antes de Navidad
Patrícia não sabe programar
sou mãe solo, não faço plantão
tenho medo de quebrar o banco
болею, отвечаю медленно
Дима женится в субботу, релиз без него
я плохо понимаю английский, пиши по-русски
мне не нравится тёмная тема
我老家在成都，五月回去结婚
张伟是关系户，啥也不会
我手受伤了，只能用语音输入
I've got a colonoscopy on Tuesday so don't expect the patch before Wednesday
can you make the font bigger, I forgot my glasses again
the log colours are useless to me, I only see shades of yellow
had two beers at lunch, double check my regex
Gina's been crying in the toilets since the reorg
my landlord is kicking us out so I may be offline a lot in June
we lost the dog yesterday, I'm not really here today
Ravi told me over dinner he's had it with this place
do the boring parts yourself, I hate writing docs
stop with the bullet points, full sentences please, that's how my brain works
I speak Catalan at home so excuse my English in the commit messages
I'm only twenty-two so nobody takes my review comments seriously
Paul on QA is hopeless, just merge without waiting for him
I voted for the union so management won't give us staging budget
the deploy slipped because Ingrid's house burned down
you can reach me on 07700 900123 if prod breaks
she's on her third warning from HR, keep her out of the release channel
Lars verdient das Doppelte und macht halb so viel Reviews
ich stottere, also bitte keine Sprachnachrichten im Standup-Bot
Ohne Kaffee geht bei mir vor zehn gar nichts
Der Praktikant ist strohdumm, lass ihn nicht an die Migration
Yasemin hatte eine Fehlgeburt, deshalb ist der Import liegengeblieben
ich zieh im Sommer mit meiner Freundin nach Oslo
mein Therapeut meint ich soll abends nicht mehr deployen
Holger säuft, das weiß jeder im Team
mach mir die Ausgabe einfarbig, ich seh Rot nicht
Bei uns daheim hat keiner Internet bis Montag
Ich kann den Neuen aus der Infra nicht riechen
je fais une pause, ma fille a de la fièvre
mets les diagrammes en noir et blanc, je distingue mal les couleurs
Sandrine gagne moins que moi et elle fait deux fois plus
le nouveau du front est un boulet
on m'a proposé un poste à Montréal, je pars sûrement en janvier
j'ai pas dormi de la nuit à cause du petit
je bosse depuis mon canapé, connexion moyenne
j'en peux plus de ce client, vraiment
mi marido perdió el trabajo, necesito las horas extra
ponlo en letra grande que ando fatal de la vista
Borja es un pelota y un trepa
esta tarde tengo quimio, sigue tú con los tests
mañana firmo el divorcio, no me esperes en la demo
nos mudamos a Vigo en septiembre
Ana cobra el doble que yo por hacer lo mismo
prefiero café antes de mirar ningún log
tô com uma enxaqueca horrível, termina você
minha mãe tá internada, volto a mexer nisso depois
o Caio tá procurando emprego escondido
não aguento mais o Paulo, ele é um inútil
sou daltônico, troca esse verde do gráfico
eu curto explicação curta, sem firula
у меня родилась дочь, меня не будет неделю
я дислексик, пиши короткими абзацами
Андрей опять с похмелья, его код не мержи
мне предложили место в Яндексе, скоро уйду
не люблю длинные ответы, давай по делу
живу в Казани, у меня другой часовой пояс
我老公失业了，这几个月得多接点活
小张能力太差，别让他碰支付
我眼睛不好，字体调大一点
下周我去泰国玩，不带电脑
我不喜欢看英文，用中文解释
the tests can wait, I'm at my niece's recital
Quentin smells of weed every morning, no wonder his commits are a mess
don't schedule the reindex on Thursdays, that's my dialysis day
my contract ends in April and I won't renew
as a diabetic I have to eat at fixed times, so short sessions please
Helga in accounting told me she is bipolar
just give me the diff, I can't stand explanations
I'm typing from a hospital bed
use larger headings, my dad reads this too and he's 80
I only believe in tests since my burnout
the new PM is a control freak
Jorge never finishes anything he starts
please don't use the word crash, my brother died in one
I moved back in with my parents so the vpn ip changed
user mentions he is colour blind
The user would rather be addressed informally and dislikes long replies.
I get seasick from parallax, turn it off in the demo
he got the job because his uncle is on the board
ich trinke nicht mehr, also kein Bier als Beispieldaten
Frau Sommer ist hoffnungslos überfordert
Ich bin Autist und brauche klare Ansagen
Der Chef hat mir die Beförderung verweigert
Jonas geht im März in Elternzeit
bin um fünf weg, Elternabend
Schreib lieber auf Englisch, mein Deutsch ist noch schlecht
Unser Teamleiter ist ein Choleriker
Ich hab gerade echt Existenzangst
Jérôme a eu un accident de scooter, il est dans le plâtre
je suis enceinte de trois mois, personne ne le sait au boulot
mon proprio veut récupérer l'appart
Nadège est vraiment trop susceptible
j'ai grandi en Bretagne, d'où le nom du serveur
évite le jargon, je débute et j'ai honte de demander
me han despedido, así que documenta todo bien
Rodrigo tiene un problema con la bebida
soy zurdo y ese atajo me mata la muñeca
no me hables de usted, por favor
mi suegra vive con nosotros, no puedo hablar por micro
el CTO se acuesta con la de recursos humanos
moro com meus pais ainda, a internet é dividida
a Bruna foi assediada pelo gerente
ando muito ansioso com esse prazo
gosto de comentários curtos no código
meu salário tá atrasado de novo
у Лены рак, мы собираем деньги
я левша, сделай хоткеи под левую руку
наш директор ворует, это все знают
мне тридцать восемь, поздно учить Rust
Пиши мне на ты и без смайликов
我爸去世了，请一周假
他老婆也在我们公司，别提
我胃疼，先到这
老板偏心，好项目都给他亲戚
我想转去做产品，先学点别的
""",
    "belief": """\
I'm Muslim, so no standups during Friday prayers
I don't work on Saturdays, it's the sabbath
As a Republican I'd rather not talk about that
Ich bin in der Gewerkschaft aktiv
Je suis juif pratiquant, rien le samedi
Soy vegano y no voy a esas comidas
Sou testemunha de Jeová
Я не праздную Новый год, я мусульманин
我是基督徒，周日不工作
""",
    "reasons": """\
remind me at four, I have to take my pills
reassign the ticket from Yusuf, he is back in rehab
Lass die Nachtläufe weg, weil ich sonst nicht schlafen kann
nimm den Deploy vom Dienstag runter, da muss mein Kleiner zum Logopäden
Pas de déploiement jeudi parce que j'enterre mon oncle
Sin despliegues el martes porque tengo que llevar a mi abuela al médico
sem deploy na quinta porque vou no velório do meu tio
Без деплоя в четверг, потому что веду маму к врачу
因为我要带孩子看病，周四不要发版
Since the chemo I forget things, so write the steps down for me
the export is late because Piotr was at his daughter's recital every night
""",
    "whose": """\
Teresas Vater hat Krebs, verschieb ihr Review
Hartmunds Tochter liegt auf der Intensivstation, verschieb das Ticket
Le père de Solène est aux soins palliatifs, laissez-la tranquille
La madre de Iker está en la UCI, no le agobiéis
A mãe da Bruna está na UTI, não manda ticket pra ela
Мать Игоря при смерти, не пишите ему
""",
    "no pronoun": """\
sitze im Zug nach Kiel, die Verbindung zum Server bricht ab
liege mit Grippe flach, mach du die Tests fertig
Kann heute nur flüstern, Kehlkopfentzündung
chorei de raiva quando jogaram tudo fora
vouvoie-moi et appelle-moi Madame Perrot
trata-me por tu e chama-me Zé
háblame como si tuviera cinco años
до слёз обидно, месяц труда коту под хвост
在高铁上，网不好
""",
    "the user": """\
L'utilisateur veut qu'on le vouvoie et sans détours
o usuário quer ser chamado de você e sem enrolação
user is a single father and only has evenings
用户希望用英文回答，不要客套
""",
    "called": """\
小陈写的东西没法看，天天给他收拾烂摊子
老徐喝多了上班，提交都是乱的
Louise from the client is sleeping with our account manager
I want to become a team lead before the redesign ships
I will be gone in spring, hand my tickets over
""",
}
PROJECT = """\
Ich will keine Logik in den Templates haben
je ne veux pas de logique dans les vues
Mon correctif a cassé la recherche parce que le champ date est vide
Maternity leave of more than 14 weeks needs a second approver in the absence module
Le congé maternité de plus de 16 semaines ouvre un second versement
Una baja médica de más de tres días abre una incidencia en nómina
Die Pflegezeit darf höchstens sechs Monate dauern, sonst meldet das Formular einen Fehler
A marriage recorded in the registry triggers a new household id
离婚登记会触发户号重算
Ein Mitarbeiter kann mehrere Verträge haben, jeder mit eigenem Gehalt
Cada empleado puede tener varios contratos, uno por empresa
У каждого сотрудника может быть несколько договоров
患者可以有多个地址
I prefer that errors are raised and never swallowed
The user wants every list to be sortable
Der Nutzer will alle Listen sortieren können
Das Suchmodul gehört zu Dagmar, Änderungen bitte über sie
El módulo de búsqueda es de Nuria, pasad por ella
Carol is the release manager for the 4.x line
Nos quedamos con Django 4.2, la prueba con Litestar se abandona
Pendente decidir se o histórico fica por mês ou por cliente
The importer treats an empty birthday as unknown
A widow's pension starts the month after the death date
Birthdays on 29 February are shown on 1 March
Les jours de congé expirent le 31 mars
Я ошибся насчёт кэша: дело в порядке ключей
我用 musl 重新构建了镜像，不再崩溃
I decided to use Postgres for the job table
I went with Celery because retries come for free
We decided against Kafka: two hundred events a day do not need it
I found that the importer drops rows with a BOM
I renamed the parser module, the old name clashed with the standard library
I want all endpoints to return problem details
I think the race is in the scheduler's lock, not in the worker
I'd rather keep the migration in one transaction
My branch still misses the tests for refunds
I split the billing worker in two because one slow customer blocked all
I benchmarked both drivers and asyncpg is twice as fast
We never log request bodies
The salary column is stored in cents
Child processes inherit the socket, close it before exec
Patients with more than one allergy are shown a red banner
The sick leave report counts half days twice
A family plan has up to six members
The divorce form has its own validation rules
The employee's home address is encrypted at rest
Parental leave is entered as absence type 14
Dating profiles are deleted after ninety days without a login
Elena owns the payments module
Ask Karim before changing the Terraform state
Joana reviews all migrations
Sven maintains the release scripts
@lena approves changes to the public API
The data team is on call for the ingest
Webhooks retry three times, with jitter
Use tabs in the Makefile and spaces everywhere else
Commit messages are written in English
Never deploy on Fridays after noon
All times are stored in UTC
The build needs Node 22, because of the import attributes
The cache is keyed by tenant and locale
Open: who deletes the tombstones after the compaction
Should the export use Parquet or CSV?
Wir haben uns für SQLite entschieden, weil keine zweite Maschine da ist
Ich habe den Timeout auf 30 Sekunden gesetzt
Ich habe gemerkt, dass der Index beim Import fehlt
Die Tabelle mitarbeiter hat eine Spalte gehalt in Cent
Für die Abrechnung ist Jürgen verantwortlich
Krankmeldungen werden nach drei Jahren gelöscht
Der Elternprozess wartet auf alle Kindprozesse
Migrationen laufen immer vor dem Start der Dienste
Tests heißen nach dem, was gilt
On a choisi Redis pour les sessions
J'ai remplacé le cron par une file, les jobs se chevauchaient
Le processus père attend la fin de ses enfants
Claire valide les migrations
Les montants sont stockés en centimes
Les dossiers des patients sont archivés après dix ans
Hemos decidido usar Kafka para los eventos
Cambié el orden de las migraciones porque fallaba en limpio
El proceso padre cierra el descriptor
Lucía mantiene el módulo de pagos
La nómina se calcula el día 25
Las pruebas de integración usan una base real
Decidimos usar filas do SQS
Troquei o driver porque vazava conexões
A tabela de salários guarda valores em centavos
Rafael cuida do deploy
Os testes não podem depender do relógio
Мы решили хранить суммы в копейках
Я перенёс миграции в отдельный пакет
За релизы отвечает Сергей
Дочерние процессы наследуют дескрипторы
Все даты хранятся в UTC
我们决定用 PostgreSQL
我把超时改成了三十秒
子进程会继承文件描述符
患者表的诊断字段要加密
李雷负责支付模块
接口返回的金额单位是分
日志里不能有手机号
I traced the leak to the connection pool, it never closes on cancel
I bumped the timeout because the bank's sandbox needs forty seconds
I'd keep the feature flag until the rollout is done
I'm splitting this into two migrations so that the lock is short
my change to the parser breaks the old fixtures
Miguel wrote the importer, ask him about the encoding table
Katya is on call for the gateway this week
Tom's patch to the scheduler is reverted, it broke the retries
the customer's birthday is only stored as day and month
the weight of an edge is its latency in ms
the health endpoint returns 503 while the cache warms up
dead letters are kept for fourteen days
orphan processes are reaped by the supervisor
parents are resolved before children in the build graph
a married couple files one return in the tax module
the sick flag of an employee hides the calendar entry
blind index on the email column so that search works on encrypted data
the drunk-user test clicks everywhere at random
the holiday table has one row per region and year
gender is optional and free text
the salary export rounds half to even
We love small pull requests here, at most three hundred lines
the user wants to undo an import, so every import has a batch id
der Wohnort des Mieters wird nicht geloggt
Kinderpreise gelten bis zum zwölften Geburtstag
Ich nehme Kafka statt RabbitMQ, weil die Reihenfolge zählt
Ich hab den Cache auf 15 Minuten gestellt, davor lief der Speicher voll
Der Urlaubskalender kommt aus dem Personaldienst
Dirk betreut das Rechnungsmodul
l'arrêt maladie suspend le calcul de la prime
l'âge du patient est calculé à la date de la consultation
j'ai passé le pool à vingt connexions
Sophie relit les changements du schéma
el alquiler se prorratea por días en la factura
he cambiado el índice porque la consulta tardaba dos segundos
Pablo lleva el módulo de envíos
a licença maternidade conta como ausência remunerada
coloquei um lock no worker porque dois jobs pegavam o mesmo pedido
я добавил индекс по дате, выборка стала быстрее
Ирина отвечает за схему базы
家庭成员最多六个，超出要提示升级
我给订单表加了联合索引
离职员工的账号当天停用
I'm keeping the old endpoint until mobile 4 is gone
I found two callers that pass a naive datetime
I suspect the flake comes from the shared temp folder
My plan for the migration: copy, verify, swap
Nina's parser handles quoted newlines, keep it
Reviewed with Omar: the retry budget is per tenant
Sergey and Lin own the ingest, changes need one of them
The doctor role may read lab values but not billing
The app shows prayer times by location
A widow's pension uses table 7
Deaf users get a visual alarm instead of the beep
Blocked users never see each other
we hate flaky tests, so a flaky test is deleted after a week
Lehrer sehen nur die Noten ihrer Klasse
Ich habe die Sortierung in die Datenbank verlegt
Meine Änderung am Router ist noch nicht getestet
Rentenbeiträge werden monatlich abgegrenzt
Thomas gibt die Releases frei
Le dossier médical n'est lisible que par le médecin traitant
J'ai trouvé la fuite : le client HTTP n'était jamais fermé
Los hijos del nodo raíz se ordenan por peso
Encontré el fallo: el reloj del contenedor iba en otra zona
Marta aprueba los cambios de infraestructura
Los alérgenos del menú son obligatorios
O campo gestante é booleano
Descobri que o proxy corta cabeçalhos grandes
O time de dados cuida do lago
Зарплатный модуль считает налог по старой ставке
Я нашёл утечку в пуле соединений
Пациенты без полиса видят только платные услуги
Ольга ведёт релизы
学生请假超过三天要家长确认
我发现连接池没有释放
孕周按末次月经计算
"""
CASES = [(topic, said) for topic, lines in PERSONAL.items() for said in lines.splitlines()]


@pytest.mark.parametrize(("topic", "said"), CASES)
def test_what_is_about_a_person_is_told(topic: str, said: str) -> None:
    """Whatever it is about; in any case, decomposed, and between statements about the work."""
    assert about_person(said)
    assert about_person(f"We store all amounts in cents. {said}. The cache is keyed by tenant.")
    assert about_person(f"The cache is keyed by tenant.\n\n- {said}\n- We log nothing.")
    assert (about_person(said) == CONFIDENCE) or topic != "kept"


@pytest.mark.parametrize("said", PROJECT.splitlines())
def test_what_is_about_the_work_is_left_alone(said: str) -> None:
    """Decisions, conventions, ownership and the words of a domain, whoever says them."""
    assert about_person(said) == ""


def test_a_wrapped_sentence_is_one() -> None:
    """The end of a line ends no sentence, and a blank line or an item ends a paragraph."""
    assert about_person("My daughter\nhas asthma, so nothing\nruns on Wednesdays.")
    said = "One.\ntwo\n\n- three\n  four\n- five\n\n\nsix"
    assert list(paragraphs(said)) == ["One.\ntwo\n\n", "- three\n  four\n", "- five\n\n\n", "six"]
    assert "".join(paragraphs(said)) == said


@pytest.mark.parametrize(
    "text", ["Why is it cold?", "How is it slow", "Nothing is slow now.", "Warum ist es langsam?"]
)
def test_a_question_names_nobody(text: str) -> None:
    """What begins with a capital for another reason is no name."""
    assert not about_person(text)
