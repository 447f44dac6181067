import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findingStates, type Finding } from '#contract/doctor/doctor.ts'
import { checkLabels, wordsOf } from '#contract/doctor/doctor-words.ts'
import { connect, statementsOn } from '../platform/db/client.ts'
import { startEmbedded } from '../platform/db/embedded/embedded.ts'
import { openClient } from '../platform/db/preconditions.ts'
import { addressesOf } from '../platform/db/roles.ts'
import { sql } from '../platform/db/sql.ts'
import { readEnv, type Env } from '../platform/env.ts'
import { givenKeys } from '../platform/keys.ts'
import { settleTemporary } from '../platform/temporary.ts'
import { version } from '../platform/version.ts'
import { dnsOf } from '../identity/mail/dns.ts'
import { lookAtAll } from './checks.ts'
import { isBegun } from './database.ts'
import { findingOf, found, reasonOf, type Patient } from './finding.ts'

type Reached = Pick<Patient, 'db' | 'ownerUrl' | 'withoutDatabase'> & {
  /** False before the first start: nothing is there yet that could be as it should. */
  isBegun: boolean
  leave: () => Promise<unknown>
}

/** `npm run doctor -- [--json]`: exit code 0 when nothing is wrong, else 1. Makes nothing that is not there. */
async function main(): Promise<void> {
  const { values } = parseArgs({ args: process.argv.slice(2), options: { json: { type: 'boolean' } } })
  const env = readEnv()
  const { leave, ...database } = await reach(env)
  const dns = dnsOf(env)
  const patient = { env, keys: givenKeys(env), dns, port: env.port, ...database }
  const findings = patient.isBegun ? await lookAtAll(patient) : notBegun(patient)
  await leave()
  if (values.json) console.log(JSON.stringify(asData(findings), null, 2))
  else tell(findings, env)
  process.exitCode = findings.some(({ state }) => state === 'wrong') ? 1 : 0
}

const notBegun = ({ withoutDatabase }: Patient) =>
  withoutDatabase ? [findingOf('database', withoutDatabase)] : []

async function reach(env: Env): Promise<Reached> {
  const nothing = { db: undefined, ownerUrl: undefined, isBegun: false, leave: () => Promise.resolve() }
  const hasCluster = ['postgres', 'database-location'].some((name) =>
    existsSync(path.join(env.dataDir, name)),
  )
  if (env.databaseUrl === undefined && !hasCluster)
    return { ...nothing, withoutDatabase: found('database_not_begun', { folder: env.dataDir }) }
  settleTemporary(env.dataDir)
  const stops: (() => Promise<unknown>)[] = []
  const leave = async () => {
    for (const stop of stops.toReversed()) await stop()
  }
  try {
    const embedded = env.databaseUrl ? undefined : await startEmbedded({ dataDir: env.dataDir })
    if (embedded) stops.push(() => embedded.stop())
    const { owner, serving, direct } = addressesOf(env, embedded?.url)
    // Before the first start there is nobody yet who serves.
    if (owner !== undefined && !(await hasTables(owner)))
      return { ...nothing, leave, withoutDatabase: found('database_empty') }
    const db = connect(serving, { directUrl: direct, pooling: env.databasePool })
    stops.push(() => db.close())
    await db.single.execute(sql`select 1`)
    return { db, ownerUrl: owner, withoutDatabase: undefined, isBegun: true, leave }
  } catch (error) {
    return {
      ...nothing,
      isBegun: true,
      leave,
      withoutDatabase: found('database_gone', { reason: reasonOf(error) }),
    }
  }
}

async function hasTables(ownerUrl: string): Promise<boolean> {
  const owner = await openClient(ownerUrl)
  try {
    return await isBegun(statementsOn(owner))
  } finally {
    await owner.end()
  }
}

const asData = (findings: readonly Finding[]) => ({
  version,
  lookedAt: new Date().toISOString(),
  findings: findings.map((one) => ({ ...one, ...wordsOf(one) })),
})

const signs = { ok: 'fine', attention: 'LOOK', wrong: 'WRONG' } as const
const widest = Math.max(...Object.values(checkLabels).map((label) => label.length))

function tell(findings: readonly Finding[], { productName }: Env): void {
  console.log(`${productName} ${version}\n`)
  for (const one of findings) {
    const { says, todo } = wordsOf(one)
    const head = `${signs[one.state].padEnd(5)}  ${checkLabels[one.check].padEnd(widest)}  `
    console.log(head + says)
    if (todo !== undefined) console.log(`${' '.repeat(head.length)}→ ${todo}`)
  }
  const [fine, look, wrong] = findingStates.map(
    (name) => findings.filter(({ state }) => state === name).length,
  )
  console.log(`\n${fine} fine, ${look} to look at, ${wrong} wrong.`)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
