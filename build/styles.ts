import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runnerImport, type Plugin } from 'vite'
import type * as tokens from '#web/ui/look/tokens.ts'
import { preserveSymlinks, web } from './folders.ts'

/** How a module of the web app is read anew: while the product is being worked on it changes between two builds. */
const settings = { root: web, configFile: false, resolve: { preserveSymlinks } } as const

type Sheet = { toCss: () => string }

/** Style sheets that are no files: `virtual:tokens.css` is what `toCss` of `web/ui/look/tokens.ts` says, and the fonts likewise. */
export function writtenSheets(): Plugin {
  const sheets = ['tokens', 'fonts'].map((name) => path.join(web, `ui/look/${name}.css`))
  return {
    name: 'written-sheets',
    enforce: 'pre',
    resolveId: (source) => sheets.find((sheet) => source === `virtual:${path.basename(sheet)}`) ?? null,
    // Not by the filter of the plugin, which takes a path for a pattern.
    async load(sheet) {
      if (!sheets.includes(sheet)) return null
      const source = sheet.replace(/css$/, 'ts')
      const { module, dependencies } = await runnerImport<Sheet>(source, settings)
      for (const file of [source, ...dependencies]) this.addWatchFile(file)
      return module.toCss()
    },
  }
}

/** Puts into the console's page what it is painted with before its style sheet is there. */
export function inlineStart(): Plugin {
  return {
    name: 'inline-start',
    async transformIndexHtml(html, { filename }) {
      if (path.basename(filename) !== 'index.html') return html
      const { module } = await runnerImport<typeof tokens>(path.join(web, 'ui/look/tokens.ts'), settings)
      const styles = [module.toShellCss(), await readFile(path.join(web, 'layout/start.css'), 'utf8')]
      return html.replace('</head>', () => `  <style>${styles.map(dense).join('')}</style>\n  </head>`)
    },
  }
}

/** A style sheet without its comments and without the room that only people need. */
export function dense(css: string): string {
  return css
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};]) ?/g, '$1')
}

/** The console's page after the build: the small style sheet in it, the large one where it holds back nothing above it. */
export function earlyPaint(): Plugin {
  return {
    name: 'early-paint',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const file = path.join(dir, 'index.html')
      const html = await readFile(file, 'utf8')
      const [large = ''] = html.match(/<link rel="stylesheet"[^>]*\/ui-[^>]*>/) ?? []
      if (large === '') this.error('index.html has no style sheet of the console')
      const small = html.replace(large, '')
      // Whoever asks for a sheet that is in the page finds it by its link, which itself fetches nothing.
      const known = linksOf(small).map(([, href = '']) => `<link rel="stylesheet" href="${href}" disabled />`)
      const links = [...known, large].join('')
      const page = await withStyles(small, dir)
      await writeFile(
        file,
        page.replace('<noscript>', () => `${links}\n    <noscript>`),
      )
    },
  }
}

function linksOf(html: string): RegExpMatchArray[] {
  return [...html.matchAll(/<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/g)]
}

/** Moves the style sheets of a page into it. */
export async function withStyles(html: string, dir: string): Promise<string> {
  const links = linksOf(html)
  const styles = await Promise.all(links.map(([, href = '']) => readFile(path.join(dir, href), 'utf8')))
  const bare = links.reduce((page, [link]) => page.replace(link, ''), html)
  return bare.replace('</head>', () => `  <style>${styles.join('')}</style>\n  </head>`)
}

/** Leaves out the colours of the widgets' library that no screen uses: a sixth of the first style sheet. */
export function fewerColours(): Plugin {
  const unused =
    /\s*--mantine-color-(blue|cyan|grape|indigo|lime|orange|pink|teal|violet|yellow)-[\w-]+:[^;]*;/g
  return {
    name: 'fewer-colours',
    enforce: 'pre',
    transform: {
      filter: { id: /default-css-variables\.layer\.css$/ },
      handler: (code) => ({ code: code.replaceAll(unused, ''), map: null }),
    },
  }
}
