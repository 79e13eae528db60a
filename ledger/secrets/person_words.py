"""Hold the words by which one knows who a sentence is about, in several languages.

They are folded as `person_statements` folds a sentence: small letters without marks. A word that ends in `-`
begins one. What one language has for something else stands in no table.
"""

from __future__ import annotations

#: The speaker, by a word or by the form of a verb that needs no word for them.
ME = (
    "i ive me mine myself ich mich mir je j moi yo conmigo eu mim comigo tengo estoy soy vivo gano "
    "cobro prefiero odio detesto adoro trabajo sufro padezco necesito quiero duermo tenho estou sou "
    "moro ganho recebo prefiro odeio trabalho sofro preciso quero durmo gosto io sono preferisco "
    "guadagno abito ik mij ya я мне меня мной мною brb afk gotta wanna ttyl tbh imo imho hab bin habe "
    "wohne fahre gehe brauche mag fuhle arbeite kriege verdiene voy fui hago puedo siento duelen mudo "
    "marcho llevo aprendo entiendo vuelvo salgo estuve opero vou tava fico fiz sinto consigo entendo "
    "volto saio enxergo acho moi-meme suis j'ai jag хочу могу буду люблю живу работаю болею увольняюсь "
    "сплю ненавижу предпочитаю устал устала уезжаю лечу еду беру учусь чувствую переживаю боюсь j' m' "
    "иду жду сижу хожу вижу слышу уйду приду поеду пойду лежу ищу пишу прошу считаю"
)
#: What is the speaker's own.
MY = (
    "my mine mein meine meiner meinem meinen meines mon ma mes mi mis meu minha meus minhas mio mia "
    "miei mie mijn moj moja moje мой моя мое мои моего моей моих моему моим моими мою моем моею mios "
    "mias"
)
#: Of somebody else.
THEIR = (
    "his her their ihr ihre ihren ihrem seine seinem seinen sa ses su sus dele dela seu sua suo его ее "
    "их"
)
THEY = "he she him elle ella ele ela lui он она ему ей него нее ним"
#: Judgements that only a person is given.
JUDGED = (
    "incompetent arrogant rude moody bossy clueless jerk idiot idiots moron asshole narcissist gossip "
    "gossips stupid dumb selfish dishonest liar toxic stubborn insufferable unbearable condescending "
    "passive-aggressive slacker micromanages micromanager micromanaging micromanage unprofessional "
    "two-faced manipulative sloppy underperforming underperforms whines whiny creepy careless "
    "disorganised disorganized unreliable annoying annoys nightmare overwhelmed burned trustworthy "
    "faul unfahig inkompetent unverschamt launisch idiotin dumm egoistisch stur unertraglich schlampig "
    "uberfordert unzuverlassig nervig nervt zickig hinterhaltig paresseux paresseuse incompetente "
    "arrogante insupportable impoli fainéant faineant idiote nul nulle bete egoiste menteur menteuse "
    "feignant depasse depassee lunatique penible vago vaga maleducado tonto tonta egoista mentiroso "
    "mentirosa insoportable perezoso perezosa idiota imbecil desordenado pesado preguicoso preguicosa "
    "grosso grosseiro burro burra insuportavel chato chata desleixado pigro pigra insopportabile "
    "scortese stupido ленив- лентя- лодыр- некомпетентн- бездар- глуп- тупой тупая хам хамит дурак "
    "дура идиот- высокомерн- невыносим- безответственн- ненадежн- бестолков- раздража- врет лжет "
    "smartest smarter dumbest brightest genius mediocre mediocrity slowpoke worthless pathetic "
    "disgrace clown fool foolish naive immature childish spineless coward cowardly dishonesty lied "
    "lying cheats cheater thief hungover lousy ass-kisser brown-noser diva snob know-it-all "
    "control-freak paranoid insane psycho obnoxious pushy nosy petty vindictive jealous grumpy cranky "
    "moany complainer gullible incapable inept amateur amateurish distrust untrustworthy mittelmass "
    "mittelmassig peinlich unausstehlich zicke zickt furchtbar- besserwisser schwatzer arschloch depp "
    "trottel pfeife nichtsnutz niete blender schleimer jammert jammerlappen weinerlich lugt luger "
    "lugner lugnerin arbeitsscheu begriffsstutzig planlos unbrauchbar kann_nix drecksack bescheuert "
    "klugste schlauste hubsch hasslich conne connard connasse debile cretin cretine boulet branleur "
    "branleuse incapables mechant mechante hypocrite fourbe insupportables desagreable colerique "
    "pretentieux pretentieuse inutiles cretino cretina gilipollas cabron vagos torpe torpes insufrible "
    "antipatico antipatica cobarde hipocrita guapo guapa burros babaca otario mal-educado mal-educada "
    "folgado folgada lerdo lerda puxa-saco incompetentes fofoqueiro fofoqueira лентяй лентяйк- болван- "
    "козел урод- мудак- придур- тунеядц- халтурщик- бестолоч- посредственн- зануд- истерич- нахал- "
    "наглый наглая грубиян- сволоч- умнее умнейш- красив- толст- никчемн- слабак- сплетн- talented "
    "katastrophe perdu genial brillant desastre borde pesimo pesima pessimo pessima ужасн- самодур "
    "гени- трус- blames blamed complains shouts yells brags cheated steals superieur inferieur"
)
#: Who is spoken of, where it is nobody that a product serves.
HUMANS = (
    "boss supervisor colleague coworker co-worker teammate intern trainee junior newbie cto ceo cfo "
    "predecessor freelancer hr new-hire chef chefin vorgesetzte vorgesetzter kollege kollegin "
    "praktikant praktikantin azubi vorganger patron patronne collegue stagiaire jefe jefa companero "
    "companera becario becaria chefe colega estagiario estagiaria capo collega stagista начальник- "
    "начальниц- коллег- стажер- шеф тимлид- джун cheffe stagiaires gestor gestora chefia gerente "
    "jefazo jefes compi compis neue_kollegin praktikanten azubis werkstudent werkstudentin teamleiter "
    "teamleiterin geschaftsfuhrer geschaftsfuhrerin chefs bosses начальств- директор- стажерк- "
    "менеджер- джуниор- lead_dev subordinate apprentice ex-colleague founder cofounder recruiter "
    "mein_kollege kunden_chef teamlead directeur directrice director directora diretor diretora herr "
    "frau mrs mme monsieur madame senor senora sr sra dona guy bloke dude lady woman mec moca rapaz "
    "kerl парень девушк- девчонк- мужик colleagues coworkers co-workers teammates kollegen kolleginnen "
    "collegues companeros colegas сотрудник-"
)
#: First names.
NAMES = (
    "aaron abdul abdullah adam adrian ahmed aisha akira alan albert alejandro alessandro alex "
    "alexander alexandra alexey alice alina amanda amelie amin amir amy ana anastasia andre andrea "
    "andreas andrew andrey angela anita anja anke anna anne annika antoine anton antonio anya arjun "
    "arthur axel barbara beatriz ben benjamin bernd beth bianca bill bjorn bob boris brian bruno "
    "camila camille carla carlos carmen carol caroline cecilia celine charles charlotte chen chiara "
    "chloe chris christian christina christine christoph claire clara claudia clemens connor cristina "
    "dan daniel daniela dave david deborah dennis derek diana diego dieter dirk dmitri dmitry dominik "
    "dorothea doris ed eduardo edward elena eli elias elif elisa elisabeth elizabeth ella emil emily "
    "emma emre enrique eric erik esther ethan eva evan evgeny fabian farid fatima felipe felix "
    "fernando fiona florian francesca francesco francisco frank frederic fritz gabriel gabriela georg "
    "george gerd gina giovanni giulia gonzalo greg gustavo hannah hans harald harry hassan heidi heike "
    "heinz helen helena helga henrik henry hiroshi holger hugo ian ibrahim ignacio igor ilya ines inga "
    "ingrid irene irina isabel isabella ivan jack jacob jake jakob james jamie jan jana jane janina "
    "jasmin jason javier jean jeff jenny jens jessica jesus jim joana joao joe johan johanna john "
    "jonas jonathan jorge jose joseph joshua juan julia julian julie julien jurgen justin kai karen "
    "karin karl karsten kate katharina katja katrin keiko keith kelly ken kevin kim klaus kristina "
    "kumar kyle lara larry lars laura laurent lea lena leo leon leonie leila lily linda lisa lorenzo "
    "louis lucas lucia lucie ludwig luis luisa lukas lydia magda maja malik manuel manuela marc marcel "
    "marco marcos marcus maria mariana marie marina mario marion mark markus marta martha martin "
    "martina mary mateo mathieu matt matteo matthew matthias max maya mei melanie michael michel "
    "michelle miguel mike mikhail milan mila mohamed mohammed monica monika moritz nadia nadine naomi "
    "natalia natalie natasha nick nico nicola nicolas nikita nikolai nils nina nora norbert oksana "
    "oleg oliver olivia olga omar oscar oskar otto pablo paolo patricia patrick paul paula paulo pavel "
    "pedro peter petra philip philipp philippe pia pierre priya rachel rafael rahul raj ralf ramon "
    "raquel raul rebecca regina renate ricardo richard rita rob robert roberto roland roman rosa "
    "rosalie ruben ruth ryan sabine sabrina sally sam samir samira samuel sandra sara sarah sebastian "
    "sergei sergey sergio shreya silke silvia simon simone sina sofia sonia sonja sophie stefan "
    "stefanie stella stephan stephen steve steven sue susan susanne svetlana sven sylvie tamara tanja "
    "tanya tatiana ted teresa theo theresa thomas thorsten tim timo tina tobias tom tomas tomasz tony "
    "torsten ulrich ulrike ursula uwe valentina valeria vanessa vera veronika victor victoria viktor "
    "vincent vinh vladimir volker walter wei wendy werner wolfgang xavier yan yara yasmin yuki yulia "
    "yuri yves zoe анн- ольг- иван- сергей сергея сергею дмитри- алексе- андре- наташ- наталь- татьян- "
    "елен- лена лене маш- миш- михаил- петя петр- светлан- юл- кат- игор- олег- павел павл- артем- "
    "никит- антон- максим- маркус- томас- лис- alvaro adele aline amelia amina ania anika annie ariel "
    "armin arne arturo astrid ayse aziz babette bastian beate benedikt bernadette bettina birgit "
    "bjarne bogdan bonnie brad brandon brenda brigitte brittany bryan caio carl carsten cassandra "
    "cathy cem cesar chantal charlie chester chuck cindy clemence clement clive colin conrad corinna "
    "courtney craig cyril dagmar dale dana danny daria darren dean debbie denise derya desmond detlef "
    "dima dmytro dolores dominic donald dora doug duda duncan dustin dylan edgar edith edmund edwin "
    "eileen elaine eleanor eleni elke elliot elmar elodie eloise elsa elvira ellen emanuel emile enzo "
    "erica erich ernst erwin esra estelle etienne eugen eugene fatma fatou federico felicia felicity "
    "ferdinand filip flora floriane franz franziska fred freya frida friedrich gaelle gaspard gavin "
    "gemma genevieve georges gerald gerard gerhard gernot gilles giorgos gisela giuseppe glenn gloria "
    "gordon grace graham greta gregor gregory gudrun guido guillaume guillermo gunnar gunter gwen "
    "hakan hamza hanna hanno hanne hans-peter haruka heather hector hedwig heiko hendrik hermann herve "
    "hilda hilde horst howard hubert hussein ida ilse imran ingo inka isaac isaiah isabell ismail iva "
    "iwan jackie jaime jamal janet janine janis jared jasper jaume jeanne jeffrey jelena jeremie "
    "jeremy jerome jess joan joachim joann jochen joel joelle joey johann johannes jolanta jon jonny "
    "jordi jordan josef josephine josh josie joyce judith judy juliana juliane juliette julio justine "
    "justyna kacper karim karina karol katarina katharine kathrin kathy katie katya kaya kenji kerstin "
    "kian kirsten kirill knut kofi konrad konstantin krzysztof kurt lamine laurence lauren leah "
    "leandro leopold lewis liam lionel lisbeth liz lorena lothar louise luca luc ludovic luka luke "
    "lutz luz lydie maciej maeva magali magnus maike malcolm malte malgorzata mandy manfred manolo "
    "marcela marek marcin margaret margarita margot marianne marike marlene marlon marvin matilda "
    "mathilde matthieu maud maurice mauricio mauro maxime mehmet melissa mercedes meryem micha michal "
    "michele michaela mick mimi mirela mireille miriam mirko mitchell mohammad moira molly morgan "
    "muhammad murat mustafa myriam nancy naoko nathan neil nelson nestor nevena nicole niels niklas "
    "nikos ning nino noah noemie nuno octavio odile olaf oleksandr olivier olof osman otis ottavia "
    "ottilie pamela pascal pat patrice patrik pawel pearl peggy pete penelope petr phil phoebe pilar "
    "pierre-yves piotr prakash priyanka quentin rainer raphael rashid raymond rebekka regis reinhard "
    "remi renata rene reza rhys rick rocio rodrigo roger rogerio rohan rolf romain ron ronald ronja "
    "rory rosemary ross roswitha roxane rudi rudolf rui rupert russell ruslan saida salim salma salome "
    "salvador samantha sanjay santiago sasha satoshi saul scott sean selim selma serge seth severin "
    "shane shannon sharon sheila sherry sibel siegfried sigrid silvan silvana simona sinan siobhan "
    "slawomir soren soraya spencer stacy stanislav stephane stephanie stuart sunita suresh suzanne "
    "svenja sylvain sylvia tabea tabitha takeshi talia tamas tariq tatjana tessa thea thibault thierry "
    "thilo tiago tiffany timothy tineke toni travis tristan trevor trudy tyler umut ute vadim valerie "
    "valentin vasily veit vicente vicky viktoria vinay violeta virginie vitaly vivian vlad waldemar "
    "walid wanda warren wenke wiebke wilhelm willi william wladimir xenia yannick yasmine yvonne yusuf "
    "zara zeynep zofia zsolt артур- борис- вадим- валер- василий василия васи вася виктор- виталий "
    "витал- володя вов- галин- георги- григор- даниил- данил- денис- егор- екатерин- захар- зин- илья "
    "ильи ильей инн- ирин- кирилл- ксени- лар- леонид- лид- людмил- макс- марин- надежд- нин- оксан- "
    "олес- полин- роман- руслан- саш- семен- серг- соф- стас- степан- тимур- федор- эдуард- юри- яна "
    "яков- ярослав- коля тан- паш- вит-"
)
#: Of a group that the speaker belongs to.
OUR = (
    "our unser unsere unserem unseren unserer notre nos nuestro nuestra nosso nossa nostro nostra наш "
    "наша наше нашего нашей наши"
)
#: What judges a person and seldom a program.
EVER = (
    "never always constantly too so very still again zu immer nie standig stets trop toujours jamais "
    "encore siempre nunca demasiado muy sempre muito всегда никогда вечно слишком опять снова honestly "
    "frankly ehrlich franchement slow slower weak worst best great bad bom boa good bueno buena malo "
    "mala lento lenta ruim otimo otima super плох- отличн- лучш- худш- медленн- forgets forgot ignores "
    "ignored useless inutil brilliant terrible awful horrible schlecht schlimm schrecklich nuts crazy "
    "hopeless overrated sucks sucked weird dead lazy"
)
#: Words with a capital that are no names of people, and those that show that German is spoken.
PLACES = (
    "europe germany france spain portugal italy brazil russia china japan india usa america canada "
    "mexico poland ukraine austria switzerland ireland netherlands belgium sweden norway denmark "
    "finland monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june july august september october november december english german french spanish portuguese "
    "russian chinese japanese the a an this that these those it if in on at for with we our no not "
    "never always all each every when while after before because to do use keep must should only both "
    "two three one"
)
GERMAN = (
    "der die das den dem des ist und nicht ein eine einen mit fur auf ich wir wird sind von im beim "
    "zum zur"
)
#: Who is told of by somebody who listened to them, and what is told then.
TOLD = (
    "user developer dev nutzer nutzerin benutzer entwickler utilisateur utilisatrice usuario usuaria "
    "пользователь developpeur"
)
TELLS = (
    "said says told tells mentioned mentions asked prefers likes wants feels hates loves dislikes "
    "would thinks believes mochte will mag fuhlt sagt sagte bevorzugt wunscht hasst bittet signale dit "
    "prefere veut aime deteste se-sent souhaite demande dice prefiere quiere odia pide siente disse "
    "quer odeia pede sente gosta не любит предпочитает хочет просит сказал говорит чувствует"
)
