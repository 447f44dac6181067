import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { web } from './folders.ts'

type Bundle = Rolldown.OutputBundle

/** A row of web/routes.tsx: an address, and the file of its screen. */
const row = /'(\/[^']*)': screen\(\s*\(\) => import\('\.\/([^']+)'\)/g

/**
 * Tells the server which files each page of the console is drawn with beside those of all pages, so that they need not wait until
 * the console runs and asks for them: `.vite/pages.json`, by address as in `contract/roles.ts`.
 */
export function filesOfPages(): Plugin {
  return {
    name: 'files-of-pages',
    apply: 'build',
    // After the files are gone that held nothing but styles.
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
      const all = chunks.find(({ name }) => name === 'ui')
      const routes = await readFile(path.join(web, 'routes.tsx'), 'utf8')
      const pages = [...routes.matchAll(row)].map(([, address = '', file = '']) => {
        const screen = chunks.find(({ moduleIds }) => moduleIds.includes(path.join(web, file)))
        if (!all || !screen) return this.error(`The build has no file of ${address}`)
        const shared = filesOf(bundle, all)
        const own = [...filesOf(bundle, screen)].filter((one) => !shared.has(one))
        const missing = own.find((one) => !(one in bundle))
        if (missing !== undefined) this.error(`${address} names ${missing}, which is not built`)
        return [address, own]
      })
      const source = JSON.stringify(Object.fromEntries(pages))
      this.emitFile({ type: 'asset', fileName: '.vite/pages.json', source })
    },
  }
}

/** A file, its style sheets, and all that it imports. */
function filesOf(bundle: Bundle, chunk: Rolldown.OutputChunk, found = new Set<string>()): Set<string> {
  if (found.has(chunk.fileName)) return found
  found.add(chunk.fileName)
  for (const sheet of chunk.viteMetadata?.importedCss ?? []) found.add(sheet)
  for (const name of chunk.imports) {
    const next = bundle[name]
    if (next?.type === 'chunk') filesOf(bundle, next, found)
  }
  return found
}
