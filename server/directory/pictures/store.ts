import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { pictureLimits } from '#contract/directory/picture-limits.ts'
import { requireRow, type Database, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { fairSemaphore } from '../../platform/fair-semaphore.ts'
import { refuse } from '../../platform/errors.ts'
import { TranscodeError } from '../../media/job.ts'
import { NotAPictureError, redraw, type Box, type Drawing } from '../../media/pictures/redraw.ts'

type DrawnPicture = Awaited<ReturnType<typeof redraw>>

/**
 * Few pictures are drawn at once, as each takes a process and some memory, and one of each organization, so that many of one hold up nobody
 * else.
 */
const semaphore = fairSemaphore({
  places: 2,
  each: 1,
  waitingAtMost: 9,
  tooMany: () => refuse('too_many_requests', { retryAfter: 10 }),
})

type PictureUpload = {
  box: Box
  how: Drawing['how']
  /** This is the id of the organization, or of the person where there is none. */
  whose: string
}

/** Decodes a picture that somebody has sent and draws it anew. */
export async function draw(data: string, { whose, ...asked }: PictureUpload): Promise<DrawnPicture> {
  return inTurn(whose, () =>
    redraw({ source: Buffer.from(data, 'base64'), ...asked, maxPixels: pictureLimits.pixels }),
  )
}

/** Draws when its turn has come. `whose` is the id of an organization, or of the person where there is none. */
export async function inTurn<T>(whose: string, work: () => Promise<T>): Promise<T> {
  const leave = await semaphore.take(whose)
  try {
    return await work()
  } catch (error) {
    if (error instanceof TranscodeError) throw refuse('unavailable', { cause: error })
    if (!(error instanceof NotAPictureError)) throw error
    throw refuse(error.code === 'too_many_pixels' ? 'too_large' : 'unsupported_media', {
      reason: { code: `picture_${error.code}` },
    })
  } finally {
    leave()
  }
}

/** Keeps a picture under a key of 128 bits, so that nobody guesses its address. */
export async function keep(tx: Tx, organizationId: string | null, drawn: DrawnPicture): Promise<string> {
  const key = randomBytes(16).toString('base64url')
  await tx.execute(
    sql`insert into pictures (key, organization_id, type, data, width, height)
      values (${key}, ${organizationId}, 'image/webp', ${drawn.data}, ${drawn.width}, ${drawn.height})`,
  )
  return key
}

/** The owner shows the picture: it is a table, with the condition for the one row that has the key. */
export type PictureOwner = { table: 'organizations' | 'users'; where: SQL }

const columns = { organizations: sql`logo`, users: sql`avatar` }
const tables = { organizations: sql`organizations`, users: sql`users` }

const PictureKey = z.object({ key: z.nullable(z.string()) })

/** Returns the key of the present picture, locked until the transaction ends. */
export async function lockOwner(tx: Tx, { table, where }: PictureOwner): Promise<string | null> {
  const found = await requireRow(
    tx,
    PictureKey,
    sql`select ${columns[table]} as key from ${tables[table]} where ${where} and deleted_at is null for update`,
  )
  return found.key
}

/**
 * Puts the picture in the place of the former one, which is deleted. The time of the last change stays as it is: a form that somebody has
 * open knows nothing of pictures, and must not be told that it is outdated.
 */
export async function show(
  tx: Tx,
  { table, where }: PictureOwner,
  { before, after }: { before: string | null; after: string | null },
): Promise<void> {
  await tx.execute(sql`update ${tables[table]} set ${columns[table]} = ${after} where ${where}`)
  if (before !== null) await tx.execute(sql`delete from pictures where key = ${before}`)
}

/** Deletes pictures that nobody shows any more, because their owner was removed for good. */
export async function sweepPictures(db: Database): Promise<void> {
  await db.single.execute(
    sql`delete from pictures p where not exists (select 1 from users u where u.avatar = p.key and u.erased_at is null)
      and not exists (select 1 from organizations o where o.logo = p.key)`,
  )
}
