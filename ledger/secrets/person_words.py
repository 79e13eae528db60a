"""Hold the words by which one knows who a sentence is about, in several languages.

They are folded as `person_statements` folds a sentence: small letters without marks. A word that ends in `-`
begins one. What one language has for something else stands in no table.
"""

from __future__ import annotations

#: The speaker, by a word or by the form of a verb that needs no word for them.
ME = """\
i ive me mine myself ich mich mir je j moi yo conmigo eu mim comigo tengo estoy soy vivo gano cobro
prefiero odio detesto adoro trabajo sufro padezco necesito quiero duermo tenho estou sou moro ganho recebo
prefiro odeio trabalho sofro preciso quero durmo gosto io sono preferisco guadagno abito ik mij я мне меня
мной мною brb afk gotta wanna ttyl tbh imo imho hab bin habe wohne fahre gehe brauche mag fuhle arbeite
kriege verdiene voy fui hago puedo siento duelen mudo marcho llevo aprendo entiendo vuelvo salgo estuve
opero vou tava fico fiz sinto consigo entendo volto enxergo acho moi-meme suis j'ai jag хочу могу буду
люблю живу работаю болею сплю ненавижу предпочитаю устал устала уезжаю лечу еду беру чувствую переживаю j'
m' иду жду сижу хожу вижу слышу уйду приду поеду пойду лежу ищу пишу прошу считаю ando veo oigo bebo dejo
leo escribo hablo conozco sigo creo pido cojo suelo vejo ouco leio escrevo falo curto aguento durmi dormi
pego peco uso_pt chego termino_pt kenn kann_ich seh schlaf vedo sento parlo dormo leggo preferirei обо
устаю встаю читаю думаю понимаю ем пью курю sitze liege bleibe komme reise fliege pendle warte hange
stecke tippe hore lerne verstehe kenne denke_ich"""
#: What is the speaker's own.
MY = """\
my mine mein meine meiner meinem meinen meines mon ma mes mi mis meu minha meus minhas mio mia miei mie
mijn moj moja moje мой моя мое мои моего моей моих моему моим моими мою моем моею mios mias"""
#: Of somebody else.
THEIR = """\
his her their ihr ihre ihren ihrem seine seinem seinen sa ses su sus dele dela seu sua suo его ее их"""
THEY = "he she him elle ella ele ela lui он она ему ей него нее ним his her hers"
#: Judgements that only a person is given.
JUDGED = """\
incompetent arrogant rude moody bossy clueless jerk idiot moron asshole narcissist gossip stupid dumb
selfish dishonest liar toxic stubborn insufferable unbearable condescending passive-aggressive slacker
micromanager micromanaging micromanage unprofessional two-faced manipulative sloppy underperforming
underperforms whines whiny creepy careless disorganised disorganized unreliable annoying annoys nightmare
overwhelmed burned trustworthy faul inkompetent unverschamt launisch idiotin dumm egoistisch stur
unertraglich schlampig uberfordert unzuverlassig nervig nervt zickig hinterhaltig paresseux paresseuse
incompetente arrogante insupportable impoli fainéant faineant idiote nul nulle bete egoiste menteur
menteuse feignant depasse depassee lunatique penible vago vaga maleducado tonto tonta egoista mentiroso
mentirosa insoportable perezoso perezosa idiota imbecil desordenado pesado preguicoso preguicosa grosso
grosseiro burro burra insuportavel chato chata desleixado pigro pigra insopportabile scortese stupido
ленив- лентя- лодыр- некомпетентн- бездар- глуп- тупой тупая хам хамит дурак дура идиот- высокомерн-
невыносим- безответственн- ненадежн- бестолков- раздража- врет лжет smartest smarter dumbest brightest
genius mediocre mediocrity slowpoke worthless pathetic disgrace clown fool foolish naive immature childish
spineless coward cowardly dishonesty lied lying cheats cheater thief hungover lousy ass-kisser brown-noser
diva snob know-it-all control-freak paranoid insane psycho obnoxious pushy nosy petty vindictive jealous
grumpy cranky moany complainer gullible incapable inept amateur amateurish distrust untrustworthy
mittelmass mittelmassig peinlich unausstehlich zicke zickt furchtbar- besserwisser schwatzer arschloch
depp trottel pfeife nichtsnutz niete blender schleimer jammert jammerlappen weinerlich lugt luger lugner
lugnerin arbeitsscheu begriffsstutzig planlos unbrauchbar kann_nix drecksack bescheuert klugste schlauste
hubsch hasslich conne connard connasse debile cretin cretine boulet branleur branleuse mechant mechante
hypocrite fourbe desagreable colerique pretentieux pretentieuse inutiles cretino cretina gilipollas cabron
torpe insufrible antipatico antipatica cobarde hipocrita guapo guapa babaca otario mal-educado mal-educada
folgado folgada lerdo lerda puxa-saco fofoqueira болван- козел урод- мудак- придур- тунеядц- бестолоч-
посредственн- зануд- истерич- нахал- наглый наглая сволоч- умнее умнейш- красив- толст- никчемн- слабак-
сплетн- talented katastrophe perdu genial brillant desastre borde pesimo pesima pessimo pessima ужасн-
самодур гени- трус- blames blamed complains shouts yells brags cheated steals superieur inferieur trepa
pelota nullard strohdumm saudumm doof dof unfahig- hopeless useless- incapaz incapaces stink stank reeks
smelly drunkard alcoholic lecher sleazy bigot racist sexist quatsch stinkt stinken muffelt mieft
laberbacke labert schwatzt schwafelt lastert meckert mault faulpelz faulenzer drucke blode blod
eingebildet uberheblich rechthaberisch zickenterror egomane gestort spinnt spinner pue radin pleurnicheur
pleurnicharde arriviste lache lâche hautain hautaine bavard bavarde baratineur apesta huele guarro guarra
tacano creido creida chulo chula pelma plasta pesada cansino cansina bocazas cotilla chismoso chismosa
enchufado enchufada fede fedorento pao-duro metido metida marrento marrenta enrolado enrolada sem-nocao
fofoca fofoqueiro- vacilao mandao mandona encostado encostada воня- жадн- скряг- жмот- хвастун- болтун-
лицемер- подлиз- подхалим- занос- зазна- стукач- бездельник- раздолба- разгильдя- косячит халтур- нытик-
ноет орет кричит хамств- груб- bacle bache bâcle torpeza chapucero chapucera chapuzas relaxado relaxada
fracos"""
#: Who is spoken of, where it is nobody that a product serves.
HUMANS = """\
boss colleague coworker co-worker teammate intern trainee junior newbie cto ceo cfo predecessor freelancer
new-hire chef chefin vorgesetzte vorgesetzter kollege kollegin praktikant praktikantin azubi vorganger
patron patronne collegue stagiaire jefe jefa companero companera becario becaria chefe colega estagiario
estagiaria capo collega stagista начальник- начальниц- коллег- стажер- шеф тимлид- джун cheffe gestor
gestora chefia gerente jefazo compi neue_kollegin praktikanten werkstudent werkstudentin teamleiter
teamleiterin geschaftsfuhrer geschaftsfuhrerin bosses начальств- директор- менеджер- джуниор- lead_dev
subordinate apprentice ex-colleague founder cofounder recruiter mein_kollege kunden_chef teamlead
directeur directrice director directora diretor diretora herr frau mrs mme monsieur madame senor senora sr
sra dona guy bloke dude lady woman mec moca rapaz kerl парень девушк- девчонк- мужик co-workers kollegen
kolleginnen collegues neuling newcomer neukollege kumpel chefentwickler abteilungsleiter
abteilungsleiterin betriebsleiter vertriebler vertrieblerin buchhalter buchhalterin comptable jefecillo
encargado encargada contable chefinho colegas- бухгалтер- новеньк- новичок новичк- напарник- сослуживец
fulano fulana mengano chavala chaval nana gars bursche accountant bookkeeper secretary receptionist tester
testerin"""
#: First names.
NAMES = """\
aaron abdul abdullah adam adrian ahmed aisha akira alan albert alejandro alessandro alex alexander
alexandra alexey alice alina amanda amelie amin amir amy ana anastasia andre andrea andreas andrew andrey
angela anita anja anke anna anne annika antoine anton antonio anya arjun arthur axel barbara beatriz ben
benjamin bernd beth bianca bill bjorn bob boris brian bruno camila camille carla carlos carmen carol
caroline cecilia celine charles charlotte chen chiara chloe chris christian christina christine christoph
claire clara claudia clemens connor cristina dan daniel daniela dave david deborah dennis derek diana
diego dieter dirk dmitri dmitry dominik dorothea doris ed eduardo edward elena eli elias elif elisa
elisabeth elizabeth ella emil emily emma emre enrique eric erik esther ethan eva evan evgeny fabian farid
fatima felipe felix fernando fiona florian francesca francesco francisco frank frederic fritz gabriel
gabriela georg george gerd gina giovanni giulia gonzalo greg gustavo hannah hans harald harry hassan heidi
heike heinz helen helena helga henrik henry hiroshi holger hugo ian ibrahim ignacio igor ilya ines inga
ingrid irene irina isabel isabella ivan jack jacob jake jakob james jamie jan jana jane janina jasmin
jason javier jean jeff jenny jens jessica jesus jim joana joao joe johan johanna john jonas jonathan jorge
jose joseph joshua juan julia julian julie julien jurgen justin kai karen karin karl karsten kate
katharina katja katrin keiko keith kelly ken kevin kim klaus kristina kumar kyle lara larry lars laura
laurent lea lena leo leon leonie leila lily linda lisa lorenzo louis lucas lucia lucie ludwig luis luisa
lukas lydia magda maja malik manuel manuela marc marcel marco marcos marcus maria mariana marie marina
mario marion mark markus marta martha martin martina mary mateo mathieu matt matteo matthew matthias max
maya mei melanie michael michel michelle miguel mike mikhail milan mila mohamed mohammed monica monika
moritz nadia nadine naomi natalia natalie natasha nick nico nicola nicolas nikita nikolai nils nina nora
norbert oksana oleg oliver olivia olga omar oscar oskar otto pablo paolo patricia patrick paul paula paulo
pavel pedro peter petra philip philipp philippe pia pierre priya rachel rafael rahul raj ralf ramon raquel
raul rebecca regina renate ricardo richard rita rob robert roberto roland roman rosa rosalie ruben ruth
ryan sabine sabrina sally sam samir samira samuel sandra sara sarah sebastian sergei sergey sergio shreya
silke silvia simon simone sina sofia sonia sonja sophie stefan stefanie stella stephan stephen steve
steven sue susan susanne svetlana sven sylvie tamara tanja tanya tatiana ted teresa theo theresa thomas
thorsten tim timo tina tobias tom tomas tomasz tony torsten ulrich ulrike ursula uwe valentina valeria
vanessa vera veronika victor victoria viktor vincent vinh vladimir volker walter wei wendy werner wolfgang
xavier yan yara yasmin yuki yulia yuri yves zoe анн- ольг- иван- дмитри- алексе- андре- наташ- наталь-
татьян- елен- лена лене маш- миш- михаил- петя петр- светлан- юл- кат- игор- олег- павел павл- артем-
никит- антон- маркус- томас- лис- alvaro adele aline amelia amina ania anika annie ariel armin arne arturo
astrid ayse aziz babette bastian beate benedikt bernadette bettina birgit bjarne bogdan bonnie brad
brandon brenda brigitte brittany bryan caio carl carsten cassandra cathy cem cesar chantal charlie chester
chuck cindy clemence clement clive colin conrad corinna courtney craig cyril dagmar dale dana danny daria
darren dean debbie denise derya desmond detlef dima dmytro dolores dominic donald dora doug duda duncan
dustin dylan edgar edith edmund edwin eileen elaine eleanor eleni elke elliot elmar elodie eloise elsa
elvira ellen emanuel emile enzo erica erich ernst erwin esra estelle etienne eugen eugene fatma fatou
federico felicia felicity ferdinand filip flora floriane franz franziska fred freya frida friedrich gaelle
gaspard gavin gemma genevieve georges gerald gerard gerhard gernot gilles giorgos gisela giuseppe glenn
gloria gordon grace graham greta gregor gregory gudrun guido guillaume guillermo gunnar gunter gwen hakan
hamza hanna hanno hanne hans-peter haruka heather hector hedwig heiko hendrik hermann herve hilda hilde
horst howard hubert hussein ida ilse imran ingo inka isaac isaiah isabell ismail iva iwan jackie jaime
jamal janet janine janis jared jasper jaume jeanne jeffrey jelena jeremie jeremy jerome jess joan joachim
joann jochen joel joelle joey johann johannes jolanta jon jonny jordi jordan josef josephine josh josie
joyce judith judy juliana juliane juliette julio justine justyna kacper karim karina karol katarina
katharine kathrin kathy katie katya kaya kenji kerstin kian kirsten kirill knut kofi konrad konstantin
krzysztof kurt lamine laurence lauren leah leandro leopold lewis liam lionel lisbeth liz lorena lothar
louise luca luc ludovic luka luke lutz luz lydie maciej maeva magali magnus maike malcolm malte malgorzata
mandy manfred manolo marcela marek marcin margaret margarita margot marianne marike marlene marlon marvin
matilda mathilde matthieu maud maurice mauricio mauro maxime mehmet melissa mercedes meryem micha michal
michele michaela mick mimi mirela mireille miriam mirko mitchell mohammad moira molly morgan muhammad
murat mustafa myriam nancy naoko nathan neil nelson nestor nevena nicole niels niklas nikos ning nino noah
noemie nuno octavio odile olaf oleksandr olivier olof osman otis ottavia ottilie pamela pascal pat patrice
patrik pawel pearl peggy pete penelope petr phil phoebe pilar pierre-yves piotr prakash priyanka quentin
rainer raphael rashid raymond rebekka regis reinhard remi renata rene reza rhys rick rocio rodrigo roger
rogerio rohan rolf romain ron ronald ronja rory rosemary ross roswitha roxane rudi rudolf rui rupert
russell ruslan saida salim salma salome salvador samantha sanjay santiago sasha satoshi saul scott sean
selim selma serge seth severin shane shannon sharon sheila sherry sibel siegfried sigrid silvan silvana
simona sinan siobhan slawomir soren soraya spencer stacy stanislav stephane stephanie stuart sunita suresh
suzanne svenja sylvain sylvia tabea tabitha takeshi talia tamas tariq tatjana tessa thea thibault thierry
thilo tiago tiffany timothy tineke toni travis tristan trevor trudy tyler umut ute vadim valerie valentin
vasily veit vicente vicky viktoria vinay violeta virginie vitaly vivian vlad waldemar walid wanda warren
wenke wiebke wilhelm willi william wladimir xenia yannick yasmine yvonne yusuf zara zeynep zofia zsolt
артур- борис- вадим- валер- василий василия васи вася виктор- володя вов- галин- георги- григор- даниил-
данил- денис- егор- екатерин- захар- зин- илья ильи ильей инн- ирин- кирилл- ксени- лар- леонид- лид-
людмил- макс- марин- надежд- нин- оксан- олес- полин- роман- руслан- саш- семен- серг- соф- стас- тимур-
федор- эдуард- юри- яна яков- ярослав- коля тан- паш- вит- borja yasemin ravi sandrine marcelo benoit
fernanda inigo unai aitor iker ainhoa nuria montse pau marti laia arnau noelia rosario begona lourdes
rosalia youssef khadija amine mehdi nassim rachid samia salah hakim anjali deepak vikram rohit sanjana
aarav kavita pooja ishaan lakshmi arun ganesh venkat nikhil siddharth yuto hiroto sakura haruto akiko
naoki kaito minho jihoon soo-jin seojun hyun-woo xiaoming jing wang zhang nguyen tran linh thanh tuan
huong chidi emeka ngozi oluwaseun adaeze kwame thandiwe sipho lerato zanele bongani okonkwo aylin berk
deniz emine fatih gizem hulya kemal merve onur orhan ozan serkan sevgi tolga ugur volkan yilmaz лены лену
fabio ernesto quique otavio vinicius fernand remy solene noemi maelle loic yann gwenaelle anais ophelie
delphine aurelie emilie sebastien frederique cedric fabrice bertrand thibaut baptiste corentin mathis
enora margaux manon oceane hernan gerardo ramiro rogelio emilio eusebio esteban esperanza marisa paloma
jimena ximena itziar leire amaia edurne mikel ander gorka xabier asier oriol ferran joaquin jacobo agustin
hipolito nacho pepe paco curro lola charo maite otilia leticia luiza larissa thais tatiane priscila vitor
wagner wesley wellington edson gilberto gilson ademir valdir everton thiago matheus heitor davi isadora
lais livia yago caue raissa jussara iara renan ronaldo adriano adriana luciana mariane gertrud hartmut
ingeborg waltraud reinhold jorg jurg ralph uli uschi gabi steffi susi evi resi sepp wolf volkmar burkhard
eckhard helmut annett kathi mareike frauke heinrich wilfried detlev gisbert burak cagla ozge umit selin
ebru guven magdalena agnieszka wojciech grzegorz zbigniew jacek ewa kasia gosia dariusz mateusz zuzana
vaclav jiri radek ondrej zoltan gabor istvan agnes bence laszlo ionut mihai razvan dragan milos jovana
bojan zeljko siti budi agus wayan putri dewi rizal aiman farah nurul hafiz syed usman bilal hamid zahra
shirin dariush kamran parisa niamh aoife ciaran oisin saoirse eoin gareth rhiannon hamish callum isla euan
глеб- лех вика костя- толик- гена генн- степ- рита вероник- дарь- настя настю настей анастас- алён-
варвар- глаш- ульян- марьян- арин- милан- матве- богдан- назар- тарас- остап- микол- айдар- ильдар-
ильназ- рамил- аслан- ахмед- магомед- тигран- ашот- гиви kenneth keneth leyla женя славик славика славу
лёха лёхе лехой лехе леха вике вику косте костю дима диме диму димой даша даше дашу ритa рите риту ulla
rudiger jupp eberhard ottmar heribert ludger anselmo genoveva consuelo remedios angel damian matias
bautista joaquim henrique valdemar zeca bento olavo harriet agatha bernard cecil edna ethel florence
gertrude mabel mildred beatrice clifford earl floyd herbert leonard norman roy russ stanley vernon wallace
wayne bart becky bobby brenna bridget caleb cody connie corey curtis darlene darryl dwayne ellie emmett
ezra frankie gail geoff geoffrey gilbert glenda gwendolyn hugh irving jenna jeremiah jerry jodie jordyn
kara kayla kendra kirk kristen kristin krista lacey leigh leroy lester lorraine lynn mackenzie maggie
marcia marjorie maureen mindy mona monique nigel norma paige percy preston randall randy reggie rhonda
ricky roberta rodney rosie roxanne rupesh sheldon sherman sid simeon sonny sophia stewart sydney tabby
tammy tara terrence terry tobin toby tracy trent tricia vince virgil vivienne walt whitney wilbur wilma
winston zachary zack odette ghislaine josiane jocelyne colette yvette lucette marcelle raymonde gisele
huguette solange ginette armelle blandine clotilde edwige eugenie hortense ludivine magalie mylene romane
sixtine tiphaine violaine arnaud aurelien damien didier fabien fernande firmin gaetan gael germain jacky
jacques jean-luc jean-pierre joris kilian lilian loick marius maxence melvin pascaline renaud romuald
sacha samy tanguy teddy ulysse zacharie"""
#: Of a group that the speaker belongs to.
OUR = """\
our unser unsere unserem unseren unserer notre nos nuestro nuestra nosso nossa nostro nostra наш наша наше
нашего нашей наши"""
#: What judges a person and seldom a program.
EVER = """\
never always constantly too so very still again immer nie standig stets trop toujours jamais encore
siempre nunca demasiado muy sempre muito всегда никогда вечно слишком опять снова honestly frankly ehrlich
franchement slow slower weak worst best great bad bom boa good bueno buena malo mala lento lenta ruim
otimo otima super плох- отличн- лучш- худш- медленн- forgets forgot ignores ignored useless inutil
brilliant terrible awful horrible schlecht schlimm schrecklich nuts crazy hopeless overrated sucks sucked
weird dead lazy"""
#: Words with a capital that are no names of people, and those that show that German is spoken.
PLACES = """\
europe germany france spain portugal italy brazil russia china japan india usa america canada mexico
poland ukraine austria switzerland ireland netherlands belgium sweden norway denmark finland monday
tuesday wednesday thursday friday saturday sunday january february march april may june july august
september october november december english german french spanish portuguese russian chinese japanese the
a an this that these those it if in on at for with we our no not never always all each every when while
after before because to do use keep must should only both two three one"""
GERMAN = """\
der die das den dem des ist und nicht ein eine einen mit fur auf ich wir wird sind von im beim zum zur"""
#: Who is told of by somebody who listened to them, and what is told then.
TOLD = """\
user developer dev nutzer nutzerin benutzer entwickler utilisateur utilisatrice usuario usuaria
пользователь developpeur"""
TELLS = """\
said says told tells mentioned mentions asked prefers likes feels hates loves dislikes believes mochte mag
fuhlt sagt sagte bevorzugt wunscht hasst bittet signale dit prefere aime deteste se-sent souhaite demande
dice prefiere odia pide siente disse odeia pede sente gosta не любит предпочитает просит сказал говорит
чувствует would rather bevorzugen fuehlt beschwert erwahnt erzahlte erzahlt meint meinte hasste
prefererait raconte mentionne conto menciona comenta comento opina reclama contou mencionou comentou pediu
relatou рассказал- упомянул- жалует- считает просил- ненавидит geduzt gesiezt grew identifies complained
complains admitted confessed"""
#: Who is one where somebody calls them theirs.
THEIRS = """\
son child children partner parents parent family baby ex cousin dog cat pet flatmate roommate neighbour
neighbor friend friends boss manager supervisor colleague coworker co-worker teammate lead therapist
doctor psychiatrist psychologist dentist physio lawyer landlord lover birthday wedding marriage honeymoon
holiday holidays vacation sabbatical retirement pension pregnancy divorce salary wage wages pay paycheck
raise bonus mortgage rent debt debts loan savings income severance equity body back knee knees eyes
eyesight hearing heart lungs head neck shoulder wrist wrists hand hands sleep mood weight health illness
disability diagnosis surgery operation condition medication meds pills anxiety depression religion faith
church apartment flat house home hometown commute street hobby band choir degree handwriting mental
last_day career promotion visa citizenship passport cv resume sohn kind kinder partnerin eltern familie
hund katze freund freundin freunde nachbar chef chefin vorgesetzter vorgesetzte vorgesetzten kollege
kollegin kollegen therapeut therapeutin arzt arztin geburtstag hochzeit urlaub elternzeit rente gehalt
lohn kredit hypothek miete schulden rucken knie augen herz kopf schulter schlaf gewicht gesundheit
krankheit behinderung diagnose medikamente angst wohnung haus heimat arbeitsweg karriere kundigung mec
compagnon compagne famille bebe chien chat ami amie amis voisin patron patronne collegue collegues
therapeute medecin psy anniversaire mariage vacances conge conges retraite salaire paie prime pret loyer
dettes dos genou genoux yeux coeur tete sommeil poids sante maladie handicap diagnostic medicaments
appartement maison quartier carriere demission pareja padres familia perro gato amigo amiga amigos vecino
jefe jefa companero companera terapeuta medico psicologo psicologa cumpleanos boda vacaciones baja
jubilacion sueldo salario nomina aumento hipoteca alquiler deudas espalda rodilla ojos corazon cabeza
hombro peso salud enfermedad discapacidad diagnostico medicacion pastillas ansiedad depresion piso casa
barrio carrera parceiro parceira companheiro pais cachorro cao vizinho chefe colega colegas aniversario
casamento ferias licenca aposentadoria reforma ordenado aluguel renda dividas costas joelho olhos coracao
cabeca ombro saude doenca deficiencia remedios apartamento bairro carreira demissao famiglia genitori cane
capo collega compleanno matrimonio ferie stipendio mutuo affitto schiena salute семь- родител- собак-
кошк- друг друга подруг- сосед- начальник- начальниц- шеф шефа руководител- коллег- врач- психолог-
терапевт- рожден- свадьб- отпуск- зарплат- оклад- преми- ипотек- кредит- долг- спин- колен- сердц- голов-
здоровь- болезн- диагноз- операци- таблет- квартир- дом дома адрес- увольнени- парень девушк- mann frau
mannes kleine kleiner offer studium sohns moglie marito fils fille garcon fidele nom prenom name nickname
tooth teeth ear ears leg legs foot feet ankle thumb finger fingers stomach skin blood brain temper ego
accent gender age sexuality diet bike car garden kitchen bedroom sofa couch bed wallet bank_account
credit_card phone mobile mail email cumple nombre telefono movil numero correo nome telefone celular имя
телефон номер почт- возраст glasses lenses contacts beers lunch drink drinks coffee toddler mum mom wife
husband daughter kid kids reading lesebrille brille lunettes gafas oculos очки зрение esposa canape"""
#: Taste, and how somebody likes to work.
TASTE = """\
prefer prefers preferred preference love loves loved hate hates hated enjoy dislike dislikes detest adore
fond favourite favorite can-t-stand allergic concentrate bored boring night-owl morning-person introvert
introverted extrovert hobby hobbies guitar piano yoga gym marathon football soccer gardening coffee tea
beer wine music podcast game-night emoji mag liebe hasse bevorzuge lieber lieblings- geniesse konzentrier-
ungern fruhaufsteher kaffee musik prefere deteste aime cafe musique concentrer prefiero encanta gusta odio
detesto adoro favorito favorita concentro musica prefiro gosto odeio preferisco предпочита- люблю ненавижу
нрав- обожаю любим- терпеть кофе музык- сосредоточ- bores annoys annoyed annoying irritates irritating
pet-peeve jokes sarcasm sarcastic small-talk chatty bakery comfy cosy guitarist gamer nightshift
night-shift lark lieb hasst mags nervt nerven hass freue froh horreur emojis- smiley duzen siezen aimer
preferer preferons agace agacent enerve enervent ennuie tutoie tutoyer vouvoie caritas aburre aburren odia
encantan gustan tutea tutearme chateia carinhas эмодзи шутк- скучн- curto firula beers riechen duze siezt
siez geduzt gesiezt floskel floskeln geschwafel schnickschnack vouvoyer vouvoiement tutoyez tutoiement
blabla bavardage tutear tuteo tuteame trata-me chama-me rodeos floreos enrolacao conversa-fiada
lenga-lenga обращайся обращаться зови смайл- болтовн- вежливост- smalltalk pleasantries flattery chit-chat
waffle dark-mode lightmode schriftgrad leckerer kaffeepause serien netflix spotify gitarre klavier schach
basteln gartnern backen kochen konzert fussball bundesliga handball tennis schwimmen klettern guitare
echecs jardinage foot rugby natation escalade ajedrez jardineria cocinar concierto futbol baloncesto
natacion violao xadrez jardinagem cozinhar futebol volei natacao escalada- гитар- шахмат- огород- концерт-
футбол- хокке- плаван- скалолаз- anredet angeredet anreden anrede tuteen"""
#: What is told of a user behind that word, of the work or of themselves.
WISHES = """\
wants wishes needs will braucht wunscht veut voudrait quiere necesita desea quer precisa deseja хочет
желает is ist est es e has hat tiene tem was war"""
