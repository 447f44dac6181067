import pg from 'pg'
import type { TestServer } from './server.ts'

/**
 * Prepares a fresh database so that its `now()` can be told to be ahead, in defaults of columns too; to be given to `startTestServer`.
 * Names are looked up in the schema `ahead` before they are in PostgreSQL's own.
 */
export async function movableClock(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query(`
      create schema ahead;
      create table ahead.clock (ahead interval not null);
      insert into ahead.clock values ('0');
      create function ahead.now() returns timestamptz language sql stable as 'select pg_catalog.now() + ahead from ahead.clock';
      create function ahead.clock_timestamp() returns timestamptz language sql volatile as
        'select pg_catalog.clock_timestamp() + ahead from ahead.clock';
      grant usage on schema ahead to public; grant select on ahead.clock to public;
      do $$ declare found record; begin
        for found in select d.adrelid::regclass as name, a.attname, pg_get_expr(d.adbin, d.adrelid) as value
          from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
          where pg_get_expr(d.adbin, d.adrelid) like '%now()%' and a.attgenerated = '' and a.attinhcount = 0
        loop execute format('alter table %s alter column %I set default %s', found.name, found.attname,
          replace(found.value, 'now()', 'ahead.now()'));
        end loop;
        execute format('alter database %I set search_path = ahead, pg_catalog, public', current_database());
      end $$`)
  } finally {
    await client.end()
  }
}

const RealDate = Date
const realNow = RealDate.now

/** Moves the clock of the database and of this process to an instant (ms); from there it runs as fast as ever. */
export async function setClock({ ownerUrl }: Pick<TestServer, 'ownerUrl'>, at: number): Promise<void> {
  const ahead = at - realNow()
  RealDate.now = () => realNow() + ahead
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: unknown[], as) =>
      Reflect.construct(target, given.length === 0 ? [RealDate.now()] : given, as) as Date,
  })
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query(`update ahead.clock set ahead = $1::int8 * interval '1 millisecond'`, [ahead])
  } finally {
    await client.end()
  }
}

export function resetClock(): void {
  RealDate.now = realNow
  globalThis.Date = RealDate
}
