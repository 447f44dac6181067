import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createImport, rehearseImport, startImport, updateImport, type Import } from '#contract/imports.ts'
import { readOperation } from '#contract/operations.ts'
import type { EndpointDefinition, Reply } from '#contract/endpoint.ts'
import { defaultPolicies } from '#contract/organizations.ts'
import { randomToken, sha256 } from '#server/platform/keys.ts'
import type { Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { cpuSeconds, peakMemory, startProgram } from './program.ts'

const rows = 100_000

/** 100,000 people from a file: uploaded, rehearsed and imported, each in two groups, beside COPY of the same rows into the same table. */
export async function importPeople(): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    const program = await startProgram('server/main.ts', {
      DATABASE_URL: database.url,
      DATA_DIR: database.dataDir,
      RUN: 'api,worker',
    })
    const { organizationId, token } = await seed(database)
    const call = callerOf(program.url, token)
    const at = { orgId: organizationId }
    const began = cpuSeconds(program.pid) + cpuSeconds(database.pid)
    const uploaded = await timed(() =>
      call(createImport, at, { fileName: 'people.csv', content: fileOf(rows) }),
    )
    const { id, mapping } = uploaded.result
    const params = { ...at, importId: id }
    const rehearsed = await timed(async () => {
      await call(updateImport, params, { mapping, options: { createGroups: true } })
      let state: Import
      do state = await call(rehearseImport, params)
      while (state.rehearsed < state.total)
      return state
    })
    const ran = await timed(async () => {
      await call(startImport, params)
      await until(async () => (await call(readOperation, { operationId: id })).state === 'done')
    })
    const cpu = cpuSeconds(program.pid) + cpuSeconds(database.pid) - began
    const memory = peakMemory(program.pid)
    await check(database, organizationId)
    await program.stop()
    const copy = await prepareCopy(database)
    const floor = await timed(() => copy.run())
    await copy.close()
    return figures({
      upload: uploaded.seconds,
      rehearsal: rehearsed.seconds,
      run: ran.seconds,
      floor: floor.seconds,
      cpu,
      memory,
    })
  } finally {
    await database.close()
  }
}

type Seconds = Record<'upload' | 'rehearsal' | 'run' | 'floor' | 'cpu' | 'memory', number>

function figures({ upload, rehearsal, run, floor, cpu, memory }: Seconds): Figure[] {
  const workload = 'import'
  return [
    { workload, what: '100,000 rows, upload', unit: 's', ours: upload },
    { workload, what: '100,000 rows, rehearsal', unit: 's', ours: rehearsal },
    { workload, what: '100,000 rows, import', unit: 's', ours: run, beside: { name: 'floor', value: floor } },
    {
      workload,
      what: '100,000 rows, all of it',
      unit: 's',
      ours: upload + rehearsal + run,
      target: { of: 'figure', most: 60 },
    },
    {
      workload,
      what: 'CPU of server and database',
      unit: 's',
      ours: cpu,
      target: { of: 'figure', most: 45 },
    },
    {
      workload,
      what: 'memory of the process at most',
      unit: 'MB',
      ours: memory,
      target: { of: 'figure', most: 250 },
    },
  ]
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const began = performance.now()
  const result = await work()
  return { result, seconds: (performance.now() - began) / 1_000 }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue()))
    await new Promise((resolve) => {
      setTimeout(resolve, 200)
    })
}

function callerOf(url: string, token: string) {
  return async <E extends EndpointDefinition>(
    endpoint: E,
    params: Record<string, string>,
    body?: object,
  ): Promise<Reply<E>> => {
    const address = endpoint.path.replaceAll(/:(\w+)/g, (_whole, name: string) => params[name] ?? '')
    const answer = await fetch(`${url}/api${address}`, {
      method: endpoint.method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!answer.ok) throw new Error(`${endpoint.name}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Reply<E>
  }
}

const nameOf = (n: number) => `Person ${n.toString(36)} of the file`
const emailOf = (n: number) => `person-${n}@import.test`

function fileOf(count: number): string {
  const lines = Array.from(
    { length: count },
    (_, n) => `${nameOf(n)},${emailOf(n)},+49 30 ${n},S-${n},"Site ${n % 40}; Team ${n % 400}"`,
  )
  return `Name,Email,Phone,Staff number,Groups\r\n${lines.join('\r\n')}\r\n`
}

async function seed(database: BenchDatabase): Promise<{ organizationId: string; token: string }> {
  const token = `sr_${randomToken()}`
  const made = await database.query<{ id: string }>(
    `with o as (insert into organizations (name, slug, policies) values ('Bench', 'bench', $1) returning id),
      u as (insert into users (organization_id, name, email, role) select id, 'Admin', 'admin@bench.test', 'admin' from o returning id),
      s as (insert into sessions (user_id, token_hash, idle_expires_at, expires_at, reauthenticated_at, amr)
        select id, $2, now() + interval '1 hour', now() + interval '1 day', now(), '{pwd}' from u)
      select id from o`,
    [defaultPolicies, sha256(token)],
  )
  return { organizationId: made[0]?.id ?? '', token }
}

/** Every row once, with its memberships and its entry in the audit. */
async function check(database: BenchDatabase, organizationId: string): Promise<void> {
  const [found] = await database.query<Record<string, number>>(
    `select (select count(*)::int from users where organization_id = $1 and role is null) as people,
      (select count(*)::int from group_members where organization_id = $1) as members,
      (select count(*)::int from audit where organization_id = $1 and action = 'user.created') as entries`,
    [organizationId],
  )
  if (found?.['people'] !== rows || found['members'] !== 2 * rows || found['entries'] !== rows)
    throw new Error(`not everybody was imported once: ${JSON.stringify(found)}`)
}

/** The barest way: the same values into the same table with the same indexes, in one COPY; no memberships, no audit, nobody judged. */
async function prepareCopy(
  database: BenchDatabase,
): Promise<{ run(): Promise<unknown>; close(): Promise<void> }> {
  const [made] = await database.query<{ id: string }>(
    `insert into organizations (name, slug, policies) values ('Floor', 'floor', $1) returning id`,
    [defaultPolicies],
  )
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-copy-'))
  // The database server runs as somebody else.
  await chmod(folder, 0o755)
  const file = path.join(folder, 'people.tsv')
  const lines = Array.from(
    { length: rows },
    (_, n) => `${made?.id}\t${nameOf(n)}\t${emailOf(n)}\t+49 30 ${n}\tS-${n}\n`,
  )
  await writeFile(file, lines.join(''), { mode: 0o644 })
  return {
    run: () => database.query(`copy users (organization_id, name, email, phone, external_id) from '${file}'`),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
