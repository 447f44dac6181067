import react from '@vitejs/plugin-react'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import { defineConfig, type Plugin } from 'vite'

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

export default defineConfig({
  root: web,
  cacheDir: path.resolve(import.meta.dirname, '.cache/vite'),
  plugins: [react(), publicPages(), precompressed()],
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
    rollupOptions: {
      input: {
        console: path.join(web, 'index.html'),
        public: path.join(web, 'public.html'),
        ...(existsSync(watch) ? { watch } : {}),
      },
    },
  },
})
