/**
 * Describes the tables of a database from its catalogue, as the text of db/schema.md. Every supported PostgreSQL version gives
 * the same text in the same order, so a changed text means a changed schema.
 */
import pg from 'pg'

type SchemaTable = { oid: number; name: string; comment: string | null; granted: string[] | null }
type SchemaColumn = {
  table_oid: number
  name: string
  type: string
  not_null: boolean
  value: string | null
  comment: string | null
}
type Constraint = { table_oid: number; kind: 'p' | 'u' | 'f' | 'c'; name: string; definition: string }
type Index = { table_oid: number; name: string; definition: string }

const INTRODUCTION = `# Schema

Generated from the catalogue of a migrated database by \`npm run generate\`; do not edit. The source is \`db/migrations\`.
Tables are grouped by wing, and each names the room of \`server/src\` that writes it. A column without "null" always has a value.
`

/** The wings of server/src, in the order of ARCHITECTURE.md. */
const WINGS = ['kernel', 'books', 'adapters', 'access', 'money', 'apps']

/** The beginning of a table comment: the room that writes the table, such as "money/collections: ". */
const ROOM = /^(([a-z]+)\/[a-z-]+): /

const CONSTRAINT_TITLES = { p: 'Primary key', u: 'Unique', f: 'Foreign key', c: 'Check' } as const

/** Returns the tables of the default schema as markdown. If the database is unreachable, throws. */
export async function describeSchema(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // The listener does nothing, because a lost connection also rejects the statement in progress.
  await client.connect()
  try {
    const tables = await readTables(client)
    const columns = await readColumns(client)
    const constraints = await readConstraints(client)
    const indexes = await readIndexes(client)
    const describeTable = (table: SchemaTable): string => {
      const ofTable = (row: { table_oid: number }): boolean => row.table_oid === table.oid
      return section(table, columns.filter(ofTable), constraints.filter(ofTable), indexes.filter(ofTable))
    }
    const ofWing = (wing: string | null) => tables.filter(({ comment }) => wingOf(comment) === wing).map(describeTable)
    const wings = WINGS.flatMap((wing) => {
      const sections = ofWing(wing)
      return sections.length === 0 ? [] : [`## Wing: ${wing}\n`, ...sections]
    })
    return [INTRODUCTION, ...ofWing(null), ...wings].join('\n')
  } finally {
    await client.end()
  }
}

/**
 * Returns the wing of the room that writes a table. Null means that the comment of the table names no room of a wing.
 */
function wingOf(comment: string | null): string | null {
  const wing = ROOM.exec(comment ?? '')?.[2]
  return wing !== undefined && WINGS.includes(wing) ? wing : null
}

function section(table: SchemaTable, columns: SchemaColumn[], constraints: Constraint[], indexes: Index[]): string {
  const in_wing = wingOf(table.comment) !== null
  const lines = [`${in_wing ? '###' : '##'} ${table.name}`, '']
  if (table.comment !== null) lines.push(table.comment.replace(ROOM, 'Written by `$1`. '), '')
  lines.push('| Column | Type | | Meaning |', '|---|---|---|---|')
  for (const column of columns) {
    const notes = [column.not_null ? '' : 'null', column.value === null ? '' : `default \`${column.value}\``]
    const cells = [
      `\`${column.name}\``,
      column.type,
      notes.filter((note) => note !== '').join(', '),
      column.comment ?? '',
    ]
    lines.push(`| ${cells.map(cell).join(' | ')} |`)
  }
  lines.push('')
  for (const { kind, name, definition } of constraints) {
    lines.push(`- ${CONSTRAINT_TITLES[kind]} \`${name}\`: \`${definition}\``)
  }
  for (const { name, definition } of indexes) lines.push(`- Index \`${name}\`: \`${definition}\``)
  if (table.granted !== null) lines.push(`- The owner may only: ${table.granted.join(', ')}`)
  lines.push('')
  return lines.join('\n')
}

/** Escapes a text for a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

async function readTables(client: pg.Client): Promise<SchemaTable[]> {
  const { rows } = await client.query<SchemaTable>(`
    select c.oid::int as oid, c.relname as name, obj_description(c.oid, 'pg_class') as comment,
           case when c.relacl is not null then array(
             select lower(a.privilege_type)
             from aclexplode(c.relacl) a
             where a.grantee = c.relowner and a.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
             order by array_position(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'], a.privilege_type)
           ) end as granted
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname collate "C"`)
  return rows
}

async function readColumns(client: pg.Client): Promise<SchemaColumn[]> {
  const { rows } = await client.query<SchemaColumn>(`
    select a.attrelid::int as table_oid, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
           a.attnotnull as not_null, pg_get_expr(d.adbin, d.adrelid) as value,
           col_description(a.attrelid, a.attnum) as comment
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and a.attnum > 0 and not a.attisdropped
    order by a.attrelid, a.attnum`)
  return rows
}

/**
 * The statement excludes not-null constraints, because only PostgreSQL 18 lists these constraints. The tables of columns
 * show not-null constraints for every version.
 */
async function readConstraints(client: pg.Client): Promise<Constraint[]> {
  const { rows } = await client.query<Constraint>(`
    select conrelid::int as table_oid, contype as kind, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where connamespace = current_schema()::regnamespace and contype in ('p', 'u', 'f', 'c') and conrelid <> 0
    order by conrelid, position(contype::text in 'pufc'), conname collate "C"`)
  return rows
}

/** The statement excludes the indexes of constraints. */
async function readIndexes(client: pg.Client): Promise<Index[]> {
  const { rows } = await client.query<Index>(`
    select i.indrelid::int as table_oid, c.relname as name,
           case when i.indisunique then 'unique ' else '' end
             || regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', '') as definition
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
    order by i.indrelid, c.relname collate "C"`)
  return rows
}
