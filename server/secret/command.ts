import { existsSync, renameSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { certificateSigner } from '../evidence/certificates/issue.ts'
import { hasRow, row, type Database } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { withDatabase } from '../platform/db/with-database.ts'
import { readEnv } from '../platform/env.ts'
import { keysOf, newSecret, secretFiles, secretIn } from '../platform/keys.ts'
import { writeOnce } from '../platform/write-once.ts'
import { requireFit } from './fit.ts'
import { replaceLost } from './replace-lost.ts'
import { isUnderWay } from '../deliveries.ts'

/** `npm run rotate-secret [-- --end-previous | --lost]`: another secret for the installation, the end of the one before, or one in place of what is lost. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'end-previous': { type: 'boolean', default: false },
      lost: { type: 'boolean', default: false },
    },
  })
  const env = readEnv()
  if (values.lost) return withDatabase(env, (db) => replaceLost(db, env))
  if (env.secretKey !== undefined) return tellByHand()
  const files = secretFiles(env)
  if (!existsSync(files.present))
    throw new Error(
      `There is no secret in ${files.present}. Name its place with DATA_DIR; if it is gone for good, go on with --lost.`,
    )
  const present = secretIn(files.present)
  await withDatabase(env, async (db) => {
    await db.as('system', (tx) => requireFit(tx, env))
    await requireSettled(db, present)
    if (values['end-previous']) endPrevious(files)
    else replace(files, present)
  })
}

function tellByHand(): void {
  console.log(`The secret is given in SECRET_KEY. Change it there:
  SECRET_KEY_PREVIOUS   its present value
  SECRET_KEY            ${newSecret()}
Then restart the program. Take SECRET_KEY_PREVIOUS away after a day, once no message waits any more that was prepared before.`)
}

const Settled = z.object({ isSettled: z.boolean(), isDayOld: z.boolean(), isOnly: z.boolean() })

/**
 * What was made with the secret before the present one is lost by either change. So the program has to have started with the present
 * one, links for watching that the other has signed have to be over, and no message may wait that has one of its links.
 */
async function requireSettled(db: Database, present: string): Promise<void> {
  const { id } = certificateSigner(keysOf(present))
  const { settled, waits } = await db.as('system', async (tx) => ({
    settled: await row(
      tx,
      Settled,
      sql`select bool_or(key_id = ${id}) as "isSettled", bool_or(key_id = ${id} and since < now() - interval '24 hours') as "isDayOld",
          count(*) = 1 as "isOnly" from signing_keys having count(*) > 0`,
    ),
    waits: await hasRow(
      tx,
      sql`select 1 from deliveries d where ${isUnderWay('d')}
        and d.created_at < (select since from signing_keys where key_id = ${id})`,
    ),
  }))
  if (!settled?.isSettled)
    throw new Error(
      'The program has not run with its present secret yet. Start it once, then change the secret.',
    )
  if (settled.isOnly) return
  if (!settled.isDayOld)
    throw new Error(
      'The secret was changed less than a day ago: who is watching now came by a link of the one before. Try again tomorrow.',
    )
  if (waits)
    throw new Error(
      'Messages wait whose links were made with the secret before. Send or cancel them, then try again.',
    )
}

type Files = ReturnType<typeof secretFiles>

/** Killed in between, the present one stands in both files, which changes nothing. */
function replace({ present, previous }: Files, secret: string): void {
  rewrite(previous, secret)
  rewrite(present, newSecret())
  console.log(`The secret is another one from the next start on: restart the program.
What was signed and sealed with the former one still holds. It lies in ${previous}, and can end after a day:
  npm run rotate-secret -- --end-previous
Back up both files with the data.`)
}

function endPrevious({ previous }: Files): void {
  if (!existsSync(previous)) throw new Error('There is no former secret: nothing was changed.')
  rmSync(previous)
  console.log('The former secret holds nothing any more from the next start on: restart the program.')
}

function rewrite(file: string, secret: string): void {
  const draft = `${file}.next`
  rmSync(draft, { force: true })
  writeOnce(draft, `${secret}\n`, 0o600)
  renameSync(draft, file)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
