import type { FastifyBaseLogger } from 'fastify'
import * as z from 'zod/mini'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { forgetOldest } from '../platform/oldest.ts'
import { onWhite } from '../media/pictures/redraw.ts'

/** The picture of an organization as it is stored; never changed under its key. */
export const StoredLogo = z.object({
  key: z.string(),
  data: z.instanceof(Buffer),
  width: z.number(),
  height: z.number(),
})
export type StoredLogo = z.infer<typeof StoredLogo>
/** JPEG, and its size in pixels. */
export type Logo = { data: Uint8Array; width: number; height: number }

/** Null where it has none. */
export async function storedLogo(tx: Tx, organizationId: string): Promise<StoredLogo | null> {
  const found = await row(
    tx,
    StoredLogo,
    sql`select p.key, p.data, p.width, p.height from organizations o join pictures p on p.key = o.logo where o.id = ${organizationId}`,
  )
  return found ?? null
}

/** A few organizations make many documents: by the key of the picture. */
const cache = new Map<string, Promise<Buffer | null>>()
const most = 100

/** The picture of an organization in a form that a PDF takes. Without one, or where it cannot be drawn, the name alone has to do. */
export async function logoFor(
  logo: StoredLogo | null,
  log: Pick<FastifyBaseLogger, 'error'>,
): Promise<Logo | null> {
  if (!logo) return null
  const drawing = cache.get(logo.key) ?? drawn(logo, log)
  cache.delete(logo.key)
  cache.set(logo.key, drawing)
  forgetOldest(cache, most)
  const data = await drawing
  if (data === null) cache.delete(logo.key)
  return data && { data, width: logo.width, height: logo.height }
}

function drawn({ key, data }: StoredLogo, log: Pick<FastifyBaseLogger, 'error'>): Promise<Buffer | null> {
  return onWhite(data).catch((error: unknown) => {
    log.error({ err: error, picture: key }, 'the picture of an organization could not be drawn')
    return null
  })
}
