import { sealedColumns } from './settle.ts'
import * as z from 'zod/mini'
import { certificateKeyIds } from '../evidence/certificates/issue.ts'
import { arrayOf, row, type Database, type Tx } from '../platform/db/client.ts'
import { outageOf } from '../platform/db/outage.ts'
import { secretMark, secretMarkOf } from '../platform/db/secret-mark.ts'
import { sql } from '../platform/db/sql.ts'
import type { Env } from '../platform/env.ts'
import {
  givenKeys,
  givenSecrets,
  keysOf,
  readSecrets,
  secretFiles,
  secretMarks,
  type Keys,
} from '../platform/keys.ts'
import type { Services } from '../platform/http/services.ts'
import { startLoop, type Loop } from '../platform/loop.ts'
import { openedBy, sealedIn } from '../platform/sealed.ts'

const way = `If it is gone for good, stop every process of this installation; then \`npm run rotate-secret -- --lost\` says what ends without it, and takes another.`

function misfit(env: Env): Error {
  const file = secretFiles(env).present
  if (givenSecrets(env).present === undefined)
    return new Error(
      `There is no secret in ${file}, and this database has been used with one. Put the file back there: a backup that brings its secret along has it, and so has whoever kept it apart (SECRET_KEY, SECRET_KEY_FILE). ${way}`,
    )
  const place = env.secretKey ? 'SECRET_KEY' : file
  return new Error(
    `The secret in ${place} is not the one that this database has been used with. Put the right one there; after a change of the secret it takes the one before as well (${env.secretKey ? 'SECRET_KEY_PREVIOUS' : secretFiles(env).previous}). If this is the secret of another installation, DATA_DIR or DATABASE_URL names the wrong one. ${way}`,
  )
}

/** The configuration, or its file, has the right one by now. */
function changed(env: Env): Error {
  const place = env.secretKey ? 'SECRET_KEY' : secretFiles(env).present
  return new Error(
    `The secret was changed since this process began: the one in ${place} fits, and this process has another. Start it anew.`,
  )
}

/** `unknown`: no start has written yet which secret it is. */
type Fit = 'fits' | 'other' | 'unknown'

function fitTo(mark: string | undefined, keys: Keys | undefined): Fit {
  if (mark === undefined) return 'unknown'
  return keys !== undefined && secretMarks(keys).includes(mark) ? 'fits' : 'other'
}

export const fitOf = async (tx: Tx, keys: Keys | undefined): Promise<Fit> => fitTo(await secretMark(tx), keys)

/** Throws a sentence that says what to do where the secret is another one than that of the database; makes none. */
export async function requireFit(tx: Tx, env: Env): Promise<void> {
  if ((await fitOf(tx, givenKeys(env))) === 'other') throw misfit(env)
}

/** The same for whoever is about to change tables, or to read all of them, as their owner. */
export async function requireFitOfOwner(owner: string, env: Env): Promise<void> {
  if (fitTo(await secretMarkOf(owner), givenKeys(env)) === 'other') throw misfit(env)
}

/**
 * The keys of the installation. The first start makes the secret, where there is none and nothing that needs one, and writes down which it
 * is; of two at once the second finds what the first has written. Throws as `requireFit` does.
 */
export async function takeSecret(db: Database, env: Env): Promise<Keys> {
  await db.as('system', async (tx) => {
    const keys = givenKeys(env)
    if ((await fitOf(tx, keys)) === 'unknown' && !(await couldFit(tx, keys))) throw misfit(env)
  })
  const { present, previous } = readSecrets(env)
  const keys = keysOf(present, previous)
  const fit = await db.as('system', async (tx) => {
    const [mark = ''] = secretMarks(keys)
    await tx.execute(sql`insert into secret_mark (mark) values (${mark}) on conflict (id) do nothing`)
    const found = await fitOf(tx, keys)
    if (found === 'fits')
      await tx.execute(sql`update secret_mark set mark = ${mark}, since = now() where mark <> ${mark}`)
    return found
  })
  if (fit !== 'fits') throw misfit(env)
  return keys
}

type Watch = { everyMs: number; end: (why: Error) => void }

/**
 * Looks again and again whether the keys that this process holds are still those of the database, and says to `end` why not: somebody laid
 * another database under it, or changed the secret and started other processes with it. A database that is away for the moment says nothing.
 */
export function watchFit(
  { db, env, keys, log }: Pick<Services, 'db' | 'env' | 'keys' | 'log'>,
  { everyMs, end }: Watch,
): Loop {
  const holds = () => fitOf(db.single, keys).catch(ifAway)
  return startLoop({ log, failure: 'it could not be asked whether the secret still fits' }, async () => {
    if ((await holds()) === 'other')
      end((await fitOf(db.single, givenKeys(env))) === 'fits' ? changed(env) : misfit(env))
    return everyMs
  })
}

function ifAway(error: unknown): Fit {
  if (outageOf(error) === undefined) throw error
  return 'unknown'
}

const Known = z.object({ isKnown: z.boolean(), isNewest: z.boolean() })

/**
 * Whether what lies in a database of before was made with this secret, as far as that can be told: something sealed opens, or its key for
 * certificates is the last that came; or there is nothing sealed, and no other key alone.
 */
export async function couldFit(tx: Tx, keys: Keys | undefined): Promise<boolean> {
  const ids = keys === undefined ? [] : certificateKeyIds(keys)
  const known = await row(
    tx,
    Known,
    sql`select bool_or(key_id = any(${arrayOf(ids, 'text')})) as "isKnown",
        (array_agg(key_id = any(${arrayOf(ids, 'text')}) order by since desc))[1] as "isNewest"
      from signing_keys having count(*) > 0`,
  )
  if (known?.isNewest) return true
  let isAnySealed = false
  for await (const { place, found } of sealedIn(sealedColumns, (work) => work(tx))) {
    isAnySealed = true
    if (keys && found.some((sealed) => openedBy(keys, place, sealed) !== undefined)) return true
  }
  return !isAnySealed && (known?.isKnown ?? true)
}
