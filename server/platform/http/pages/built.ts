import { readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../../../dist/web')

type Chunk = { file: string; name?: string; isEntry?: boolean; imports?: string[] }

/** Addresses of an entry of the built web app and of all that is loaded with it. */
export type BuiltScript = { file: string; imports: string[] }

/** The entries of the build by their names; undefined while the web app has not been built. */
export function readEntries(): ReadonlyMap<string, BuiltScript> | undefined {
  let chunks: Record<string, Chunk>
  try {
    chunks = JSON.parse(readFileSync(path.join(root, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
  } catch {
    return undefined
  }
  const entries = Object.values(chunks).filter(({ isEntry }) => isEntry === true)
  return new Map(
    entries.map(({ name = '', file, imports = [] }) => [
      name,
      {
        file: `/${file}`,
        imports: [...loadedWith(chunks, imports)]
          .flatMap((one) => chunks[one]?.file ?? [])
          .map((one) => `/${one}`),
      },
    ]),
  )
}

/** Imports have imports, each of which would take a round trip of its own. */
function loadedWith(
  chunks: Record<string, Chunk>,
  names: readonly string[],
  found = new Set<string>(),
): Set<string> {
  for (const name of names)
    if (!found.has(name)) loadedWith(chunks, chunks[name]?.imports ?? [], found.add(name))
  return found
}

/** The script of the page that verifies certificates; empty while the web app has not been built. */
export function readVerifyScript(): string {
  try {
    return readFileSync(path.join(root, '.vite/verify.js'), 'utf8').trim()
  } catch {
    return ''
  }
}
