"""Hold the words for what is a person's own: family, health, life, and what stays between two.

They are folded as those of `person_words` are; a word that ends in `-` begins one.
"""

from __future__ import annotations

#: Members of a family; alone they tell of a person, whatever else the sentence says.
KIN = """\
wife husband daughter kids kiddo toddler newborn girlfriend boyfriend fiance fiancee spouse mum mom mommy
mother dad daddy father grandma grandpa grandmother grandfather niece nephew aunt uncle stepson
stepdaughter sister brother twins in-laws stepfather stepmother widow godson ehefrau ehemann tochter
tochterchen sohnes kindergarten kita mutter vater oma opa schwester bruder verlobte verlobter
schwiegermutter schwiegervater schwiegereltern grossmutter grossvater neffe nichte femme mari epouse epoux
fille fils enfants mere pere maman papa grand-pere soeur frere jumeaux neveu beau-pere creche conjoint
copine esposa marido mujer hija hijo hijos madre mama hermana hermano abuela abuelo novia novio suegra
suegro sobrina sobrino gemelos guarderia mulher filha filho filhos mae irma irmao avo namorada namorado
sogra sogro sobrinha sobrinho gemeos moglie marito figlia figlio figli nonna nonno sorella fratello
fidanzata fidanzato жена жены жене женой муж мужа мужем дочь дочк- дочер- сын сына сыну сыном сыновь- дети
детей детьми детям мама мамы маме маму мать матери папа папе отец отца брат брата сестр- бабушк- дедушк-
внук- тещ- свекров- ребенок ребенк- садик- kid stepkids brother-in-law sister-in-law mother-in-law
father-in-law in-law grandkids granny nan wives enkel enkelin schwager schwagerin stiefsohn stieftochter
mutti vati sohnchen tagesmutter petites petits gosse gamin gamine mamie papi tonton cousine bebe ninas
ninos crio cunado cunada nieta nieto tia mellizos yaya pai pais crianca neto neta cunhado cunhada vovo
сынишк- дочурк- супруг- племянник- племянниц- мачех- отчим- близнец- малыш- родител- bambino bambina
bambini suocera suocero cognato nipote zwilling- schwiegersohn schwiegertochter patenkind patin
grosseltern uroma uropa urenkel geschwister baby neugeborenes kinderarzt witwe witwer lebensgefahrt-
exfrau exmann ex-frau ex-mann mamy papy mémé grands-parents petit-fils gendre beau-fils belles-meres
parrain marraine nourrisson nouveau-ne nounou veuf veuve jumelles garcons abuelito abuelita bisabuela
yerno nuera padrino madrina ahijado ahijada viudo viuda exmujer exmarido prometido peque chiquillos avos
genro padrinho madrinha afilhado afilhada primos viuvo viuva enteado enteada gemeas caçula cacula filhinho
filhinha бабуля дедуля дед деда деду зять зятя внуч- крестн- кум кума дядя дяди тетя тети тетк- двоюродн-
вдова вдовец бывшая бывшей невест- жених- матерью отцу отцом братом сынок сынуля доченьк- родственник-
родн- stepdad stepmum stepmom godmother godfather goddaughter granddad grandson granddaughter preemie
nanny au-pair"""
#: Health, whoever has it.
HEALTH = """\
asthma asthmatic adhd autism dyslexic dyslexia dyscalculia diabetic diabetes migraine tumour depressed
anxiety burned-out burnt-out bipolar ptsd ocd insomnia pregnant pregnancy miscarriage ivf menopause
surgery hospital wheelchair deaf colour-blind color-blind colourblind colorblind allergy celiac coeliac
arthritis carpal rsi tendonitis sciatica insulin inhaler antidepressants rehab sober alcoholic sick ill
unwell flu fever therapy dentist physiotherapy disability disabled stutter chronic-pain fibromyalgia crohn
lupus sclerosis hiv panic_attack medication meds sick-leave hangover hungover vertigo concussion
hearing-aid hearing-aids pacemaker stroke nausea vegan vegetarian gluten lactose asthmatiker- legasthen-
diabetiker- zuckerkrank migrane epilep- krebs depressiv depression- angststorung angstzustande schwanger-
krankenhaus rollstuhl gehorlos schwerhorig farbenblind allergi- krankgeschrieben krankschreibung krank
erkaltet fieber reha therapie therapeut- zahnarzt- bandscheib- schlaflos- sehnenscheiden- tablette-
behindert schwerbehindert- autist- asthme asthmatique autisme dyslexique dyslexie diabetique diabete
depressif depressive enceinte grossesse hopital sourd malentendant daltonien daltonienne malade maladie
dentiste kine insomnie asma asmatico asmatica tdah autismo disl- diabetico diabetica migrana deprimido
deprimida embarazada embarazo sordo daltonico daltonica alergico alergica alergia enfermo enferma
enfermedad terapia dentista discapacidad insomnio quimioterapia fibromialgia enxaqueca gravida gravidez
surdo surda doente doenca insonia quimio emicrania incinta ospedale malato malata астм- диабет- дислекси-
аутизм- сдвг мигрен- эпилеп- онколог- беременн- больниц- операци- инвалид- аллерги- болею болеет болен
больна заболел- терапи- психотерап- психиатр- выгор- бессонниц- больничн- miscarried fracture fractured
sprained knee operated dialysis cataract glaucoma kidney liver lung chemo- biopsy mri- transplant implant
prosthesis amputated limp crutches concussed bleeding vomiting vomited threw-up throwing-up puke puked
nauseous dizzy faint fainted feverish cough coughing sneezing sinus pneumonia bronchitis infection
infected infarct heart-attack seizure seizures tremor parkinson alzheimer dementia numb paralysed
paralyzed nearsighted short-sighted eyesight myopic half-blind blindness hearing-loss schizophrenia
borderline anorexia bulimia eating-disorder overweight dieting detox relapse relapsed addicted addiction
addict suicidal suicide self-harm trauma traumatised traumatized exhausted exhaustion sleepless sleepy
tired drained worn-out knackered jetlagged jet-lagged jetlag stressed overwhelmed anxious nervous scared
terrified afraid sad crying cried tears lonely heartbroken grieving grief mourning angry furious
frustrated ashamed embarrassed depressing breastfeeding postpartum period-pain endometriosis pms hormones
testosterone vasectomy braces toothache root-canal backache headache sciatic slipped-disc physio
chiropractor optician gp clinic ward emergency-room icu hospice antibiotics painkiller xanax prozac
ritalin adderall ssri melatonin schmerzmittel schmerzen kopfschmerz- ruckenschmerz- zahnschmerz- klinik
notaufnahme arzttermin arzttermine operiert herzinfarkt schlaganfall erkaltung husten schnupfen ubel kotzt
gekotzt erbrochen mude erschopft ausgebrannt uberlastet angst traurig weint geweint heult geheult genervt
frustriert einsam depri adhs demenz rheuma gicht neurodermitis psoriasis schwindel fehlsichtig kurzsichtig
entzug suchtig alkoholiker alkoholikerin verkatert infarctus avc cataracte platre fatiguee epuise epuisee
crevee stresse stressee anxieux anxieuse peur triste pleure burn-out malentendante aveugle myope fauteuil
rhume toux fievre mal-de-tete migraineux alcoolique desintoxication fausse-couche accouche accouchement
accoucher vomi vomit clinique urgences opere operee seropositif operan operaron operado operada infarto
ictus dialisis fractura escayola escayolado cansado cansada agotado agotada quemado quemada quemadisimo
quemadisima estresado estresada ansioso ansiosa miedo llorando llora resfriado gripe fiebre tos mareado
mareada vomito vomitando ciego ciega miope sordera celiaco celiaca hipertension alcoholico alcoholica
resaca internado internada catarata dialise fratura gesso cansaco exausto exausta esgotado esgotada
estressado estressada medo chorando depressao febre tosse enjoado vomitou cego cega surdez ressaca
afastado afastada retina remedio remedios инфаркт- инсульт- катаракт- диализ- перелом- гипс- химиотерап-
устал- вымотан- стресс- тревог- тревожн- боюсь страшно плач- рыда- грустн- депресс- простуд- грипп- кашел-
тошнит рвот- слеп- глух- близорук- похмель- алкогол- выкидыш роды родил- рожа- поликлиник- невроз- панич-
давлени- гипертон- colonoscopy endoscopy glasses sight fehlgeburt- brille stottere stottern stotter
lese-schwache lunettes gafas oculos очки colorblindness hernia implants dialyse- krebskrank- grippal-
rippe fuss hufte hexenschuss verstaucht gebrochen gips zerrung tinnitus- herzrasen blutdruck migranos-
halsweh bauchweh zahnweh kopfweh ohrenweh erschopfung panik panikattacke- burnout- psych- pflegefall
pflegeheim palliativ- intensivstation spital sanatorium op-termin narkose spritze impfung mal-voyant
handicap- cancer- leucemie tumeur- entorse lombalgie tendinite otite angine gastro grippe- covid-
surmenage epuisement deprime- crise-de-nerfs larmes pleurer pleurait pleurs sanglot- angoiss- panique
honte colere enerve- hospitalis- ehpad chimio- radiotherapie perfusion vaccin rechute rechuter tumor-
lumbalgia ciatica esguince tendinitis otitis anginas gastroenteritis ansiedad- panico llorar lloro llore
lloraba lagrimas verguenza rabia dolor dolores duele doler hospitaliz- ambulancia uci residencia-ancianos
recaido recaida recaer vacuna cirugia quirofano psicologa lombalgia torcicolo chorar chorei choro vergonha
raiva dor dores doer uti recaiu vacina cirurgi- fisioterapia fisio psiquiatra- температур- горло голова
голове голову болит болят боль боли насморк ангин- ногу ноге опухол- рак- реанимац- скорую капельниц-
уколы прививк- вакцин- лечусь лечится лечение слезы слез слезах реву ревел обид- стыдно злюсь злой бешусь
ненавис- одинок- скучаю тоск- вымотал- измотан- выжат- запил протрезв- нарколог- aphasia dysphasia
dyspraxia dyscalculic paraplegic amputee scoliosis hypertension thyroid gout eczema shingles chickenpox
lyme anemia anaemia colitis ibs hysterectomy relapsing detoxed weep weeping sobbing sobbed teary
humiliated humiliating miserable hopelessness dread dreading panicking panicked therapist- blesse blessee"""
#: What is told of private life.
LIFE = """\
married honeymoon widowed breakup broke-up custody alimony maternity paternity parental-leave babysitter
daycare nursery preschool bereavement inheritance sabbatical vacation holiday holidays pto retiring
retirement unemployed fired laid-off resign resigning resigned resignation quitting recruiter recruiters
severance mortgage landlord evicted bankrupt bankruptcy gay lesbian queer transgender nonbinary non-binary
christian jewish buddhist atheist catholic hindu ramadan church mosque synagogue pray prayer alcohol drunk
drinking gambling affair jail arrested asylum immigrant visa salary wage paycheck underpaid overpaid earn
earning rent geschieden scheiden verheiratet verlobt hochzeit trennung getrennt sorgerecht elternzeit
mutterschutz urlaub ruhestand arbeitslos kundige kundigen kundigung gehalt gehaltsvorstellung verdiene
verdient schwul lesbisch muslim- katholisch evangelisch judisch kirche moschee vorstellungsgesprach umzug
umziehen umziehe marier enterrement retraite chomage salaire gagne demenage demenager demenageons conge
conges vacances homosexuel catholique musulman musulmane casarme jubilacion jubilarme dimitir renunciar
sueldo salario gano cobro mudarme mudo mudamos vacaciones catolico musulmana casamento casar demitir
demitido demitida demissao ordenado mudar-me ferias evangelico divorzio matrimonio stipendio licenziarmi
dimissioni trasloco развод- женат замужем женюсь свадьб- похорон- декрет- зарплат- оклад- получаю
зарабатыва- переезжа- переед- отпуск- пенси- ипотек- мусульман- православн- overdrawn overdraft
credit-card paycheque moonlighting gig interviewing interviewed cv notice-period probation promotion
demoted quits resigns sacked retired retires birthday birthdays anniversary died dies death passed-away
deceased cemetery grave praying sabbath shabbat diwali hanukkah christmas pastor priest imam rabbi vote
votes voted voter republican democrat socialist communist brexit union_member adventist jehovah mormon
protestant agnostic spiritual horoscope astrology shaved unshaven slept sleeps asleep nap naps napping
snore snores commuting tattoo piercing date-night crush flirt flirting kissed hookup sex sexual sexually
harassed harassment harasses bullied bullying mistress babysit babysitting playdate diaper stroller
schoolkids bedtime unemployment jobless lottery inherit inherited heirloom evict lawsuit sued arrest
convicted prison flights hotel hotels airbnb beach camping ski skiing deported probezeit gekundigt-
kundigt scheidung- heirate heiraten heiratet verliebt affare fremdgeht geburtstag- beerdigung- gestorben
verstorben verstirbt todesfall pfarrer gottesdienst beten betet gebet fastet weihnachten ostern jehovas
wahle afd cdu spd fdp partei stundenlohn lohn lohne gehalter pleite verschuldet schulden insolvent daheim
zuhause ferien verreise verreist rente rentner pensioniert bewerbe bewirbt bewerbung bewerbungsgesprach
jobwechsel kundigungsfrist betrugt besoffen betrunken sauft knast decouvert endette smic licencie-
demission- anniversaire decede decedee deces deuil priere prier messe mosquee eglise careme paques noel
divorc- amoureux amoureuse boulangerie perso despidieron despido despedid- finiquito sueldazo fallecio
fallecido murio luto iglesia mezquita rezar rezo evangelica votar elecciones custodia casarse viajo
mudanza jubila jubilado jubilada curriculum borracho borracha fumando fuma fumar porro demitiram enterro
faleceu morreu igreja adventista separou casou namorad- guarda_compartilhada aposent- entrevista curriculo
bebado bebada pj clt умер- скончал- поминк- кладбищ- молит- молюсь церк- храм- мечет- пасх- рождеств-
еврей голосу- голосова- разве- свадеб- любовниц- платят премию премии долги кредит- увол- сокращ- собесед-
резюме ваканс- каникул- переезд- уезжа- деревн- дач- родин- запо- пьян- бухает курит тюрьм- арест- gezogen
verlassen graduation semester exam university studium uni abitur sail sailing world-trip trip travelling
traveling travels flight flying fly airport datcha поезд- самолет- ex-wife ex-husband ex-girlfriend
ex-boyfriend ex-boss engagement- verlobung preg accident unfall accidente acidente avari- авари- noivo
noiva prometida rottura juif juive judio judia judeu крещен- христиан- буддист- постимся zahnt zahnen
windeln schnuller stillt babybauch entbindung geburt geboren parto nacimiento nacio nasceu naissance
naitre naitra beers pub wine drunken kicking-us-out emigrate emigrating relocate relocating union
gewerkschaft- sindicato sindical syndicat горе dinner lunch birthday-party wedding- visum asyl burned-down
tgv ryanair lufthansa bahnfahrt zugfahrt flieger flughafen bahnsteig hotelzimmer pendle pendelt pendeln
strand wanderurlaub radtour zelten grillen grillparty stammtisch kneipe bierchen feierabendbier kater
rausch kiffen kifft raucht rauche rauchen trinke trinkt saufen diat abnehmen fitnessstudio joggen
handballtraining chor chorprobe kirchenchor schrebergarten garten nachbarn vermieter vermieterin
mietvertrag eigentumswohnung hausbau baukredit kredit kredite bausparer steuererklarung lottogewinn erbe
geerbt erbschaft geliehen leiht schuldet schuldete abgebrannt spielsucht zocken zockt wette abfindung
gehaltserhohung- beforderung befordert bewerben headhunter- probearbeiten kurzarbeit streik betriebsrat
bundeswehr wehrdienst hochzeits- verlobungs- freundin- geknutscht flirtet kuss verguckt verknallt schwarm
abiball einschulung eingeschult elternabend- schulfest klassenfahrt taufe konfirmation kommunion firmung
jugendweihe beichte rosenkranz sternzeichen aeroport avion covoiturage rando randonnee apero bourre ivre
cuite gueule-de-bois clope fumer fume maigrir gym footing chorale potager voisin voisine proprio locataire
loyer- emprunt- argent fric thune pognon fauche ruine heritage herite loto tunes dette augmentation promu
promue embauche postule postuler recruteur chomeur chomeuse greve syndicaliste armee mariage- noces
fiancailles copain drague embrasse rupture- solitude bapteme communion confesse pelerinage carnaval
obseques enterre enterrer enterrons tren aeropuerto vuelo playa senderismo esqui acampada cerveza caña
copas borrachera beber bebido bebiendo bebedor cigarro dieta adelgazar gimnasio vecina vecinos casero
casera prestamo dinero deber deudor arruinado ruina herencia herede loteria ascenso ascendido ascendida
postular reclutador huelga militar boda- enamorado enamorada ligar ruptura- soltero soltera bautizo
comunion procesion romeria entierro- enterrar trem aeroporto voos praia trilha acampar cerveja chope
churrasco bebida bebeu bebendo bebedeira maconha emagrecer academia corrida-de-rua vizinha vizinhos
inquilino emprestimo dinheiro grana falido heranca herdei promovido promovida recrutador noivado-
apaixonado apaixonada paquera solteiro solteira batizado crisma missa procissao velorio- аэропорт- вокзал-
пляж- рыбалк- охот- шашлык- пиво пива водк- пить выпива- бухал- курю диет- худею тренажер- спортзал-
пробежк- сосед- аренд- съемн- деньги денег долгу долгов занял- взаймы заем займ наследств- лотере-
повышени- понизили рекрутер- хедхантер- забастовк- армию армии повестк- помолвк- влюб- любовь поцел-
расста- одиночеств- холост- крестин- исповед- намаз- постит- отпевани- хорон- homeowner foreclosure
loan-shark payday casino bookie poker binge boozed boozing boozy drinks stoned weed vape smokes smoker
nicotine marathon hiking camper campervan backpacking staycation flatshare housemate babyshower bridesmaid
groomsman elope eloped crushes tinder grindr situationship ghosted baptism christening eid passover
seminary mitzvah funeral- cremation enlist enlisted выпил выпила выпили"""
#: Private news of whoever, in words that follow each other; and what is between two people.
SAID = """\
leave the company|leaving the company|left the company|quit my job|quitting my job|hand in my notice|
handing in my notice|give notice|gave notice|giving notice|new job|another job|job interview|job offer|
looking for a job|looking for another|interview at|interview with|last day here|last day at|last day is|
notice period|moving to|move to|moved to|live in|living in|lives in|live near|lives near|live with|
lives with|based in|grew up in|born in|years old|turning 30|turning 40|turning 50|turning 60|
getting married|got married|get married|getting divorced|got engaged|split up|break up|broke up|
passed away|died last|died in|sick leave|on leave|parental leave|maternity leave|paternity leave|day off|
days off|time off|pick up my|school run|doctor s appointment|doctor appointment|a year before tax|
per year before|get paid|gets paid|being paid|paid less|paid more|make more than|k a year|a raise|
pay rise|can t sleep|cannot sleep|sleep badly|slept badly|trouble sleeping|panic attack|panic attacks|
mental health|in therapy|my back hurts|hurts when|hard of hearing|burnt out|burned out|burning out|
expecting a child|expecting our|home office|never work on|don t work on|not work on|part time|work nights|
work at night|after six|before ten|call me|text me|message me|ping me|remind me|tell me|talk to me|
write to me|answer me|explain to me|explain it to me|show me|ask me|don t interrupt|your answers|
your replies|your responses|your tone|your explanations|british english|short answers|can t stand|
cannot stand|drives me|gets on my|fed up|sick of|annoys me|bores me|work best|think best|focus best|
i focus|i concentrate|slow reader|learn best|takes credit|took credit|never answers|never replies|
always late|never on time|can t be trusted|cannot be trusted|don t trust|doesn t care|no clue|has no idea|
not up to|in over his|in over her|get fired|got fired|been fired|be fired|let go|laid off|hits on|
sleeping with|cheating on|hard to work with|difficult to work with|impossible to work with|does nothing|
performance review|performance plan|passed over|been promoted to|vote for|voted for|verlasse die firma|
verlasse das unternehmen|neuen job|neuer job|job suche|wohne in|lebe in|wohnt in|lebt in|ziehe nach|
ziehe im|ziehen nach|ziehe um|aufgewachsen in|jahre alt|im krankenstand|im urlaub|in urlaub|teilzeit|
im homeoffice|von zu hause|frei nehmen|freien tag|brutto im jahr|netto im monat|euro im monat|
euro im jahr|schlecht schlafen|schlafe schlecht|nicht schlafen|kinder abholen|kind abholen|kinder von|
arbeite nie|arbeite nicht|am liebsten|nicht leiden|nicht ausstehen|gerne|nenn mich|sag mir|erklar mir|
zeig mir|schreib mir|frag mich|erinnere mich|stor mich|deine antworten|kurze antworten|auf den keks|
keine ahnung|schwer krank|quitter l entreprise|quitte l entreprise|nouveau travail|nouveau boulot|
autre boulot|habite a|habite en|habite dans|vis a|vis en|ne en|nee en|j ai grandi|en arret|en vacances|
temps partiel|mi temps|teletravail|euros par mois|euros par an|dors mal|dors peu|chercher mes|
ne travaille jamais|ne travaille pas le|appelle moi|appelez moi|dis moi|explique moi|montre moi|ecris moi|
tes reponses|reponses courtes|je supporte pas|ne supporte pas|m agace|en cloque|attend un enfant|
attendons un|boit trop|ne sait rien|dejar la empresa|dejare la empresa|nuevo trabajo|otro trabajo|vivo en|
vive en|naci en|creci en|anos de edad|cumplo 40|de baja|media jornada|jornada reducida|desde casa|
euros al mes|euros al ano|duermo mal|recoger a|no trabajo los|nunca trabajo|trabajo mejor|llamame|dime|
explicame|muestrame|avisame|escribeme|tus respuestas|respuestas cortas|no soporto|me molesta|
me pone nervios|me gusta|me encanta|me cuesta|no tiene ni idea|esperamos un|espera un|estamos esperando|
deixar a empresa|novo emprego|outro emprego|moro em|mora em|vivo em|me mudar|nasci em|cresci em|
anos de idade|de licenca|de ferias|meio periodo|de casa|durmo mal|buscar meu|buscar minha|nao trabalho|
nunca trabalho|trabalho melhor|me chame|me chama|me diga|me explique|me mostre|me avise|suas respostas|
respostas curtas|nao suporto|nao aguento|me irrita|nao tem nocao|esperando um|lasciare l azienda|vivo a|
abito a|живу в|живет в|живу рядом|уйти из компании|ухожу из компании|новую работу|другую работу|лет мне|
мне лет|в отпуске|из дома|на удаленке|плохо сплю|не сплю|забирать|не работаю по|никогда не работаю|
лучше работаю|зови меня|называй меня|напиши мне|говори мне|объясняй мне|отвечай мне|напоминай мне|
не выношу|терпеть не могу|бесит|раздражает|твои ответы|короткие ответы|ищу работу|ищет работу|пьет|im a|
im so|im not|im in|im going|im moving|im leaving|im tired|im sick|im really|im on|im at|im off|i like|
i really like|i also like|i never liked|i liked|doesn t like|likes to|likes it|my own|at home|am home|
stay home|home until|from home|was fired|were fired|performance improvement|checked out|mentally checked|
on the spectrum|half blind|legally blind|eye is|threw up|throw up|throwing up|feeling down|pretty down|
going through|heart attack|brother in law|sister in law|mother in law|father in law|speaking terms|
next door|next week off|offline friday|offline on|away until|out until|out on fridays|out sick|off sick|
out of office|in the office|the office on|be late because|leave early|leaving early|leave at|
have to leave|need to leave|gotta go|need a break|need breaks|days a week|four day week|hours a week|
my name|my number|my phone|my email|my mail|my handle|an hour to himself|an hour to herself|i vote|
i believe in|looks like he|looks like she|smells|good looking|too slow|so slow|really slow|very slow|
by far the|copy her|copy him|copies from|rest just|on the team the rest|would be dead|knows nothing|
doesn t know|does not know|doesn t understand|does not understand|no idea what|changes her mind|
changes his mind|can t code|can t write|can t do|like diagrams|with diagrams|better with|learn better|
understand better|i think better|i read|i write polish|in spanish|speak to|stop suggesting|stop saying|
stop asking|stop calling|don t call|without asking me|don t start with|don t use emojis|be blunt|be brief|
be direct|be honest with me|sugarcoat|like i m|that s me|help me|for me personally|personally i|my taste|
my style|as a person|told me she|told me he|told me that|heard that|rumour|rumor|rumours|apparently|
im hotel|auf reisen|beim arzt|zum arzt|bei meiner|bei meinen|aus der schule|im notfall|nach hause|
nicht im buro|im buro bin|lass mich|mir lieber|macht mir|fallt mir|tut mir|tut weh|geht mir|mir geht|
gehts mir|englisch ist|deutsch ist|auf englisch|per du|ein kind|das kind|die kinder|
weiss aber noch nichts|wird entlassen|entlassen werden|rausgeschmissen|rausgeflogen|zur konkurrenz|
trennt sich|wahlt die|wieder in der|kann nix|kann nichts|taugt nichts|nicht zu gebrauchen|zu langsam|
am besten von|will ich nicht|moechte ich nicht|mit dem will|mit der will|geb ich nicht|keine lust|
kein bock|macht mich|ich feiere|ohne rechner|wochen auf|wochen in|tage auf|tage in|ruhe zum|mehr geld|
zu wenig geld|chez moi|a la maison|chez le medecin|chez ma|chez mes|chez mon|me suis endormi|suis fatigue|
en deplacement|a l ecole|fin du mois a|veut quitter|va quitter|a ete vire|s est fait virer|va etre pere|
on divorce|tete ailleurs|apprends mieux|comprends mieux|travaille mieux|vas y doucement|vouvoie|
tutoie moi|comprend rien|n y connait rien|trop lent|trop lente|sert a rien|ne fout rien|fait rien|
il repete|me paient|me paie|je partirai|je pars|la boite|paraît que|parait que|il parait|parait-il|
me fait|me saoule|me gonfle|me fatigue|me voy|me largo|me marcho|me duelen|me pagan|me aburre|me aburren|
me cansa|me agobia|en el hospital|al medico|del medico|en el medico|no piso|otra empresa|ser padre|
no me deja dormir|se pasa el dia|demasiado lento|demasiado lenta|no sabe nada|no sabe ni|no vale para|
es un desastre|es una desastre|un inutil|una inutil|solo sabe|cambia de opinion|en tres lineas|trateme|
tuteame|a mi dame|lo echaron|la echaron|le echaron|quiere irse|se va de la|se va a ir|no estare|
no toco el ordenador|mi numero|mi correo|no salga de aqui|em casa|no hospital|no medico|ao medico|
pro medico|minha casa|pedir as contas|ser pai|de atestado|de folga|nao da pra|pra mim|me ajuda a|me chamo|
meu nome|meu numero|meu email|morto de|morta de|saco cheio|de graca|so fala nisso|so sabe|nao sabe nada|
nao entende nada|muito lento|muito lenta|ta gravida|gravida de|foi mandado|em portugues|плохо слышу|
плохо вижу|мне мало|меня не будет|до среды не|на пенсию|к врачу|у врача|ушла от|ушел от|ждет второго|
в роддом|мне нравится|мне удобнее|мне лучше|мне проще|по русски|на ты|говори со мной|созвоны мне|
мне не предлагай|не понимает|вечно тянет|тянет с|плохо работает|никому не|прошлой работы|зовут|
accepted an offer|offer from|nobody here knows|on a train|on the train|train to|on a plane|flight to|
time zone|mountain time|this week in|i m in|offline until|back in an hour|back at|due in|taking a year|
year off|take a year|out of it|one handed|can t afford|afford the|my rent|visa runs|visa expires|on me|
nerves|stop apologising|stop apologizing|night owl|morning person|so schedule|love it when|hate it when|
like it when|don t like|do not like|none of the work|all the credit|lost his|lost her|ich hore|hore auf|
ich fange|fange im|im zug|zug nach|nach freiburg|umgezogen|krank geschrieben|kaum geschlafen|
nicht arbeiten mit|aus dem support wurde|wurde entlassen|keine langen|duz mich|duzen|in einfachen worten|
je touche|faut pas exagerer|passe un entretien|un entretien chez|rester assise|rester assis|a perdu son|
a perdu sa|se croit|avec moi|j aime ca|j habite|la fibre|una miseria|os dejo|dejo la|de mis padres|
casa de|me hables|de usted|no da una|le han detectado|han diagnosticado|dame texto|ligo a camera|sair da|
so volto|ao ponto|va direto|esta pessima|so atrapalha|fica entre|мне урезали|без энтузиазма|лежит в|
просто саша|ничего не сделал|ничего не делает|ничего не сделала|опять не|в мае меня|запретил мне|is borde|
es un borde|keep this private|keep that private|keep it private|keep this quiet|keep it quiet|
keep that quiet|just for you|in confidence|strictly private|strictly personal|not public yet|
nobody else knows|never tell my|never tell her|never tell him|new guy|new girl|new hire|the new dev|
le nouveau du|la nouvelle du|der neue aus|die neue aus|den neuen aus|der neue hat|el nuevo de|la nueva de|
o novo do|a nova da|the guy from|the guy who|the woman from|call my|my brain|twenty two|takes my|takes me|
had it with|of my mind|excuse my|font bigger|bigger font|letra grande|schrift grosser|aumenta a fonte|
letra maior|mal les couleurs|noir et blanc|rot nicht|nicht riechen|third warning|warning from|
kicking us out|on my couch|depuis mon|no me esperes|i forgot my|my house|house burned|na frente|
procurando emprego|кто знает|другой часовой|давай по делу|не люблю|длинные ответы|мне предложили|место в|
предложили место|скоро уйду|reach me at|reach me on|new pm|our pm|the pm is|tech lead is|control freak|
minimum wage|doesn t shower|der neue vom|die neue vom|der neue im|die neue im|der neue ist|der neue von|
die neue von|el nuevo es|la nueva es|le nouveau de|le nouveau est|la nouvelle est|o novo da|o novo de|
a nova do|o cara do|o cara da|новенький из|новенькая из|compter sur lui|compter sur elle|contar con el|
contar con ella|contar com ele|contar com ela|verlass auf|count on him|count on her|rely on him|
rely on her|au lit|im bett|hechar de menos|den tranen nahe|bei der laune|am boden zerstort|im sterben|
a l article de la mort|fin de vie|soins palliatifs|cuidados paliativos|при смерти|на улице холодно|
mal dormi|pas dormi|nuit blanche|noche en vela|sin dormir|sem dormir|не выспал|schlecht geschlafen|
nicht geschlafen|sans detours|sin rodeos|sem enrolacao|sem rodeios|ohne floskeln|без воды|в двух словах|
на вы|de tu|por tu|de voce|par mon prenom|beim vornamen|по имени|in der bahn|im bus|en el metro|no onibus|
no metro|a la gare|dans le train|dans le bus|dans le metro|в метро|в автобусе|в отъезде|in der kirche|
a la mer|на море|a la salle|de mi barrio|a nuestro hijo|por la guarde|prestado|emprestado|в долг|auf pump|
lend me|lent him|lent her|owes me|owes everyone|owes money|должен всем|no aguanto mas|no aguanto a|
no aguanto al|reais por mes|en casa|change d avis|lieber als|viel zu|im ice|im ic|en el ave|le tutoie|
hablen de|tratar por|nos trata|nous traite|behandelt uns|treats us|treats me|stop being|be less|
i will be gone|i ll be gone|i will be away|i ll be away|boy from|girl from|behind your back|
behind my back|behind our backs|behind his back|behind her back|keep a secret|hinter dem rucken|
derriere mon dos|derriere notre dos|a mis espaldas|pelas costas|за спиной|за глаза|want to become|
like to become|hope to become|staff engineer|love to move|switch teams|change teams|get promoted"""
#: Words that keep between two people what they stand with.
QUIET = """\
between us|between you and me|between ourselves|off the record|don t tell anyone|do not tell anyone|
don t tell anybody|tell nobody|tell no one|keep this to yourself|keep it to yourself|
keep that to yourself|not for the record|don t record this|do not record this|don t write this down|
don t write that down|nobody knows yet|no one knows yet|confidentially|unter uns|im vertrauen|
nicht weitersagen|sag es niemandem|sag das niemandem|sag niemandem|niemandem sagen|niemandem erzahlen|
erzahl es niemand|behalt das fur dich|behalte das fur dich|bleibt unter|noch niemand|streng privat|
nicht aufschreiben|nicht ins protokoll|entre nous|en confidence|ne le dis a personne|ne dis a personne|
garde ca pour toi|garde le pour toi|personne ne le sait|hors micro|reste entre|entre nosotros|
entre tu y yo|en confianza|no se lo digas|no le digas a nadie|no lo digas|que quede entre|nadie lo sabe|
guardalo para ti|extraoficialmente|entre nos|em confianca|nao conte a|nao conte para|nao conta para|
ninguem sabe|fica entre|em off|guarda para ti|tra noi|in confidenza|non dirlo|между нами|по секрету|
никому не говори|не говори никому|не для протокола|не записывай|никто не знает|строго между|
no salga de aqui|que no salga|no se lo cuentes|n ecris surtout pas|ne l ecris pas|n ecris pas dans|
surtout pas dans le rapport|ne note pas|pas un mot a|n en parle|no lo apuntes|no escribas esto|
nao escreve isso|nao anota isso|nao comenta|nao fala pra|schreib das nicht|nicht weitererzahlen|
kein wort zu|kein wort daruber|sag dem chef nicht|начальству не говори|не говори начальству|
не рассказывай|пока никому|никому ни слова|не пиши об этом|between the two of us|don t mention this|
don t mention that|don t mention it to|not a word to|doesn t leave this|does not leave this|
weiss aber noch|nobody should know|no one should know|nobody is supposed|tratschen|sag der kundin nichts|
sag dem kunden nichts|dem kunden nichts davon|don t tell the client|don t tell the customer|
don t tell the boss|ne dis rien au|ne dites rien a|no le digas nada|no digas nada|nao conta pro|
nao diz nada|не говори клиенту|клиенту ни слова|клиенту не говори"""
#: In scripts without blanks: of the speaker, or of somebody, what is private; and what is kept between two.
SIGNS_ME = "我 俺 本人 僕 私 저는 나는 제 내"
SIGNS = """\
哮喘 糖尿病 抑郁 焦虑 怀孕 过敏 失眠 癌 手术 住院 生病 看病 医院 医生 偏头痛 头疼 色盲 多动症 阅读障碍 病假 体检 腰疼 颈椎 女儿 儿子 孩子 老婆 老公 妻子 丈夫 妈妈 爸爸 父母
母亲 父亲 奶奶 爷爷 男朋友 女朋友 家人 家里 结婚 离婚 婚礼 幼儿园 接娃 工资 薪水 月薪 年薪 房贷 房租 奖金 加薪 涨薪 年终奖 贷款 离职 辞职 跳槽 面试 换工作 退休 休假 请假 度假
旅游 产假 搬家 搬到 色弱 神经衰弱 近视 耳鸣 发烧 感冒 咳嗽 吃药 心慌 心情 累崩 累死 太累 好累 疲惫 我崩溃 快崩溃 要崩溃 难受 害怕 紧张 哭 压力大 失恋 分手 相亲 恋爱 二胎 陪产假
流产 生了 奶爸 爸妈 岳母 公公 婆婆 媳妇 对象 被裁 裁员 被开除 开除 绩效 试用期 升职 晋升 穷 信用卡 欠钱 欠款 存款 股票 社保断 户口 签证 旷工 迟到 基督 佛教 信佛 穆斯林 斋月
教堂 投票给 政党 不懂 水平差 水平太 太菜 很菜 菜鸟 甩锅 抢功 磨洋工 摸鱼 马屁 叫我 称呼我 用中文回 中文回答 表情符号 简短 少废话 别啰嗦 啰嗦 泄露的 住在 老家 在家办公 白痴 太差
很差 能力差 眼睛不好 字体调大 放假 出国 失业 不带电脑 用中文解释 接活 蠢 差劲 自大 嫌弃 饭桶 废物 水平低 产品经理就 牙疼 骨折 发炎 手抖 孕 坐月子 幼儿 小孩 爸 妈 娃 喜欢 讨厌
偏好 爱好 更愿意 习惯 受不了 喝咖啡 懒 笨 傻 无能 不靠谱 自私 烦人 脾气 老板 领导 生日 宗教 喘息 うつ 妊娠 娘 息子 妻 夫 母 父 給料 転職 退職 離婚 結婚 引っ越 住んで 好き
嫌い 怠け 上司 病院 关系户 啥也不会 什么都不会 不会写 手受伤 受伤 烂摊子 太烂 很烂 擦屁股 收拾 没法看 腰椎 腰疼 腰酸 久坐 坐不了 膝盖 脚踝 肩膀 手腕 胃疼 胃病 肚子疼 头晕 头痛
牙疼 眼睛 视力 耳朵 听力 过敏性 高血压 心脏 心脏病 血糖 中风 化疗 肿瘤 瘫痪 骨质 重症 监护室 急诊 吃药 复诊 康复 疫苗 睡不着 没睡 熬夜 困死 气哭 气死 委屈 郁闷 孤独 难过 伤心
绝望 心累 烦死 吓死 丢脸 自卑 高兴 姐姐 哥哥 弟弟 妹妹 姑姑 舅舅 叔叔 阿姨 表姐 孙子 侄 亲戚 前女友 前男友 男友 女友 同性恋 出柜 单身 出轨 彩礼 装修 买房 卖房 房东 租房 搬去
通勤 高铁 火车上 飞机 机场 酒店 地铁 公交 出差 回国 年假 丧假 葬礼 去世 过世 健身 跑步 打球 游戏 追剧 钢琴 吉他 喝酒 喝多 酒量 宿醉 抽烟 素食 吃素 减肥 胖 丑 帅 漂亮 身材
发际线 借钱 借了 还钱 炒股 亏了 存钱 彩票 工资条 降薪 五险 竞业 猎头 离开公司 混日子 拍马 偷懒 推卸 坑人 小气 抠 虚伪 骗 嘴臭 口臭 说话难听 性格 回答我 别用您 客套 用英文回答
英文回答 字号 字体大 深色主题 叫我的 打我电话 手机号 微信 邮箱是 住址 私人 信教 拜佛 做礼拜 清真 回族 开斋 吃斋"""
SIGNS_QUIET = """\
别告诉 不要告诉 别跟 别对外说 不要跟别人 保密 私下 你知我知 咱俩之间 我们之间说 不要外传 别外传 别说出去 内緒 オフレコ ここだけの話 비밀"""
SIGNS_THEY = """\
他 她 老板 领导 主管 经理 同事 实习生 组长 听说 张伟 李雷 王芳 李娜 刘洋 陈涛 王强 李强 张敏 王磊 李静 张磊 用户说 用户希望 用户想 用户喜欢 用户讨厌 用户不喜欢 新来的 前任 客服小"""
#: How people are called there: one of the first, and a family's name.
SIGNS_CALLED = "小老阿 张王李刘陈杨黄赵吴周徐孙马朱胡郭何林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蔡杜叶苏魏吕丁沈姚卢崔谭陆汪廖贾韦邹孟熊秦邱尹薛闫雷侯陶黎贺郝龚邵覃武戴莫宇杰强明伟"
#: Who is meant is more than the speaker.
SIGNS_WE = "我们 我們 咱们 我方 我国 私たち 자기"
#: Words of these that programs have for something else: they count where somebody is spoken of.
DOUBLE = """\
retired retire retires retiring retirement death dies dead died promotion promoted graduation inherit
inherits inherited inheritance adoption stroke cast cold flight flights trip trips twins surgery fired
raise bonus broke quit quits quitting vote votes voted voter election orphan widow widowed sick ill ski
blind deaf nap napping asleep sleeps slept snore bleeding kicked party church christian therapy depression
pregnant engaged diet detox infection infected trauma traumatised seizure concussion tired exhausted
exhaustion crash birthday birthdays anniversary visa prison jail arrested hotel hotels airport beach
camping resign resigned resigns rent lottery engagement separated separation arbeitslos kirche partei
urlaub umzug umziehen rente miete ziehe scheidung trennung mort morte retraite depart conges vacances
rupture eglise baja muerto boda paro mudanza morreu morto ferias aposentadoria casamento смерт- умер
отпуск- пенси- переезд- twin gemelos jumeaux gemeos zwillinge hijo hijos pai filho filhos fils pere padre
figlio figli дочерн- родител- hang transplant implant numb stressed drained anxious drunk gambling
fracture fractured limp addict dementia sober relapse insulin hospital clinic ward patient dentist surgeon
maternity paternity parental-leave salary wage wages paycheck pay gehalt lohn salaire sueldo nomina
ordenado зарплат- оклад- преми- mortgage hypothek hipoteca hypotheque loan marriage married divorce
divorced mariage divorcio casado verheiratet geschieden muslim jewish catholic katholisch evangelisch
prayer prayers alcohol beer wine coffee tea mother father sister brother krank krankgeschrieben schwanger-
enceinte embarazada gravida gravidez grossesse pregnancy allergy allergi- alergia alergias diagnose
diagnosis diabetes cancer asthma evict evicted eviction retraites rentner jubilados aposentados пенсионер-"""
