import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** Lays `.br` and `.gz` beside every text file, so that the server never compresses an asset twice. */
export function precompressed(): Plugin {
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

/** Tells the server of `npm run dev` that there is a new build: see newBuilds in run/build.mjs. */
export function toldBuilds(): Plugin {
  const folder = path.resolve(import.meta.dirname, '../.cache/builds')
  return {
    name: 'told-builds',
    apply: 'build',
    async closeBundle() {
      if (this.meta.watchMode && existsSync(folder))
        await writeFile(path.join(folder, 'last'), new Date().toISOString())
    },
  }
}
