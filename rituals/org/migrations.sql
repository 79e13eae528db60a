-- What `diurna org init` runs, one transaction a migration, each once and in order. All that is here is
-- a projection of git: rows are made of ledgers and nothing else, and are made again by `org rebuild`.

-- migration 1

CREATE TABLE org.shelf(id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  readers text[] NOT NULL UNIQUE,            -- sorted; '{}' is nobody
  counted int NOT NULL DEFAULT 0,            -- facts when `org.word` was counted
  counted_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE org.member(team text NOT NULL, person text NOT NULL, PRIMARY KEY (team, person));
CREATE TABLE org.token(hash bytea PRIMARY KEY, person text NOT NULL, made timestamptz NOT NULL DEFAULT now());
CREATE TABLE org.ledger(
  id int PRIMARY KEY,                        -- drawn at random: a row of numbers with gaps would count the hidden
  url text UNIQUE NOT NULL, name text NOT NULL, team text NOT NULL DEFAULT '', branch text NOT NULL DEFAULT '',
  prefix text NOT NULL DEFAULT '', shelf int NOT NULL REFERENCES org.shelf, project text NOT NULL DEFAULT '',
  tip text NOT NULL DEFAULT '', digest text NOT NULL DEFAULT '', library text NOT NULL DEFAULT '',
  logs int NOT NULL DEFAULT 0, facts int NOT NULL DEFAULT 0, read_at timestamptz);
CREATE TABLE org.job(
  ledger int PRIMARY KEY REFERENCES org.ledger ON DELETE CASCADE,
  due timestamptz NOT NULL DEFAULT now(), wish text NOT NULL DEFAULT 'read',    -- read | rebuild | forget
  wished int NOT NULL DEFAULT 0,             -- grows with each wish, so that none is lost while one is carried out
  pause interval NOT NULL DEFAULT '1 min',   -- until the next look; doubles while nothing happens
  lease uuid, leased_until timestamptz, worker text NOT NULL DEFAULT '', tries int NOT NULL DEFAULT 0,
  problem text NOT NULL DEFAULT '', problem_at timestamptz) WITH (fillfactor = 70);
CREATE INDEX job_due ON org.job(due);

CREATE TABLE org.log(shelf int NOT NULL, ledger int NOT NULL, stem text COLLATE "C" NOT NULL, blob text NOT NULL,
  path text NOT NULL, type text NOT NULL, agent text NOT NULL, role text NOT NULL, session text NOT NULL,
  branch text NOT NULL, ended text NOT NULL, title text NOT NULL, refs text[] COMPRESSION lz4,
  body text COMPRESSION lz4 NOT NULL, mark bytea NOT NULL) PARTITION BY LIST (shelf);
CREATE TABLE org.event(shelf int NOT NULL, ledger int NOT NULL, stem text COLLATE "C" NOT NULL, seq int NOT NULL,
  verb text NOT NULL, fact text COLLATE "C" NOT NULL, said text COMPRESSION lz4) PARTITION BY LIST (shelf);
CREATE TABLE org.fact(shelf int NOT NULL, ledger int NOT NULL, id text COLLATE "C" NOT NULL, kind text NOT NULL,
  tier text NOT NULL, reason text NOT NULL, text text COMPRESSION lz4 NOT NULL, stem text NOT NULL,
  version text NOT NULL, uses int NOT NULL, created text NOT NULL, last_used text NOT NULL,
  origin text NOT NULL, verified text NOT NULL, entity text NOT NULL, tags text[], untrue bool NOT NULL,
  closed bool NOT NULL, contested bool NOT NULL, redacted bool NOT NULL, known text NOT NULL,
  known_by text NOT NULL, rest jsonb, mark bytea NOT NULL,
  words tsvector COMPRESSION lz4) PARTITION BY LIST (shelf);
CREATE TABLE org.version(shelf int NOT NULL, ledger int NOT NULL, fact text COLLATE "C" NOT NULL, place int NOT NULL, id text NOT NULL,
  stem text NOT NULL, parents text[], text text NOT NULL) PARTITION BY LIST (shelf);
CREATE TABLE org.link(shelf int NOT NULL, ledger int NOT NULL, fact text COLLATE "C" NOT NULL, kind text NOT NULL,
  target text COLLATE "C" NOT NULL) PARTITION BY LIST (shelf);
CREATE TABLE org.word(shelf int NOT NULL, word text COLLATE "C" NOT NULL, facts int NOT NULL,
  PRIMARY KEY (shelf, word)) PARTITION BY LIST (shelf);

-- A shelf is one set of readers, and a partition of each table: what a planner, an index or a statistic
-- knows of words is of one shelf alone. The tables of a shelf are made beside each other by number.
CREATE FUNCTION org.make_partition(kind text, shelf int, name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE org.%I (LIKE org.%I INCLUDING ALL)', name, kind);
  EXECUTE CASE kind
    WHEN 'log' THEN format('ALTER TABLE org.%I ADD PRIMARY KEY (ledger, stem)', name)
    WHEN 'event' THEN format('ALTER TABLE org.%I ADD PRIMARY KEY (ledger, stem, seq)', name)
    WHEN 'fact' THEN format('ALTER TABLE org.%I ADD PRIMARY KEY (ledger, id)', name)
    WHEN 'version' THEN format('ALTER TABLE org.%I ADD PRIMARY KEY (ledger, fact, place)', name)
    WHEN 'link' THEN format('ALTER TABLE org.%I ADD PRIMARY KEY (ledger, fact, kind, target)', name)
    ELSE 'SELECT 1' END;
END $$;
CREATE FUNCTION org.shelf_for(wanted text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  sorted text[] := ARRAY(SELECT DISTINCT one FROM unnest(wanted) AS one ORDER BY one);
  found int := (SELECT id FROM org.shelf WHERE readers = sorted);
  kind text;
BEGIN
  IF found IS NOT NULL THEN RETURN found; END IF;
  IF (SELECT count(*) FROM org.shelf) >= 200 THEN
    RAISE EXCEPTION 'more than 200 sets of readers' USING ERRCODE = 'OR001';
  END IF;
  INSERT INTO org.shelf(readers) VALUES (sorted) RETURNING id INTO found;
  FOREACH kind IN ARRAY '{log,event,fact,version,link,word}'::text[] LOOP
    PERFORM org.make_partition(kind, found, kind || '_' || found);
    EXECUTE format('ALTER TABLE org.%I ATTACH PARTITION org.%I FOR VALUES IN (%s)', kind, kind || '_' || found, found);
  END LOOP;
  RETURN found;
END $$;
-- What finds words is built when a shelf has been read for the first time: row by row it takes four times as long.
CREATE FUNCTION org.index_shelf(shelf int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  SET LOCAL maintenance_work_mem = '512MB';
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I USING gin(words)', 'fact_words_' || shelf, 'fact_' || shelf);
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I(entity) WHERE entity <> ''''', 'fact_entity_' || shelf, 'fact_' || shelf);
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I(ledger, fact)', 'event_fact_' || shelf, 'event_' || shelf);
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I USING gin(to_tsvector(''english'', title || '' '' || body))',
    'log_words_' || shelf, 'log_' || shelf);
  EXECUTE format('ANALYZE org.%I', 'log_' || shelf);
END $$;
-- How many facts have a word: counted anew when a twentieth of the shelf has changed.
CREATE FUNCTION org.count_words(one int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TEMP TABLE counted ON COMMIT DROP AS SELECT word, ndoc FROM ts_stat(%L)',
    format('SELECT words FROM org.%I', 'fact_' || one));
  EXECUTE format('TRUNCATE org.%I', 'word_' || one);  -- now, so that nobody who asks waits for the counting
  EXECUTE format('INSERT INTO org.%I SELECT %s, word, ndoc FROM counted', 'word_' || one, one);
  DROP TABLE counted;
  EXECUTE format('ANALYZE org.%I', 'fact_' || one);
  UPDATE org.shelf SET counted = (SELECT coalesce(sum(facts), 0) FROM org.ledger WHERE shelf = one),
    counted_at = now() WHERE id = one;
END $$;

-- Who asks is whom a token was made for. Readers are names of people or teams, '*' is everybody.
CREATE FUNCTION org.who(asks text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT person FROM org.token WHERE hash = sha256(convert_to(asks, 'UTF8')) $$;
CREATE FUNCTION org.shelves_of(who text) RETURNS int[] LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = org, pg_temp AS $$
  SELECT coalesce(array_agg(id), '{}') FROM org.shelf WHERE who IS NOT NULL AND readers &&
    (ARRAY[who, '*'] || ARRAY(SELECT team FROM org.member WHERE person = who)) $$;

-- The functions that `org_server` may call, and nothing else. What is hidden and what is not there is the
-- same to each of them: no row.
CREATE FUNCTION org.lexeme(word text) RETURNS tsquery LANGUAGE sql IMMUTABLE AS $$
  SELECT ('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''')::tsquery $$;
CREATE FUNCTION org.totals(asks text) RETURNS TABLE(ledgers bigint, facts bigint, chars bigint, state text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
  WITH mine AS MATERIALIZED (SELECT org.shelves_of(org.who(asks)) AS mine)  -- asked once, not for each row
  -- `state` is the same as long as the words that may be counted are: what was counted may be kept so long
  SELECT count(*), coalesce(sum(l.facts), 0), 200 * coalesce(sum(l.facts), 0), md5(m.mine::text || (
    SELECT string_agg(s.counted || ' ' || s.counted_at, ' ' ORDER BY s.id) FROM org.shelf s WHERE s.id = ANY (m.mine)))
  FROM org.ledger l, mine AS m WHERE l.shelf = ANY (m.mine) AND l.tip <> '' GROUP BY m.mine $$;
CREATE FUNCTION org.counts(asks text, wanted text[]) RETURNS TABLE(word text, facts bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE mine int[] := org.shelves_of(org.who(asks)); one text; held bigint;
BEGIN
  FOREACH one IN ARRAY wanted LOOP
    SELECT sum(w.facts) INTO held FROM org.word w WHERE w.shelf = ANY (mine) AND w.word = one;
    IF held IS NULL THEN  -- a word that came since the words were counted
      SELECT count(*) INTO held FROM (SELECT 1 FROM org.fact f
        WHERE f.shelf = ANY (mine) AND f.words @@ org.lexeme(one) LIMIT 50) AS few;
    END IF;
    word := one; facts := held; RETURN NEXT;
  END LOOP;
END $$;
CREATE FUNCTION org.beginning(asks text, start text, most int) RETURNS TABLE(word text, facts bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
  SELECT w.word, sum(w.facts)::bigint AS held FROM org.word w
  WHERE w.shelf = ANY ((SELECT org.shelves_of(org.who(asks)))::int[]) AND w.word >= start AND w.word < start || chr(1114111)
  GROUP BY w.word ORDER BY held DESC, w.word LIMIT most $$;
CREATE FUNCTION org.find(asks text, looked text[], told text[], weights float8[], wanted jsonb, most int)
  RETURNS TABLE(ledger int, name text, url text, team text, tip text, prefix text, id text, kind text, tier text,
    reason text, text text, stem text, path text, agent text, created text, last_used text, entity text, untrue bool,
    closed bool, contested bool, known text, known_by text, places jsonb)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE
  mine int[] := org.shelves_of(org.who(asks));
  score text := '0'; query text; place int;
BEGIN
  FOR place IN 1 .. coalesce(cardinality(told), 0) LOOP
    score := score || format(' + CASE WHEN f.words @@ %L::tsquery THEN %s ELSE 0 END', org.lexeme(told[place]), weights[place]);
  END LOOP;
  SELECT string_agg(org.lexeme(one)::text, ' | ') INTO query FROM unnest(looked) AS one;
  IF query IS NULL OR mine = '{}' THEN RETURN; END IF;
  RETURN QUERY EXECUTE format($q$
    WITH best AS MATERIALIZED (
      SELECT f.*, (%s) AS score, l.name, l.url, l.team, l.tip, l.prefix
      FROM org.fact f JOIN org.ledger l ON l.id = f.ledger
      WHERE f.shelf = ANY ($1) AND f.words @@ %L::tsquery
        AND ($2->>'repo' IS NULL OR l.name = $2->>'repo' OR l.url = $2->>'repo')
        AND ($2->>'team' IS NULL OR l.team = $2->>'team')
        AND ($2->'kinds' IS NULL OR $2->'kinds' ? f.kind) AND ($2->'tiers' IS NULL OR $2->'tiers' ? f.tier)
        AND ($2->'entities' IS NULL OR $2->'entities' ? f.entity)
        AND ($2->>'since' IS NULL OR f.stem >= $2->>'since') AND ($2->>'until' IS NULL OR f.stem <= $2->>'until')
        AND ($2->'superseded' IS NOT NULL OR NOT f.untrue) AND f.kind <> 'question'
      ORDER BY score DESC, f.stem DESC, f.ledger, f.id LIMIT $3)
    SELECT b.ledger, b.name, b.url, b.team, b.tip, b.prefix, b.id, b.kind, b.tier, b.reason, b.text, b.stem,
      g.path, g.agent, b.created, b.last_used, b.entity, b.untrue, b.closed, b.contested, b.known, b.known_by,
      (SELECT jsonb_object_agg(u.lexeme, to_jsonb(u.positions)) FROM unnest(b.words) AS u WHERE u.lexeme = ANY ($4))
    FROM best b LEFT JOIN org.log g ON g.shelf = b.shelf AND g.ledger = b.ledger AND g.stem = b.stem
    $q$, score, query) USING mine, wanted, most, told;
END $$;
-- In how many facts of which ledgers words stand: what a ledger is about.
CREATE FUNCTION org.spread(asks text, looked text[]) RETURNS TABLE(word text, ledger int, facts bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE mine int[] := org.shelves_of(org.who(asks)); one text;
BEGIN
  FOREACH one IN ARRAY looked LOOP
    RETURN QUERY EXECUTE format('SELECT %L::text, f.ledger, count(*) FROM org.fact f WHERE f.shelf = ANY ($1)'
      ' AND f.words @@ %L::tsquery GROUP BY f.ledger', one, org.lexeme(one)) USING mine;
  END LOOP;
END $$;
CREATE FUNCTION org.find_logs(asks text, words text, wanted jsonb, most int)
  RETURNS TABLE(ledger int, name text, url text, team text, tip text, prefix text, stem text, path text, agent text,
    ended text, title text, body text)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE mine int[] := org.shelves_of(org.who(asks));
BEGIN
  RETURN QUERY EXECUTE $q$
    SELECT g.ledger, l.name, l.url, l.team, l.tip, l.prefix, g.stem, g.path, g.agent, g.ended, g.title, g.body
    FROM org.log g JOIN org.ledger l ON l.id = g.ledger
    WHERE g.shelf = ANY ($1) AND to_tsvector('english', g.title || ' ' || g.body) @@ $2::tsquery
      AND ($3->>'repo' IS NULL OR l.name = $3->>'repo' OR l.url = $3->>'repo')
      AND ($3->>'team' IS NULL OR l.team = $3->>'team')
      AND ($3->>'since' IS NULL OR g.stem >= $3->>'since') AND ($3->>'until' IS NULL OR g.stem <= $3->>'until')
    ORDER BY g.stem DESC LIMIT $4 $q$ USING mine, plainto_tsquery('english', words), wanted, most;
END $$;
CREATE FUNCTION org.ledgers(asks text) RETURNS TABLE(name text, url text, team text, logs int, facts int,
    read_at timestamptz, problem text, due timestamptz, tries int)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
  SELECT l.name, l.url, l.team, l.logs, l.facts, l.read_at, j.problem, j.due, j.tries
  FROM org.ledger l JOIN org.job j ON j.ledger = l.id
  WHERE l.shelf = ANY ((SELECT org.shelves_of(org.who(asks)))::int[]) ORDER BY l.name $$;

-- Two walls: no role but the workers' may ask a table at all, and where somebody grants it by mistake each
-- sees the shelves of the role's own name.
DO $$ DECLARE kind text; BEGIN
  FOREACH kind IN ARRAY '{log,event,fact,version,link,word}'::text[] LOOP
    EXECUTE format('ALTER TABLE org.%I ENABLE ROW LEVEL SECURITY', kind);
    EXECUTE format('ALTER TABLE org.%I FORCE ROW LEVEL SECURITY', kind);
    EXECUTE format('CREATE POLICY worker ON org.%I TO org_worker USING (true) WITH CHECK (true)', kind);
    EXECUTE format('CREATE POLICY reader ON org.%I FOR SELECT USING (shelf = ANY ((SELECT org.shelves_of(session_user))::int[]))', kind);
  END LOOP;
END $$;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA org FROM PUBLIC;
GRANT USAGE ON SCHEMA org TO org_server;
GRANT EXECUTE ON FUNCTION org.totals, org.counts, org.beginning, org.find, org.spread, org.find_logs, org.ledgers TO org_server;

-- migration 2

-- Of which ledgers the asker may read the rows, and where each was read last.
CREATE FUNCTION org.tips(asks text) RETURNS TABLE(ledger int, name text, url text, team text, tip text, prefix text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
  SELECT l.id, l.name, l.url, l.team, l.tip, l.prefix FROM org.ledger l
  WHERE l.shelf = ANY ((SELECT org.shelves_of(org.who(asks)))::int[]) AND l.tip <> '' ORDER BY l.id $$;
-- What live facts speak of, as it is written, by ledger; `sign` is another one when one of them is. Facts of
-- the kinds `without` claim nothing.
CREATE FUNCTION org.spoken(asks text, without text[]) RETURNS TABLE(entity text, ledger int, sign bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE mine int[] := org.shelves_of(org.who(asks));
BEGIN
  RETURN QUERY EXECUTE $q$
    SELECT f.entity, f.ledger, bit_xor(hashtextextended(f.mark::text, 0)) FROM org.fact f
    WHERE f.shelf = ANY ($1) AND f.entity <> '' AND f.reason = '' AND NOT (f.closed OR f.redacted)
      AND f.kind <> ALL ($2) GROUP BY f.entity, f.ledger $q$ USING mine, without;
END $$;
-- Those facts, by what they speak of as it is written. `also` are the ledgers that begin with the same log, as
-- forks do, and have or had the same fact.
CREATE FUNCTION org.shared(asks text, named text[], without text[])
  RETURNS TABLE(ledger int, id text, kind text, tier text, text text, stem text, path text, agent text,
    created text, entity text, known text, known_by text, commit text, author text, also int[])
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE mine int[] := org.shelves_of(org.who(asks));
BEGIN
  RETURN QUERY EXECUTE $q$
    WITH found AS MATERIALIZED (
      SELECT f.* FROM org.fact f WHERE f.shelf = ANY ($1) AND f.entity = ANY ($2) AND f.entity <> '' AND f.reason = ''
        AND NOT (f.closed OR f.redacted) AND f.kind <> ALL ($3)),
    roots AS MATERIALIZED (
      SELECT o.ledger, (SELECT g.blob FROM org.log g WHERE g.shelf = o.shelf AND g.ledger = o.ledger
        ORDER BY g.stem LIMIT 1) AS root
      FROM (SELECT DISTINCT shelf, ledger FROM found) o),
    twins AS MATERIALIZED (
      SELECT * FROM roots WHERE root IN (SELECT root FROM roots GROUP BY root HAVING count(*) > 1)),
    past AS MATERIALIZED (
      SELECT f.ledger, f.id, array_agg(o.ledger) AS also FROM found f JOIN twins t ON t.ledger = f.ledger
        JOIN twins s ON s.root = t.root AND s.ledger <> t.ledger
        JOIN org.fact o ON o.shelf = ANY ($1) AND o.ledger = s.ledger AND o.id = f.id
      GROUP BY f.ledger, f.id)
    SELECT f.ledger, f.id, f.kind, f.tier, f.text, f.stem, g.path, g.agent, f.created, f.entity, f.known, f.known_by,
      g.commit, g.author, p.also
    FROM found f LEFT JOIN past p ON p.ledger = f.ledger AND p.id = f.id
      LEFT JOIN org.log g ON g.shelf = f.shelf AND g.ledger = f.ledger AND g.stem = f.stem
    ORDER BY f.ledger, f.id $q$ USING mine, named, without;
END $$;
REVOKE ALL ON FUNCTION org.tips, org.spoken, org.shared FROM PUBLIC;
GRANT EXECUTE ON FUNCTION org.tips, org.spoken, org.shared TO org_server;
-- Which commit brought a log, "" for nobody knows, and who wrote it, as far as git tells: `path` is where that
-- commit has it. Up to the commit `walked` no log has ever gone, so that only what is new is looked through.
ALTER TABLE org.log ADD commit text NOT NULL DEFAULT '', ADD author text NOT NULL DEFAULT '';
ALTER TABLE org.ledger ADD walked text NOT NULL DEFAULT '';
-- How long all texts of a ledger's facts are together: a text is long or short beside its own ledger's.
ALTER TABLE org.ledger ADD chars bigint NOT NULL DEFAULT 0;
-- Ledgers that a question is put to, of those on some shelves; null where it is put to all.
CREATE FUNCTION org.named(mine int[], wanted jsonb) RETURNS int[] LANGUAGE sql STABLE SET search_path = org, pg_temp AS $$
  SELECT CASE WHEN wanted ?| '{repo,team}' THEN ARRAY(SELECT l.id FROM org.ledger l WHERE l.shelf = ANY (mine)
    AND (wanted->>'repo' IS NULL OR wanted->>'repo' IN (l.name, l.url)) AND (wanted->>'team' IS NULL OR l.team = wanted->>'team')) END $$;
DROP FUNCTION org.find, org.find_logs, org.spread, org.totals;
CREATE FUNCTION org.totals(asks text, wanted jsonb) RETURNS TABLE(ledgers bigint, facts bigint, state text)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE mine int[] := org.shelves_of(org.who(asks)); within int[] := org.named(mine, wanted);
BEGIN
  -- `state` is the same as long as the words that may be counted are: what was counted may be kept so long
  RETURN QUERY SELECT count(*), coalesce(sum(l.facts), 0)::bigint, md5(mine::text || CASE
    WHEN wanted ? 'repo' THEN string_agg(l.tip, ' ' ORDER BY l.id)
    ELSE (SELECT string_agg(s.counted || ' ' || s.counted_at, ' ' ORDER BY s.id) FROM org.shelf s WHERE s.id = ANY (mine)) END)
  FROM org.ledger l WHERE l.shelf = ANY (mine) AND l.tip <> '' AND (within IS NULL OR l.id = ANY (within))
  HAVING count(*) > 0;
END $$;
CREATE OR REPLACE FUNCTION org.counts(asks text, wanted text[]) RETURNS TABLE(word text, facts bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE mine int[] := org.shelves_of(org.who(asks));
BEGIN
  FOR word, facts IN SELECT one, sum(w.facts) FROM unnest(wanted) AS one
    LEFT JOIN org.word w ON w.shelf = ANY (mine) AND w.word = one GROUP BY one LOOP
    IF facts IS NULL THEN  -- a word that came since the words were counted
      SELECT count(*) INTO facts FROM (SELECT 1 FROM org.fact f
        WHERE f.shelf = ANY (mine) AND f.words @@ org.lexeme(counts.word) LIMIT 50) AS few;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
-- All words of the ledgers that a question is put to, where it is put to a repository.
CREATE FUNCTION org.vocabulary(asks text, wanted jsonb) RETURNS TABLE(word text, facts bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE mine int[] := org.shelves_of(org.who(asks));
BEGIN
  RETURN QUERY SELECT t.word, t.ndoc::bigint FROM ts_stat(format(
    'SELECT words FROM org.fact WHERE shelf = ANY (%L) AND ledger = ANY (%L)', mine, org.named(mine, wanted))) AS t;
END $$;
-- The facts that have the most of what words tell; `about` is how much their ledger is about these words, 0 to 1,
-- by how many of its facts have those that few ledgers have, and `usual` how long its texts are. Words are looked up one by one, so that no row is
-- asked for each of them; shares are whole, so that a sum has no order.
CREATE FUNCTION org.find(asks text, looked text[], told text[], weights float8[], wanted jsonb, most int)
  RETURNS TABLE(ledger int, name text, url text, team text, tip text, prefix text, id text, kind text, tier text,
    reason text, text text, stem text, path text, agent text, created text, last_used text, entity text, untrue bool,
    closed bool, contested bool, known text, known_by text, words text, commit text, author text, about float8, usual float8)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE
  mine int[] := org.shelves_of(org.who(asks)); within int[] := org.named(mine, wanted);
  many bigint := (SELECT count(*) FROM org.ledger l WHERE l.shelf = ANY (mine) AND l.tip <> '');
  rest text;
BEGIN
  SELECT string_agg(format(' + CASE WHEN f.words @@ %L::tsquery THEN %s ELSE 0 END', org.lexeme(u.word), (1e5 * u.weight)::int), '')
    INTO rest FROM unnest(told, weights) AS u(word, weight) WHERE u.word <> ALL (looked);
  RETURN QUERY EXECUTE format($q$
    WITH hit AS MATERIALIZED (
      SELECT q.word, q.share, f.shelf, f.ledger, f.id, f.stem, 0 %s AS rest,
        ($2->'kinds' IS NULL OR $2->'kinds' ? f.kind) AND ($2->'tiers' IS NULL OR $2->'tiers' ? f.tier)
        AND ($2->'entities' IS NULL OR $2->'entities' ? f.entity)
        AND ($2->>'since' IS NULL OR f.stem >= $2->>'since') AND ($2->>'until' IS NULL OR f.stem <= $2->>'until')
        AND ($2->'superseded' IS NOT NULL OR NOT f.untrue) AND f.kind <> 'question' AS fits
      FROM unnest($4, $5) WITH ORDINALITY AS q(query, share, word)
      JOIN org.fact f ON f.shelf = ANY ($1) AND f.words @@ q.query AND ($6 IS NULL OR f.ledger = ANY ($6))),
    held AS MATERIALIZED (SELECT h.ledger, h.word, h.share, count(*) AS facts FROM hit h GROUP BY h.ledger, h.word, h.share),
    rare AS MATERIALIZED (SELECT d.word, d.share * ln(1 + $7 / count(*)::float8) AS rare FROM held d GROUP BY d.word, d.share),
    about AS MATERIALIZED (
      SELECT d.ledger, sum(r.rare * d.facts / (d.facts + 3) ORDER BY d.word) / (SELECT sum(rare ORDER BY word) FROM rare) AS about
      FROM held d JOIN rare r USING (word) GROUP BY d.ledger),
    best AS MATERIALIZED (
      SELECT h.shelf, h.ledger, h.id FROM hit h WHERE h.fits GROUP BY h.shelf, h.ledger, h.id, h.stem
      ORDER BY sum(h.share) + max(h.rest) DESC, h.stem DESC, h.ledger, h.id LIMIT $3)
    SELECT l.id, l.name, l.url, l.team, l.tip, l.prefix, f.id, f.kind, f.tier, f.reason, f.text, f.stem, g.path, g.agent,
      f.created, f.last_used, f.entity, f.untrue, f.closed, f.contested, f.known, f.known_by, f.words::text,
      g.commit, g.author, a.about, coalesce(nullif(l.chars, 0), 200 * l.facts) / greatest(l.facts, 1)::float8
    FROM best b JOIN org.ledger l ON l.id = b.ledger JOIN about a ON a.ledger = b.ledger
      JOIN org.fact f ON f.shelf = ANY ($1) AND f.shelf = b.shelf AND f.ledger = b.ledger AND f.id = b.id
      LEFT JOIN org.log g ON g.shelf = ANY ($1) AND g.shelf = f.shelf AND g.ledger = f.ledger AND g.stem = f.stem
    $q$, rest)
  USING mine, wanted, most, ARRAY(SELECT org.lexeme(one) FROM unnest(looked) AS one),
    ARRAY(SELECT (1e5 * weights[array_position(told, one)])::int FROM unnest(looked) AS one), within, many;
END $$;
CREATE FUNCTION org.find_logs(asks text, words text, wanted jsonb, most int)
  RETURNS TABLE(ledger int, name text, url text, team text, tip text, prefix text, stem text, path text, agent text,
    ended text, title text, body text, commit text, author text)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE mine int[] := org.shelves_of(org.who(asks));
BEGIN
  RETURN QUERY EXECUTE $q$
    SELECT g.ledger, l.name, l.url, l.team, l.tip, l.prefix, g.stem, g.path, g.agent, g.ended, g.title, g.body,
      g.commit, g.author
    FROM org.log g JOIN org.ledger l ON l.id = g.ledger
    WHERE g.shelf = ANY ($1) AND to_tsvector('english', g.title || ' ' || g.body) @@ $2::tsquery
      AND ($3->>'repo' IS NULL OR l.name = $3->>'repo' OR l.url = $3->>'repo')
      AND ($3->>'team' IS NULL OR l.team = $3->>'team')
      AND ($3->>'since' IS NULL OR g.stem >= $3->>'since') AND ($3->>'until' IS NULL OR g.stem <= $3->>'until')
    ORDER BY g.stem DESC LIMIT $4 $q$ USING mine, plainto_tsquery('english', words), wanted, most;
END $$;
REVOKE ALL ON FUNCTION org.named, org.totals, org.vocabulary, org.find, org.find_logs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION org.totals, org.vocabulary, org.find, org.find_logs TO org_server;
-- Lists of facts for pages, each of them by an index of each shelf. Names of entities are looked up without
-- case, joints and blanks; which of these spellings is meant says the library.
CREATE FUNCTION org.names_of(entity text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_to_array(translate(lower(entity), '-_ `"''*', ''), ',') $$;
CREATE FUNCTION org.index_lists(shelf int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I USING gin(org.names_of(entity)) WHERE entity <> ''''',
    'fact_named_' || shelf, 'fact_' || shelf);
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I(greatest(verified, created), ledger, id)'
    ' WHERE kind = ''invariant'' AND reason = '''' AND NOT (untrue OR closed OR redacted)', 'fact_confirmed_' || shelf, 'fact_' || shelf);
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I(stem, ledger, id)'
    ' WHERE kind IN (''thread'', ''task'') AND reason = '''' AND NOT (untrue OR closed OR redacted)', 'fact_open_' || shelf, 'fact_' || shelf);
END $$;
DO $$ DECLARE one int; BEGIN FOR one IN SELECT id FROM org.shelf LOOP PERFORM org.index_lists(one); END LOOP; END $$;
CREATE INDEX ledger_name ON org.ledger(name);
-- `list` is `entity`, `unconfirmed`, `working` or `fact`; `wanted` has what facts have to be, and `after` where the
-- page before this one ended.
CREATE FUNCTION org.listed(asks text, list text, wanted jsonb, most int)
  RETURNS TABLE(ledger int, name text, url text, team text, tip text, prefix text, id text, kind text, tier text,
    reason text, text text, stem text, path text, agent text, created text, verified text, last_used text, entity text,
    untrue bool, closed bool, contested bool, known text, known_by text, commit text, author text)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
DECLARE
  mine int[] := org.shelves_of(org.who(asks));
  named int[]; keeps text; sorted text;
BEGIN
  CASE list
    WHEN 'entity' THEN
      keeps := 'f.entity <> '''' AND org.names_of(f.entity) && ARRAY(SELECT jsonb_array_elements_text($2->''names''))';
      sorted := 'f.untrue, f.stem DESC, f.ledger, f.id';
    WHEN 'unconfirmed' THEN
      keeps := 'f.kind = ''invariant'' AND f.reason = '''' AND NOT (f.untrue OR f.closed OR f.redacted)'
        ' AND greatest(f.verified, f.created) < $2->>''since''' || CASE WHEN wanted ? 'after' THEN
        ' AND (greatest(f.verified, f.created), f.ledger, f.id) > ($2->''after''->>0, ($2->''after''->>1)::int, $2->''after''->>2)'
        ELSE '' END;
      sorted := 'greatest(f.verified, f.created), f.ledger, f.id';
    WHEN 'working' THEN
      keeps := 'f.kind IN (''thread'', ''task'') AND f.reason = '''' AND NOT (f.untrue OR f.closed OR f.redacted)' || CASE WHEN wanted ? 'after'
        THEN ' AND (f.stem, f.ledger, f.id) < ($2->''after''->>0, ($2->''after''->>1)::int, $2->''after''->>2)' ELSE '' END;
      sorted := 'f.stem DESC, f.ledger DESC, f.id DESC';
    ELSE
      keeps := 'f.id = $2->>''id''';
      sorted := 'f.ledger';
  END CASE;
  IF wanted ? 'repo' OR wanted ? 'team' THEN
    named := ARRAY(SELECT l.id FROM org.ledger l WHERE l.shelf = ANY (mine)
      AND (wanted->>'repo' IS NULL OR l.name = wanted->>'repo' OR l.url = wanted->>'repo')
      AND (wanted->>'team' IS NULL OR l.team = wanted->>'team'));
    keeps := keeps || ' AND f.ledger = ANY ($4)';
  END IF;
  RETURN QUERY EXECUTE format($q$
    WITH best AS MATERIALIZED (
      SELECT f.*, row_number() OVER () AS place FROM (SELECT f.* FROM org.fact f WHERE f.shelf = ANY ($1) AND %1$s
      ORDER BY %2$s LIMIT $3) AS f)
    SELECT b.ledger, l.name, l.url, l.team, l.tip, l.prefix, b.id, b.kind, b.tier, b.reason, b.text, b.stem, g.path, g.agent,
      b.created, b.verified, b.last_used, b.entity, b.untrue, b.closed, b.contested, b.known, b.known_by,
      g.commit, g.author
    FROM best b JOIN org.ledger l ON l.id = b.ledger LEFT JOIN LATERAL (  -- row by row: else all logs are read
      SELECT * FROM org.log g WHERE g.shelf = b.shelf AND g.ledger = b.ledger AND g.stem = b.stem LIMIT 1) g ON true
    ORDER BY b.place $q$, keeps, sorted) USING mine, wanted, most, named;
END $$;
-- What logs did with a fact, the newest first, and which texts it has had.
CREATE FUNCTION org.fact_events(asks text, ledger int, fact text, most int)
  RETURNS TABLE(stem text, seq int, verb text, said text, path text, agent text, ended text, title text,
    commit text, author text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
  SELECT e.stem, e.seq, e.verb, e.said, g.path, g.agent, g.ended, g.title, g.commit, g.author
  FROM org.event e JOIN org.log g ON g.shelf = e.shelf AND g.ledger = e.ledger AND g.stem = e.stem
  WHERE e.shelf = ANY ((SELECT org.shelves_of(org.who(asks)))::int[]) AND e.ledger = $2 AND e.fact = $3
  ORDER BY e.stem DESC, e.seq DESC LIMIT most $$;
CREATE FUNCTION org.fact_versions(asks text, ledger int, fact text, most int) RETURNS TABLE(id text, stem text, text text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = org, pg_temp AS $$
  SELECT v.id, v.stem, v.text FROM org.version v
  WHERE v.shelf = ANY ((SELECT org.shelves_of(org.who(asks)))::int[]) AND v.ledger = $2 AND v.fact = $3
  ORDER BY v.place LIMIT most $$;
REVOKE ALL ON FUNCTION org.names_of, org.index_lists, org.listed, org.fact_events, org.fact_versions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION org.listed, org.fact_events, org.fact_versions TO org_server;
-- A forge's fork of a ledger that is read is not read twice: `root` is the first log's blob. Who may read a
-- ledger is asked of its forge, where it is watched; `holds`: somebody may, as it said at `heard_at`.
ALTER TABLE org.ledger ADD fork bool NOT NULL DEFAULT false, ADD root text NOT NULL DEFAULT '',
  ADD same_as int REFERENCES org.ledger ON DELETE SET NULL;
CREATE INDEX ledger_root ON org.ledger(root) WHERE root <> '';
CREATE INDEX ledger_shelf ON org.ledger(shelf);
CREATE TABLE org.watch(ledger int PRIMARY KEY REFERENCES org.ledger ON DELETE CASCADE, forge text NOT NULL,
  host text NOT NULL, due timestamptz NOT NULL DEFAULT now(), heard_at timestamptz,
  holds bool NOT NULL DEFAULT false, problem text NOT NULL DEFAULT '');
CREATE INDEX watch_due ON org.watch(due);
-- A table of a shelf without rows, and without what statistics tell of those that it had: `ANALYZE` keeps them.
CREATE FUNCTION org.make_anew(kind text, shelf int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS org.%I', kind || '_' || shelf);
  PERFORM org.make_partition(kind, shelf, kind || '_' || shelf);
  EXECUTE format('ALTER TABLE org.%I ATTACH PARTITION org.%I FOR VALUES IN (%s)', kind, kind || '_' || shelf, shelf);
END $$;
-- A shelf on which no ledger lies any more is taken for other readers; nobody's is always there. The lock holds
-- until the ledger lies where it was told to: the transaction of whoever asks.
CREATE OR REPLACE FUNCTION org.shelf_for(wanted text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  sorted text[] := ARRAY(SELECT DISTINCT one FROM unnest(wanted) AS one ORDER BY one);
  found int; kind text;
BEGIN
  PERFORM pg_advisory_xact_lock(7877);
  SELECT id INTO found FROM org.shelf WHERE readers = sorted;
  IF found IS NOT NULL THEN RETURN found; END IF;
  SELECT id INTO found FROM org.shelf s WHERE readers <> '{}' AND sorted <> '{}'
    AND NOT EXISTS (SELECT FROM org.ledger l WHERE l.shelf = s.id) LIMIT 1;
  IF found IS NOT NULL THEN
    FOREACH kind IN ARRAY '{log,event,fact,version,link,word}'::text[] LOOP
      PERFORM org.make_anew(kind, found);
    END LOOP;
    PERFORM org.index_lists(found);
    UPDATE org.shelf SET readers = sorted, counted = 0, counted_at = now(), stale = false WHERE id = found;
    RETURN found;
  END IF;
  IF sorted <> '{}' AND (SELECT count(*) FROM org.shelf WHERE readers <> '{}') >= 200 THEN
    RAISE EXCEPTION 'more than 200 sets of readers' USING ERRCODE = 'OR001';
  END IF;
  INSERT INTO org.shelf(readers) VALUES (sorted) RETURNING id INTO found;
  FOREACH kind IN ARRAY '{log,event,fact,version,link,word}'::text[] LOOP
    PERFORM org.make_anew(kind, found);
  END LOOP;
  RETURN found;
END $$;
-- What workers did, summed up: `label` says of which code or part. `lag`: seconds from due to read, the last time.
CREATE TABLE org.figure(name text NOT NULL, label text NOT NULL, value float8 NOT NULL, PRIMARY KEY (name, label))
  WITH (fillfactor = 50);
ALTER TABLE org.job ADD lag real;
-- How often a ledger's history was rewritten: what was exported before has texts that may have been purged.
ALTER TABLE org.ledger ADD rewrites int NOT NULL DEFAULT 0;
-- Words of facts go into their index at once: a list of those that wait is read by each question, and a planner that
-- knows of it reads the whole shelf instead.
CREATE OR REPLACE FUNCTION org.index_shelf(shelf int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  SET LOCAL maintenance_work_mem = '512MB';
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I USING gin(words) WITH (fastupdate = off)', 'fact_words_' || shelf, 'fact_' || shelf);
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I(entity) WHERE entity <> ''''', 'fact_entity_' || shelf, 'fact_' || shelf);
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I(ledger, fact)', 'event_fact_' || shelf, 'event_' || shelf);
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON org.%I USING gin(to_tsvector(''english'', title || '' '' || body))',
    'log_words_' || shelf, 'log_' || shelf);
  EXECUTE format('ANALYZE org.%I', 'log_' || shelf);
END $$;
DO $$ DECLARE one text; BEGIN
  FOR one IN SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'org' AND c.relkind = 'i' AND c.relname ~ '^fact_words_' LOOP
    EXECUTE format('ALTER INDEX %s SET (fastupdate = off)', one);
    PERFORM gin_clean_pending_list(one::regclass);
  END LOOP;
END $$;
-- Points of time and names of logs are compared byte by byte, whatever the order of the database's language.
ALTER TABLE org.fact ALTER stem TYPE text COLLATE "C", ALTER created TYPE text COLLATE "C", ALTER verified TYPE text COLLATE "C";
-- Rows of a ledger left this shelf, and stand in its files until it is written anew.
ALTER TABLE org.shelf ADD stale bool NOT NULL DEFAULT false;
