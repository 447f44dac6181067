import react from '@vitejs/plugin-react'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import { defineConfig, runnerImport, type Plugin } from 'vite'

const web = path.resolve(import.meta.dirname, 'web')
const watch = path.join(web, 'watch/main.ts')

/** The server's choice of page, for the development server: see server/http/spa.ts. */
function publicPages(): Plugin {
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

/** Lays `.br` and `.gz` beside every text file, so that the server never compresses an asset twice. */
function precompressed(): Plugin {
  const worthwhile = /\.(js|css|svg|json)$/
  return {
    name: 'precompressed',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const names = await readdir(dir, { recursive: true })
      const files = names.filter((name) => worthwhile.test(name)).map((name) => path.join(dir, name))
      await Promise.all(files.map(compressBeside))
    },
  }
}

async function compressBeside(file: string): Promise<void> {
  const content = await readFile(file)
  if (content.length < 1024) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }))
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
}

/** Puts the boot file into the pages: one request less before the first paint. The server allows it by its hash. */
function inlineBoot(): Plugin {
  return {
    name: 'inline-boot',
    apply: 'build',
    async transformIndexHtml(html) {
      const code = await readFile(path.join(web, 'public/boot.js'), 'utf8')
      const short = code.replaceAll(/^\s*(\/\/.*\n)?/gm, '')
      return html.replace('<script src="/boot.js"></script>', () => `<script>${short}</script>`)
    },
  }
}

type Drawn = { drawPages: () => { path: string; title: string; html: string }[] }

/** Draws the public pages at build time, each with its styles inside, so that they are seen before a script has run. */
function drawnPages(): Plugin {
  return {
    name: 'drawn-pages',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const template = await withStyles(await readFile(path.join(dir, 'public.html'), 'utf8'), dir)
      await writeFile(path.join(dir, 'public.html'), template)
      const { module } = await runnerImport<Drawn>(path.join(web, 'auth/prerender.tsx'), {
        root: web,
        configFile: false,
      })
      for (const { path: address, title, html } of module.drawPages()) {
        const file = path.join(dir, 'pages', `${address}.html`)
        await mkdir(path.dirname(file), { recursive: true })
        const page = template
          .replace(/<title>[^<]*/, () => `<title>${title} · %product%`)
          .replace('<div id="root"></div>', () => `<div id="root">${html}</div>`)
        await writeFile(file, page)
      }
    },
  }
}

/** Moves the style sheets of a page into it. */
async function withStyles(html: string, dir: string): Promise<string> {
  const links = [...html.matchAll(/<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/g)]
  const styles = await Promise.all(links.map(([, href = '']) => readFile(path.join(dir, href), 'utf8')))
  const bare = links.reduce((page, [link]) => page.replace(link, ''), html)
  return bare.replace('</head>', () => `  <style>${styles.join('')}</style>\n  </head>`)
}

/** What every public page needs: in one file, so that it takes one request. */
const base =
  /node_modules\/(react|react-dom|scheduler|zod)\/|\/contract\/(auth|endpoint|problems|roles)\.|\/web\/api\/(client|errors|fieldErrors|session|restore)\.|\/web\/(paths|shell\/(faces|FacePicture|Restoring)|ui\/(product|Logo))\./

export default defineConfig({
  root: web,
  cacheDir: path.resolve(import.meta.dirname, '.cache/vite'),
  plugins: [react(), publicPages(), inlineBoot(), drawnPages(), precompressed()],
  server: {
    proxy: {
      '/api': process.env['API_URL'] ?? 'http://localhost:3000',
      '/m/': process.env['API_URL'] ?? 'http://localhost:3000',
    },
  },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    assetsInlineLimit: 2048,
    modulePreload: { polyfill: false },
    rollupOptions: {
      // The page of a video imports its engine by address, and uses what it exports.
      preserveEntrySignatures: 'exports-only',
      input: {
        console: path.join(web, 'index.html'),
        public: path.join(web, 'public.html'),
        ...(existsSync(watch) ? { watch, engine: path.join(web, 'watch/engine.ts') } : {}),
      },
      output: { codeSplitting: { groups: [{ name: 'base', test: base }] } },
    },
  },
})
