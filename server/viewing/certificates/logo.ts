import { onWhite } from '#server/media/redraw.ts'
import type { Logo } from './queries.ts'
import type { Sheet } from './sheet.ts'

/** A few organizations issue many certificates: by the key of the picture, which never changes what it shows. */
const kept = new Map<string, Promise<Buffer | null>>()
const most = 100

/** The picture of an organization in a form that a PDF takes. Without one, or where it cannot be drawn, the name alone has to do. */
export async function logoFor(logo: Logo | null): Promise<Sheet['logo']> {
  if (!logo) return null
  const drawing = kept.get(logo.key) ?? onWhite(logo.data).catch(() => null)
  kept.delete(logo.key)
  kept.set(logo.key, drawing)
  for (const oldest of kept.keys()) if (kept.size > most) kept.delete(oldest)
  const data = await drawing
  if (data === null) kept.delete(logo.key)
  return data && { data, width: logo.width, height: logo.height }
}
