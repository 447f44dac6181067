import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { web } from './folders.ts'

type Bundle = Rolldown.OutputBundle

/** A row of web/routes.tsx: an address, and the file of its screen. */
const row = /'(\/[^']*)': screen\(\s*\(\) => import\('\.\/([^']+)'\)/g
/** The parts of a screen that are fetched with its tabs, and each of them: the name of the tab, and the file. */
const parts = /^const parts = \{\n([^}]*)\n\}/m
const part = /^ {2}(\w+): \(\) => import\('([^']+)'\),$/gm

/**
 * Tells the server which files each page of the console is drawn with beside those of all pages, so that they need not wait until
 * the console runs and asks for them: `.vite/pages.json`, by address as in `contract/roles.ts`. A page with parts has an address for
 * each of its tabs too, and opens with the first of them.
 */
export function filesOfPages(): Plugin {
  return {
    name: 'files-of-pages',
    apply: 'build',
    // After the files are gone that held nothing but styles.
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
      const chunkOf = (file: string) =>
        chunks.find(({ moduleIds }) => moduleIds.includes(file)) ?? this.error(`The build has no ${file}`)
      const shared = filesOf(bundle, chunkOf(path.join(web, 'main.tsx')))
      const filesBeside = (modules: string[]) => {
        const all = new Set(modules.flatMap((one) => [...filesOf(bundle, chunkOf(one))]))
        return [...all].filter((one) => !shared.has(one))
      }
      const pages: Record<string, string[]> = {}
      for (const { address, screen } of await readRoutes()) {
        const tabs = await readTabs(screen)
        for (const { tab, file } of tabs) pages[`${address}?tab=${tab}`] = filesBeside([screen, file])
        pages[address] = filesBeside([screen, ...tabs.slice(0, 1).map(({ file }) => file)])
      }
      const missing = Object.values(pages)
        .flat()
        .find((one) => !(one in bundle))
      if (missing !== undefined) this.error(`A page names ${missing}, which is not built`)
      const source = JSON.stringify(pages)
      this.emitFile({ type: 'asset', fileName: '.vite/pages.json', source })
    },
  }
}

async function readRoutes(): Promise<{ address: string; screen: string }[]> {
  const routes = await readFile(path.join(web, 'routes.tsx'), 'utf8')
  return [...routes.matchAll(row)].map(([, address = '', file = '']) => ({
    address,
    screen: path.join(web, file),
  }))
}

async function readTabs(screen: string): Promise<{ tab: string; file: string }[]> {
  const [, lines = ''] = parts.exec(await readFile(screen, 'utf8')) ?? []
  return [...lines.matchAll(part)].map(([, tab = '', file = '']) => ({
    tab,
    file: path.join(path.dirname(screen), file),
  }))
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
