import pg from 'pg'
import { getTableColumns, getTableName, is, PgArray, Table } from './drizzle.ts'
import * as content from './schema/content.ts'
import * as identity from './schema/identity.ts'
import * as notifications from './schema/notifications.ts'
import * as operations from './schema/operations.ts'
import * as people from './schema/people.ts'
import * as quizzes from './schema/quizzes.ts'
import * as reportSchedules from './schema/report-schedules.ts'
import * as sending from './schema/sending.ts'
import * as viewing from './schema/viewing.ts'

/** Where the schema has columns of a few words. */
const schemas = [
  content,
  identity,
  notifications,
  operations,
  people,
  quizzes,
  reportSchedules,
  sending,
  viewing,
]

type WordColumn = { table: string; column: string; words: readonly string[]; isList: boolean }

/** Every column of the schema that holds one of a few words, or a list of them: those with an `enum`. */
export const wordColumns: readonly WordColumn[] = schemas
  .flatMap((schema) => Object.values<unknown>(schema))
  .filter((value) => is(value, Table))
  .flatMap((table) =>
    Object.entries(getTableColumns(table)).flatMap(([name, given]) => {
      const column = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      const isList = is(given, PgArray)
      const words = (isList ? given.baseColumn : given).enumValues ?? []
      return words.length === 0 ? [] : [{ table: getTableName(table), column, words, isList }]
    }),
  )

/** A condition of the database for each of them, so that no word can be written that nobody knows how to read. */
export async function keepWords(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; condition: string }>(
    `select conname as name, obj_description(oid, 'pg_constraint') as condition from pg_constraint
      where connamespace = 'public'::regnamespace and contype = 'c' and conname like '%\\_word' and conparentid = 0`,
  )
  const kept = new Map(rows.map(({ name, condition }) => [name, condition]))
  for (const one of wordColumns) {
    const [name, condition] = [`${one.table}_${one.column}_word`, conditionOf(one)]
    if (kept.get(name) === condition) continue
    await client.query(
      `begin;
      alter table ${one.table} drop constraint if exists ${name}, add constraint ${name} check (${condition});
      comment on constraint ${name} on ${one.table} is ${pg.escapeLiteral(condition)};
      commit`,
    )
  }
}

function conditionOf({ column, words, isList }: WordColumn): string {
  const list = words.map((word) => pg.escapeLiteral(word)).join(', ')
  return isList ? `${column} <@ array[${list}]` : `${column} in (${list})`
}
