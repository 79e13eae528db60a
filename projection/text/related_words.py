"""List words that say nearly the same, and take endings off: looser than `vocabulary`.

There a word becomes the one that stands for it, so that two texts that say the same read the same. Here
words are only related: somebody who looks for one may have meant the other. Groups of everyday English,
then of software, both ways in each line, with all that `vocabulary` has. A missing word costs a hit, a
wrong one order.
"""

from __future__ import annotations

from projection.text.vocabulary import NUMBERS, SYNONYMS

_GROUPS = """
job work career occupation profession employment employ position role
kid child son daughter toddler baby
buy purchase get acquire order
doctor physician clinic hospital medical
mother mom mum mama
father dad daddy papa
parent mother father mom dad
sister brother sibling
husband wife spouse partner married
girlfriend boyfriend partner dating
relative family cousin aunt uncle grandmother grandfather grandma grandpa
friend buddy pal mate
pet dog puppy cat kitten animal
car vehicle truck automobile drive
bike bicycle cycling
house home apartment flat
movie film cinema
book novel read author
photo picture photograph image
song music tune track
band musician concert gig
instrument play
painting art drawing sketch canvas
artist art
hobby pastime interest passion
trip travel journey vacation holiday tour visit
country nation abroad
city town
place location spot
school college university class
degree graduate major diploma
teacher professor instructor coach mentor
student pupil
study learn course class
exam test
food meal dish cuisine
eat food dinner lunch breakfast
cook bake recipe
restaurant cafe diner
drink beverage coffee tea beer wine
dessert cake cookie sweet pie
sport game match tournament
team club league
exercise workout gym fitness train
run jog marathon race
hike trail trek
camp camping tent
swim beach pool
yoga meditation
game videogame play console
health illness sick disease
pain injury hurt
stress anxiety worried overwhelmed pressure
happy glad joy excited thrilled
sad upset down depressed
afraid fear scared
angry mad frustrated
love adore like enjoy favorite
hate dislike
favorite favourite best love
goal aim plan dream aspiration ambition
plan intend going
problem issue trouble challenge difficulty obstacle
difficult hard tough
solve fix resolve
help support assist aid
advice tip suggestion recommendation
suggest recommend propose advise
idea thought concept
opinion view think believe
reason cause why because
result outcome
begin start launch open
end finish complete stop
quit resign leave
change switch modify
improve better enhance boost
increase raise grow
decrease reduce lower cut
success achievement accomplishment win award
award prize trophy medal
win victory won champion
lose defeat
money cash pay income salary
cost price expense budget
cheap affordable
sell sale store shop
store shop market
business company startup firm venture
company employer firm
boss manager supervisor
colleague coworker teammate
meeting call appointment
party celebration birthday celebrate
wedding marriage marry engaged
ceremony event
event conference festival fair workshop
present gift
charity donation fundraiser donate
volunteer community nonprofit charity
organization group nonprofit association
community group neighborhood
church faith religion religious spiritual
nature outdoors park forest mountain
plant garden flower
tree forest wood
sea ocean beach
river lake water
weather rain sunny storm snow
accident crash
move relocate moved
live reside stay
born birth birthplace
age old year
die death dead passed loss
kind type sort
big large huge
small little tiny
new recent
old ancient
fast quick rapid
often frequently regularly
beautiful gorgeous stunning lovely
important significant key
different various diverse
talk speak chat conversation discuss
tell say mention share
ask question
answer reply respond
write writing author
show present display
make create build craft
create design develop
handmade craft
find discover
search look seek
try attempt
choose select pick decide
decide decision choose
hope wish
remember memory recall
remind reminder
forget miss
feel feeling emotion
motivate inspire inspiration motivation
inspire influence
proud pride
relax unwind calm rest
calm peace peaceful
sleep nap bed
watch see view
series show tv television
news article
cloth clothing clothes outfit dress shirt
shoe sneaker boot
necklace jewelry ring bracelet
phone mobile cell
computer laptop pc
internet online web
website site page
program software application app
code program programming
bug error defect issue failure
crash failure error
test testing
deploy deployment release
server host backend
database db sql
speed performance latency
fast performance speed
secure security
login authentication auth sign
password credential secret
user customer client
version release
library package dependency module
feature functionality
task todo item
deadline due date
schedule calendar timetable
meeting appointment
percent percentage rate
number count amount many
pause suspend halt
resume continue proceed
abort cancel terminate kill
timeout deadline expiry
retry reattempt backoff
fault failure error exception
absent missing lack
remove delete drop erase discard
deprecated obsolete legacy retired sunset
replace swap substitute supersede
setting configuration option parameter preference
alter change edit adjust tweak
demo example sample tutorial
log logging trace telemetry
metric monitoring telemetry observability
event message notification
queue topic broker
store storage persist save
fetch load retrieve
send publish transmit emit
receive consume
call invoke execute
function method routine
argument parameter
rule convention policy guideline
forbid prohibit ban disallow
allow permit
mandatory required obligatory
check validate verify
lint format style
compile build
bundle package embed
ship release publish
rollback revert undo
merge integrate land
approve approval signoff
ci pipeline gate
container docker image
machine box host server
migrate migration port convert upgrade
rewrite port refactor
field attribute property column
key identifier
row record entry
leader primary master
replica copy duplicate mirror
identical same equal parity
differ diverge deviate
concurrent parallel simultaneous
lock mutex semaphore
async asynchronous background
schedule cron periodic
encrypt cipher
permission access role authorization
invoice bill
payment charge billing
ui interface frontend screen
endpoint route url
serialize encode marshal
deserialize decode parse
empty blank null
limit cap maximum quota
throttle limit rate
framework library toolkit stack
maintainer owner responsible
maintain support
ram memory heap
disk storage filesystem
offline disconnected
twice duplicate idempotent
once idempotent
order sequence
initial first
final last
step phase stage
mock stub fake
flaky unstable intermittent
warn warning alert
hide mask redact conceal
render display show
refresh reload
stale outdated expired
lifetime ttl expiration
shard partition split
join combine merge
sync synchronize replicate
backup snapshot
restore recover
notify alert
startup boot launch
shutdown stop teardown
leak exhaustion
hang freeze stuck deadlock
vendor supplier provider
customer tenant account
locale language translation
price tariff fee
"""
_ENDINGS = sorted(
    "ation ition ion ator er or ist ism ment ness ship ful less abl ibl iti ity age al iv ic "
    "anc enc ant ent ed ing li ly ari".split(),
    key=lambda ending: (-len(ending), ending),
)
#: What is left of a word has at least so many letters.
ROOT_LETTERS = 4


#: A group each, a blank before each word.
_LINES = [
    *[f" {line}" for line in _GROUPS.strip().split("\n")],
    *[f" {one} {other}" for one, other in (*SYNONYMS.items(), *NUMBERS.items()) if one.isascii()],
]


def related_words(start: str) -> dict[str, tuple[str, ...]]:
    """Return the words of the groups that begin so, each with the others of its groups, in order.

    Every question asks for a few words: a table of all of them would have to be made for each process.
    """
    found: dict[str, dict[str, None]] = {}
    for line in _LINES:
        if f" {start}" in line:
            words = [word for word in line.split() if word.isalnum()]  # one word for the index too
            for word in words:
                if word.startswith(start):
                    found.setdefault(word, {}).update(dict.fromkeys(words))
    return {word: tuple([one for one in words if one != word]) for word, words in found.items()}


def root_of(stem: str) -> str:
    """Return what is left of a stem without the endings that Porter's algorithm leaves on it.

    `creat`, `creation` and `creativ` are "creat"; the root itself need not be a word.
    """
    for _ in range(2):
        for ending in _ENDINGS:
            if stem.endswith(ending) and len(stem) - len(ending) >= ROOT_LETTERS:
                stem = stem[: -len(ending)]
                break
        else:
            break
    if len(stem) > ROOT_LETTERS and stem[-1] in "eiy":
        stem = stem[:-1]
    if len(stem) > ROOT_LETTERS and stem[-1] == stem[-2]:
        stem = stem[:-1]
    return stem
