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

/** Latin files of the skins' fonts, which every page of the console shows. */
const skinFonts: Record<string, readonly string[]> = {
  classic: ['open-sans-latin'],
  material: ['roboto-latin'],
  modern: ['poppins-latin-400-normal', 'poppins-latin-500-normal'],
  saas: ['inter-latin'],
  flat: ['nunito-latin'],
  minimal: ['ibm-plex-sans-latin'],
}

type Output = {
  type: string
  fileName: string
  names?: string[]
  facadeModuleId?: string | null
  imports?: string[]
  viteMetadata?: { importedCss: Set<string> }
}

/** Addresses of these files in this build. */
function fontFiles(bundle: readonly Output[]): Record<string, string[]> {
  const addressOf = (name: string) => {
    const found = bundle.find(({ names = [] }) => names.includes(`${name}.woff2`))
    if (!found) throw new Error(`The build has no font ${name}`)
    return `/${found.fileName}`
  }
  return Object.fromEntries(Object.entries(skinFonts).map(([skin, files]) => [skin, files.map(addressOf)]))
}

/** For each address of the console, as a pattern: the files of its page that the first page load does not name. */
async function screenFiles(bundle: Record<string, Output>): Promise<Record<string, string[]>> {
  const routes = await readFile(path.join(web, 'routes.tsx'), 'utf8')
  const screens = [...routes.matchAll(/'(\/[^']+)': screen\(\s*\(\) => import\('\.\/([^']+)'\)/g)]
  if (screens.length === 0) throw new Error('routes.tsx names no screen')
  const filesOf = (module: string) => {
    const found = Object.values(bundle).find(
      ({ facadeModuleId }) => facadeModuleId === path.join(web, module),
    )
    if (!found) throw new Error(`The build has no file of ${module}`)
    const own = [found, ...(found.imports ?? []).flatMap((name) => bundle[name] ?? [])]
    const late = own.filter(({ fileName }) => !/\/(base|ui|rolldown-runtime)-/.test(fileName))
    const styles = late.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])])
    return [...late.map(({ fileName }) => fileName), ...styles].map((name) => `/${name}`)
  }
  return Object.fromEntries(
    screens.map(([, address = '', module = '']) => [address.replaceAll(/\$\w+/g, '[^/]+'), filesOf(module)]),
  )
}

/** Puts the boot file into the pages: one request less before the first paint. The server allows it by its hash. */
function inlineBoot(): Plugin {
  return {
    name: 'inline-boot',
    apply: 'build',
    async transformIndexHtml(html, { bundle = {}, filename }) {
      const code = await readFile(path.join(web, 'public/boot.js'), 'utf8')
      const isConsole = path.basename(filename) === 'index.html'
      // Public pages are set in the fonts of the device.
      const fonts = isConsole ? fontFiles(Object.values(bundle)) : {}
      const screens = isConsole ? await screenFiles(bundle) : {}
      const short = code
        .replaceAll(/^\s*(\/\/.*\n)?/gm, '')
        .replace('var fonts = {}', () => `var fonts = ${JSON.stringify(fonts)}`)
        .replace('var screens = {}', () => `var screens = ${JSON.stringify(screens)}`)
      return html.replace('<script src="/boot.js"></script>', () => `<script>${short}</script>`)
    },
  }
}

/** Puts into the console's page what it is painted with before its style sheet is there. */
function inlineStart(): Plugin {
  return {
    name: 'inline-start',
    async transformIndexHtml(html, { filename }) {
      if (path.basename(filename) !== 'index.html') return html
      const files = ['ui/shell-tokens.css', 'shell/start.css'].map((file) => path.join(web, file))
      const styles = await Promise.all(files.map((file) => readFile(file, 'utf8')))
      return html.replace('</head>', () => `  <style>${styles.map(dense).join('')}</style>\n  </head>`)
    },
  }
}

/** A style sheet without its comments and without the room that only people need. */
function dense(css: string): string {
  return css
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};]) ?/g, '$1')
}

/** The console's page after the build: the small style sheet in it, the large one where it holds back nothing above it. */
function earlyPaint(): Plugin {
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

function linksOf(html: string): RegExpMatchArray[] {
  return [...html.matchAll(/<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/g)]
}

/** Moves the style sheets of a page into it. */
async function withStyles(html: string, dir: string): Promise<string> {
  const links = linksOf(html)
  const styles = await Promise.all(links.map(([, href = '']) => readFile(path.join(dir, href), 'utf8')))
  const bare = links.reduce((page, [link]) => page.replace(link, ''), html)
  return bare.replace('</head>', () => `  <style>${styles.join('')}</style>\n  </head>`)
}

/** Fails the build when files import one another in a circle, or when a page that is not the console's would start it. */
function soundFiles(): Plugin {
  return {
    name: 'sound-files',
    apply: 'build',
    generateBundle(_options, bundle) {
      const importsOf = (file: string) => {
        const chunk = bundle[file]
        return chunk?.type === 'chunk' ? chunk.imports : []
      }
      const reach = (file: string, seen = new Set<string>()) => {
        for (const next of importsOf(file)) if (!seen.has(next)) reach(next, seen.add(next))
        return seen
      }
      for (const [file, chunk] of Object.entries(bundle)) {
        if (chunk.type !== 'chunk') continue
        const reached = reach(file)
        if (reached.has(file)) this.error(`${file} imports itself through ${[...reached].join(', ')}`)
        const isApart = chunk.isEntry && ['public', 'watch', 'engine'].includes(chunk.name)
        const starts = isApart ? [...reached].find((name) => bundle[name]?.name === 'ui') : undefined
        if (starts) this.error(`${file} imports ${starts}, which starts the console`)
      }
    },
  }
}

/** Tells the server of `npm run dev` that there is a new build: see newBuilds in run/build.mjs. */
function toldBuilds(): Plugin {
  const folder = path.resolve(import.meta.dirname, '.cache/builds')
  return {
    name: 'told-builds',
    apply: 'build',
    async closeBundle() {
      if (this.meta.watchMode && existsSync(folder))
        await writeFile(path.join(folder, 'last'), new Date().toISOString())
    },
  }
}

/** Leaves out the colours of the widgets' library that no screen uses: a sixth of the first style sheet. */
function fewerColours(): Plugin {
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

/** What every public page needs: in one file, so that it takes one request. */
const base =
  /node_modules\/(react|react-dom|scheduler|zod)\/|rolldown\/runtime|\/contract\/(auth|endpoint|problems|roles)\.|\/web\/api\/(client|errors|fieldErrors|session|restore)\.|\/web\/(paths|shell\/(faces|Face|FacePicture|Restoring|face)|ui\/(product|Logo|tokens\.css))\b/

/** The console itself, and what more than one of its pages uses: one file instead of one for each icon and widget. */
const ui =
  /vite\/preload-helper|node_modules\/@(tabler|mantine\/hooks)\/|components\/(NativeSelect|Combobox\/ComboboxChevron)\/|\/contract\/(?!track)|\/web\/(main|routes)\.|\/web\/api\/|\/web\/shell\/(?!topbar\/(mega|notices\.|MegaPanel|NoticePanel)|shortcuts\/[Hh]elp|organizationFilter\/OrganizationSelect|customizer\/(Panel|Preview|[Ss]ection|use|\w+\.css))|\/web\/ui\/(?!choice|fields|FormLayout|ConflictNote|skins)\w+\.tsx?$/

/**
 * A group takes along all that its modules import, unless a group before it has that already; so no file ever imports one
 * that comes after it. (Without, files import one another in a circle, and then a module is used before it has run.)
 * Neither public pages nor the video page may import `ui`: it starts the console. `soundFiles` watches over both.
 */
const groups = [
  { name: 'base', test: base, priority: 4 },
  { name: 'ui', test: ui, priority: 3 },
  { name: 'choice', test: /\/web\/ui\/choice\.|core\/esm\/components\/(Combobox|Select)\//, priority: 2 },
  {
    name: 'organizations',
    test: /\/web\/organizations\/(RowActions|RemoveUser|RemoveGroup|crumbs|states|useRemoval)\./,
    priority: 1,
  },
  { name: 'reports', test: /\/web\/reports\/(columns|Filters|Nothing|Report|report)\./, priority: 1 },
]

export default defineConfig({
  root: web,
  cacheDir: path.resolve(import.meta.dirname, '.cache/vite'),
  plugins: [
    react(),
    fewerColours(),
    publicPages(),
    inlineBoot(),
    inlineStart(),
    earlyPaint(),
    drawnPages(),
    precompressed(),
    soundFiles(),
    toldBuilds(),
  ],
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
      output: { codeSplitting: { groups } },
    },
  },
})
