import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runnerImport, type Plugin } from 'vite'
import { preserveSymlinks, web } from './folders.ts'
import { withStyles } from './styles.ts'

/** The server's choice of page, for the development server: see server/platform/http/pages/spa.ts. */
export function publicPages(): Plugin {
  return {
    name: 'public-pages',
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        if (/^\/(auth-1\/|error\/|maintenance\b|landing\b)/.test(request.url ?? ''))
          request.url = '/public.html'
        next()
      })
    },
  }
}

type Page = { path: string; title: string; html: string; isLate: boolean }
type PrerenderModule = { drawPages: () => Page[] }

/** Draws the public pages at build time, each with its styles inside, so that they are seen before a script has run; `plugins` are those that change what the pages say. */
export function drawnPages(plugins: Plugin[]): Plugin {
  const classes = new Map<string, object>()
  return {
    name: 'drawn-pages',
    apply: 'build',
    config: () => ({ css: { modules: { getJSON: (file, names) => void classes.set(file, names) } } }),
    async writeBundle({ dir = '' }, bundle) {
      const template = await withStyles(await readFile(path.join(dir, 'public.html'), 'utf8'), dir)
      await writeFile(path.join(dir, 'public.html'), template)
      const { module } = await runnerImport<PrerenderModule>(path.join(web, 'identity/prerender.tsx'), {
        root: web,
        configFile: false,
        resolve: { preserveSymlinks },
        plugins: [...plugins, builtClasses(classes)],
      })
      const lateFile = Object.values(bundle).find(({ name }) => name === 'LatePages')?.fileName
      if (lateFile === undefined) this.error('The build has no file of the late pages')
      const preload = `<link rel="modulepreload" crossorigin href="/${lateFile}">`
      for (const { path: address, title, html, isLate } of module.drawPages()) {
        const file = path.join(dir, 'pages', `${address}.html`)
        await mkdir(path.dirname(file), { recursive: true })
        const page = template
          .replace(/<title>[^<]*/, () => `<title>${title} · %product%`)
          .replace('</head>', (end) => (isLate ? `  ${preload}\n  ${end}` : end))
          .replace('<div id="root"></div>', () => `<div id="root">${html}</div>`)
        await writeFile(file, page)
      }
    },
  }
}

/** Class names as the build has made them: what draws the pages cannot make them anew. */
function builtClasses(classes: ReadonlyMap<string, object>): Plugin {
  const ending = '.module.css'
  return {
    name: 'built-classes',
    enforce: 'pre',
    resolveId: (id, importer = '') =>
      id.endsWith(ending) ? `\0${path.resolve(path.dirname(importer), id.replace('#web', web))}.js` : null,
    load: (id) =>
      id.endsWith(`${ending}.js`)
        ? `export default ${JSON.stringify(classes.get(id.slice(1, -'.js'.length)))}`
        : null,
  }
}
