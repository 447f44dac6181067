import { readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../dist/web')

type Chunk = { file: string; name?: string; isEntry?: boolean; imports?: string[] }

/** Addresses of an entry of the built web app and of what it imports. */
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
        imports: imports.flatMap((one) => chunks[one]?.file ?? []).map((one) => `/${one}`),
      },
    ]),
  )
}

/** The text of a built script. */
export function readScript({ file }: BuiltScript): string {
  return readFileSync(path.join(root, file), 'utf8')
}
