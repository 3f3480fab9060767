// Finds the parts of the schema that Citus refuses, given the placement of each table.

import { distributionColumn, PLACEMENTS } from './placements.ts'
import { type Reader, sql } from './pool.ts'

/** A part of the schema that Citus refuses. `breach` describes the problem of the table. */
export type PlacementBreach = { table: string; breach: string }

const PLACED = `placed as (
     select c.oid, c.relname, p.kind, p.key, a.attnum, a.attnotnull
     from json_to_recordset($1::json) as p(name text, kind text, key text)
     join pg_class c on c.relname = p.name and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     left join pg_attribute a on a.attrelid = c.oid and a.attname = p.key and not a.attisdropped)`

const BREACHES = sql(
  '',
  `with ${PLACED}
   select relname as "table", 'has no placement: add it to PLACEMENTS' as breach from pg_class
   where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and oid not in (select oid from placed)
   union all
   select p.name, 'has a placement, but does not exist'
   from json_to_recordset($1::json) as p(name text) where p.name not in (select relname from placed)
   union all
   select relname, 'has no column ' || key || ' that is never null' from placed
   where key is not null and attnotnull is distinct from true
   union all
   select p.relname, i.indexrelid::regclass || ' does not contain ' || p.key
   from placed p join pg_index i on i.indrelid = p.oid
   where p.key is not null and i.indisunique and not coalesce(p.attnum = any (i.indkey::int2[]), false)
   union all
   select p.relname, k.conname || ' refers to ' || t.relname || ', which is ' || t.kind
   from placed p
   join pg_constraint k on k.conrelid = p.oid and k.contype = 'f'
   join placed t on t.oid = k.confrelid
   where not case
     when t.kind = 'reference' then true
     when p.kind = 'merchant' and t.kind = 'merchant' then
       coalesce(array_position(k.conkey, p.attnum) = array_position(k.confkey, t.attnum), false)
     else p.kind = 'local' and t.kind = 'local' end
   union all
   select p.relname, 'trigger ' || g.tgname from placed p join pg_trigger g on g.tgrelid = p.oid and not g.tgisinternal
   union all
   select p.relname, 'rule ' || r.rulename from placed p join pg_rewrite r on r.ev_class = p.oid
   union all
   select p.relname, a.attname || ' is an identity or a generated column'
   from placed p join pg_attribute a on a.attrelid = p.oid and (a.attidentity <> '' or a.attgenerated <> '')
   union all
   select p.relname, a.attname || ' has the default ' || pg_get_expr(d.adbin, d.adrelid) || ', which is no constant'
   from placed p
   join pg_attrdef d on d.adrelid = p.oid
   join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
   where pg_get_expr(d.adbin, d.adrelid) ~* '\\(|current_|localtime|nextval'
   union all
   select relname, 'is a sequence, but the program makes all ids' from pg_class
   where relnamespace = 'public'::regnamespace and relkind = 'S'
   order by 1, 2`,
)

/**
 * Returns every part of the schema that breaks the rules for several machines. An empty list means that the schema breaks none.
 */
export function findPlacementBreaches(reader: Reader): Promise<PlacementBreach[]> {
  const placements = [...PLACEMENTS].map(([name, placement]) => ({
    name,
    kind: placement.kind,
    key: distributionColumn(placement),
  }))
  return reader.query<PlacementBreach>(BREACHES, [JSON.stringify(placements)])
}
