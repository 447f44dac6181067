import { aServer } from '../../testing/worlds.ts'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { readAuditHead } from '#contract/platform/audit.ts'
import { statementsOn, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/sql.ts'
import { audit } from '../http/audit.ts'
import { seal } from './seal.ts'
import { databaseLinks, outsideChain } from './sources.ts'
import { cutFault, verifyChain, type Head } from './verify.ts'

const server = await aServer()
const superadmin = await server.person('superadmin')
const orgId = await server.organization()

const write = (tx: Tx, n: number) =>
  audit(tx, 'system', {
    organizationId: orgId,
    action: 'user.changed',
    entity: 'organization',
    entityId: orgId,
    before: { n: n - 1, ünï: 'çödé "quoted" \u2028', nested: { b: [1.5, -0, 1e21], a: null } },
    after: { n },
  })

async function writeMany(count: number): Promise<void> {
  const each = async (connection: number) => {
    for (let n = connection; n < count; n += 8) await server.services.db.as('system', (tx) => write(tx, n))
  }
  await Promise.all(Array.from({ length: 8 }, (_nothing, connection) => each(connection)))
}

const command = path.resolve(import.meta.dirname, 'command.ts')

/** The verifier as its user runs it. */
function verify(...args: string[]): Promise<{ code: number; said: string }> {
  const env = { ...process.env, DATABASE_URL: server.services.db.url }
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, said: `${out}${err}` }),
    )
  })
}

const head = async (): Promise<Head & { unsealed: number }> => {
  const { seq, hash, unsealed } = (await superadmin.call(readAuditHead)).body
  return { seq, hash: hash ?? '', unsealed }
}

test('before the first entry there is nothing to complain about', async () => {
  expect(await head()).toEqual({ seq: 0, hash: '', unsealed: 0 })
  expect(await verify()).toMatchObject({ code: 0 })
})

test('500 entries from eight connections, while two sealers run: one chain without gaps', async () => {
  const written = new AbortController()
  const sealing = async () => {
    while (!written.signal.aborted) await seal(server.services.db)
  }
  const sealers = [sealing(), sealing()]
  await writeMany(500)
  written.abort()
  await Promise.all(sealers)
  await seal(server.services.db)
  const links = await server.services.db.system.query<{ n: number; last: number; entries: number }>(
    `select count(*)::int as n, max(seq)::int as last, count(distinct audit_id)::int as entries from audit_chain`,
  )
  expect(links.rows[0]).toEqual({ n: 500, last: 500, entries: 500 })
  expect(await head()).toMatchObject({ seq: 500, unsealed: 0 })
  expect(await seal(server.services.db)).toBe(0)
  const { code, said } = await verify()
  expect(said).toContain('All is well: 500 entries')
  expect(code).toBe(0)
})

test('a sealer that is killed in the middle leaves whole links, and the next one goes on', async () => {
  await server.services.db.system.query(
    `insert into audit (organization_id, action, entity, after)
      select $1, 'test.many', 'test', jsonb_build_object('n', n) from generate_series(1, 9000) n`,
    [orgId],
  )
  const script = `
    const { connect } = await import(${JSON.stringify(path.resolve(import.meta.dirname, '../db/client.ts'))})
    const { seal } = await import(${JSON.stringify(path.resolve(import.meta.dirname, 'seal.ts'))})
    await seal(connect(${JSON.stringify(server.services.db.url)}))`
  for (let kills = 0; kills < 3; kills += 1) {
    const before = (await head()).seq
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
    const gone = new Promise((resolve) => {
      child.once('exit', resolve)
    })
    await expect
      .poll(async () => (await head()).seq, { timeout: 20_000, interval: 5 })
      .toBeGreaterThan(before)
    child.kill('SIGKILL')
    await gone
    const now = await head()
    expect(now.seq + now.unsealed).toBe(9_500)
  }
  await seal(server.services.db)
  expect(await head()).toMatchObject({ seq: 9_500, unsealed: 0 })
  expect(await verify()).toMatchObject({ code: 0 })
})

/** What the verifier says about the state of this transaction, which is then taken back. */
async function saidAfter(change: SQL | readonly SQL[], noted?: Head): Promise<string | null> {
  // As the owner of the database, whom no right holds back.
  const owner = new pg.Client({ connectionString: server.ownerUrl })
  await owner.connect()
  try {
    const tx = statementsOn(owner)
    await tx.execute(sql`begin`)
    for (const one of Array.isArray(change) ? change : [change]) await tx.execute(one)
    const verdict = await verifyChain(databaseLinks(tx), noted)
    return verdict.fault ?? cutFault(verdict, noted) ?? (await outsideChain(tx)).fault
  } finally {
    await owner.end()
  }
}

const entryOf = (seq: number) => sql`(select audit_id from audit_chain where seq = ${seq})`
/** Makes room for a link, or closes the gap. Negative for a moment, because numbers are unique at every instant. */
const shift = (above: number, by: number) => [
  sql`update audit_chain set seq = -seq where seq > ${above}`,
  sql`update audit_chain set seq = -seq + ${by} where seq < 0`,
]

describe('whoever changes the database is found out', () => {
  test('by nobody who only reads', async () => {
    expect(await saidAfter([])).toBeNull()
  })

  test.each([
    ['what was done', sql`action = 'nothing'`],
    ['who did it', sql`actor_id = gen_random_uuid()`],
    ['the name', sql`actor_name = 'Mallory'`],
    ['the details', sql`after = '{"n": -8}'`],
    ['the time', sql`at = at - interval '1 hour'`],
    ['the network', sql`ip_prefix = '10.0.0.0/24'`],
    ['whose eyes', sql`viewing_as = gen_random_uuid()`],
    ['the salt, and details that stay', sql`salt = null`],
  ])('changed: %s', async (_what, change) => {
    expect(await saidAfter(sql`update audit set ${change} where id = ${entryOf(7)}`)).toMatch(
      /^entry 7 \(.*\) was changed/,
    )
  })

  test('deleted: the entry alone, or its link with it', async () => {
    const gone = sql`delete from audit where id = ${entryOf(8)}`
    expect(await saidAfter(gone)).toBe('the entry of link 8 is missing: it was deleted after it was sealed')
    const link = sql`delete from audit_chain where seq = 8`
    expect(await saidAfter([gone, link])).toBe('link 8 is missing')
    expect(await saidAfter([gone, link, sql`delete from audit_chain where seq = 9`])).toBe(
      'links 8 to 9 are missing',
    )
    expect(await saidAfter([gone, link, ...shift(8, -1)])).toMatch(/^link 8 does not continue the chain/)
  })

  test('deleted before it was sealed', async () => {
    const put = sql`insert into audit (id, action, entity) values ('00000000-0000-4000-8000-000000000001', 'x', 'y')`
    const gone = sql`delete from audit where action = 'x'`
    expect(await saidAfter([put, gone])).toMatch(/^entry 00000000-.* is missing: it was deleted before/)
  })

  test('inserted: into the chain, or beside it', async () => {
    const put = sql`insert into audit (id, action, entity) values ('00000000-0000-4000-8000-000000000001', 'x', 'y')`
    const link = sql`insert into audit_chain (seq, audit_id, details_hash, entry_hash, hash) select 9, '00000000-0000-4000-8000-000000000001', details_hash, entry_hash, sha256('x') from audit_chain where seq = 8`
    expect(await saidAfter([put, ...shift(8, 1), link])).toBe(
      'link 9 was inserted: link 10 continues the chain without it',
    )
    const silently = sql`delete from audit_unsealed`
    expect(await saidAfter([put, silently])).toMatch(/^entry 00000000-.* has no link: it was put in beside/)
  })

  test('reordered: two links, or two entries', async () => {
    const swap = sql`update audit_chain set seq = case seq when 11 then -12 else -11 end where seq in (11, 12)`
    const back = sql`update audit_chain set seq = -seq where seq < 0`
    expect(await saidAfter([swap, back])).toBe('links 11 and 12 are in the wrong order')
    const free = sql`drop index audit_chain_entry`
    const exchange = sql`update audit_chain c set audit_id = o.audit_id from audit_chain o
      where (c.seq, o.seq) in ((11, 12), (12, 11))`
    expect(await saidAfter([free, exchange])).toMatch(/^entry 11 \(.*put in the place of another/)
  })

  test('cut off: found with the head that somebody has noted', async () => {
    const { seq, hash } = await head()
    const cut = [
      sql`delete from audit where id in (select audit_id from audit_chain where seq > 100)`,
      sql`delete from audit_chain where seq > 100`,
    ]
    expect(await saidAfter(cut)).toBeNull()
    expect(await saidAfter(cut, { seq, hash })).toBe(
      `the chain ends at link 100, but link ${seq} was noted: its tail was cut off`,
    )
    expect(await saidAfter([], { seq: 50, hash })).toMatch(/^link 50 is not the one that was noted/)
    expect(await saidAfter([], { seq, hash: hash.slice(0, 12) })).toBeNull()
  })

  test('never sealed: an entry that waits for more than five minutes', async () => {
    const wait = (minutes: number) =>
      sql`insert into audit (action, entity, at) values ('x', 'y', now() - make_interval(mins => ${minutes}))`
    expect(await saidAfter(wait(4))).toBeNull()
    expect(await saidAfter(wait(6))).toMatch(/has waited for its link for more than five minutes/)
  })
})

test('details can be erased, and everything else still fits', async () => {
  const erase = sql`update audit set actor_name = null, before = null, after = null, ip_prefix = null, user_agent = null,
    salt = null where id = ${entryOf(7)}`
  expect(await saidAfter(erase)).toBeNull()
  expect(await saidAfter([erase, sql`update audit set action = 'x' where id = ${entryOf(7)}`])).toMatch(
    /^entry 7/,
  )
})

test('the product itself can change neither entries nor links', async () => {
  for (const statement of [
    `update audit set action = 'x'`,
    `delete from audit`,
    `truncate audit`,
    `update audit_chain set seq = seq + 1`,
    `delete from audit_chain`,
    `truncate audit_chain`,
    `drop trigger audit_to_seal on audit`,
  ])
    await expect(server.services.db.system.query(statement)).rejects.toMatchObject({ code: '42501' })
})

test('the command says what is wrong and ends with 1', async () => {
  const { seq, hash } = await head()
  expect(await verify('--head', `${seq}:${hash}`)).toMatchObject({ code: 0 })
  const later = await verify('--head', `${seq + 1}:${hash}`)
  expect(later).toMatchObject({ code: 1 })
  expect(later.said).toContain(`BROKEN: the chain ends at link ${seq}`)
  expect(await verify('--head', 'nonsense')).toMatchObject({ code: 1 })
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-audit-'))
  expect(await verify(path.join(folder, 'missing.jsonl'))).toMatchObject({ code: 1 })
  await rm(folder, { recursive: true })
})
