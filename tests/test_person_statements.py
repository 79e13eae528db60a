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
}
PROJECT = """\
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
