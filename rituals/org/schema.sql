-- What `diurna org init` runs, in one transaction. All that is here is a projection of git: rows are made of
-- ledgers and nothing else, and `org rebuild` makes them again. Whoever runs it owns it; a reader is a role of
-- the server's own, who may execute the four functions at the end, and ask no table.

CREATE SCHEMA org;
-- `stale`: since then the files may hold a text that the rows do not.
CREATE TABLE org.schema(number int NOT NULL, stale timestamptz);
CREATE TABLE org.ledger(
  id int PRIMARY KEY,                        -- drawn at random: numbers in a row would count what is hidden
  url text UNIQUE NOT NULL, name text NOT NULL, team text NOT NULL, branch text NOT NULL,
  tip text NOT NULL DEFAULT '', library text NOT NULL DEFAULT '',
  logs int NOT NULL DEFAULT 0, facts int NOT NULL DEFAULT 0, read_at timestamptz,
  chars bigint NOT NULL DEFAULT 0,           -- of all facts: a text is long or short beside its own ledger's
  -- its reading, which one worker at a time does: `due` is another one when somebody wished for it meanwhile
  due timestamptz NOT NULL DEFAULT now(), wish text NOT NULL DEFAULT 'read',   -- read | rebuild
  pause interval NOT NULL DEFAULT '1 min',   -- until the next look; doubles while nothing happens
  lease uuid, leased_until timestamptz, tries int NOT NULL DEFAULT 0,
  problem text NOT NULL DEFAULT '') WITH (fillfactor = 70);
CREATE INDEX ledger_due ON org.ledger(due);
-- Who may read what, by the names of roles; `public` is every role.
CREATE TABLE org.reader(ledger int NOT NULL REFERENCES org.ledger ON DELETE CASCADE, role text NOT NULL,
  PRIMARY KEY (role, ledger));

-- Points of time and names of logs are compared byte by byte, whatever the order of the database's language.
CREATE TABLE org.log(number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  ledger int NOT NULL REFERENCES org.ledger ON DELETE CASCADE, stem text COLLATE "C" NOT NULL,
  path text NOT NULL, commit text NOT NULL, author text NOT NULL,  -- which commit brought it, where, and who wrote that
  agent text NOT NULL, ended text NOT NULL, title text NOT NULL, body text COMPRESSION lz4 NOT NULL,
  mark bytea NOT NULL, PRIMARY KEY (ledger, stem));
-- `said` is what `show --json` says of it.
CREATE TABLE org.fact(number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  ledger int NOT NULL REFERENCES org.ledger ON DELETE CASCADE, id text COLLATE "C" NOT NULL, kind text NOT NULL,
  tier text NOT NULL, entity text NOT NULL, untrue bool NOT NULL, stem text COLLATE "C" NOT NULL, said jsonb NOT NULL,
  mark bytea NOT NULL, words tsvector COMPRESSION lz4, PRIMARY KEY (ledger, id));
-- In which facts of a ledger a word stands, and in which logs. A question looks up its words in the ledgers that it may
-- ask, one by one: what others hold changes neither its plan nor its time, nor how many blocks it reads.
CREATE TABLE org.word(ledger int NOT NULL REFERENCES org.ledger ON DELETE CASCADE, word text COLLATE "C" NOT NULL,
  facts bigint[] NOT NULL, PRIMARY KEY (ledger, word));
CREATE TABLE org.log_word(ledger int NOT NULL REFERENCES org.ledger ON DELETE CASCADE, word text COLLATE "C" NOT NULL,
  logs bigint[] NOT NULL, PRIMARY KEY (ledger, word));

-- The second wall: where somebody grants a table by mistake, it has no row but for its owner. Of words and texts no
-- statistics are kept, so that a text that is gone stands in none.
DO $$ DECLARE name text; col text; BEGIN
  FOREACH name IN ARRAY '{ledger,reader,log,fact,word,log_word}'::text[] LOOP
    EXECUTE format('ALTER TABLE org.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY owner ON org.%I TO CURRENT_USER USING (true) WITH CHECK (true)', name);
    FOR col IN SELECT attname FROM pg_attribute WHERE attrelid = format('org.%I', name)::regclass
      AND attnum > 0 AND atttypid IN ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype, 'tsvector'::regtype) LOOP
      EXECUTE format('ALTER TABLE org.%I ALTER %I SET STATISTICS 0', name, col);
    END LOOP;
  END LOOP;
END $$;

-- The ledgers that whoever is logged in may read: what is hidden and what is not there are the same, no row.
CREATE FUNCTION org.mine(wanted jsonb) RETURNS int[] LANGUAGE plpgsql STABLE SET search_path = org, pg_temp AS $$
DECLARE roles text[] := ARRAY(SELECT p.rolname FROM pg_roles p
  WHERE p.rolname = ANY (ARRAY(SELECT DISTINCT r.role FROM reader r)) AND pg_has_role(session_user, p.oid, 'USAGE'));
BEGIN
  RETURN ARRAY(SELECT l.id FROM ledger l
    WHERE l.tip <> '' AND EXISTS (SELECT FROM reader r WHERE r.ledger = l.id AND r.role = ANY (roles || 'public'::text))
    AND (wanted->>'repo' IS NULL OR wanted->>'repo' IN (l.name, l.url))
    AND (wanted->>'team' IS NULL OR l.team = wanted->>'team') ORDER BY l.id);
END $$;
CREATE FUNCTION org.lexeme(word text) RETURNS tsquery LANGUAGE sql IMMUTABLE AS $$
  SELECT ('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''')::tsquery $$;

-- How many facts have these words; '' is how many there are.
CREATE FUNCTION org.counts(words text[], wanted jsonb) RETURNS TABLE(word text, facts bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE mine int[] := org.mine(wanted);
BEGIN
  RETURN QUERY SELECT '', coalesce(sum(l.facts), 0)::bigint FROM ledger l WHERE l.id = ANY (mine);
  RETURN QUERY SELECT w.word, sum(cardinality(w.facts))::bigint FROM word w
    WHERE w.ledger = ANY (mine) AND w.word = ANY (words) GROUP BY w.word;
END $$;
-- The words that begin as one of these, of each the commonest first.
CREATE FUNCTION org.beginning(starts text[], most int, wanted jsonb) RETURNS TABLE(word text, facts bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE mine int[] := org.mine(wanted); start text;
BEGIN
  FOREACH start IN ARRAY starts LOOP
    RETURN QUERY SELECT w.word, sum(cardinality(w.facts))::bigint AS held FROM word w
      WHERE w.ledger = ANY (mine) AND w.word >= start AND w.word < start || chr(1114111)
      GROUP BY w.word ORDER BY held DESC, w.word LIMIT most;
  END LOOP;
END $$;
-- The facts that have the most of what words tell. `about` is how much their ledger is about these words, 0 to 1, by
-- how many of its facts have those that few ledgers have, and `usual` how long its texts are. Shares are whole, so
-- that a sum has no order. Plans are told and not found: what a planner knows is of all ledgers.
CREATE FUNCTION org.find(looked text[], told text[], weights float8[], wanted jsonb, most int) RETURNS SETOF jsonb
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE mine int[] := org.mine(wanted); rest text;
BEGIN
  SELECT string_agg(format(' + CASE WHEN f.words @@ %L::tsquery THEN %s ELSE 0 END', org.lexeme(u.word), (1e5 * u.weight)::int), '')
    INTO rest FROM unnest(told, weights) AS u(word, weight) WHERE u.word <> ALL (looked);
  RETURN QUERY EXECUTE format($q$
    WITH held AS MATERIALIZED (
      SELECT w.ledger, w.word, w.facts, cardinality(w.facts) AS many, ($4[array_position($5, w.word)] * 1e5)::int AS share
      FROM word w WHERE w.ledger = ANY ($1) AND w.word = ANY ($6)),
    rare AS MATERIALIZED (
      SELECT h.word, max(h.share) * ln(1 + cardinality($1) / count(*)::float8) AS rare FROM held h GROUP BY h.word),
    about AS MATERIALIZED (
      SELECT h.ledger, CASE WHEN cardinality($1) > 1 THEN sum(r.rare * h.many / (h.many + 3) ORDER BY h.word)
        / (SELECT sum(rare ORDER BY word) FROM rare) ELSE 0 END AS about
      FROM held h JOIN rare r USING (word) GROUP BY h.ledger),
    hit AS MATERIALIZED (
      SELECT u.number, sum(h.share) AS share FROM held h, unnest(h.facts) AS u(number) GROUP BY u.number),
    best AS MATERIALIZED (
      SELECT f.* FROM hit h JOIN fact f USING (number)
      WHERE ($2->'kinds' IS NULL OR $2->'kinds' ? f.kind) AND ($2->'tiers' IS NULL OR $2->'tiers' ? f.tier)
        AND ($2->'entities' IS NULL OR $2->'entities' ? f.entity)
        AND ($2->>'since' IS NULL OR f.stem >= $2->>'since') AND ($2->>'until' IS NULL OR f.stem <= $2->>'until')
        AND ($2->'superseded' IS NOT NULL OR NOT f.untrue) AND f.kind <> 'question'
      ORDER BY h.share %s DESC, f.stem DESC, f.ledger, f.id LIMIT $3)
    SELECT b.said || jsonb_build_object('ledger', b.ledger, 'stem', b.stem, 'words', b.words::text, 'name', l.name, 'url', l.url,
      'tip', l.tip, 'path', g.path, 'agent', g.agent, 'commit', g.commit, 'author', g.author, 'about', a.about,
      'usual', greatest(l.chars, 1) / greatest(l.facts, 1)::float8)
    FROM best b JOIN about a USING (ledger) JOIN ledger l ON l.id = b.ledger
      LEFT JOIN log g ON g.ledger = b.ledger AND g.stem = b.stem $q$, rest)
  USING mine, wanted, most, weights, told, looked;
END $$;
-- What was said with all of these words, the newest first.
CREATE FUNCTION org.find_logs(words text, wanted jsonb, most int) RETURNS SETOF jsonb
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = org, pg_temp
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE mine int[] := org.mine(wanted); told text[] := tsvector_to_array(to_tsvector('english', words));
BEGIN
  RETURN QUERY WITH hit AS MATERIALIZED (
    SELECT u.number FROM log_word w, unnest(w.logs) AS u(number) WHERE w.ledger = ANY (mine) AND w.word = ANY (told)
    GROUP BY u.number HAVING count(*) = cardinality(told))
  SELECT to_jsonb(g) - '{number,mark}'::text[] || jsonb_build_object('name', l.name, 'url', l.url, 'tip', l.tip)
  FROM hit h JOIN log g USING (number) JOIN ledger l ON l.id = g.ledger
  WHERE (wanted->>'since' IS NULL OR g.stem >= wanted->>'since') AND (wanted->>'until' IS NULL OR g.stem <= wanted->>'until')
  ORDER BY g.stem DESC, g.ledger LIMIT most;
END $$;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA org FROM PUBLIC;
