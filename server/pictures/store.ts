import { randomBytes } from 'node:crypto'
import { pictureLimits } from '#contract/picture-limits.ts'
import { row, type Database, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { refuse } from '../errors.ts'
import { NotAPictureError, redraw, type Box, type Drawing, type PictureRefusal } from '../media/redraw.ts'

export type Drawn = Awaited<ReturnType<typeof redraw>>

const sentences: Record<PictureRefusal, string> = {
  svg: 'SVG files are not taken, because they can hold programs. Please save the picture as PNG.',
  not_a_picture: 'This file is no picture that we can read. PNG, JPEG and WebP are taken.',
  animated: 'This picture moves. Please choose one that stands still.',
  too_many_pixels: `This picture has more than ${pictureLimits.pixels / 1_000_000} million pixels. Please make it smaller first.`,
  damaged: 'This picture is damaged and cannot be read.',
}

const atOnce = 2
const waitingAtMost = 20
let drawing = 0
const waiting: (() => void)[] = []

/** Decodes a picture that somebody has sent and draws it anew; few at once, as each takes a process and some memory. */
export async function draw(data: string, asked: { box: Box; how: Drawing['how'] }): Promise<Drawn> {
  if (waiting.length >= waitingAtMost) throw refuse('too_many_requests', { retryAfter: 10 })
  if (drawing >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  else drawing += 1
  try {
    return await redraw({ source: Buffer.from(data, 'base64'), ...asked, maxPixels: pictureLimits.pixels })
  } catch (error) {
    if (!(error instanceof NotAPictureError)) throw error
    throw refuse(error.code === 'too_many_pixels' ? 'too_large' : 'unsupported_media', {
      detail: sentences[error.code],
    })
  } finally {
    // The place goes on to whoever waits longest.
    const next = waiting.shift()
    if (next) next()
    else drawing -= 1
  }
}

/** 128 bits: nobody guesses the address of a picture. */
export async function keep(tx: Tx, organizationId: string | null, drawn: Drawn): Promise<string> {
  const key = randomBytes(16).toString('base64url')
  await tx.execute(
    sql`insert into pictures (key, organization_id, type, data, width, height)
      values (${key}, ${organizationId}, 'image/webp', ${drawn.data}, ${drawn.width}, ${drawn.height})`,
  )
  return key
}

/** What shows a picture: the column with its key in one row. */
export type Owner = { table: 'organizations' | 'users'; where: SQL }

const columns = { organizations: sql`logo`, users: sql`avatar` }
const tables = { organizations: sql`organizations`, users: sql`users` }

/** Key of the present picture, locked until the transaction ends. */
export async function lockOwner(tx: Tx, { table, where }: Owner): Promise<string | null> {
  const found = await row<{ key: string | null }>(
    tx,
    sql`select ${columns[table]} as key from ${tables[table]} where ${where} and deleted_at is null for update`,
  )
  if (!found) throw refuse('not_found')
  return found.key
}

/**
 * Puts the picture in the place of the former one, which is gone with that. The time of the last change stays: a form that
 * somebody has open knows nothing of pictures, and must not be told that it is outdated.
 */
export async function show(
  tx: Tx,
  { table, where }: Owner,
  { before, after }: { before: string | null; after: string | null },
): Promise<void> {
  await tx.execute(sql`update ${tables[table]} set ${columns[table]} = ${after} where ${where}`)
  if (before !== null) await tx.execute(sql`delete from pictures where key = ${before}`)
}

/** Takes away what nobody shows any more: the owner was removed for good. */
export async function sweepPictures(db: Database): Promise<void> {
  await db.system.query(
    `delete from pictures p where not exists (select 1 from users u where u.avatar = p.key and u.erased_at is null)
      and not exists (select 1 from organizations o where o.logo = p.key)`,
  )
}
